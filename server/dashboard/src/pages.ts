import { html } from 'lit';
import type { operationScopes } from './api-types.ts';
import { words } from './preferences.ts';
import type { Page } from './router.ts';

/** An entry of the main navigation and of the command palette. */
export interface NavigationEntry {
  /** Below `/app/`. */
  readonly path: string;
  title(): string;
  /** The operation that the page needs; null for a page of every user. */
  readonly operation: keyof typeof operationScopes | null;
}

export const navigation: readonly NavigationEntry[] = [
  { path: '', title: () => words.home, operation: null },
  { path: 'me', title: () => words.account, operation: null },
];

/** Every page, each loaded when it is first opened. */
export const pages: readonly Page[] = [
  {
    path: '',
    async load() {
      await import('./pages/home.ts');
      return { title: () => words.home, render: () => html`<svc-home></svc-home>` };
    },
  },
  {
    path: 'me',
    async load() {
      await import('./pages/account.ts');
      return { title: () => words.account, render: () => html`<svc-account></svc-account>` };
    },
  },
];

/** The page for every other address. */
export const missing: Page = {
  path: '*',
  load: async () => ({
    title: () => words.notFound,
    render: () =>
      html`<h1>${words.notFound}</h1>
        <p>${words.notFoundHint}</p>
        <p><a href="/app/">${words.toHome}</a></p>`,
  }),
};
