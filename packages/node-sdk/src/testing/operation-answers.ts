import type { ApiKeys } from '../resources/api-keys.ts';
import type { Audit } from '../resources/audit.ts';
import type { Breaches } from '../resources/breaches.ts';
import type { Checkpoints } from '../resources/checkpoints.ts';
import type { Consent } from '../resources/consent.ts';
import type { ConsentNotices } from '../resources/consent-notices.ts';
import type { ConsentRecords } from '../resources/consent-records.ts';
import type { ConsentSubjects } from '../resources/consent-subjects.ts';
import type { ControlEvidence } from '../resources/control-evidence.ts';
import type { ControlTests } from '../resources/control-tests.ts';
import type { Controls } from '../resources/controls.ts';
import type { DataSubjectRequests } from '../resources/dsr.ts';
import type { Frameworks } from '../resources/frameworks.ts';
import type { Invitations } from '../resources/invitations.ts';
import type { Ledger, Ledgers } from '../resources/ledgers.ts';
import type { PublicConsent, PublicTrust } from '../resources/public.ts';
import type { Redeliveries } from '../resources/redeliveries.ts';
import type { Scim } from '../resources/scim.ts';
import type { ScimGroups } from '../resources/scim-groups.ts';
import type { ScimTokens } from '../resources/scim-token.ts';
import type { ScimUsers } from '../resources/scim-users.ts';
import type { TenantSettings } from '../resources/tenant.ts';
import type { Trust } from '../resources/trust.ts';
import type { UserSessions } from '../resources/user-sessions.ts';
import type { Users } from '../resources/users.ts';
import type { WebhookDeliveries } from '../resources/webhook-deliveries.ts';
import type { Webhooks } from '../resources/webhooks.ts';
import type { PagePromise, StreamPromise } from '../transport.ts';

// biome-ignore lint/suspicious/noExplicitAny: methods of every kind
type Method = (...values: any[]) => unknown;
type Item<Call extends Method> = ReturnType<Call> extends PagePromise<infer One> ? One : never;
/** What a method resolves to; text where it streams, null where there is nothing to read. */
type Answer<Call extends Method> =
  ReturnType<Call> extends StreamPromise
    ? string
    : Awaited<ReturnType<Call>> extends void
      ? null
      : Awaited<ReturnType<Call>>;
/** A page of the form `{ data, page }`. */
interface DataPage<Call extends Method> {
  readonly data: readonly Item<Call>[];
  readonly page: {
    readonly cursor: string | null;
    readonly nextCursor: string | null;
    readonly limit: number;
    readonly total: number;
  };
}
/** A page of the form `{ items, nextCursor }`. */
interface ItemsPage<Call extends Method> {
  readonly items: readonly Item<Call>[];
  readonly nextCursor: string | null;
}
/** A page of SCIM (RFC 7644 section 3.4.2). */
interface ScimPage<Call extends Method> {
  readonly schemas: readonly ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly Item<Call>[];
}

