import type { ApiKeys } from '../../src/resources/api-keys.ts';
import type { Audit } from '../../src/resources/audit.ts';
import type { Breaches } from '../../src/resources/breaches.ts';
import type { Checkpoints } from '../../src/resources/checkpoints.ts';
import type { Consent } from '../../src/resources/consent.ts';
import type { ConsentNotices } from '../../src/resources/consent-notices.ts';
import type { ConsentRecords } from '../../src/resources/consent-records.ts';
import type { ConsentSubjects } from '../../src/resources/consent-subjects.ts';
import type { ControlEvidence } from '../../src/resources/control-evidence.ts';
import type { ControlTests } from '../../src/resources/control-tests.ts';
import type { Controls } from '../../src/resources/controls.ts';
import type { DataSubjectRequests } from '../../src/resources/dsr.ts';
import type { Frameworks } from '../../src/resources/frameworks.ts';
import type { Invitations } from '../../src/resources/invitations.ts';
import type { Ledger, Ledgers } from '../../src/resources/ledgers.ts';
import type { PublicConsent, PublicTrust } from '../../src/resources/public.ts';
import type { Redeliveries } from '../../src/resources/redeliveries.ts';
import type { Scim } from '../../src/resources/scim.ts';
import type { ScimGroups } from '../../src/resources/scim-groups.ts';
import type { ScimTokens } from '../../src/resources/scim-token.ts';
import type { ScimUsers } from '../../src/resources/scim-users.ts';
import type { TenantSettings } from '../../src/resources/tenant.ts';
import type { Trust } from '../../src/resources/trust.ts';
import type { UserSessions } from '../../src/resources/user-sessions.ts';
import type { Users } from '../../src/resources/users.ts';
import type { WebhookDeliveries } from '../../src/resources/webhook-deliveries.ts';
import type { Webhooks } from '../../src/resources/webhooks.ts';
import type { PagePromise, StreamPromise } from '../../src/transport.ts';

// biome-ignore lint/suspicious/noExplicitAny: methods of every kind
type Method = (...values: any[]) => unknown;
type Given<Call extends Method, Index extends number> = Exclude<Parameters<Call>[Index], undefined>;
type Item<Call extends Method> = ReturnType<Call> extends PagePromise<infer One> ? One : never;
type Answer<Call extends Method> =
  ReturnType<Call> extends StreamPromise ? string : NoContent<Awaited<ReturnType<Call>>>;
type NoContent<Value> = undefined extends Value ? never : Value;

/** A method of ids alone. */
type Plain<Call extends Method> = { query: never; body: never; answer: Answer<Call> };
/** A method that hands in a body as its parameter of that place. */
type Sends<Call extends Method, Index extends number> = {
  query: never;
  body: Given<Call, Index>;
  answer: Answer<Call>;
};
/** A method that hands in a query as its parameter of that place. */
type Asks<Call extends Method, Index extends number> = { query: Given<Call, Index>; body: never; answer: Answer<Call> };
/** A method whose pages have the form `{ data, page }`. */
type Pages<Call extends Method, Index extends number> = {
  query: Given<Call, Index>;
  body: never;
  answer: {
    readonly data: readonly Item<Call>[];
    readonly page: {
      readonly cursor: string | null;
      readonly nextCursor: string | null;
      readonly limit: number;
      readonly total: number;
    };
  };
};
/** A method whose pages have the form `{ items, nextCursor }`. */
type Chunks<Call extends Method, Index extends number> = {
  query: Given<Call, Index>;
  body: never;
  answer: { readonly items: readonly Item<Call>[]; readonly nextCursor: string | null };
};
/** The query of a list as it is sent: a cursor goes as the place where the page begins. */
type Started<Query> = { [Name in keyof Query as Exclude<Name, 'cursor'>]: Query[Name] };
/** What a list of SCIM answers. */
type ScimPages<Call extends Method, Query> = {
  query: Query;
  body: never;
  answer: {
    readonly schemas: readonly ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
    readonly totalResults: number;
    readonly startIndex: number;
    readonly itemsPerPage: number;
    readonly Resources: readonly Item<Call>[];
  };
};
/** A method of SCIM, whose projection stands in the query; what names the schema of a body is added by the method. */
type ScimCall<Call extends Method, Projection extends number, Body = never> = {
  query: Given<Call, Projection>;
  body: Body;
  answer: Answer<Call>;
};

