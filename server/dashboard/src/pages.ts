import { html, type TemplateResult } from 'lit';
import type { operationScopes } from './api-types.ts';
import { pageWords, words } from './preferences.ts';
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
  { path: 'webhooks', title: () => pageWords.webhooks, operation: 'listWebhooks' },
  { path: 'webhooks/deliveries', title: () => pageWords.deliveries, operation: 'listWebhookDeliveries' },
  { path: 'people', title: () => pageWords.people, operation: 'listUsers' },
  { path: 'people/provisioning', title: () => pageWords.provisioning, operation: 'getScimToken' },
  { path: 'keys', title: () => pageWords.keys, operation: 'listApiKeys' },
  { path: 'me', title: () => words.account, operation: null },
];

/** A page that is loaded when it is first opened. */
function page(
  path: string,
  load: () => Promise<unknown>,
  title: () => string,
  render: (parameters: Readonly<Record<string, string | undefined>>) => TemplateResult,
): Page {
  return {
    path,
    async load() {
      await load();
      return { title, render };
    },
  };
}

/** Every page. The first that fits an address is shown, so `deliveries` comes before `:id`. */
export const pages: readonly Page[] = [
  page(
    '',
    () => import('./pages/home.ts'),
    () => words.home,
    () => html`<svc-home></svc-home>`,
  ),
  page(
    'webhooks',
    () => import('./pages/webhooks.ts'),
    () => pageWords.webhooks,
    () => html`<svc-webhooks></svc-webhooks>`,
  ),
  page(
    'webhooks/deliveries',
    () => import('./pages/deliveries.ts'),
    () => pageWords.deliveries,
    () => html`<svc-deliveries></svc-deliveries>`,
  ),
  page(
    'webhooks/deliveries/:id',
    () => import('./pages/delivery.ts'),
    () => pageWords.delivery,
    ({ id = '' }) => html`<svc-delivery .deliveryId=${id}></svc-delivery>`,
  ),
  page(
    'webhooks/:id',
    () => import('./pages/webhook.ts'),
    () => pageWords.webhook,
    ({ id = '' }) => html`<svc-webhook .webhookId=${id}></svc-webhook>`,
  ),
  page(
    'people',
    () => import('./pages/people.ts'),
    () => pageWords.people,
    () => html`<svc-people></svc-people>`,
  ),
  page(
    'people/provisioning',
    () => import('./pages/provisioning.ts'),
    () => pageWords.provisioning,
    () => html`<svc-provisioning></svc-provisioning>`,
  ),
  page(
    'people/:id',
    () => import('./pages/person.ts'),
    () => pageWords.member,
    ({ id = '' }) => html`<svc-person .userId=${id}></svc-person>`,
  ),
  page(
    'keys',
    () => import('./pages/keys.ts'),
    () => pageWords.keys,
    () => html`<svc-keys></svc-keys>`,
  ),
  page(
    'me',
    () => import('./pages/account.ts'),
    () => words.account,
    () => html`<svc-account></svc-account>`,
  ),
];

/** The page for every other address. */
export const missing: Page = page(
  '*',
  async () => undefined,
  () => words.notFound,
  () =>
    html`<h1>${words.notFound}</h1>
      <p>${words.notFoundHint}</p>
      <p><a href="/app/">${words.toHome}</a></p>`,
);
