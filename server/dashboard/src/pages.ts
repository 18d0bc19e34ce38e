import { html, type TemplateResult } from 'lit';
import type { operationScopes } from './api-types.ts';
import { viewForbidden, viewMissing, viewUnloaded } from './element.ts';
import { pageWords, words } from './preferences.ts';
import type { FoundPage, Page } from './router.ts';
import { session } from './session.ts';

type Operation = keyof typeof operationScopes;
type Parameters = Readonly<Record<string, string | undefined>>;

/** A page, and who may open it. */
export interface DashboardPage extends Page {
  /** The operation that reads what the page shows; null for a page of every user. */
  readonly operation: Operation | null;
  title(): string;
}

/** A page that is loaded when it is first opened. */
function page(
  path: string,
  operation: Operation | null,
  title: () => string,
  load: () => Promise<unknown>,
  render: (parameters: Parameters) => TemplateResult,
): DashboardPage {
  let script: Promise<unknown> | null = null;
  // A second import is there a task later than a promise that is kept, and the frame would be drawn without its page first.
  const preload = () => {
    script ??= load().catch((error: unknown) => {
      script = null;
      throw error;
    });
    return script;
  };
  return {
    path,
    operation,
    title,
    preload,
    async load() {
      if (!mayOpen({ operation })) return { title: () => pageWords.forbidden, render: viewForbidden };
      // The server is away, or has another build since.
      const isLoaded = await preload().then(
        () => true,
        () => false,
      );
      return { title, render: isLoaded ? render : () => viewUnloaded(title()) };
    },
  };
}

/** True if the user may open a page; the server checks again. */
function mayOpen({ operation }: Pick<DashboardPage, 'operation'>): boolean {
  return operation === null || session.allows(operation);
}

