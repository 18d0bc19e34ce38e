// Generated from server/openapi.json by tools/types/write.ts.

/** Values known today; a newer server may send others. */
type Open<Known extends string> = Known | (string & Record<never, never>);

export interface BreachData {
  readonly breachId: string;
  readonly severity: BreachSeverity;
  readonly status: BreachStatus;
  readonly notificationDueAt: string;
}

export type BreachSeverity = Open<'low' | 'medium' | 'high' | 'critical'>;

export type BreachStatus = Open<'open' | 'contained' | 'closed'>;

export interface ConsentRecordData {
  readonly recordId: string;
  readonly noticeId: string;
  readonly noticeVersion: number;
  /** Null once erased. */
  readonly subjectId: string | null;
  readonly kind: RecordKind;
  /** The record that a withdrawal turns off. */
  readonly withdrawsRecordId: string | null;
  readonly method: string | null;
  /** Purpose key to granted flag. */
  readonly purposes: Readonly<Record<string, boolean>>;
  /** BCP 47 tag of the notice that a visitor was shown; null if the page did not send it. */
  readonly language: string | null;
  /**
   * SHA-256, hex, of what a visitor was shown: the bytes of that version in that language. `unverified` if the browser
   * could not compute it, null if the page did not send it.
   */
  readonly shownHash: string | null;
  /** The region of a visitor as the page applied it: ISO 3166-1 or ISO 3166-2; null for unknown. */
  readonly region: string | null;
  /**
   * The basis of each purpose of the version in that region, for a visitor: purpose key to basis. Where the region is
   * unknown, consent was needed.
   */
  readonly basis: Readonly<Record<string, PurposeBasis>> | null;
  readonly source: RecordSource;
  readonly space: RecordSpace;
  readonly capturedAt: string;
  readonly recordedAt: string;
  /** The place in the ledger of the tenant, from 1, without gaps. */
  readonly sequence: number;
  /** SHA-256 over the preceding hash and the canonical record. */
  readonly ledgerHash: string;
}

export type ControlStatus = Open<
  | 'not_started'
  | 'in_progress'
  | 'evidence_requested'
  | 'evidence_submitted'
  | 'implemented'
  | 'needs_review'
  | 'accepted'
  | 'overdue'
  | 'not_applicable'
  | 'excepted'
>;

export interface ControlStatusChangedData {
  readonly controlId: string;
  readonly code: string;
  readonly from: ControlStatus;
  readonly to: ControlStatus;
}

export interface ControlTestFailedData {
  readonly controlId: string;
  readonly code: string;
  readonly testId: string;
  readonly resultId: string;
}

export interface DataSubjectRequestCompletedData {
  readonly dsrId: string;
  /** Null once erased. */
  readonly subjectId: string | null;
  readonly type: DataSubjectRequestType;
  readonly outcome: DataSubjectRequestOutcome;
}

export interface DataSubjectRequestCreatedData {
  readonly dsrId: string;
  /** Null once erased. */
  readonly subjectId: string | null;
  readonly type: DataSubjectRequestType;
  readonly dueAt: string;
}

export type DataSubjectRequestOutcome = Open<'fulfilled' | 'rejected' | 'partially_fulfilled'>;

export type DataSubjectRequestType = Open<
  'access' | 'erasure' | 'rectification' | 'portability' | 'restriction' | 'objection'
>;

export interface ErasureCounts {
  /** Consent records. */
  readonly records: number;
  /** Completed data-subject requests. */
  readonly requests: number;
  /** Closed breaches. */
  readonly breaches: number;
  /** Items of evidence. */
  readonly evidence: number;
  /** Evidence files. */
  readonly files: number;
  /** Events of the audit log. */
  readonly auditEvents: number;
  /** Webhook events. */
  readonly events: number;
  /** Pending deliveries of these events, which were canceled. */
  readonly deliveries: number;
  /** Responses that are kept for retries. */
  readonly responses: number;
}

export interface LedgerVerification {
  readonly status: VerificationStatus;
  readonly startedAt: string;
  readonly finishedAt: string;
  /** The entries of both ledgers that were checked. */
  readonly entries: number;
  /** The rows that were compared with the audit log. */
  readonly checkedRows: number;
  /** The most severe finding; null without one. */
  readonly fault: string | null;
}

/** A role, or a platform role, which only the operator of this server can give. */
export type MemberRole = Open<
  'admin' | 'dpo' | 'engineer' | 'auditor' | 'cs_agent' | 'dpco_principal' | 'platform_admin'
>;

export interface MfaData {
  readonly userId: string;
  /** Null once the user was erased. */
  readonly email: string | null;
}

export interface NoticeArchivedData {
  readonly noticeId: string;
  readonly name: string;
  readonly domain: string;
  /** The latest published version; null before the first. */
  readonly version: number | null;
  readonly status: NoticeStatus;
}

export interface NoticePublishedData {
  readonly noticeId: string;
  readonly name: string;
  readonly domain: string;
  readonly version: number;
  readonly status: NoticeStatus;
}

export type NoticeStatus = Open<'draft' | 'published' | 'archived'>;

/** `consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither. */
export type PurposeBasis = Open<'consent' | 'object' | 'exempt'>;

export type RecordKind = Open<'capture' | 'withdrawal'>;

/** Who sent it: a caller with credentials, a page, or `svc import`. */
export type RecordSource = Open<'api' | 'public' | 'import'>;

