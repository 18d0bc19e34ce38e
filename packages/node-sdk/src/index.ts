export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  type ErrorDetail,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './api-error.ts';
export { Svc, SvcClient } from './client.ts';
export type { AppInfo, ClientOptions, OauthOptions } from './client-options.ts';
export {
  AbortError,
  ConfigurationError,
  ConnectionError,
  DeadlineError,
  RedirectError,
  ResponseError,
  type RetryRefusal,
  SvcError,
  TimeoutError,
} from './errors.ts';
export type {
  CallNote,
  DeprecationNote,
  ErrorNote,
  Hooks,
  RequestNote,
  ResponseNote,
  RetryNote,
} from './hooks.ts';
export { ApiKeys } from './resources/api-keys.ts';
export { Audit } from './resources/audit.ts';
export { Breaches } from './resources/breaches.ts';
export { Consent } from './resources/consent.ts';
export { ConsentNotices } from './resources/consent-notices.ts';
export { ConsentRecords } from './resources/consent-records.ts';
export { ConsentSubjects } from './resources/consent-subjects.ts';
export { Controls } from './resources/controls.ts';
export { DataSubjectRequests } from './resources/dsr.ts';
export { type LedgerEntry, Ledgers } from './resources/ledgers.ts';
export { Public, type PublicCaptureOptions } from './resources/public.ts';
export { Scim } from './resources/scim.ts';
export { ScimTokens } from './resources/scim-token.ts';
export { TenantSettings } from './resources/tenant.ts';
export { Trust } from './resources/trust.ts';
export { Users } from './resources/users.ts';
export { Webhooks } from './resources/webhooks.ts';
export type { RetryBudgetOptions } from './retry.ts';
export type { Runtime } from './runtime.ts';
export type {
  AnswerForm,
  ApiPromise,
  ByteStream,
  Credential,
  ListOperation,
  ListOptions,
  Method,
  Operation,
  Page,
  PageForm,
  PagePromise,
  RequestOptions,
  ResponseDetails,
  StreamPromise,
  Transport,
  WithResponse,
} from './transport.ts';
export type {
  ApiKey,
  ApiKeyInput,
  ApiKeyListParams,
  ApiKeyRotation,
  ApiKeyStatus,
  CreatedApiKey,
  CreatedScimToken,
  ScimToken,
  Scope,
} from './types/access.ts';
export type { ActorType, AuditEvent, AuditEventDetail, AuditListParams } from './types/audit.ts';
export type {
  CaptureMethod,
  ConsentRecord,
  Decision,
  DecisionInput,
  Notice,
  NoticeChange,
  NoticeContent,
  NoticeListParams,
  NoticeState,
  NoticeStatus,
  NoticeVersion,
  PublicNotice,
  PublicRecord,
  PublicRecordInput,
  Purpose,
  PurposeChoices,
  PurposeState,
  RecordInput,
  SubjectChannel,
  SubjectLedger,
  SubjectState,
  WithdrawalInput,
} from './types/consent.ts';
export type {
  Cadence,
  Control,
  ControlChange,
  ControlDetail,
  ControlList,
  ControlStatus,
  ControlTest,
  ControlTestListParams,
  Evidence,
  EvidenceFreshness,
  EvidenceKind,
  MappedFramework,
  Mappings,
  NewControl,
  NewControlTest,
  NewEvidence,
  NewTestResult,
  ResultStatus,
  SettableControlStatus,
  TestResult,
} from './types/controls.ts';
export type {
  Adoption,
  AdoptionInput,
  ControlHealth,
  Framework,
  FrameworkDetail,
  Readiness,
  ReadinessGroup,
  ScheduledRun,
  TestHealth,
} from './types/frameworks.ts';
export type { Json, Time } from './types/json.ts';
export type {
  Checkpoint,
  ConsistencyParams,
  ConsistencyProof,
  EntryById,
  EntryBySequence,
  ExportParams,
  InclusionProof,
  LedgerName,
} from './types/ledgers.ts';
export type { Items, PageParams } from './types/lists.ts';
export type {
  CreatedInvitation,
  EndedSessions,
  Invitation,
  InvitationInput,
  MemberRole,
  Role,
  Session,
  Tenant,
  TenantChange,
  User,
  UserChange,
  UserListParams,
} from './types/people.ts';
export type {
  Breach,
  BreachChange,
  BreachInput,
  BreachListParams,
  BreachSeverity,
  BreachStatus,
  Dsr,
  DsrChannel,
  DsrCompletion,
  DsrExtension,
  DsrInput,
  DsrListParams,
  DsrOutcome,
  DsrStatus,
  DsrType,
} from './types/privacy.ts';
export type {
  ScimAttribute,
  ScimGroup,
  ScimGroupInput,
  ScimGroupReplacement,
  ScimListParams,
  ScimPatchOperation,
  ScimProjection,
  ScimResourceType,
  ScimSchema,
  ScimServiceProviderConfig,
  ScimUser,
  ScimUserInput,
} from './types/scim.ts';
export type {
  AchievedFramework,
  Subprocessor,
  TrustCenter,
  TrustCenterInput,
  TrustLink,
  TrustWidget,
} from './types/trust.ts';
export type {
  DeliveryFailure,
  DeliveryListParams,
  DeliveryStatus,
  Redelivery,
  RedeliveryInput,
  Webhook,
  WebhookAttempt,
  WebhookChange,
  WebhookDelivery,
  WebhookDeliveryDetail,
  WebhookEventType,
  WebhookFilter,
  WebhookInput,
  WebhookListParams,
  WebhookOrdering,
  WebhookSecretRotation,
  WebhookStatus,
  WebhookWithSecret,
} from './types/webhooks.ts';
export { apiVersion } from './version.ts';