/** Every page. The first that fits an address is shown, so `deliveries` comes before `:id`. */
export const pages: readonly DashboardPage[] = [
  page(
    '',
    null,
    () => words.home,
    () => import('./pages/home.ts'),
    () => html`<svc-home></svc-home>`,
  ),
  page(
    'notices',
    'listConsentNotices',
    () => pageWords.notices,
    () => import('./pages/notices.ts'),
    () => html`<svc-notices></svc-notices>`,
  ),
  page(
    'notices/:id',
    'getConsent',
    () => pageWords.notice,
    () => import('./pages/notice.ts'),
    ({ id = '' }) => html`<svc-notice .noticeId=${id}></svc-notice>`,
  ),
  page(
    'notices/:id/publish',
    'listConsentNoticeVersions',
    () => pageWords.publishNotice,
    () => import('./pages/notice-publish.ts'),
    ({ id = '' }) => html`<svc-notice-publish .noticeId=${id}></svc-notice-publish>`,
  ),
  page(
    'notices/:id/install',
    'getConsent',
    () => pageWords.installBanner,
    () => import('./pages/notice-install.ts'),
    ({ id = '' }) => html`<svc-notice-install .noticeId=${id}></svc-notice-install>`,
  ),
  page(
    'notices/:id/statistics',
    'getConsentNoticeStatistics',
    () => pageWords.statistics.title,
    () => import('./pages/notice-statistics.ts'),
    ({ id = '' }) => html`<svc-notice-statistics .noticeId=${id}></svc-notice-statistics>`,
  ),
  page(
    'notices/:id/records',
    'listConsentRecords',
    () => pageWords.records,
    () => import('./pages/records.ts'),
    ({ id = '' }) => html`<svc-records .noticeId=${id}></svc-records>`,
  ),
  page(
    'notices/:id/records/:recordId',
    'getConsentRecord',
    () => pageWords.record,
    () => import('./pages/record.ts'),
    ({ id = '', recordId = '' }) => html`<svc-record .noticeId=${id} .recordId=${recordId}></svc-record>`,
  ),
  page(
    'requests',
    'listDsrs',
    () => pageWords.requests,
    () => import('./pages/requests.ts'),
    () => html`<svc-requests></svc-requests>`,
  ),
  page(
    'requests/:id',
    'getDsr',
    () => pageWords.request,
    () => import('./pages/request.ts'),
    ({ id = '' }) => html`<svc-request .requestId=${id}></svc-request>`,
  ),
  page(
    'breaches',
    'listBreaches',
    () => pageWords.breaches,
    () => import('./pages/breaches.ts'),
    () => html`<svc-breaches></svc-breaches>`,
  ),
  page(
    'breaches/:id',
    'getBreach',
    () => pageWords.breach,
    () => import('./pages/breach.ts'),
    ({ id = '' }) => html`<svc-breach .breachId=${id}></svc-breach>`,
  ),
  page(
    'controls',
    'listControls',
    () => pageWords.controls,
    () => import('./pages/controls.ts'),
    () => html`<svc-controls></svc-controls>`,
  ),
  page(
    'controls/:id',
    'getControl',
    () => pageWords.control.one,
    () => import('./pages/control.ts'),
    ({ id = '' }) => html`<svc-control .controlId=${id}></svc-control>`,
  ),
  page(
    'readiness',
    'getReadiness',
    () => pageWords.readiness,
    () => import('./pages/readiness.ts'),
    () => html`<svc-readiness></svc-readiness>`,
  ),
  page(
    'trust',
    'getTrustCenter',
    () => pageWords.trust,
    () => import('./pages/trust.ts'),
    () => html`<svc-trust></svc-trust>`,
  ),
  page(
    'trust/badge',
    'getTrustCenter',
    () => pageWords.badge,
    () => import('./pages/trust-badge.ts'),
    () => html`<svc-trust-badge-page></svc-trust-badge-page>`,
  ),
  page(
    'subjects',
    'getSubjectLedger',
    () => pageWords.subjects,
    () => import('./pages/subjects.ts'),
    () => html`<svc-subjects></svc-subjects>`,
  ),
  page(
    'subjects/:id',
    'getSubjectLedger',
    () => pageWords.subject,
    () => import('./pages/subject.ts'),
    ({ id = '' }) => viewSubject(id),
  ),
  page(
    'audit',
    'listAuditEvents',
    () => pageWords.audit,
    () => import('./pages/audit.ts'),
    () => html`<svc-audit></svc-audit>`,
  ),
  page(
    'audit/:id',
    'getAuditEvent',
    () => pageWords.audit,
    () => import('./pages/audit-event.ts'),
    ({ id = '' }) => html`<svc-audit-event .eventId=${id}></svc-audit-event>`,
  ),
  page(
    'proofs',
    'listAuditCheckpoints',
    () => pageWords.proofs,
    () => import('./pages/proofs.ts'),
    () => html`<svc-proofs></svc-proofs>`,
  ),
  page(
    'webhooks',
    'listWebhooks',
    () => pageWords.webhooks,
    () => import('./pages/webhooks.ts'),
    () => html`<svc-webhooks></svc-webhooks>`,
  ),
  page(
    'webhooks/deliveries',
    'listWebhookDeliveries',
    () => pageWords.deliveries,
    () => import('./pages/deliveries.ts'),
    () => html`<svc-deliveries></svc-deliveries>`,
  ),
  page(
    'webhooks/deliveries/:id',
    'getWebhookDelivery',
    () => pageWords.delivery,
    () => import('./pages/delivery.ts'),
    ({ id = '' }) => html`<svc-delivery .deliveryId=${id}></svc-delivery>`,
  ),
  page(
    'webhooks/:id',
    'getWebhook',
    () => pageWords.webhook,
    () => import('./pages/webhook.ts'),
    ({ id = '' }) => html`<svc-webhook .webhookId=${id}></svc-webhook>`,
  ),
  page(
    'people',
    'listUsers',
    () => pageWords.people,
    () => import('./pages/people.ts'),
    () => html`<svc-people></svc-people>`,
  ),
  page(
    'people/provisioning',
    'getScimToken',
    () => pageWords.provisioning,
    () => import('./pages/provisioning.ts'),
    () => html`<svc-provisioning></svc-provisioning>`,
  ),
  page(
    'people/:id',
    'getUser',
    () => pageWords.member,
    () => import('./pages/person.ts'),
    ({ id = '' }) => html`<svc-person .userId=${id}></svc-person>`,
  ),
  page(
    'keys',
    'listApiKeys',
    () => pageWords.keys,
    () => import('./pages/keys.ts'),
    () => html`<svc-keys></svc-keys>`,
  ),
  page(
    'settings',
    'getTenant',
    () => pageWords.settings,
    () => import('./pages/settings.ts'),
    () => html`<svc-settings></svc-settings>`,
  ),
  page(
    'tenants',
    'listTenants',
    () => pageWords.tenants,
    () => import('./pages/tenants.ts'),
    () => html`<svc-tenants></svc-tenants>`,
  ),
  page(
    'staff',
    'listPortfolio',
    () => pageWords.staff.title,
    () => import('./pages/staff.ts'),
    () => html`<svc-staff></svc-staff>`,
  ),
  page(
    'system',
    'getSystem',
    () => pageWords.system.title,
    () => import('./pages/system.ts'),
    () => html`<svc-system></svc-system>`,
  ),
  page(
    'me',
    null,
    () => words.account,
    () => import('./pages/account.ts'),
    () => html`<svc-account></svc-account>`,
  ),
];

/** Subjects have ids of any text: an address may hold one with an invalid encoding. */
function viewSubject(id: string): TemplateResult {
  try {
    return html`<svc-subject .subjectId=${decodeURIComponent(id)}></svc-subject>`;
  } catch {
    return viewMissing();
  }
}

/** The pages of the command palette that the user may open: those without a parameter. */
export function listEntries(): readonly DashboardPage[] {
  return pages.filter((one) => !one.path.includes(':') && mayOpen(one));
}

/** The pages of the navigation; the badge is a tab of the trust center. */
export function listNavigation(): readonly DashboardPage[] {
  return listEntries().filter(({ path }) => path !== 'trust/badge');
}

/** The page for every other address. */
const missing: Page = {
  path: '*',
  load: async () => ({ title: () => words.notFound, render: viewMissing }),
};

/** The page at an address. */
export function findPage(pathname: string): FoundPage {
  const section = pathname.split('/')[2];
  // A pattern takes longer to make than to match.
  for (const page of pages.filter(({ path }) => path.split('/')[0] === section)) {
    const match = new URLPattern({ pathname: `/app/${page.path}` }).exec({ pathname });
    if (match !== null) return { page, parameters: match.pathname.groups };
  }
  return { page: missing, parameters: {} };
}

/** Loads the script of the page of the address, before it is known who opens it. A failure is reported by `load`. */
export async function preloadPage(): Promise<void> {
  await findPage(location.pathname)
    .page.preload?.()
    .catch(() => undefined);
}