/** What the API answers, by operation: what stands in `data` under `/v1`, the whole body elsewhere. */
export interface OperationAnswers {
  listConsentNotices: DataPage<ConsentNotices['list']>;
  recordConsentDecision: Answer<Consent['decide']>;
  createConsentNotice: Answer<ConsentNotices['create']>;
  editConsentNotice: Answer<ConsentNotices['update']>;
  getConsent: Answer<ConsentNotices['retrieve']>;
  publishConsentNotice: Answer<ConsentNotices['publish']>;
  archiveConsentNotice: Answer<ConsentNotices['archive']>;
  listConsentNoticeVersions: Answer<ConsentNotices['listVersions']>;
  getSubjectLedger: Answer<ConsentSubjects['retrieve']>;
  listConsentRecords: DataPage<ConsentRecords['list']>;
  captureConsentRecord: Answer<ConsentRecords['capture']>;
  getConsentRecord: Answer<ConsentRecords['retrieve']>;
  withdrawConsentRecord: Answer<ConsentRecords['withdraw']>;
  getPublicConsentNotice: Answer<PublicConsent['retrieveNotice']>;
  capturePublicConsentRecord: Answer<PublicConsent['capture']>;
  listAuditEvents: ItemsPage<Audit['list']>;
  getAuditEvent: Answer<Audit['retrieve']>;
  listAuditCheckpoints: ItemsPage<Ledgers['audit']['checkpoints']['list']>;
  createAuditCheckpoint: Answer<Checkpoints['create']>;
  getLatestAuditCheckpoint: Answer<Checkpoints['retrieveLatest']>;
  proveAuditInclusion: Answer<Ledger<'audit'>['proveInclusion']>;
  proveAuditConsistency: Answer<Ledger<'audit'>['proveConsistency']>;
  exportAuditLedger: Answer<Ledger<'audit'>['export']>;
  listConsentCheckpoints: ItemsPage<Ledgers['consent']['checkpoints']['list']>;
  createConsentCheckpoint: Answer<Checkpoints['create']>;
  getLatestConsentCheckpoint: Answer<Checkpoints['retrieveLatest']>;
  proveConsentInclusion: Answer<Ledger<'consent'>['proveInclusion']>;
  proveConsentConsistency: Answer<Ledger<'consent'>['proveConsistency']>;
  exportConsentLedger: Answer<Ledger<'consent'>['export']>;
  listControls: Answer<Controls['list']>;
  listFrameworks: Answer<Frameworks['list']>;
  getFramework: Answer<Frameworks['retrieve']>;
  getReadiness: Answer<Controls['retrieveReadiness']>;
  getTestHealth: Answer<Controls['retrieveTestHealth']>;
  adoptFrameworks: Answer<Frameworks['adopt']>;
  createControl: Answer<Controls['create']>;
  getControl: Answer<Controls['retrieve']>;
  editControl: Answer<Controls['update']>;
  retireControl: Answer<Controls['retire']>;
  addEvidence: Answer<ControlEvidence['add']>;
  listEvidence: ItemsPage<ControlEvidence['list']>;
  getEvidence: Answer<ControlEvidence['retrieve']>;
  withdrawEvidence: Answer<ControlEvidence['withdraw']>;
  addControlTest: Answer<ControlTests['add']>;
  listControlTests: Answer<ControlTests['list']>;
  retireControlTest: Answer<ControlTests['retire']>;
  recordTestResult: Answer<ControlTests['recordResult']>;
  listTestResults: ItemsPage<ControlTests['listResults']>;
  listUsers: DataPage<Users['list']>;
  getUser: Answer<Users['retrieve']>;
  editUser: Answer<Users['update']>;
  removeUser: Answer<Users['remove']>;
  listUserSessions: Answer<UserSessions['list']>;
  revokeUserSessions: Answer<UserSessions['revokeAll']>;
  revokeUserSession: Answer<UserSessions['revoke']>;
  resetUserSecondFactor: Answer<Users['resetSecondFactor']>;
  listInvitations: DataPage<Invitations['list']>;
  inviteUser: Answer<Invitations['create']>;
  revokeInvitation: Answer<Invitations['revoke']>;
  createDsr: Answer<DataSubjectRequests['create']>;
  listDsrs: DataPage<DataSubjectRequests['list']>;
  getDsr: Answer<DataSubjectRequests['retrieve']>;
  extendDsr: Answer<DataSubjectRequests['extend']>;
  completeDsr: Answer<DataSubjectRequests['complete']>;
  reportBreach: Answer<Breaches['report']>;
  listBreaches: DataPage<Breaches['list']>;
  getBreach: Answer<Breaches['retrieve']>;
  editBreach: Answer<Breaches['update']>;
  getTenant: Answer<TenantSettings['retrieve']>;
  editTenant: Answer<TenantSettings['update']>;
  getTrustCenter: Answer<Trust['retrieve']>;
  replaceTrustCenter: Answer<Trust['replace']>;
  getPublicTrustWidget: Answer<PublicTrust['retrieveWidget']>;
  createWebhook: Answer<Webhooks['create']>;
  listWebhooks: DataPage<Webhooks['list']>;
  getWebhook: Answer<Webhooks['retrieve']>;
  editWebhook: Answer<Webhooks['update']>;
  deleteWebhook: Answer<Webhooks['delete']>;
  rotateWebhookSecret: Answer<Webhooks['rotateSecret']>;
  testWebhook: Answer<Webhooks['test']>;
  listWebhookDeliveries: ItemsPage<WebhookDeliveries['list']>;
  getWebhookDelivery: Answer<WebhookDeliveries['retrieve']>;
  redeliverWebhookDelivery: Answer<WebhookDeliveries['redeliver']>;
  cancelWebhookDelivery: Answer<WebhookDeliveries['cancel']>;
  redeliverWebhookDeliveries: Answer<Redeliveries['create']>;
  countWebhookRedelivery: Answer<Redeliveries['count']>;
  listWebhookRedeliveries: ItemsPage<Redeliveries['list']>;
  getWebhookRedelivery: Answer<Redeliveries['retrieve']>;
  cancelWebhookRedelivery: Answer<Redeliveries['cancel']>;
  listApiKeys: DataPage<ApiKeys['list']>;
  createApiKey: Answer<ApiKeys['create']>;
  getApiKey: Answer<ApiKeys['retrieve']>;
  revokeApiKey: Answer<ApiKeys['revoke']>;
  rotateApiKey: Answer<ApiKeys['rotate']>;
  getScimToken: Answer<ScimTokens['retrieve']>;
  createScimToken: Answer<ScimTokens['create']>;
  revokeScimToken: Answer<ScimTokens['revoke']>;
  getScimServiceProviderConfig: Answer<Scim['serviceProviderConfig']>;
  listScimSchemas: ScimPage<Scim['listSchemas']>;
  getScimSchema: Answer<Scim['retrieveSchema']>;
  listScimResourceTypes: ScimPage<Scim['listResourceTypes']>;
  getScimResourceType: Answer<Scim['retrieveResourceType']>;
  listScimUsers: ScimPage<ScimUsers['list']>;
  createScimUser: Answer<ScimUsers['create']>;
  getScimUser: Answer<ScimUsers['retrieve']>;
  patchScimUser: Answer<ScimUsers['patch']>;
  replaceScimUser: Answer<ScimUsers['replace']>;
  deleteScimUser: Answer<ScimUsers['delete']>;
  listScimGroups: ScimPage<ScimGroups['list']>;
  createScimGroup: Answer<ScimGroups['create']>;
  getScimGroup: Answer<ScimGroups['retrieve']>;
  replaceScimGroup: Answer<ScimGroups['replace']>;
  patchScimGroup: Answer<ScimGroups['patch']>;
  deleteScimGroup: Answer<ScimGroups['clear']>;
  /** RFC 6749 section 5.1. */
  issueAccessToken: {
    readonly access_token: string;
    readonly token_type: 'Bearer';
    readonly expires_in: number;
    readonly scope: string;
  };
  revokeAccessToken: object;
  getLedgerKey: string;
}

/** An operation by its operationId. */
export type OperationId = keyof OperationAnswers;

/** An operation: its operationId, or its method and path as in the documentation: `GET /v1/users/{id}`. */
export type OperationName = OperationId | `${HttpMethod} /${string}`;

type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
