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
  { path: 'notices', title: () => pageWords.notices, operation: 'listConsentNotices' },
  { path: 'requests', title: () => pageWords.requests, operation: 'listDsrs' },
  { path: 'breaches', title: () => pageWords.breaches, operation: 'listBreaches' },
  { path: 'subjects', title: () => pageWords.subjects, operation: 'getSubjectLedger' },
  { path: 'audit', title: () => pageWords.audit, operation: 'listAuditEvents' },
  { path: 'proofs', title: () => pageWords.proofs, operation: 'listConsentCheckpoints' },
  { path: 'webhooks', title: () => pageWords.webhooks, operation: 'listWebhooks' },
  { path: 'webhooks/deliveries', title: () => pageWords.deliveries, operation: 'listWebhookDeliveries' },
  { path: 'people', title: () => pageWords.people, operation: 'listUsers' },
  { path: 'people/provisioning', title: () => pageWords.provisioning, operation: 'getScimToken' },
  { path: 'keys', title: () => pageWords.keys, operation: 'listApiKeys' },
  { path: 'settings', title: () => pageWords.settings, operation: 'getTenant' },
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
    'notices',
    () => import('./pages/notices.ts'),
    () => pageWords.notices,
    () => html`<svc-notices></svc-notices>`,
  ),
  page(
    'notices/:id',
    () => import('./pages/notice.ts'),
    () => pageWords.notice,
    ({ id = '' }) => html`<svc-notice .noticeId=${id}></svc-notice>`,
  ),
  page(
    'notices/:id/publish',
    () => import('./pages/notice-publish.ts'),
    () => pageWords.publishNotice,
    ({ id = '' }) => html`<svc-notice-publish .noticeId=${id}></svc-notice-publish>`,
  ),
  page(
    'notices/:id/install',
    () => import('./pages/notice-install.ts'),
    () => pageWords.installBanner,
    ({ id = '' }) => html`<svc-notice-install .noticeId=${id}></svc-notice-install>`,
  ),
  page(
    'notices/:id/records',
    () => import('./pages/records.ts'),
    () => pageWords.records,
    ({ id = '' }) => html`<svc-records .noticeId=${id}></svc-records>`,
  ),
  page(
    'notices/:id/records/:recordId',
    () => import('./pages/record.ts'),
    () => pageWords.record,
    ({ id = '', recordId = '' }) => html`<svc-record .noticeId=${id} .recordId=${recordId}></svc-record>`,
  ),
  page(
    'requests',
    () => import('./pages/requests.ts'),
    () => pageWords.requests,
    () => html`<svc-requests></svc-requests>`,
  ),
  page(
    'requests/:id',
    () => import('./pages/request.ts'),
    () => pageWords.request,
    ({ id = '' }) => html`<svc-request .requestId=${id}></svc-request>`,
  ),
  page(
    'breaches',
    () => import('./pages/breaches.ts'),
    () => pageWords.breaches,
    () => html`<svc-breaches></svc-breaches>`,
  ),
  page(
    'breaches/:id',
    () => import('./pages/breach.ts'),
    () => pageWords.breach,
    ({ id = '' }) => html`<svc-breach .breachId=${id}></svc-breach>`,
  ),
  page(
    'settings',
    () => import('./pages/settings.ts'),
    () => pageWords.settings,
    () => html`<svc-settings></svc-settings>`,
  ),
  page(
    'subjects',
    () => import('./pages/subjects.ts'),
    () => pageWords.subjects,
    () => html`<svc-subjects></svc-subjects>`,
  ),
  page(
    'subjects/:id',
    () => import('./pages/subject.ts'),
    () => pageWords.subject,
    ({ id = '' }) => html`<svc-subject .subjectId=${decodeURIComponent(id)}></svc-subject>`,
  ),
  page(
    'audit',
    () => import('./pages/audit.ts'),
    () => pageWords.audit,
    () => html`<svc-audit></svc-audit>`,
  ),
  page(
    'audit/:id',
    () => import('./pages/audit-event.ts'),
    () => pageWords.audit,
    ({ id = '' }) => html`<svc-audit-event .eventId=${id}></svc-audit-event>`,
  ),
  page(
    'proofs',
    () => import('./pages/proofs.ts'),
    () => pageWords.proofs,
    () => html`<svc-proofs></svc-proofs>`,
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
