/** Values known today; a newer server may send others. */
type Open<Known extends string> = Known | (string & Record<never, never>);

/** One decision of a person, as it stands in the consent ledger; hashes of addresses are left out. */
export interface ConsentRecordData {
  readonly recordId: string;
  readonly noticeId: string;
  readonly noticeVersion: number;
  readonly subjectId: string;
  /** Purpose key to whether it is granted. */
  readonly purposes: Readonly<Record<string, boolean>>;
  readonly kind: Open<'capture' | 'withdrawal'>;
  /** The record that a withdrawal turns off. */
  readonly withdrawsRecordId: string | null;
  readonly method: string | null;
  /** Who sent it: a caller with credentials, or a page. */
  readonly source: Open<'api' | 'public'>;
  /** Which decisions it counts with: a record changes only the state of its own space. */
  readonly space: Open<'api' | 'public'>;
  readonly capturedAt: string;
  readonly recordedAt: string;
  /** The place in the ledger of the tenant, from 1, without gaps. */
  readonly sequence: number;
  readonly ledgerHash: string;
}

export interface ConsentNoticeData {
  readonly noticeId: string;
  readonly name: string;
  readonly domain: string;
  readonly version: number;
  readonly status: Open<'draft' | 'published' | 'archived'>;
}

export interface ConsentNoticeArchivedData extends Omit<ConsentNoticeData, 'version'> {
  /** Null when it was never published. */
  readonly version: number | null;
}

export type DsrType = Open<'access' | 'erasure' | 'rectification' | 'portability' | 'restriction' | 'objection'>;

export interface DsrCreatedData {
  readonly dsrId: string;
  readonly subjectId: string;
  readonly type: DsrType;
  readonly dueAt: string;
}

export interface DsrCompletedData {
  readonly dsrId: string;
  readonly subjectId: string;
  readonly type: DsrType;
  readonly outcome: Open<'fulfilled' | 'rejected' | 'partially_fulfilled'>;
}

export interface BreachData {
  readonly breachId: string;
  readonly severity: Open<'low' | 'medium' | 'high' | 'critical'>;
  readonly status: Open<'open' | 'contained' | 'closed'>;
  readonly notificationDueAt: string;
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

export type MemberRole = Open<'admin' | 'dpo' | 'engineer' | 'auditor' | 'cs_agent' | 'dpco_principal'>;
export type MemberStatus = Open<'active' | 'suspended' | 'deleted'>;

/** A member as they are after the event. */
export interface MemberData {
  readonly userId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly status: MemberStatus;
}

export interface UserProvisionedData extends MemberData {
  readonly after: { readonly role: MemberRole; readonly status: MemberStatus };
  /** Whether they were a member before, and came back under the same id. */
  readonly restored?: boolean;
}

export interface UserStatusData extends MemberData {
  readonly before: { readonly status: MemberStatus };
  readonly after: { readonly status: MemberStatus };
}

export interface UserRoleChangedData extends MemberData {
  readonly before: { readonly role: MemberRole };
  readonly after: { readonly role: MemberRole };
}

export interface MfaData {
  readonly userId: string;
  readonly email: string;
}

export interface WebhookTestData {
  readonly webhookId: string;
}

/** Another endpoint of the tenant, by the host and port of its address. */
interface OtherEndpointData {
  readonly webhookId: string;
  readonly host: string;
}

export interface EndpointFailingData extends OtherEndpointData {
  readonly failingSince: string;
  readonly lastError: string | null;
}

export interface EndpointRecoveredData extends OtherEndpointData {
  readonly failingSince: string;
  readonly recoveredAt: string;
}

export interface EndpointDisabledData extends OtherEndpointData {
  /** `gone`: the endpoint answered 410; `failing`: it has failed for too long. */
  readonly reason: Open<'gone' | 'failing'>;
  readonly failingSince: string | null;
  readonly lastError: string | null;
}

/** A delivery to another endpoint that is given up: it is a dead letter, and can be sent again. */
export interface DeliveryExhaustedData extends OtherEndpointData {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly reason: string;
}

/** The data of each type of event. */
export interface EventData {
  readonly 'consent.recorded': ConsentRecordData;
  readonly 'consent.withdrawn': ConsentRecordData;
  readonly 'consent_notice.published': ConsentNoticeData;
  readonly 'consent_notice.archived': ConsentNoticeArchivedData;
  readonly 'dsr.created': DsrCreatedData;
  readonly 'dsr.completed': DsrCompletedData;
  readonly 'breach.reported': BreachData;
  readonly 'breach.updated': BreachData;
  readonly 'control.status_changed': ControlStatusChangedData;
  readonly 'control.test_failed': ControlTestFailedData;
  readonly 'user.provisioned': UserProvisionedData;
  readonly 'user.suspended': UserStatusData;
  readonly 'user.reactivated': UserStatusData;
  readonly 'user.deprovisioned': UserStatusData;
  readonly 'user.role_changed': UserRoleChangedData;
  readonly 'mfa.enabled': MfaData;
  readonly 'mfa.disabled': MfaData;
  readonly 'webhook.test': WebhookTestData;
  readonly 'webhook.endpoint_failing': EndpointFailingData;
  readonly 'webhook.endpoint_recovered': EndpointRecoveredData;
  readonly 'webhook.endpoint_disabled': EndpointDisabledData;
  readonly 'webhook.delivery_exhausted': DeliveryExhaustedData;
}
