import type { PageView } from '../page/consent-page.ts';

/** A setting of the theme: the element's attribute, or the notice's. */
export function readTheme({ element, notice }: PageView, name: 'scheme' | 'layout' | 'position'): string {
  return element?.getAttribute(name) || notice?.theme?.[name] || '';
}

/** Sets the color scheme and the accent of a box, which inherits the page's scheme otherwise. */
export function applyTheme(box: HTMLElement, view: PageView): void {
  box.dataset.scheme = readTheme(view, 'scheme');
  const accent = view.notice?.theme?.accent ?? '';
  box.style.setProperty('--_theme', /^#[0-9a-f]{6}$/i.test(accent) ? accent : null);
}
