// biome-ignore-all format: generated
// Generated from server/openapi.json by tools/types/write.ts.
import type { Page } from '../../../packages/node-sdk/src/transport.ts';
import type { CreatedInvitation, EndedSessions, MemberRole, Session, User } from '../../../packages/node-sdk/src/types/api.ts';
import type { Items } from '../../../packages/node-sdk/src/types/values.ts';

export interface AcceptedInvitation {
  readonly email: string;
  readonly tenant: TenantReference;
}

export interface BackupCodes {
  /** Each can be used once, instead of a code of the authenticator. They are shown only here. */
  readonly backupCodes: readonly string[];
}

export interface BackupStatus {
  /** The folder or bucket of `SVC_BACKUP_TO`; null without one. */
  readonly target: string | null;
  readonly isEncrypted: boolean;
  /**
   * The latest backup, the latest copy of `erasures.log`, and the latest rehearsal of a restore, of those that were
   * made.
   */
  readonly tasks: readonly BackupTask[];
}

export interface BackupTask {
  readonly task: BackupTaskKind;
  readonly status: BackupTaskStatus;
  readonly startedAt: string;
  /** When it last succeeded. */
  readonly completedAt: string | null;
  /** The file that it then wrote or restored. */
  readonly name: string | null;
  /** The size of that file. */
  readonly bytes: number | null;
  /** Why the latest one failed; null if it succeeded. */
  readonly fault: string | null;
}

export type BackupTaskKind = 'backup' | 'erasures' | 'rehearsal';

export type BackupTaskStatus = 'running' | 'completed' | 'failed' | 'interrupted';

export interface ChangedPassword {
  readonly session: SessionReference;
}

export interface CreatedTenant {
  readonly tenant: TenantSummary;
  readonly invitation: CreatedInvitation;
}

export type DatabaseKind = 'sqlite' | 'postgres';

export interface DatabaseStatus {
  readonly kind: DatabaseKind;
  readonly bytes: number;
  /**
   * How much of a SQLite file was searched for copies of erased values, which are overwritten beside requests; null if
   * none are left.
   */
  readonly searchedBytes: number | null;
}

/** Deliveries to the webhooks of all tenants. */
export interface DeliveryQueueStatus {
  readonly pending: number;
  /** When the oldest pending delivery was created. */
  readonly oldestPendingAt: string | null;
  readonly dead: number;
}

