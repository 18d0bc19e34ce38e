// biome-ignore-all format: generated
// Generated from server/openapi.json by tools/types/write.ts.
import type { EndedSessions, MemberRole, Session, User } from '../../../packages/node-sdk/src/types/api.ts';
import type { Items } from '../../../packages/node-sdk/src/types/values.ts';

export interface AcceptedInvitation {
  readonly email: string;
  readonly tenant: TenantReference;
}

export interface BackupCodes {
  /** Each can be used once, instead of a code of the authenticator. They are shown only here. */
  readonly backupCodes: readonly string[];
}

export interface ChangedPassword {
  readonly session: SessionReference;
}

export interface InvitationAcceptance {
  /** 1 to 200 characters. */
  readonly token: string;
  /**
   * At least 15 characters (8 with an enabled second factor), at most 256 bytes; any characters. Passwords that are
   * easy to guess are rejected. 1 to 1,024 characters.
   */
  readonly password: string;
}

export interface Me {
  readonly user: User;
  readonly tenant: TenantReference;
  /** The scopes that the role allows. */
  readonly scopes: readonly string[];
  readonly session: Session;
  /** Every tenant that the user can sign in to. */
  readonly memberships: readonly Membership[];
}

export interface Membership {
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly tenantName: string;
  readonly role: MemberRole;
}

/** Send the code to /v1/auth/challenge. */
export interface MfaChallenge {
  readonly status: 'mfa_required';
  readonly challengeId: string;
  readonly expiresAt: string;
}

export interface MfaChallengeAnswer {
  readonly challengeId: string;
  /** 1 to 64 characters. */
  readonly code: string;
}

export type MfaMethod = 'totp' | 'backup_code';

export interface MfaStatus {
  /** Whether sign-in requires a code; false while an enrolment is pending. */
  readonly enabled: boolean;
  /** The kinds of codes that sign-in accepts. */
  readonly methods: readonly MfaMethod[];
  readonly backupCodesRemaining: number;
}

export interface PasswordChange {
  /** The current password. 1 to 1,024 characters. */
  readonly currentPassword: string;
  /**
   * At least 15 characters (8 with an enabled second factor), at most 256 bytes; any characters. Passwords that are
   * easy to guess are rejected. 1 to 1,024 characters.
   */
  readonly newPassword: string;
}

export interface PasswordConfirmation {
  /** The current password. 1 to 1,024 characters. */
  readonly password: string;
}

export interface SessionReference {
  readonly id: string;
  readonly expiresAt: string;
}

export interface SignInInput {
  /** 1 to 320 characters. */
  readonly email: string;
  /** The current password. 1 to 1,024 characters. */
  readonly password: string;
  /** Id or slug of the tenant. 1 to 200 characters. */
  readonly tenant?: string | undefined;
}

/** The Set-Cookie header has the session. */
export interface SignedIn {
  readonly status: 'signed_in';
  readonly user: User;
  readonly tenant: TenantReference;
  readonly session: SessionReference;
}

export interface SignedOut {
  readonly status: 'signed_out';
}