/** What the methods of the package take and answer, by operation. */
export interface SdkTypes {
  listConsentNotices: Pages<ConsentNotices['list'], 0>;
  recordConsentDecision: Sends<Consent['decide'], 0>;
  createConsentNotice: Sends<ConsentNotices['create'], 0>;
  editConsentNotice: Sends<ConsentNotices['update'], 1>;
  getConsent: Plain<ConsentNotices['retrieve']>;
  publishConsentNotice: Plain<ConsentNotices['publish']>;
  archiveConsentNotice: Plain<ConsentNotices['archive']>;
  listConsentNoticeVersions: Plain<ConsentNotices['listVersions']>;
  getSubjectLedger: Asks<ConsentSubjects['retrieve'], 1>;
  listConsentRecords: Pages<ConsentRecords['list'], 1>;
  captureConsentRecord: Sends<ConsentRecords['capture'], 1>;
  getConsentRecord: Plain<ConsentRecords['retrieve']>;
  withdrawConsentRecord: Sends<ConsentRecords['withdraw'], 2>;
  getPublicConsentNotice: Plain<PublicConsent['retrieveNotice']>;
  capturePublicConsentRecord: Sends<PublicConsent['capture'], 1>;
  listAuditEvents: Chunks<Audit['list'], 0>;
  getAuditEvent: Plain<Audit['retrieve']>;
  listAuditCheckpoints: Chunks<Ledgers['audit']['checkpoints']['list'], 0>;
  createAuditCheckpoint: Plain<Checkpoints['create']>;
  getLatestAuditCheckpoint: Plain<Checkpoints['retrieveLatest']>;
  proveAuditInclusion: Asks<Ledger<'audit'>['proveInclusion'], 0>;
  proveAuditConsistency: Asks<Ledger<'audit'>['proveConsistency'], 0>;
  exportAuditLedger: Asks<Ledger<'audit'>['export'], 0>;
  listConsentCheckpoints: Chunks<Ledgers['consent']['checkpoints']['list'], 0>;
  createConsentCheckpoint: Plain<Checkpoints['create']>;
  getLatestConsentCheckpoint: Plain<Checkpoints['retrieveLatest']>;
  proveConsentInclusion: Asks<Ledger<'consent'>['proveInclusion'], 0>;
  proveConsentConsistency: Asks<Ledger<'consent'>['proveConsistency'], 0>;
  exportConsentLedger: Asks<Ledger<'consent'>['export'], 0>;
  listControls: Plain<Controls['list']>;
  listFrameworks: Plain<Frameworks['list']>;
  getFramework: Plain<Frameworks['retrieve']>;
  getReadiness: Plain<Controls['retrieveReadiness']>;
  getTestHealth: Plain<Controls['retrieveTestHealth']>;
  adoptFrameworks: Sends<Frameworks['adopt'], 0>;
  createControl: Sends<Controls['create'], 0>;
  getControl: Plain<Controls['retrieve']>;
  editControl: Sends<Controls['update'], 1>;
  retireControl: Plain<Controls['retire']>;
  addEvidence: Sends<ControlEvidence['add'], 1>;
  listEvidence: Chunks<ControlEvidence['list'], 1>;
  getEvidence: Plain<ControlEvidence['retrieve']>;
  withdrawEvidence: Sends<ControlEvidence['withdraw'], 2>;
  addControlTest: Sends<ControlTests['add'], 1>;
  listControlTests: Asks<ControlTests['list'], 1>;
  retireControlTest: Plain<ControlTests['retire']>;
  recordTestResult: Sends<ControlTests['recordResult'], 2>;
  listTestResults: Chunks<ControlTests['listResults'], 2>;
  listUsers: Pages<Users['list'], 0>;
  getUser: Plain<Users['retrieve']>;
  editUser: Sends<Users['update'], 1>;
  removeUser: Plain<Users['remove']>;
  listUserSessions: Plain<UserSessions['list']>;
  revokeUserSessions: Plain<UserSessions['revokeAll']>;
  revokeUserSession: Plain<UserSessions['revoke']>;
  resetUserSecondFactor: Plain<Users['resetSecondFactor']>;
  listInvitations: Pages<Invitations['list'], 0>;
  inviteUser: Sends<Invitations['create'], 0>;
  revokeInvitation: Plain<Invitations['revoke']>;
  createDsr: Sends<DataSubjectRequests['create'], 0>;
  listDsrs: Pages<DataSubjectRequests['list'], 0>;
  getDsr: Plain<DataSubjectRequests['retrieve']>;
  extendDsr: Sends<DataSubjectRequests['extend'], 1>;
  completeDsr: Sends<DataSubjectRequests['complete'], 1>;
  reportBreach: Sends<Breaches['report'], 0>;
  listBreaches: Pages<Breaches['list'], 0>;
  getBreach: Plain<Breaches['retrieve']>;
  editBreach: Sends<Breaches['update'], 1>;
  getTenant: Plain<TenantSettings['retrieve']>;
  editTenant: Sends<TenantSettings['update'], 0>;
  getTrustCenter: Plain<Trust['retrieve']>;
  replaceTrustCenter: Sends<Trust['replace'], 0>;
  getPublicTrustWidget: Plain<PublicTrust['retrieveWidget']>;
  createWebhook: Sends<Webhooks['create'], 0>;
  listWebhooks: Pages<Webhooks['list'], 0>;
  getWebhook: Plain<Webhooks['retrieve']>;
  editWebhook: Sends<Webhooks['update'], 1>;
  deleteWebhook: Plain<Webhooks['delete']>;
  rotateWebhookSecret: Sends<Webhooks['rotateSecret'], 1>;
  testWebhook: Plain<Webhooks['test']>;
  listWebhookDeliveries: Chunks<WebhookDeliveries['list'], 0>;
  getWebhookDelivery: Plain<WebhookDeliveries['retrieve']>;
  redeliverWebhookDelivery: Plain<WebhookDeliveries['redeliver']>;
  cancelWebhookDelivery: Plain<WebhookDeliveries['cancel']>;
  redeliverWebhookDeliveries: Sends<Redeliveries['create'], 0>;
  countWebhookRedelivery: Asks<Redeliveries['count'], 0>;
  listWebhookRedeliveries: Chunks<Redeliveries['list'], 0>;
  getWebhookRedelivery: Plain<Redeliveries['retrieve']>;
  cancelWebhookRedelivery: Plain<Redeliveries['cancel']>;
  listApiKeys: Pages<ApiKeys['list'], 0>;
  createApiKey: Sends<ApiKeys['create'], 0>;
  getApiKey: Plain<ApiKeys['retrieve']>;
  revokeApiKey: Plain<ApiKeys['revoke']>;
  rotateApiKey: Sends<ApiKeys['rotate'], 1>;
  getScimToken: Plain<ScimTokens['retrieve']>;
  createScimToken: Plain<ScimTokens['create']>;
  revokeScimToken: Plain<ScimTokens['revoke']>;
  getScimServiceProviderConfig: Plain<Scim['serviceProviderConfig']>;
  listScimSchemas: ScimPages<Scim['listSchemas'], never>;
  getScimSchema: Plain<Scim['retrieveSchema']>;
  listScimResourceTypes: ScimPages<Scim['listResourceTypes'], never>;
  getScimResourceType: Plain<Scim['retrieveResourceType']>;
  listScimUsers: ScimPages<ScimUsers['list'], Started<Given<ScimUsers['list'], 0>>>;
  createScimUser: ScimCall<ScimUsers['create'], 1, Given<ScimUsers['create'], 0>>;
  getScimUser: ScimCall<ScimUsers['retrieve'], 1>;
  patchScimUser: ScimCall<ScimUsers['patch'], 2, { readonly Operations: Given<ScimUsers['patch'], 1> }>;
  replaceScimUser: ScimCall<ScimUsers['replace'], 2, Given<ScimUsers['replace'], 1>>;
  deleteScimUser: Plain<ScimUsers['delete']>;
  listScimGroups: ScimPages<ScimGroups['list'], Started<Given<ScimGroups['list'], 0>>>;
  createScimGroup: ScimCall<ScimGroups['create'], 1, Given<ScimGroups['create'], 0>>;
  getScimGroup: ScimCall<ScimGroups['retrieve'], 1>;
  replaceScimGroup: ScimCall<ScimGroups['replace'], 2, Given<ScimGroups['replace'], 1>>;
  patchScimGroup: ScimCall<ScimGroups['patch'], 2, { readonly Operations: Given<ScimGroups['patch'], 1> }>;
  deleteScimGroup: Plain<ScimGroups['clear']>;
}