/**
 * Which decisions it counts with: `public` for those of visitors, `api` for all others. A withdrawal is in the space of
 * the record that it withdraws, so its `source` may differ.
 */
export type RecordSpace = Open<'api' | 'public'>;

export interface SubjectErasedData {
  readonly erasureId: string;
  readonly counts: ErasureCounts;
}

export interface UserProvisionedData {
  readonly userId: string;
  /** Null once the user was erased. */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly status: UserStatus;
  readonly after: UserState;
  /** True when a former member is added again. */
  readonly restored?: true;
}

export interface UserRoleData {
  readonly userId: string;
  /** Null once the user was erased. */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly status: UserStatus;
  readonly before: UserRoleState;
  readonly after: UserRoleState;
}

export interface UserRoleState {
  readonly role: MemberRole;
}

export interface UserState {
  readonly role: MemberRole;
  readonly status: UserStatus;
}

export type UserStatus = Open<'active' | 'suspended' | 'deleted'>;

export interface UserStatusData {
  readonly userId: string;
  /** Null once the user was erased. */
  readonly email: string | null;
  readonly role: MemberRole;
  readonly status: UserStatus;
  readonly before: UserStatusState;
  readonly after: UserStatusState;
}

export interface UserStatusState {
  readonly status: UserStatus;
}

/** `failed`: something was changed. `could_not_check`: no change was found, but not everything could be checked. */
export type VerificationStatus = Open<'holds' | 'failed' | 'could_not_check'>;

export interface WebhookDisabledData {
  readonly webhookId: string;
  /** The host of the endpoint; the path of its URL can be a secret. */
  readonly host: string;
  readonly reason: WebhookDisabledReason;
  readonly failingSince: string | null;
  readonly lastError: string | null;
}

/** `gone`: it answered 410. `failing`: nothing arrived there for days. */
export type WebhookDisabledReason = Open<'gone' | 'failing'>;

export type WebhookEventType = Open<
  | 'consent.recorded'
  | 'consent.withdrawn'
  | 'consent_notice.published'
  | 'consent_notice.archived'
  | 'dsr.created'
  | 'dsr.completed'
  | 'breach.reported'
  | 'breach.updated'
  | 'subject.erased'
  | 'control.status_changed'
  | 'control.test_failed'
  | 'ledger.verified'
  | 'ledger.verification_failed'
  | 'user.provisioned'
  | 'user.suspended'
  | 'user.reactivated'
  | 'user.deprovisioned'
  | 'user.role_changed'
  | 'mfa.enabled'
  | 'mfa.disabled'
  | 'webhook.endpoint_failing'
  | 'webhook.endpoint_recovered'
  | 'webhook.endpoint_disabled'
  | 'webhook.delivery_exhausted'
  | 'webhook.test'
>;

export interface WebhookExhaustedData {
  readonly webhookId: string;
  /** The host of the endpoint; the path of its URL can be a secret. */
  readonly host: string;
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: WebhookEventType;
  readonly attempts: number;
  readonly reason: WebhookFailureReason;
}

export interface WebhookFailingData {
  readonly webhookId: string;
  /** The host of the endpoint; the path of its URL can be a secret. */
  readonly host: string;
  readonly failingSince: string;
  readonly lastError: string | null;
}

export type WebhookFailureReason = Open<
  | 'http_error'
  | 'redirect'
  | 'gone'
  | 'rate_limited'
  | 'timeout'
  | 'dns'
  | 'refused_address'
  | 'connection'
  | 'tls'
  | 'protocol'
  | 'endpoint_disabled'
  | 'unsealable_secret'
  | 'erased'
>;

export interface WebhookRecoveredData {
  readonly webhookId: string;
  /** The host of the endpoint; the path of its URL can be a secret. */
  readonly host: string;
  readonly failingSince: string;
  readonly recoveredAt: string;
}

export interface WebhookTestData {
  readonly webhookId: string;
}

/** The data of each type of event. */
export interface EventData {
  readonly 'consent.recorded': ConsentRecordData;
  readonly 'consent.withdrawn': ConsentRecordData;
  readonly 'consent_notice.published': NoticePublishedData;
  readonly 'consent_notice.archived': NoticeArchivedData;
  readonly 'dsr.created': DataSubjectRequestCreatedData;
  readonly 'dsr.completed': DataSubjectRequestCompletedData;
  readonly 'breach.reported': BreachData;
  readonly 'breach.updated': BreachData;
  readonly 'subject.erased': SubjectErasedData;
  readonly 'control.status_changed': ControlStatusChangedData;
  readonly 'control.test_failed': ControlTestFailedData;
  readonly 'ledger.verified': LedgerVerification;
  readonly 'ledger.verification_failed': LedgerVerification;
  readonly 'user.provisioned': UserProvisionedData;
  readonly 'user.suspended': UserStatusData;
  readonly 'user.reactivated': UserStatusData;
  readonly 'user.deprovisioned': UserStatusData;
  readonly 'user.role_changed': UserRoleData;
  readonly 'mfa.enabled': MfaData;
  readonly 'mfa.disabled': MfaData;
  readonly 'webhook.endpoint_failing': WebhookFailingData;
  readonly 'webhook.endpoint_recovered': WebhookRecoveredData;
  readonly 'webhook.endpoint_disabled': WebhookDisabledData;
  readonly 'webhook.delivery_exhausted': WebhookExhaustedData;
  readonly 'webhook.test': WebhookTestData;
}