export interface TenantReference {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

export interface TotpCode {
  /** The six digits that the authenticator shows. 1 to 64 characters. */
  readonly code: string;
}

export interface TotpEnrollment {
  /** An otpauth://totp/ URI, to show as a QR code. */
  readonly totpURI: string;
  /** Each can be used once, instead of a code of the authenticator. They are shown only here. */
  readonly backupCodes: readonly string[];
}

/** What the method of each operation returns, by its id in the OpenAPI document. */
export interface OperationResults {
  readonly signIn: SignedIn | MfaChallenge;
  readonly answerChallenge: SignedIn;
  readonly signOut: SignedOut;
  readonly changePassword: ChangedPassword;
  readonly acceptInvitation: AcceptedInvitation;
  readonly getMe: Me;
  readonly listMySessions: Items<Session>;
  readonly endMyOtherSessions: EndedSessions;
  readonly endMySession: EndedSessions;
  readonly getMfaStatus: MfaStatus;
  readonly enrollTotp: TotpEnrollment;
  readonly verifyTotp: MfaStatus;
  readonly disableTotp: MfaStatus;
  readonly replaceBackupCodes: BackupCodes;
}

/** The scope that each operation needs. */
export const operationScopes = {
  listConsentNotices: 'consent:read',
  recordConsentDecision: 'consent:write',
  createConsentNotice: 'consent:write',
  editConsentNotice: 'consent:write',
  getConsent: 'consent:read',
  publishConsentNotice: 'consent:write',
  archiveConsentNotice: 'consent:write',
  listConsentNoticeVersions: 'consent:read',
  getSubjectLedger: 'consent:read',
  listConsentRecords: 'consent:read',
  captureConsentRecord: 'consent:write',
  getConsentRecord: 'consent:read',
  withdrawConsentRecord: 'consent:write',
  listAuditEvents: 'audit:read',
  getAuditEvent: 'audit:read',
  listAuditCheckpoints: 'audit:read',
  createAuditCheckpoint: 'audit:read',
  getLatestAuditCheckpoint: 'audit:read',
  proveAuditInclusion: 'audit:read',
  proveAuditConsistency: 'audit:read',
  exportAuditLedger: 'audit:read',
  listConsentCheckpoints: 'consent:read',
  createConsentCheckpoint: 'consent:read',
  getLatestConsentCheckpoint: 'consent:read',
  proveConsentInclusion: 'consent:read',
  proveConsentConsistency: 'consent:read',
  exportConsentLedger: 'consent:read',
  listControls: 'controls:read',
  listFrameworks: 'controls:read',
  getFramework: 'controls:read',
  getReadiness: 'controls:read',
  getTestHealth: 'controls:read',
  adoptFrameworks: 'controls:write',
  createControl: 'controls:write',
  getControl: 'controls:read',
  editControl: 'controls:write',
  retireControl: 'controls:write',
  addEvidence: 'controls:write',
  listEvidence: 'controls:read',
  getEvidence: 'controls:read',
  withdrawEvidence: 'controls:write',
  addControlTest: 'controls:write',
  listControlTests: 'controls:read',
  retireControlTest: 'controls:write',
  recordTestResult: 'controls:write',
  listTestResults: 'controls:read',
  listUsers: 'users:read',
  getUser: 'users:read',
  editUser: 'users:write',
  removeUser: 'users:write',
  listUserSessions: 'users:read',
  revokeUserSessions: 'users:write',
  revokeUserSession: 'users:write',
  resetUserSecondFactor: 'users:write',
  listInvitations: 'users:read',
  inviteUser: 'users:write',
  revokeInvitation: 'users:write',
  createDsr: 'dsr:write',
  listDsrs: 'dsr:read',
  getDsr: 'dsr:read',
  extendDsr: 'dsr:write',
  completeDsr: 'dsr:write',
  reportBreach: 'breach:write',
  listBreaches: 'breach:read',
  getBreach: 'breach:read',
  editBreach: 'breach:write',
  getTenant: 'users:read',
  editTenant: 'tenant:write',
  getTrustCenter: 'trust:read',
  replaceTrustCenter: 'trust:write',
  createWebhook: 'webhooks:write',
  listWebhooks: 'webhooks:read',
  getWebhook: 'webhooks:read',
  editWebhook: 'webhooks:write',
  deleteWebhook: 'webhooks:write',
  rotateWebhookSecret: 'webhooks:write',
  testWebhook: 'webhooks:write',
  listWebhookDeliveries: 'webhooks:read',
  getWebhookDelivery: 'webhooks:read',
  redeliverWebhookDelivery: 'webhooks:write',
  cancelWebhookDelivery: 'webhooks:write',
  redeliverWebhookDeliveries: 'webhooks:write',
  countWebhookRedelivery: 'webhooks:read',
  listWebhookRedeliveries: 'webhooks:read',
  getWebhookRedelivery: 'webhooks:read',
  cancelWebhookRedelivery: 'webhooks:write',
  listApiKeys: 'keys:write',
  createApiKey: 'keys:write',
  getApiKey: 'keys:write',
  revokeApiKey: 'keys:write',
  rotateApiKey: 'keys:write',
  getScimToken: 'keys:write',
  createScimToken: 'keys:write',
  revokeScimToken: 'keys:write',
} as const;

export const noticeStatusValues = ['draft', 'published', 'archived'] as const;
export const subjectChannelValues = ['email', 'phone', 'subject_id'] as const;
export const captureMethodValues = ['banner', 'modal', 'inline', 'checkbox', 'double_opt_in', 'verbal_recorded'] as const;
export const controlCadenceValues = ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven'] as const;
export const settableControlStatusValues = ['not_started', 'in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'needs_review', 'accepted', 'not_applicable', 'excepted'] as const;
export const evidenceKindValues = ['document', 'screenshot', 'log', 'configuration', 'report', 'attestation', 'link', 'other'] as const;
export const testResultStatusValues = ['fail', 'warning', 'unknown', 'manual', 'pass'] as const;
export const memberRoleValues = ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent', 'dpco_principal'] as const;
export const roleValues = ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent'] as const;
export const dataSubjectRequestTypeValues = ['access', 'erasure', 'rectification', 'portability', 'restriction', 'objection'] as const;
export const dataSubjectRequestChannelValues = ['email', 'phone', 'web', 'letter', 'in_person', 'other'] as const;
export const dataSubjectRequestStatusValues = ['open', 'completed'] as const;
export const dataSubjectRequestOutcomeValues = ['fulfilled', 'rejected', 'partially_fulfilled'] as const;
export const breachSeverityValues = ['low', 'medium', 'high', 'critical'] as const;
export const breachStatusValues = ['open', 'contained', 'closed'] as const;
export const scimCompatibilityValues = ['strict', 'extended'] as const;
export const webhookEventTypeValues = ['consent.recorded', 'consent.withdrawn', 'consent_notice.published', 'consent_notice.archived', 'dsr.created', 'dsr.completed', 'breach.reported', 'breach.updated', 'control.status_changed', 'control.test_failed', 'user.provisioned', 'user.suspended', 'user.reactivated', 'user.deprovisioned', 'user.role_changed', 'mfa.enabled', 'mfa.disabled', 'webhook.endpoint_failing', 'webhook.endpoint_recovered', 'webhook.endpoint_disabled', 'webhook.delivery_exhausted', 'webhook.test'] as const;
export const settableWebhookStatusValues = ['enabled', 'paused'] as const;
export const webhookStatusValues = ['enabled', 'paused', 'disabled'] as const;
export const webhookDeliveryStatusValues = ['pending', 'delivered', 'dead', 'redelivered', 'canceled'] as const;
export const webhookFailureReasonValues = ['http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol', 'endpoint_disabled', 'unsealable_secret'] as const;
export const redeliverableStatusValues = ['dead', 'delivered'] as const;
export const apiKeyStatusValues = ['active', 'expired', 'revoked'] as const;
export const apiKeyEnvironmentValues = ['live', 'test'] as const;
export const scopeValues = ['audit:read', 'consent:read', 'consent:write', 'controls:read', 'controls:write', 'trust:read', 'trust:write', 'webhooks:read', 'webhooks:write', 'users:read', 'users:write', 'keys:write', 'dsr:read', 'dsr:write', 'breach:read', 'breach:write', 'tenant:write'] as const;
export const recordKindValues = ['capture', 'withdrawal'] as const;
export const recordSourceValues = ['api', 'public'] as const;
export const recordSpaceValues = ['api', 'public'] as const;
export const controlStatusValues = ['not_started', 'in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'needs_review', 'accepted', 'overdue', 'not_applicable', 'excepted'] as const;
export const userStatusValues = ['active', 'suspended', 'deleted'] as const;
export const webhookDisabledReasonValues = ['gone', 'failing'] as const;
export const actorTypeValues = ['user', 'api_key', 'system', 'staff'] as const;
export const ledgerNameValues = ['audit', 'consent'] as const;
export const evidenceFreshnessValues = ['current', 'stale', 'expired', 'missing'] as const;
export const mfaMethodValues = ['totp', 'backup_code'] as const;
export const invitationStatusValues = ['pending', 'accepted', 'revoked', 'expired'] as const;
export const webhookAttemptOutcomeValues = ['delivered', 'http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol', 'endpoint_disabled', 'unsealable_secret'] as const;
export const webhookRedeliveryStatusValues = ['running', 'finished', 'canceled'] as const;
