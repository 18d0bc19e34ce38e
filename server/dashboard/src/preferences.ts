import en from './words/en.json' with { type: 'json' };
import type enPages from './words/pages/en.json';

/** Options that a user can choose for this browser. */
export const themes = ['system', 'light', 'dark'] as const;
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français' } as const;

export type Theme = (typeof themes)[number];
export type Language = keyof typeof languages;

/** The words in the language of the user. Other languages are loaded when they are chosen. */
export let words = en;

/** The words of the pages behind the sign-in; loaded with the first of them. */
export let pageWords: typeof enPages;

/** The language that the user chose, or that the browser asks for. */
export function readLanguage(): Language {
  const wanted = [localStorage.getItem('svc-language') ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2));
  return (wanted.find((tag) => Object.hasOwn(languages, tag)) ?? 'en') as Language;
}

/** How times and numbers are written: the language of the words, as the browser's country writes it. */
export function readLocale(): string {
  const { lang } = document.documentElement;
  return navigator.languages.find((tag) => tag.slice(0, 2) === lang) ?? lang;
}

/** Loads the words of a language. */
export async function useLanguage(language: Language): Promise<void> {
  if (language === 'de') words = (await import('./words/de.json', { with: { type: 'json' } })).default;
  else if (language === 'fr') words = (await import('./words/fr.json', { with: { type: 'json' } })).default;
  else words = en;
  document.documentElement.lang = language;
}

/** Loads the words of the pages in the language of the user. */
export async function loadPageWords(): Promise<void> {
  const language = readLanguage();
  if (language === 'de') pageWords = (await import('./words/pages/de.json', { with: { type: 'json' } })).default;
  else if (language === 'fr') pageWords = (await import('./words/pages/fr.json', { with: { type: 'json' } })).default;
  else pageWords = (await import('./words/pages/en.json', { with: { type: 'json' } })).default;
}

export function readTheme(): Theme {
  const stored = localStorage.getItem('svc-theme') as Theme | null;
  return stored !== null && themes.includes(stored) ? stored : 'system';
}

export function useTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

/** True if keys without Ctrl are shortcuts outside of fields: speech input and slips press them too (WCAG 2.1.4). */
export function hasShortcuts(): boolean {
  return localStorage.getItem('svc-shortcuts') !== 'off';
}

/** Keeps a choice for the next visit. */
export function keep(name: 'svc-theme' | 'svc-language' | 'svc-shortcuts', value: string): void {
  localStorage.setItem(name, value);
}