/** The file system of the data folder. */
export interface DiskStatus {
  readonly freeBytes: number;
  readonly totalBytes: number;
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

export interface InvitationPreview {
  readonly tenant: TenantReference;
  readonly role: MemberRole;
  readonly expiresAt: string;
}

export interface InvitationToken {
  /** 1 to 200 characters. */
  readonly token: string;
}

export interface LogSource {
  readonly kind: LogStatementKind;
  /** The host of the authority, or the name of the witness. */
  readonly name: string;
  /** The latest time in a timestamp or cosignature of this source. */
  readonly latestAt: string | null;
  /** Whether the newest checkpoint of the log has a timestamp or cosignature of this source. */
  readonly isCurrent: boolean;
  /** When a server last sent a request to this source. */
  readonly triedAt: string | null;
  /** Why the latest request failed; null if it succeeded. */
  readonly fault: string | null;
}

export type LogStatementKind = 'timestamp' | 'cosignature';

/**
 * The log of the installation, to which the server adds the new checkpoints of all ledgers each hour, with the
 * configured timestamp authority and witnesses (`sources`).
 */
export interface LogStatus {
  /** How many checkpoints of ledgers the log has. */
  readonly size: number;
  /** When the newest checkpoint of the log was signed. */
  readonly at: string | null;
  /** The public key of the log, for the operators of witnesses. */
  readonly verifierKey: string;
  readonly sources: readonly LogSource[];
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

export interface MeChange {
  /** 1 to 200 characters. */
  readonly givenName?: string | null | undefined;
  /** 1 to 200 characters. */
  readonly familyName?: string | null | undefined;
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

export interface PasswordReset {
  /** 1 to 200 characters. */
  readonly token: string;
  /**
   * At least 15 characters (8 with an enabled second factor), at most 256 bytes; any characters. Passwords that are
   * easy to guess are rejected. 1 to 1,024 characters.
   */
  readonly password: string;
}

export interface PortfolioTenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** Open data-subject requests past their due date. */
  readonly overdueRequests: number;
  /** Breaches 72 hours after their discovery, without a notification of the authority or a reason. */
  readonly overdueBreaches: number;
  /** Controls whose requested evidence is overdue. */
  readonly overdueEvidence: number;
  /** Tests of controls that are due. */
  readonly dueTests: number;
  /** Webhooks whose deliveries keep failing, or that were disabled. */
  readonly failingWebhooks: number;
  /** The score of the readiness; null without a framework. */
  readonly readiness: number | null;
}

/** The primary answers reads in every state but `used`. */
export type ReadReplicaState = 'used' | 'unreachable' | 'lagging' | 'not_a_standby' | 'another_database';

export interface ReadReplicaStatus {
  readonly state: ReadReplicaState;
  /** The age of the oldest change that it lacks; null if it does not answer. */
  readonly lagSeconds: number | null;
}

export interface ResetPassword {
  /** To sign in with. */
  readonly email: string;
}

export interface SessionReference {
  readonly id: string;
  readonly expiresAt: string;
}

export interface Setup {
  readonly isOpen: boolean;
}

export interface SetupInput {
  /**
   * Of the link that the server printed on its terminal, or else wrote to `setup-link.txt` in its data folder. 1 to 200
   * characters.
   */
  readonly token: string;
  readonly organization: SetupOrganization;
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly email: string;
  /** 1 to 200 characters. */
  readonly givenName?: string | null | undefined;
  /** 1 to 200 characters. */
  readonly familyName?: string | null | undefined;
  /**
   * At least 15 characters (8 with an enabled second factor), at most 256 bytes; any characters. Passwords that are
   * easy to guess are rejected. 1 to 1,024 characters.
   */
  readonly password: string;
}

export interface SetupOrganization {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Without it, one is made from the name. At most 100 characters. */
  readonly slug?: string | undefined;
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

export interface StartToken {
  /** 1 to 200 characters. */
  readonly token: string;
}

export interface SystemStatus {
  /** The version of the server. */
  readonly version: string;
  readonly nodeVersion: string;
  /** When the process that answers was started. */
  readonly startedAt: string;
  /** The latest migration of the database. */
  readonly schemaVersion: string;
  readonly database: DatabaseStatus;
  /** The standby of `DATABASE_READ_URL`; null without one. */
  readonly replica: ReadReplicaStatus | null;
  readonly disk: DiskStatus;
  readonly deliveries: DeliveryQueueStatus;
  readonly log: LogStatus;
  readonly backups: BackupStatus;
  /** The latest 20 moves and imports of data, newest first. */
  readonly transfers: readonly Transfer[];
  readonly tenants: number;
  /** Consent records of all tenants, withdrawals included. */
  readonly records: number;
  readonly auditEvents: number;
}

export interface TenantInput {
  /** At most 100 characters. */
  readonly slug: string;
  /** 1 to 200 characters. */
  readonly name: string;
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly adminEmail: string;
}

export interface TenantReference {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

export interface TenantSummary {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly createdAt: string;
  /** The number of members, suspended ones included. */
  readonly members: number;
  /** The number of consent notices, drafts and archived ones included. */
  readonly notices: number;
}

export interface TenantSwitch {
  /** Id or slug of the tenant. 1 to 200 characters. */
  readonly tenant: string;
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

export interface Transfer {
  readonly kind: TransferKind;
  /** When the move ended, or the import started. */
  readonly at: string;
  readonly status: TransferStatus;
  /** The database that was moved, or the SHA-256 of the imported file. */
  readonly source: string;
  readonly tenantId: string | null;
  readonly noticeId: string | null;
  /** How many rows were moved, or how many records were imported so far; null if unknown. */
  readonly rowCount: number | null;
  /** How many records the import writes in total; null for a move. */
  readonly totalCount: number | null;
}

export type TransferKind = 'move' | 'import';

/** `incomplete` for an import that runs or was interrupted: run the same command again to complete it. */
export type TransferStatus = 'incomplete' | 'completed';

export interface VerificationRun {
  readonly id: string;
  readonly status: VerificationRunStatus;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** How many there are to verify; 0 until that is known. */
  readonly tenants: number;
  readonly verifiedTenants: number;
  /** The entries of both ledgers that were checked. */
  readonly entries: number;
  /** The rows that were compared with the audit log. */
  readonly checkedRows: number;
  /** The most severe finding; null without one. */
  readonly fault: string | null;
  readonly findings: number;
}

/**
 * `failed`: something was changed. `could_not_check`: no change was found, but not everything could be checked.
 * `interrupted`: the server stopped; a server begins it again.
 */
export type VerificationRunStatus = 'running' | 'holds' | 'failed' | 'could_not_check' | 'interrupted';

/** What the method of each operation returns, by its id in the OpenAPI document. */
export interface OperationResults {
  readonly signIn: SignedIn | MfaChallenge;
  readonly answerChallenge: SignedIn;
  readonly startSession: SignedIn;
  readonly getSetup: Setup;
  readonly setUpServer: SignedIn;
  readonly signOut: SignedOut;
  readonly changePassword: ChangedPassword;
  readonly previewInvitation: InvitationPreview;
  readonly acceptInvitation: AcceptedInvitation;
  readonly resetPassword: ResetPassword;
  readonly getMe: Me;
  readonly editMe: User;
  readonly switchTenant: SignedIn;
  readonly listMySessions: Items<Session>;
  readonly endMyOtherSessions: EndedSessions;
  readonly endMySession: EndedSessions;
  readonly getMfaStatus: MfaStatus;
  readonly enrollTotp: TotpEnrollment;
  readonly verifyTotp: MfaStatus;
  readonly disableTotp: MfaStatus;
  readonly replaceBackupCodes: BackupCodes;
  readonly listTenants: Page<TenantSummary>;
  readonly createTenant: CreatedTenant;
  readonly getSystem: SystemStatus;
  readonly listPortfolio: Page<PortfolioTenant>;
  readonly listVerifications: Page<VerificationRun>;
  readonly startVerification: VerificationRun;
}

/** The scope that each operation needs. */
export const operationScopes = {
  listConsentNotices: 'consent:read',
  recordConsentDecision: 'consent:write',
  createConsentNotice: 'consent:write',
  editConsentNotice: 'consent:write',
  deleteConsentNotice: 'consent:write',
  getConsent: 'consent:read',
  publishConsentNotice: 'consent:write',
  archiveConsentNotice: 'consent:write',
  getConsentNoticeWords: 'consent:read',
  getConsentNoticeShown: 'consent:read',
  listConsentNoticeVersions: 'consent:read',
  getSubjectLedger: 'consent:read',
  searchSubjects: 'consent:read',
  listConsentRecords: 'consent:read',
  captureConsentRecord: 'consent:write',
  getConsentRecord: 'consent:read',
  findConsentRecord: 'consent:read',
  getConsentReceipt: 'consent:read',
  withdrawConsentRecord: 'consent:write',
  getConsentNoticeStatistics: 'consent:read',
  listConsentNoticeSightings: 'consent:read',
  listControls: 'controls:read',
  listFrameworks: 'controls:read',
  getFramework: 'controls:read',
  getReadiness: 'controls:read',
  getTestHealth: 'controls:read',
  getEvidenceUsage: 'controls:read',
  adoptFrameworks: 'controls:write',
  createControl: 'controls:write',
  getControl: 'controls:read',
  editControl: 'controls:write',
  retireControl: 'controls:write',
  addEvidence: 'controls:write',
  listEvidence: 'controls:read',
  uploadEvidenceFile: 'controls:write',
  downloadEvidenceFile: 'controls:read',
  getEvidence: 'controls:read',
  withdrawEvidence: 'controls:write',
  addControlTest: 'controls:write',
  listControlTests: 'controls:read',
  retireControlTest: 'controls:write',
  recordTestResult: 'controls:write',
  listTestResults: 'controls:read',
  listUsers: 'users:read',
  listMembers: 'members:read',
  getUser: 'users:read',
  editUser: 'users:write',
  removeUser: 'users:write',
  listUserSessions: 'users:read',
  revokeUserSessions: 'users:write',
  revokeUserSession: 'users:write',
  createPasswordReset: 'users:write',
  resetUserSecondFactor: 'users:write',
  listInvitations: 'users:read',
  inviteUser: 'users:write',
  revokeInvitation: 'users:write',
  getTenant: 'users:read',
  editTenant: 'tenant:write',
  listApiKeys: 'keys:read',
  createApiKey: 'keys:write',
  getApiKey: 'keys:read',
  revokeApiKey: 'keys:write',
  rotateApiKey: 'keys:write',
  getScimToken: 'keys:read',
  createScimToken: 'keys:write',
  revokeScimToken: 'keys:write',
  createDsr: 'dsr:write',
  listDsrs: 'dsr:read',
  getDsr: 'dsr:read',
  editDsr: 'dsr:write',
  extendDsr: 'dsr:write',
  completeDsr: 'dsr:write',
  createDsrConfirmationLink: 'dsr:write',
  reportBreach: 'breach:write',
  listBreaches: 'breach:read',
  getBreach: 'breach:read',
  editBreach: 'breach:write',
  eraseSubject: 'dsr:write',
  eraseUser: 'users:write',
  eraseDsr: 'dsr:write',
  eraseBreach: 'breach:write',
  eraseEvidence: 'controls:write',
  getTrustCenter: 'trust:read',
  replaceTrustCenter: 'trust:write',
  saveTrustDraft: 'trust:write',
  discardTrustDraft: 'trust:write',
  createWebhook: 'webhooks:write',
  listWebhooks: 'webhooks:read',
  getWebhook: 'webhooks:read',
  editWebhook: 'webhooks:write',
  deleteWebhook: 'webhooks:write',
  getWebhookStatistics: 'webhooks:read',
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
  getOverview: 'members:read',
  listTenants: 'tenants:read',
  createTenant: 'tenants:write',
  getSystem: 'system:read',
  listPortfolio: 'portfolio:read',
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
  listVerifications: 'system:read',
  startVerification: 'system:write',
  getLedgerVerification: 'audit:read',
} as const;

export const noticeStatusValues = ['draft', 'published', 'archived'] as const;
export const purposeBasisValues = ['consent', 'object', 'exempt'] as const;
export const dataCategoryValues = ['name', 'username', 'email_address', 'telephone_number', 'physical_address', 'age', 'gender', 'language', 'country', 'location', 'ip_address', 'unique_id', 'device', 'user_agent', 'browser_fingerprint', 'browsing_behaviour', 'browsing_referral', 'links_clicked', 'service_use', 'preferences', 'interests', 'profile', 'purchases', 'financial', 'employment', 'social_media', 'communication', 'picture', 'health', 'biometric', 'genetic', 'ethnic_origin', 'political_opinion', 'religious_belief', 'philosophical_belief', 'trade_union_membership', 'sexuality'] as const;
export const recipientRoleValues = ['processor', 'third_party'] as const;
export const dataSubjectRightValues = ['withdraw_consent', 'access', 'rectification', 'erasure', 'restriction', 'portability', 'objection', 'automated_decision', 'complaint'] as const;
export const noticeSchemeValues = ['page', 'light', 'dark'] as const;
export const noticeLayoutValues = ['card', 'bar', 'center'] as const;
export const noticePositionValues = ['bottom-end', 'bottom-start', 'bottom', 'top'] as const;
export const recordKindValues = ['capture', 'withdrawal'] as const;
export const recordSourceValues = ['api', 'public', 'import'] as const;
export const subjectChannelValues = ['email', 'phone', 'subject_id'] as const;
export const captureMethodValues = ['banner', 'modal', 'inline', 'checkbox', 'double_opt_in', 'verbal_recorded'] as const;
export const controlCadenceValues = ['monthly', 'quarterly', 'semi_annual', 'annual', 'event_driven'] as const;
export const settableControlStatusValues = ['not_started', 'in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'needs_review', 'accepted', 'not_applicable', 'excepted'] as const;
export const evidenceKindValues = ['document', 'screenshot', 'log', 'configuration', 'report', 'attestation', 'link', 'other'] as const;
export const testResultStatusValues = ['fail', 'warning', 'unknown', 'manual', 'pass'] as const;
export const memberRoleValues = ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent', 'dpco_principal', 'platform_admin'] as const;
export const roleValues = ['admin', 'dpo', 'engineer', 'auditor', 'cs_agent'] as const;
export const scimCompatibilityValues = ['strict', 'extended'] as const;
export const apiKeyStatusValues = ['active', 'expired', 'revoked'] as const;
export const apiKeyEnvironmentValues = ['live', 'test'] as const;
export const scopeValues = ['audit:read', 'consent:read', 'consent:write', 'controls:read', 'controls:write', 'trust:read', 'trust:write', 'webhooks:read', 'webhooks:write', 'members:read', 'users:read', 'users:write', 'keys:read', 'keys:write', 'dsr:read', 'dsr:write', 'breach:read', 'breach:write', 'tenant:write'] as const;
export const dataSubjectRequestTypeValues = ['access', 'erasure', 'rectification', 'portability', 'restriction', 'objection'] as const;
export const dataSubjectRequestChannelValues = ['email', 'phone', 'web', 'letter', 'in_person', 'other'] as const;
export const dataSubjectRequestStatusValues = ['open', 'completed'] as const;
export const dataSubjectRequestOutcomeValues = ['fulfilled', 'rejected', 'partially_fulfilled'] as const;
export const breachSeverityValues = ['low', 'medium', 'high', 'critical'] as const;
export const breachStatusValues = ['open', 'contained', 'closed'] as const;
export const webhookEventTypeValues = ['consent.recorded', 'consent.withdrawn', 'consent_notice.published', 'consent_notice.archived', 'dsr.created', 'dsr.completed', 'breach.reported', 'breach.updated', 'subject.erased', 'control.status_changed', 'control.test_failed', 'ledger.verified', 'ledger.verification_failed', 'user.provisioned', 'user.suspended', 'user.reactivated', 'user.deprovisioned', 'user.role_changed', 'mfa.enabled', 'mfa.disabled', 'webhook.endpoint_failing', 'webhook.endpoint_recovered', 'webhook.endpoint_disabled', 'webhook.delivery_exhausted', 'webhook.test'] as const;
export const settableWebhookStatusValues = ['enabled', 'paused'] as const;
export const webhookStatusValues = ['enabled', 'paused', 'disabled'] as const;
export const webhookPeriodLengthValues = ['day', 'hour'] as const;
export const webhookDeliveryStatusValues = ['pending', 'delivered', 'dead', 'redelivered', 'canceled'] as const;
export const webhookFailureReasonValues = ['http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol', 'endpoint_disabled', 'unsealable_secret', 'erased'] as const;
export const redeliverableStatusValues = ['dead', 'delivered'] as const;
export const recordSpaceValues = ['api', 'public'] as const;
export const controlStatusValues = ['not_started', 'in_progress', 'evidence_requested', 'evidence_submitted', 'implemented', 'needs_review', 'accepted', 'overdue', 'not_applicable', 'excepted'] as const;
export const verificationStatusValues = ['holds', 'failed', 'could_not_check'] as const;
export const userStatusValues = ['active', 'suspended', 'deleted'] as const;
export const webhookDisabledReasonValues = ['gone', 'failing'] as const;
export const noticeWarningCodeValues = ['controller_not_named', 'purposes_not_named'] as const;
export const evidenceFreshnessValues = ['current', 'stale', 'expired', 'missing'] as const;
export const mfaMethodValues = ['totp', 'backup_code'] as const;
export const invitationStatusValues = ['pending', 'accepted', 'revoked', 'expired'] as const;
export const dataSubjectRequestSourceValues = ['api', 'public'] as const;
export const erasureStatusValues = ['running', 'done'] as const;
export const webhookAttemptOutcomeValues = ['delivered', 'http_error', 'redirect', 'gone', 'rate_limited', 'timeout', 'dns', 'refused_address', 'connection', 'tls', 'protocol', 'endpoint_disabled', 'unsealable_secret', 'erased'] as const;
export const webhookRedeliveryStatusValues = ['running', 'finished', 'canceled'] as const;
export const databaseKindValues = ['sqlite', 'postgres'] as const;
export const readReplicaStateValues = ['used', 'unreachable', 'lagging', 'not_a_standby', 'another_database'] as const;
export const logStatementKindValues = ['timestamp', 'cosignature'] as const;
export const backupTaskKindValues = ['backup', 'erasures', 'rehearsal'] as const;
export const backupTaskStatusValues = ['running', 'completed', 'failed', 'interrupted'] as const;
export const transferKindValues = ['move', 'import'] as const;
export const transferStatusValues = ['incomplete', 'completed'] as const;
export const actorTypeValues = ['user', 'api_key', 'system', 'staff'] as const;
export const auditModuleValues = ['access', 'consent', 'controls', 'identity', 'ledger', 'mfa', 'privacy', 'tenants', 'trust', 'webhooks'] as const;
export const ledgerNameValues = ['audit', 'consent'] as const;
export const verificationRunStatusValues = ['running', 'holds', 'failed', 'could_not_check', 'interrupted'] as const;
