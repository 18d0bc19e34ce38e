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
export { Consent, ConsentNotices, ConsentSubjects } from './resources/consent.ts';
export { Controls } from './resources/controls.ts';
export { type LedgerEntry, Ledgers } from './resources/ledgers.ts';
export {
  ApiKeys,
  Audit,
  Breaches,
  ConsentRecords,
  DataSubjectRequests,
  Members,
  ScimTokens,
  TenantSettings,
  Trust,
} from './resources/methods.ts';
export { Public, type PublicCaptureOptions } from './resources/public.ts';
export { Scim } from './resources/scim.ts';
export { Users } from './resources/users.ts';
export { Webhooks } from './resources/webhooks.ts';
export type { RetryBudgetOptions } from './retry.ts';
export type { Runtime } from './runtime.ts';
export type * from './transport.ts';
export type * from './types/api.ts';
export type * from './types/values.ts';
export { apiVersion } from './version.ts';
