// biome-ignore-all lint/suspicious/noConfusingVoidType: it is what the methods return
// Generated from server/openapi.json by tools/types/write.ts.
import type { ByteStream, Page } from '../transport.ts';
import type { Items, Json, PageParams, ScimProjection, Time } from './values.ts';

export interface AchievedFramework {
  readonly code: string;
  readonly achievedAt: string;
  readonly expiresAt: string | null;
  readonly reportUrl: string | null;
}

export interface AchievedFrameworkInput {
  /** The code of a framework of the catalogue. At most 64 characters. */
  readonly code: string;
  /** Not in the future, and not before 2000. */
  readonly achievedAt: Time;
  /** From this time on, the framework is not shown. */
  readonly expiresAt?: Time | null | undefined;
  /** A report or certificate. At most 2,048 characters. */
  readonly reportUrl?: string | null | undefined;
}

export type ActorType = 'user' | 'api_key' | 'system' | 'staff';

export interface ApiKey {
  readonly id: string;
  /** The tenant that the key belongs to; another tenant when the key can only act for this one. */
  readonly tenantId: string;
  readonly name: string;
  readonly environment: ApiKeyEnvironment;
  /** The first characters of the key, to identify it. */
  readonly displayPrefix: string;
  readonly scopes: readonly Scope[];
  /** The other tenants that Svc-Tenant can name; another tenant sees only itself. */
  readonly otherTenantIds: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  /** Written every few seconds. */
  readonly lastUsedAt: string | null;
  /** The key that replaced it in a rotation; only for its own tenant. */
  readonly replacedById: string | null;
  readonly status: ApiKeyStatus;
}

export type ApiKeyEnvironment = 'live' | 'test';

export interface ApiKeyInput {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Default: `live`. */
  readonly environment?: ApiKeyEnvironment | undefined;
  /** Each must be a scope of the caller. 1 to 19 items. */
  readonly scopes: readonly Scope[];
  /** When it expires; null for never. */
  readonly expiresAt?: Time | null | undefined;
  /** Other tenants that Svc-Tenant can name; the caller must be able to create keys in each. At most 100 items. */
  readonly otherTenantIds?: readonly string[] | undefined;
}

export interface ApiKeyRotation {
  /** How long the old key keeps working; 0 revokes it at once. 0 to 168. Default: `24`. */
  readonly overlapHours?: number | undefined;
}

export type ApiKeyStatus = 'active' | 'expired' | 'revoked';

export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly actorId: string | null;
  readonly actorEmail: string | null;
  readonly actorType: ActorType;
  readonly action: string;
  readonly module: AuditModule;
  readonly targetId: string | null;
  readonly targetRef: string | null;
  /** SHA-256 over prevHash and the canonical event, hex. */
  readonly hash: string;
  /** Hash of the preceding event of the tenant. */
  readonly prevHash: string | null;
}

export interface AuditEventDetail extends AuditEvent {
  /** Keyed hash of the client address; the address is not kept. */
  readonly ip: string | null;
  /** Keyed hash of the User-Agent; the text is not kept. */
  readonly userAgent: string | null;
  /** What changed: any JSON value. */
  readonly diff?: Json;
  readonly reason: string | null;
}

export type AuditModule =
  | 'access'
  | 'consent'
  | 'controls'
  | 'identity'
  | 'ledger'
  | 'mfa'
  | 'privacy'
  | 'tenants'
  | 'trust'
  | 'webhooks';

export interface BadgeWords {
  /** BCP 47: what was asked for, or the nearest that there is. */
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly trustCenter: string;
  /** The text of the main link. */
  readonly view: string;
  /** Precedes "3 days ago". */
  readonly updated: string;
  /** Precedes a date. */
  readonly updatedOn: string;
  readonly poweredBy: string;
  readonly close: string;
}

export interface Breach {
  readonly id: string;
  /** Null once it is erased. */
  readonly title: string | null;
  readonly description: string | null;
  readonly severity: BreachSeverity;
  readonly status: BreachStatus;
  readonly affectedSubjects: number | null;
  readonly dataCategories: readonly string[];
  readonly discoveredAt: string;
  /** When the authority must be notified: 72 hours after discovery. */
  readonly notificationDueAt: string;
  /** Whether that time has passed without a notification and without a `notificationReason`. */
  readonly isNotificationOverdue: boolean;
  readonly authorityNotifiedAt: string | null;
  readonly subjectsNotifiedAt: string | null;
  readonly notificationReason: string | null;
  readonly closedAt: string | null;
  /** When its texts were erased: the title, the description, the categories of data and the reason are empty since. */
  readonly erasedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface BreachChange {
  /** 1 to 200 characters. */
  readonly title?: string | undefined;
  /** What happened, its likely consequences, the measures taken. 1 to 10,000 characters. */
  readonly description?: string | undefined;
  readonly severity?: BreachSeverity | undefined;
  /** How many people are affected, as far as known. */
  readonly affectedSubjects?: number | null | undefined;
  /** Kinds of data affected. At most 50 items. */
  readonly dataCategories?: readonly string[] | undefined;
  readonly status?: BreachStatus | undefined;
  /** Not before the discovery, and not in the future; null clears it. */
  readonly authorityNotifiedAt?: Time | null | undefined;
  /** Not before the discovery, and not in the future; null clears it. */
  readonly subjectsNotifiedAt?: Time | null | undefined;
  /** Why the authority need not be notified, or why it was notified late. 1 to 2,000 characters. */
  readonly notificationReason?: string | null | undefined;
}

export interface BreachInput {
  /** 1 to 200 characters. */
  readonly title: string;
  /** What happened, its likely consequences, the measures taken. 1 to 10,000 characters. */
  readonly description: string;
  readonly severity: BreachSeverity;
  /** When the tenant became aware of it; not in the future, and not before 2000. */
  readonly discoveredAt: Time;
  /** How many people are affected, as far as known. */
  readonly affectedSubjects?: number | undefined;
  /** Kinds of data affected. At most 50 items. */
  readonly dataCategories?: readonly string[] | undefined;
}

export type BreachSeverity = 'low' | 'medium' | 'high' | 'critical';

export type BreachStatus = 'open' | 'contained' | 'closed';

export type CaptureMethod = 'banner' | 'modal' | 'inline' | 'checkbox' | 'double_opt_in' | 'verbal_recorded';

export interface Checkpoint {
  readonly ledger: LedgerName;
  /** The number of entries that it covers: those numbered 1 to this. */
  readonly size: number;
  /** Root of the Merkle tree (RFC 6962) over these entries, base64. */
  readonly rootHash: string;
  readonly at: string;
  /**
   * The checkpoint with its signature (C2SP tlog-checkpoint, signed-note). Keep it: anyone who has it and the public
   * key can later check whether these entries were changed.
   */
  readonly note: string;
}

export interface ConsentDecision {
  readonly id: string;
  /** Null once erased. */
  readonly subjectId: string | null;
  readonly purpose: string;
  readonly granted: boolean;
  readonly recordedAt: string;
  readonly ledgerHash: string;
  /** The version of the notice. */
  readonly version: number;
}

export interface ConsentDecisionInput {
  /** 1 to 256 characters. */
  readonly subjectId: string;
  /** 1 to 64 characters. */
  readonly purpose: string;
  readonly granted: boolean;
  /** Stored only as keyed hashes. */
  readonly evidence?: ConsentEvidence | undefined;
  /** Needed when several published notices ask for the purpose. */
  readonly noticeId?: string | undefined;
}

export interface ConsentEvidence {
  /** At most 256 characters. */
  readonly ip?: string | undefined;
  /** At most 4,096 characters. */
  readonly ua?: string | undefined;
}

export interface ConsentReceipt {
  readonly '@context': Readonly<Record<string, Json>>;
  readonly '@id': string;
  readonly '@type': 'dpv:ConsentReceipt';
  /** The profile; absent if `missing` names anything. */
  readonly 'dct:conformsTo'?: string;
  readonly 'dct:identifier': string;
  readonly 'dpv:hasIdentifier': string;
  readonly 'dct:created': string;
  /** The `@id` of the controller. */
  readonly 'dct:publisher': string;
  /** The entry of the consent ledger, with its hash. */
  readonly 'dct:source': Readonly<Record<string, Json>>;
  /** The latest signed checkpoint that covers the entry, and what the receipt leaves out. */
  readonly 'dct:provenance': readonly Readonly<Record<string, Json>>[];
  /** One consent record for each purpose. */
  readonly 'dpv:hasRecordOfActivity': readonly Readonly<Record<string, Json>>[];
  /**
   * The fields of the notice that the profile requires and that the version in question does not state, such as
   * `purposes.analytics.recipients`. Not part of the profile: processors of JSON-LD skip it.
   */
  readonly missing: readonly string[];
}

export interface ConsentRecord {
  /** UUID. That of an imported record is version 8: a keyed hash of its id in the other tool. */
  readonly id: string;
  readonly noticeId: string;
  readonly noticeVersion: number;
  /** SHA-256 of the content of that version, hex. */
  readonly noticeContentHash: string;
  /** Null once erased. */
  readonly subjectId: string | null;
  readonly subjectChannel: SubjectChannel | null;
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
  /**
   * The purposes that this record does not name and that earlier records of the subject decided, on this notice and in
   * this space: purpose key to what still holds. With `purposes` it is the state after this record.
   */
  readonly otherPurposes: Readonly<Record<string, PurposeState>>;
  readonly source: RecordSource;
  readonly space: RecordSpace;
  readonly ipHash: string | null;
  readonly uaHash: string | null;
  readonly capturedAt: string;
  readonly recordedAt: string;
  /** The place in the ledger of the tenant, from 1, without gaps. */
  readonly sequence: number;
  /** SHA-256 over the preceding hash and the canonical record. */
  readonly ledgerHash: string;
  readonly prevLedgerHash: string | null;
  /**
   * What is hashed has commitments to `subjectId`, `ipHash` and `uaHash` in their place: SHA-256, hex, over this salt,
   * the name of the field, a zero byte and the value. Null once erased.
   */
  readonly salt: string | null;
  /** When the values that identify a person were erased; null if they were not. */
  readonly erasedAt: string | null;
}

export interface ConsentRecordInput {
  /** 1 to 256 characters. */
  readonly subjectId: string;
  readonly subjectChannel?: SubjectChannel | undefined;
  /** Stored only as a keyed hash. At most 256 characters. */
  readonly ip?: string | undefined;
  /** Stored only as a keyed hash. At most 4,096 characters. */
  readonly ua?: string | undefined;
  readonly method?: CaptureMethod | undefined;
  /** Purpose key to granted flag. */
  readonly purposes: Readonly<Record<string, boolean>>;
  /**
   * When it was decided, at most 5 minutes ahead of the server and not before 2000-01-01; default: the time of the
   * server.
   */
  readonly capturedAt?: Time | undefined;
}

export interface ConsentWithdrawalInput {
  /** The purposes to withdraw; default: all that the record granted and that can be refused. 1 to 50 items. */
  readonly purposes?: readonly string[] | undefined;
  readonly method?: CaptureMethod | undefined;
  /**
   * When it was decided, at most 5 minutes ahead of the server and not before 2000-01-01; default: the time of the
   * server.
   */
  readonly capturedAt?: Time | undefined;
}

export interface ConsistencyProof {
  /** The size of the earlier checkpoint. */
  readonly from: number;
  /** RFC 9162 section 2.1.4. */
  readonly hashes: readonly string[];
  readonly checkpoint: Checkpoint;
  /**
   * The rotations of the signing key (C2SP signed-note), of this ledger and of the log of the installation, oldest
   * first: they lead from the key that you kept to the newer ones. Empty if there was none.
   */
  readonly rotations: readonly string[];
}

export interface Control {
  /** The id of the control in this tenant. */
  readonly id: string;
  /** For a control of the catalogue the same on every installation; otherwise the `id`. */
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  /**
   * The status that was set last, with two exceptions: `overdue` after the due date of requested evidence, and
   * `needs_review` from the moment that a review is due or an exception ends. An accepted control stays accepted until
   * the next review, as long as its evidence is current and no test fails; otherwise it is in `needs_review` until that
   * is fixed.
   */
  readonly status: ControlStatus;
  readonly cadence: ControlCadence;
  readonly ownerUserId: string | null;
  /**
   * `current` for one cadence after the latest valid item was collected, `stale` for one more, then `expired`;
   * `missing` without any item. With `event_driven`, current as long as an item is valid.
   */
  readonly evidenceFreshness: EvidenceFreshness;
  /** The worst of the latest results of its tests. */
  readonly latestResultStatus: TestResultStatus | null;
  readonly lastTestedAt: string | null;
  /** One cadence after it was set to implemented or accepted; when its exception ends. */
  readonly nextReviewAt: string | null;
  /** The adopted frameworks that it is mapped to. */
  readonly mappedFrameworks: readonly MappedFramework[];
  /** Items of evidence that were not withdrawn. */
  readonly evidenceCount: number;
  /** Tests in use. */
  readonly testCount: number;
  /** Results of these tests. */
  readonly resultCount: number;
}

/** How often the control is reviewed and tested; `event_driven`: when something happens. */
export type ControlCadence = 'monthly' | 'quarterly' | 'semi_annual' | 'annual' | 'event_driven';

export interface ControlChange {
  readonly status?: SettableControlStatus | undefined;
  /** A member who may sign in; null for no owner. */
  readonly ownerUserId?: string | null | undefined;
  readonly cadence?: ControlCadence | undefined;
  /**
   * Why; allowed with another status or a review, and kept in the audit log. Required for not_applicable and excepted,
   * where the control keeps it. 1 to 500 characters.
   */
  readonly reason?: string | undefined;
  /** Required for excepted: in the future, at most two years ahead. */
  readonly exceptionEndsAt?: Time | undefined;
  /** For evidence_requested: in the future, at most two years ahead; 30 days by default. */
  readonly evidenceDueAt?: Time | undefined;
  /** 1 to 200 characters. */
  readonly title?: string | undefined;
  /** 1 to 2,000 characters. */
  readonly description?: string | undefined;
  /** 1 to 80 characters. */
  readonly domain?: string | undefined;
  /** Codes of requirements, by the code of the framework; `getFramework` lists them. */
  readonly mappings?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface ControlDetail extends Control {
  /** All requirements that it is mapped to, by the code of the framework, adopted or not. */
  readonly mappings: Readonly<Record<string, readonly string[]>>;
  /** How to do it; null for custom controls. */
  readonly guidance: string | null;
  readonly evidenceExamples: readonly string[];
  /** Why it is excepted or does not apply. */
  readonly reason: string | null;
  readonly exceptionEndsAt: string | null;
  readonly evidenceDueAt: string | null;
  /** When it was last set to implemented or accepted, or confirmed as such. */
  readonly reviewedAt: string | null;
  /** The statuses that it can change to. */
  readonly allowedStatuses: readonly SettableControlStatus[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface ControlFramework {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly jurisdiction: string | null;
  readonly versionLabel: string | null;
  readonly category: string | null;
  /** To whom and to what it applies. */
  readonly scopeSummary: string | null;
  /** What a good readiness shows, and what it cannot show. */
  readonly assuranceBoundary: string | null;
  /** What you may say when your readiness is good. */
  readonly allowedClaim: string | null;
  /** What you must not say on this basis. */
  readonly prohibitedClaims: readonly string[];
}

export interface ControlFrameworkDetail extends ControlFramework {
  /** In the order of the source; `subject` is in our own words. */
  readonly requirements: readonly FrameworkRequirement[];
}

export interface ControlHealth {
  /** The id of the control in this tenant. */
  readonly id: string;
  /** For a control of the catalogue the same on every installation; otherwise the `id`. */
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly domain: string;
  /**
   * The status that was set last, with two exceptions: `overdue` after the due date of requested evidence, and
   * `needs_review` from the moment that a review is due or an exception ends. An accepted control stays accepted until
   * the next review, as long as its evidence is current and no test fails; otherwise it is in `needs_review` until that
   * is fixed.
   */
  readonly status: ControlStatus;
  /**
   * `current` for one cadence after the latest valid item was collected, `stale` for one more, then `expired`;
   * `missing` without any item. With `event_driven`, current as long as an item is valid.
   */
  readonly evidenceFreshness: EvidenceFreshness;
  /** The worst of the latest results of its tests. */
  readonly latestResultStatus: TestResultStatus | null;
  readonly lastTestedAt: string | null;
  /** Items of evidence that were not withdrawn. */
  readonly evidenceCount: number;
  /** Tests in use. */
  readonly testCount: number;
  /** Results of these tests. */
  readonly resultCount: number;
  readonly dueTests: number;
  readonly scheduledRuns: readonly ScheduledRun[];
}

export interface ControlInput {
  /** Unique in the tenant, ignoring case, and not of the form of the catalogue’s codes. At most 100 characters. */
  readonly code: string;
  /** 1 to 200 characters. */
  readonly title: string;
  /** 1 to 2,000 characters. */
  readonly description: string;
  /** 1 to 80 characters. */
  readonly domain: string;
  /** Codes of requirements, by the code of the framework; `getFramework` lists them. */
  readonly mappings?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly cadence: ControlCadence;
  readonly ownerUserId?: string | null | undefined;
}

export interface ControlList {
  readonly summary: ControlSummary;
  readonly items: readonly Control[];
}

export type ControlStatus =
  | 'not_started'
  | 'in_progress'
  | 'evidence_requested'
  | 'evidence_submitted'
  | 'implemented'
  | 'needs_review'
  | 'accepted'
  | 'overdue'
  | 'not_applicable'
  | 'excepted';

export interface ControlSummary {
  /** Controls in the catalogue. */
  readonly catalogControls: number;
  /** Controls of the tenant: the items. */
  readonly tenantControls: number;
  /** Items that are implemented or accepted. */
  readonly implemented: number;
  /** Items that apply and whose evidence is not current. */
  readonly needsEvidence: number;
  /** Items that apply and whose latest result is fail. */
  readonly failing: number;
  /** Adopted frameworks. */
  readonly frameworks: number;
}

export interface ControlTest {
  readonly id: string;
  readonly controlId: string;
  readonly title: string;
  readonly procedure: string | null;
  /** Null for the cadence of the control. */
  readonly cadence: ControlCadence | null;
  readonly latestResult: LatestTestResult | null;
  readonly resultCount: number;
  /** Null for a retired test, too. */
  readonly nextRunAt: string | null;
  readonly isDue: boolean;
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

export interface ControlTestInput {
  /** 1 to 200 characters. */
  readonly title: string;
  /** How to test, and when it passes. 1 to 2,000 characters. */
  readonly procedure?: string | null | undefined;
  /** How often it runs; null for the cadence of the control. */
  readonly cadence?: ControlCadence | null | undefined;
}

export interface ControllerContact {
  /** Postal address. 1 to 500 characters. */
  readonly address?: string | undefined;
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly email?: string | undefined;
}

export interface CountWebhookRedeliveryParams {
  readonly webhookId?: string | undefined;
  /** Default: `dead`. */
  readonly status?: RedeliverableStatus | undefined;
  readonly reason?: WebhookFailureReason | undefined;
  readonly eventType?: WebhookEventType | undefined;
  /** Deliveries created at this time or later. */
  readonly from?: Time | undefined;
  /** Deliveries created before this time. */
  readonly to?: Time | undefined;
}

export interface CreatedApiKey extends ApiKey {
  /** The key itself, shown only once. */
  readonly key: string;
}

export interface CreatedInvitation extends Invitation {
  /** The token itself, shown only once. */
  readonly token: string;
}

export interface CreatedScimToken extends ScimToken {
  /** The token itself, shown only once. */
  readonly token: string;
}

export type DataCategory =
  | 'name'
  | 'username'
  | 'email_address'
  | 'telephone_number'
  | 'physical_address'
  | 'age'
  | 'gender'
  | 'language'
  | 'country'
  | 'location'
  | 'ip_address'
  | 'unique_id'
  | 'device'
  | 'user_agent'
  | 'browser_fingerprint'
  | 'browsing_behaviour'
  | 'browsing_referral'
  | 'links_clicked'
  | 'service_use'
  | 'preferences'
  | 'interests'
  | 'profile'
  | 'purchases'
  | 'financial'
  | 'employment'
  | 'social_media'
  | 'communication'
  | 'picture'
  | 'health'
  | 'biometric'
  | 'genetic'
  | 'ethnic_origin'
  | 'political_opinion'
  | 'religious_belief'
  | 'philosophical_belief'
  | 'trade_union_membership'
  | 'sexuality';

export interface DataSubjectRequest {
  readonly id: string;
  /** Null once it is erased. */
  readonly subjectId: string | null;
  readonly type: DataSubjectRequestType;
  readonly channel: DataSubjectRequestChannel | null;
  readonly notes: string | null;
  readonly status: DataSubjectRequestStatus;
  readonly receivedAt: string;
  /** When it must be answered. */
  readonly dueAt: string;
  /** Whether it is open past its due date. */
  readonly isOverdue: boolean;
  readonly extendedAt: string | null;
  readonly extensionReason: string | null;
  readonly outcome: DataSubjectRequestOutcome | null;
  /** Why it was not fulfilled, or only partially. */
  readonly reason: string | null;
  readonly completedAt: string | null;
  readonly assigneeUserId: string | null;
  readonly identityCheck: IdentityCheck | null;
  readonly source: DataSubjectRequestSource;
  /** As typed into the form, not verified. */
  readonly requesterEmail: string | null;
  readonly requesterName: string | null;
  readonly message: string | null;
  /** When the link that was sent to the address was used. */
  readonly confirmedAt: string | null;
  /** When its texts were erased, which are null since: the subject, what was written, how the identity was checked. */
  readonly erasedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface DataSubjectRequestChange {
  /** Requests made with the form start with the e-mail address. 1 to 256 characters. */
  readonly subjectId?: string | undefined;
  /** A member who may sign in; null for none. */
  readonly assigneeUserId?: string | null | undefined;
  /** 1 to 5,000 characters. */
  readonly notes?: string | null | undefined;
  /** Records that the caller checked now who the person is; null removes the check. */
  readonly identityCheck?: IdentityCheckInput | null | undefined;
}

export type DataSubjectRequestChannel = 'email' | 'phone' | 'web' | 'letter' | 'in_person' | 'other';

export interface DataSubjectRequestCompletion {
  readonly outcome: DataSubjectRequestOutcome;
  /** Required unless the request is fulfilled. 1 to 2,000 characters. */
  readonly reason?: string | undefined;
}

export interface DataSubjectRequestConfirmation {
  readonly confirmedAt: string;
}

export interface DataSubjectRequestConfirmationInput {
  /** At most 100 characters. */
  readonly token: string;
}

export interface DataSubjectRequestConfirmationLink {
  /** The token itself, shown only once. */
  readonly token: string;
  readonly expiresAt: string;
}

export interface DataSubjectRequestExtension {
  /** Why it takes longer, as communicated to the person. 1 to 2,000 characters. */
  readonly reason: string;
}

export interface DataSubjectRequestInput {
  /** The id that the tenant has for the person. 1 to 256 characters. */
  readonly subjectId: string;
  readonly type: DataSubjectRequestType;
  /** How the request was received. */
  readonly channel?: DataSubjectRequestChannel | undefined;
  /** 1 to 5,000 characters. */
  readonly notes?: string | undefined;
  /**
   * When the request was received; its period starts here. Not in the future, and not before 2000. Default: the time of
   * the server.
   */
  readonly receivedAt?: Time | undefined;
}

export type DataSubjectRequestOutcome = 'fulfilled' | 'rejected' | 'partially_fulfilled';

/** `public`: made with the form, by anyone. */
export type DataSubjectRequestSource = 'api' | 'public';

export type DataSubjectRequestStatus = 'open' | 'completed';

export type DataSubjectRequestType =
  | 'access'
  | 'erasure'
  | 'rectification'
  | 'portability'
  | 'restriction'
  | 'objection';

export type DataSubjectRight =
  | 'withdraw_consent'
  | 'access'
  | 'rectification'
  | 'erasure'
  | 'restriction'
  | 'portability'
  | 'objection'
  | 'automated_decision'
  | 'complaint';

export interface DownloadEvidenceFileParams {
  /** The id of the user who the caller must be: links have no `Svc-User` header. */
  readonly user?: string | undefined;
  /** The id of the tenant that the caller must act for: links have no `Svc-Tenant` header. */
  readonly tenant?: string | undefined;
}

export interface DraftSubprocessor {
  readonly name: string;
  readonly purpose: string;
  readonly country: string;
  readonly since: string | null;
  readonly until: string | null;
}

export interface EndedSessions {
  readonly ended: number;
}

export interface Erasure {
  readonly erasureId: string;
  readonly status: ErasureStatus;
  /** What was erased so far. */
  readonly counts: ErasureCounts;
}

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

export interface ErasureInput {
  /** For the audit log, which keeps it: do not name the person in it. 1 to 2,000 characters. */
  readonly reason: string;
}

/** `running`: the rest follows in the background; of a data subject, `subject.erased` at the end. */
export type ErasureStatus = 'running' | 'done';

export interface Evidence {
  readonly id: string;
  readonly controlId: string;
  /** Null once it is erased, like the other texts. */
  readonly title: string | null;
  readonly kind: EvidenceKind;
  readonly description: string | null;
  readonly url: string | null;
  /** Of an uploaded file computed by the server. */
  readonly sha256: string | null;
  /** The uploaded file; `downloadEvidenceFile` has its bytes. */
  readonly file: EvidenceFile | null;
  readonly collectedAt: string;
  readonly expiresAt: string | null;
  /** Whether it counts: neither expired nor withdrawn. */
  readonly isValid: boolean;
  readonly createdAt: string;
  readonly withdrawnAt: string | null;
  readonly withdrawalReason: string | null;
  /** When its texts and its file were erased. */
  readonly erasedAt: string | null;
}

export interface EvidenceFile {
  /** Null once it is erased. */
  readonly name: string | null;
  /** In bytes. */
  readonly size: number;
  /** As the uploading client said. A download has it only if it is harmless. */
  readonly mediaType: string | null;
}

export type EvidenceFreshness = 'current' | 'stale' | 'expired' | 'missing';

export interface EvidenceInput {
  /** 1 to 200 characters. */
  readonly title: string;
  readonly kind: EvidenceKind;
  /** 1 to 2,000 characters. */
  readonly description?: string | null | undefined;
  /** Where it is kept; http or https. At most 2,048 characters. */
  readonly url?: string | null | undefined;
  /** SHA-256 of the file, hex; proves which one it is. At most 64 characters. */
  readonly sha256?: string | null | undefined;
  /** When it was collected; not in the future, and not before 2000. */
  readonly collectedAt: Time;
  /** When it expires; after collectedAt. */
  readonly expiresAt?: Time | null | undefined;
}

export type EvidenceKind =
  | 'document'
  | 'screenshot'
  | 'log'
  | 'configuration'
  | 'report'
  | 'attestation'
  | 'link'
  | 'other';

export interface EvidenceUsage {
  /** Bytes of the files of the tenant, those included that are arriving. */
  readonly used: number;
  /** Bytes that they may have in all. */
  readonly quota: number;
}

export interface EvidenceWithdrawal {
  /** 1 to 500 characters. */
  readonly reason: string;
}

export interface ExportLedgerParams {
  /** Entries at this time or later. */
  readonly from?: Time | undefined;
  /** Entries before this time. */
  readonly to?: Time | undefined;
  /** The size of an earlier checkpoint that you kept. */
  readonly since?: number | undefined;
  /** The id of the user who the caller must be: links have no `Svc-User` header. */
  readonly user?: string | undefined;
  /** The id of the tenant that the caller must act for: links have no `Svc-Tenant` header. */
  readonly tenant?: string | undefined;
}

export interface FrameworkAdoption {
  readonly frameworks: readonly string[];
  /** Controls in force now, custom ones included. */
  readonly controls: number;
}

export interface FrameworkAdoptionInput {
  /** The complete list: frameworks that it omits are dropped. At most 100 items. */
  readonly frameworks: readonly string[];
}

export interface FrameworkRequirement {
  readonly code: string;
  readonly subject: string;
}

export interface GetConsentNoticeStatisticsParams {
  /** 1 to 366. Default: `30`. */
  readonly days?: number | undefined;
}

export interface GetConsentNoticeWordsParams {
  /** BCP 47. English without it, and where the server has no words. At most 64 characters. */
  readonly language?: string | undefined;
}

export interface GetPublicConsentNoticeParams {
  /**
   * BCP 47. Without it, and where no language of the notice fits, the answer is in the own language of the notice.
   * `Accept-Language` has no effect. At most 64 characters.
   */
  readonly language?: string | undefined;
}

export interface GetPublicTrustWidgetParams {
  /** At most 64 characters. */
  readonly language?: string | undefined;
}

export interface GetWebhookStatisticsParams {
  readonly per?: WebhookPeriodLength | undefined;
  /** 1 to 30. Default: `30`. */
  readonly days?: number | undefined;
}

export interface IdentityCheck {
  readonly method: string;
  readonly at: string;
  /** The user or the API key; null for the server itself. */
  readonly by: string | null;
}

export interface IdentityCheckInput {
  /** How: “known account”, “called back”. Not a number of a document. 1 to 200 characters. */
  readonly method: string;
}

export interface InclusionProof {
  /** The number of the entry; its leaf index is this number minus one. */
  readonly sequence: number;
  /** The chain hash of the entry, hex. Its 32 bytes are the data of the leaf. */
  readonly hash: string;
  /** SHA-256, base64. */
  readonly leafHash: string;
  /** The chain hash of the entry before it; null for the first. */
  readonly prevHash: string | null;
  /** What was hashed after `prevHash`, in its canonical form (RFC 8785). */
  readonly entry: Readonly<Record<string, Json>>;
  /** The values that the entry has commitments to; none once they are erased. */
  readonly openings: readonly LedgerOpening[];
  /** The audit path from the leaf upwards (RFC 9162 section 2.1.3). */
  readonly hashes: readonly string[];
  readonly checkpoint: Checkpoint;
  /**
   * The rotations of the signing key (C2SP signed-note), of this ledger and of the log of the installation, oldest
   * first: they lead from the key that you kept to the newer ones. Empty if there was none.
   */
  readonly rotations: readonly string[];
  /**
   * What the visitor was shown: the text with the SHA-256 that the record has as `shownHash`. Null for other entries.
   */
  readonly shown: string | null;
}

export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly status: InvitationStatus;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly acceptedAt: string | null;
  readonly revokedAt: string | null;
}

export interface InvitationInput {
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly email: string;
  readonly role?: Role | undefined;
}

export type InvitationStatus = 'pending' | 'accepted' | 'revoked' | 'expired';

export interface LatestTestResult {
  readonly id: string;
  readonly status: TestResultStatus;
  readonly testedAt: string;
}

export interface LatestVerification {
  readonly latest: LedgerVerification | null;
}

export type LedgerName = 'audit' | 'consent';

/** The commitment is SHA-256, hex, over the salt, the path, a zero byte and the value. */
export interface LedgerOpening {
  /** Where the commitment is in the entry. */
  readonly path: string;
  /** 16 random bytes, base64url. */
  readonly salt: string;
  readonly value: string;
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

export interface ListApiKeysParams extends PageParams {
  readonly status?: ApiKeyStatus | undefined;
}

export interface ListAuditEventsParams extends PageParams {
  /** 1 to 64 characters. */
  readonly module?: string | undefined;
  readonly actor?: 'user' | 'api_key' | 'system' | 'staff' | undefined;
  /** Exactly this action: `consent_notice.published`. 1 to 64 characters. */
  readonly action?: string | undefined;
  /** The user or the API key that acted. 1 to 256 characters. */
  readonly actorId?: string | undefined;
  /** What was changed. 1 to 256 characters. */
  readonly targetId?: string | undefined;
  /** Events at this time or later. */
  readonly from?: Time | undefined;
  /** Events before this time. */
  readonly to?: Time | undefined;
}

export interface ListBreachesParams extends PageParams {
  readonly status?: BreachStatus | undefined;
  readonly severity?: BreachSeverity | undefined;
}

export interface ListConsentNoticesParams extends PageParams {
  readonly status?: NoticeStatus | undefined;
  /** Notices of exactly this site. At most 253 characters. */
  readonly domain?: string | undefined;
  /** Part of the name, the controller or the domain, in any case. At most 200 characters. */
  readonly search?: string | undefined;
}

export interface ListConsentRecordsParams extends PageParams {
  /** 1 to 256 characters. */
  readonly subjectId?: string | undefined;
  readonly kind?: RecordKind | undefined;
  readonly source?: RecordSource | undefined;
  /** Of the notice. 1 to 999,999,999. */
  readonly version?: number | undefined;
  /** Records at this time or later. */
  readonly from?: Time | undefined;
  /** Records before this time. */
  readonly to?: Time | undefined;
}

export interface ListControlTestsParams {
  /** Tests in use count; retired ones do not. Default: `in_use`. */
  readonly status?: 'in_use' | 'retired' | undefined;
}

export interface ListDsrsParams extends PageParams {
  readonly status?: DataSubjectRequestStatus | undefined;
  readonly type?: DataSubjectRequestType | undefined;
  /** Only requests of this person; exact match. 1 to 256 characters. */
  readonly subjectId?: string | undefined;
  readonly assigneeUserId?: string | undefined;
  /** Whether the request is open past its due date, at the time of the call. */
  readonly overdue?: boolean | undefined;
}

export interface ListScimGroupsParams extends ScimProjection {
  /** One comparison: `displayName eq "…"` or `id eq "…"`. */
  readonly filter?: string | undefined;
  /** The index of the first resource, from 1; smaller values count as 1. Default: `1`. */
  readonly startIndex?: number | undefined;
  /** The number of resources; less than 0 counts as 0, more than 100 as 100. Default: `100`. */
  readonly count?: number | undefined;
}

export interface ListScimUsersParams extends ScimProjection {
  /** One comparison: `userName eq "…"` or `externalId eq "…"`. */
  readonly filter?: string | undefined;
  /** The index of the first resource, from 1; smaller values count as 1. Default: `1`. */
  readonly startIndex?: number | undefined;
  /** The number of resources; less than 0 counts as 0, more than 100 as 100. Default: `100`. */
  readonly count?: number | undefined;
}

export interface ListUsersParams extends PageParams {
  readonly status?: 'active' | 'suspended' | undefined;
  readonly role?: MemberRole | undefined;
  /** Only the member with this address. 1 to 320 characters. */
  readonly email?: string | undefined;
}

export interface ListWebhookDeliveriesParams extends PageParams {
  readonly status?: WebhookDeliveryStatus | undefined;
  readonly webhookId?: string | undefined;
  readonly eventType?: WebhookEventType | undefined;
  readonly reason?: WebhookFailureReason | undefined;
  /** Deliveries created at this time or later. */
  readonly from?: Time | undefined;
  /** Deliveries created before this time. */
  readonly to?: Time | undefined;
}

export interface ListWebhooksParams extends PageParams {
  readonly status?: WebhookStatus | undefined;
}

export interface MappedFramework {
  readonly code: string;
  readonly name: string;
  readonly requirements: readonly string[];
}

export interface Member {
  readonly id: string;
  /** The name of the member; the e-mail address for one without a name. */
  readonly name: string;
  readonly role: MemberRole;
}

/** A role, or a platform role, which only the operator of this server can give. */
export type MemberRole = 'admin' | 'dpo' | 'engineer' | 'auditor' | 'cs_agent' | 'dpco_principal' | 'platform_admin';

export interface Notice {
  readonly id: string;
  readonly status: NoticeStatus;
  readonly name: string;
  readonly controllerName: string;
  readonly language: string;
  readonly domain: string;
  readonly purposes: readonly Purpose[];
  readonly controllerContact?: ControllerContact;
  readonly links?: NoticeLinks;
  readonly rights?: readonly DataSubjectRight[];
  /** Whose law applies: ISO 3166-1 alpha-2, or EU. */
  readonly jurisdictions?: readonly string[];
  /** How long a consent counts: ISO 8601, such as `P1Y`. */
  readonly consentDuration?: string;
  readonly texts?: NoticeTexts;
  readonly theme?: NoticeTheme;
  /**
   * BCP 47 tag to the words in that language. A language is offered to visitors once every purpose is translated into
   * it.
   */
  readonly translations?: Readonly<Record<string, NoticeTranslation>>;
  /** The latest published version; null before the first. */
  readonly version: number | null;
  /** Whether the content differs from the latest version. */
  readonly hasUnpublishedChanges: boolean;
  readonly recordCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt: string | null;
  readonly archivedAt: string | null;
  /** When a page of the site last fetched it or sent a decision, some seconds late; null for never. */
  readonly lastSeenAt: string | null;
  /**
   * The faults of the content under edit in each language that visitors get: a text of your own in place of the default
   * intro should name the controller and every purpose that can be refused, by `{controller}` and `{purposes}` or in
   * words. A warning prevents nothing.
   */
  readonly warnings: readonly NoticeWarning[];
}

export interface NoticeChange {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** Who is responsible for the data (GDPR Article 4(7)). 1 to 200 characters. */
  readonly controllerName?: string | undefined;
  /** BCP 47. At most 64 characters. */
  readonly language?: string | undefined;
  /** The site the notice may be used on; its subdomains are included. 1 to 253 characters. */
  readonly domain?: string | undefined;
  /** 1 to 50 items. */
  readonly purposes?: readonly Purpose[] | undefined;
  readonly texts?: NoticeTexts | null | undefined;
  readonly theme?: NoticeTheme | null | undefined;
  /**
   * BCP 47 tag to the words in that language. A language is offered to visitors once every purpose is translated into
   * it.
   */
  readonly translations?: Readonly<Record<string, NoticeTranslation>> | null | undefined;
  readonly controllerContact?: ControllerContact | null | undefined;
  readonly links?: NoticeLinks | null | undefined;
  /** At most 9 items. */
  readonly rights?: readonly DataSubjectRight[] | null | undefined;
  /** Whose law applies: ISO 3166-1 alpha-2, or EU. At most 50 items. */
  readonly jurisdictions?: readonly string[] | null | undefined;
  /** How long a consent counts: ISO 8601, such as `P1Y`. At most 20 characters. */
  readonly consentDuration?: string | null | undefined;
}

export interface NoticeContent {
  /** 1 to 200 characters. */
  readonly name: string;
  /** Who is responsible for the data (GDPR Article 4(7)). 1 to 200 characters. */
  readonly controllerName: string;
  /** BCP 47. At most 64 characters. */
  readonly language: string;
  /** The site the notice may be used on; its subdomains are included. 1 to 253 characters. */
  readonly domain: string;
  /** 1 to 50 items. */
  readonly purposes: readonly Purpose[];
  readonly controllerContact?: ControllerContact | undefined;
  readonly links?: NoticeLinks | undefined;
  /** At most 9 items. */
  readonly rights?: readonly DataSubjectRight[] | undefined;
  /** Whose law applies: ISO 3166-1 alpha-2, or EU. At most 50 items. */
  readonly jurisdictions?: readonly string[] | undefined;
  /** How long a consent counts: ISO 8601, such as `P1Y`. At most 20 characters. */
  readonly consentDuration?: string | undefined;
  readonly texts?: NoticeTexts | undefined;
  readonly theme?: NoticeTheme | undefined;
  /**
   * BCP 47 tag to the words in that language. A language is offered to visitors once every purpose is translated into
   * it.
   */
  readonly translations?: Readonly<Record<string, NoticeTranslation>> | undefined;
}

export interface NoticeDay {
  /** The day in UTC on which they were recorded. */
  readonly date: string;
  /**
   * How often pages fetched the notice from this server: undecided visitors on each page, others at most once a day.
   * What a cache in front answers is not counted, nor are the last seconds before a crash.
   */
  readonly reads: number;
  /** Records that are no withdrawals. */
  readonly captures: number;
  readonly withdrawals: number;
  /** How many of both pages sent. */
  readonly visitorRecords: number;
  /** By key. */
  readonly purposes: readonly PurposeCount[];
}

/** Default: `card`. */
export type NoticeLayout = 'card' | 'bar' | 'center';

export interface NoticeLinks {
  /** At most 2,048 characters. */
  readonly privacyPolicy?: string | undefined;
  /** At most 2,048 characters. */
  readonly imprint?: string | undefined;
  /** At most 2,048 characters. */
  readonly cookiePolicy?: string | undefined;
  /** At most 2,048 characters. */
  readonly terms?: string | undefined;
  /** Where consent can be changed and withdrawn. At most 2,048 characters. */
  readonly withdrawal?: string | undefined;
  /** Where data subjects exercise their rights. At most 2,048 characters. */
  readonly rights?: string | undefined;
}

/**
 * A card is at `bottom-end` (the default), `bottom-start` or `bottom`; a bar at `bottom` (the default) or `top`;
 * `center` has no position.
 */
export type NoticePosition = 'bottom-end' | 'bottom-start' | 'bottom' | 'top';

export interface NoticePublication {
  /** Whether everyone is asked again, whatever changed: then there is a next version in any case. */
  readonly asksAgain?: boolean | undefined;
}

/** The colour scheme; `page`, the default, takes that of the page. */
export type NoticeScheme = 'page' | 'light' | 'dark';

export interface NoticeSighting {
  /** Without the port. */
  readonly host: string;
  /** When a page last fetched the notice. */
  readonly lastReadAt: string | null;
  /** When a page last sent a decision that was recorded. */
  readonly lastCaptureAt: string | null;
  /**
   * When a decision of a page was last refused with `consent_origin_not_allowed`, because the host does not belong to
   * the domain of the notice; null for a host that does. Change the domain and publish the notice, or remove the tag
   * from the host.
   */
  readonly lastRefusedAt: string | null;
  /**
   * Of the banner that a page last loaded from this server; a page that has it cached, or loads it from elsewhere, does
   * not say.
   */
  readonly widgetVersion: string | null;
}

export interface NoticeState {
  readonly noticeId: string;
  /** Purpose key to what holds for it; a purpose never decided is absent. */
  readonly purposes: Readonly<Record<string, PurposeState>>;
}

export type NoticeStatus = 'draft' | 'published' | 'archived';

export interface NoticeTexts {
  /** 1 to 80 characters. */
  readonly title?: string | undefined;
  /** 1 to 600 characters. */
  readonly intro?: string | undefined;
  /** The button that allows everything. 1 to 40 characters. */
  readonly accept?: string | undefined;
  /** The button that refuses everything. 1 to 40 characters. */
  readonly reject?: string | undefined;
  /** The button that opens the panel. 1 to 40 characters. */
  readonly preferences?: string | undefined;
  /** 1 to 80 characters. */
  readonly panelTitle?: string | undefined;
  /** 1 to 600 characters. */
  readonly panelIntro?: string | undefined;
  /** The button of the panel that saves the choices. 1 to 40 characters. */
  readonly save?: string | undefined;
  /** What opens the panel again. 1 to 60 characters. */
  readonly trigger?: string | undefined;
}

export interface NoticeTheme {
  readonly scheme?: NoticeScheme | undefined;
  /** Colour of buttons and switches; the banner computes that of the text on it. At most 7 characters. */
  readonly accent?: string | undefined;
  readonly layout?: NoticeLayout | undefined;
  readonly position?: NoticePosition | undefined;
}

export interface NoticeTranslation {
  readonly texts?: NoticeTexts | undefined;
  /** Purpose key to its words. */
  readonly purposes: Readonly<Record<string, PurposeTranslation>>;
}

export interface NoticeVersion {
  readonly version: number;
  readonly name: string;
  readonly controllerName: string;
  readonly language: string;
  readonly domain: string;
  readonly purposes: readonly Purpose[];
  readonly controllerContact?: ControllerContact;
  readonly links?: NoticeLinks;
  readonly rights?: readonly DataSubjectRight[];
  /** Whose law applies: ISO 3166-1 alpha-2, or EU. */
  readonly jurisdictions?: readonly string[];
  /** How long a consent counts: ISO 8601, such as `P1Y`. */
  readonly consentDuration?: string;
  readonly texts?: NoticeTexts;
  readonly theme?: NoticeTheme;
  /**
   * BCP 47 tag to the words in that language. A language is offered to visitors once every purpose is translated into
   * it.
   */
  readonly translations?: Readonly<Record<string, NoticeTranslation>>;
  /** SHA-256 of the canonical content (RFC 8785), hex. */
  readonly contentHash: string;
  /** Visitors who decided on a version before this one are asked again. */
  readonly asksSince: number;
  /** Language to the SHA-256, hex, of what visitors get in it. */
  readonly shown: Readonly<Record<string, string>>;
  readonly publishedAt: string;
}

export interface NoticeWarning {
  readonly code: NoticeWarningCode;
  /** BCP 47: the language in which it is missing. */
  readonly language: string;
  /** The field to change, such as `translations.de.texts.intro`. */
  readonly path: string;
  /** Keys of the purposes that are not named. */
  readonly purposes: readonly string[];
  readonly message: string;
}

/** The fault of the first layer. */
export type NoticeWarningCode = 'controller_not_named' | 'purposes_not_named';

export interface NoticeWords {
  /** That of the words: the best one that the server has. */
  readonly language: string;
  /**
   * By the names of `texts` in the public notice. The server fills `{controller}` and `{purposes}`; the banner fills
   * the others.
   */
  readonly texts: Readonly<Record<string, string>>;
}

export interface Overview {
  readonly requests: OverviewRequests | null;
  readonly breaches: OverviewBreaches | null;
  readonly controls: OverviewControls | null;
  readonly webhooks: OverviewWebhooks | null;
  readonly notices: OverviewNotices | null;
  readonly proofs: OverviewProofs | null;
  readonly firstSteps: OverviewFirstSteps | null;
}

/**
 * Breaches that are not closed, and those 72 hours after their discovery without a notification of the authority or a
 * reason; needs `breach:read`.
 */
export interface OverviewBreaches {
  /** At most 1000, which also stands for more. */
  readonly open: number;
  /** At most 1000, which also stands for more. */
  readonly pastDeadline: number;
}

/**
 * The score of the readiness, controls whose requested evidence is overdue, and tests that are due; null also before a
 * framework is adopted. Needs `controls:read`.
 */
export interface OverviewControls {
  readonly readiness: number;
  readonly overdueEvidence: number;
  readonly dueTests: number;
}

/**
 * Which of the first steps are done; null for those whose data the caller may not read. Null for a tenant whose setting
 * `firstSteps` is off, and for callers without `tenant:write`.
 */
export interface OverviewFirstSteps {
  readonly noticePublished: boolean | null;
  readonly bannerSeen: boolean | null;
  /** Whether two people can sign in. */
  readonly secondMember: boolean;
  /** Whether the caller has one; null for an API key. */
  readonly secondFactor: boolean | null;
  readonly checkpointMade: boolean | null;
  /** Whether one of the latest 1000 deliveries arrived. */
  readonly webhookDelivered: boolean | null;
}

/**
 * Published notices, and those of them that were published more than a week ago and not seen on any site within the
 * last week; needs `consent:read`.
 */
export interface OverviewNotices {
  /** At most 1000, which also stands for more. */
  readonly published: number;
  /** At most 1000, which also stands for more. */
  readonly unseen: number;
}

/** Needs `audit:read`. */
export interface OverviewProofs {
  /** Of the consent ledger and the audit log together. */
  readonly latestCheckpointAt: string | null;
  readonly latestVerification: LedgerVerification | null;
}

/** Data-subject requests; needs `dsr:read`. */
export interface OverviewRequests {
  /** At most 1000, which also stands for more. */
  readonly open: number;
  /** At most 1000, which also stands for more. */
  readonly overdue: number;
}

/**
 * Webhooks whose deliveries keep failing or that were disabled, and deliveries that failed for good; needs
 * `webhooks:read`.
 */
export interface OverviewWebhooks {
  /** At most 1000, which also stands for more. */
  readonly failing: number;
  /** At most 1000, which also stands for more. */
  readonly deadLetters: number;
}

export interface PasswordResetToken {
  /** The token itself, shown only once. */
  readonly token: string;
  readonly expiresAt: string;
}

export interface ProveAuditInclusionParams {
  /** The id of the event; or its number. 1 to 100 characters. */
  readonly id?: string | undefined;
  /** The number of the entry. */
  readonly sequence?: number | undefined;
  /** The size of the checkpoint; default: the latest. */
  readonly size?: number | undefined;
}

export interface ProveConsentInclusionParams {
  /** The number of the entry. */
  readonly sequence: number;
  /** The size of the checkpoint; default: the latest. */
  readonly size?: number | undefined;
}

export interface ProveConsistencyParams {
  /** The size of the earlier checkpoint. */
  readonly from: number;
  /** The size of the later one; default: the latest. */
  readonly to?: number | undefined;
}

export interface PublicConsentRecord {
  /** UUID. That of an imported record is version 8: a keyed hash of its id in the other tool. */
  readonly id: string;
  readonly noticeId: string;
  readonly noticeVersion: number;
  readonly subjectId: string;
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
  readonly capturedAt: string;
  readonly recordedAt: string;
  /** SHA-256 of the content of that version, hex. */
  readonly noticeContentHash: string;
  readonly ledgerHash: string;
  readonly prevLedgerHash: string | null;
  /**
   * What is hashed has commitments to `subjectId`, `ipHash` and `uaHash` in their place: SHA-256, hex, over this salt,
   * the name of the field, a zero byte and the value. Null once erased.
   */
  readonly salt: string | null;
}

export interface PublicConsentRecordInput {
  /** Pseudonymous id of the visitor. 1 to 256 characters. */
  readonly subjectId: string;
  /** One entry for each purpose of the notice. */
  readonly purposes: Readonly<Record<string, boolean>>;
  /** 1 to 64 characters. */
  readonly method?: string | undefined;
  /**
   * When it was decided, at most 5 minutes ahead of the server and not before 2000-01-01; default: the time of the
   * server.
   */
  readonly capturedAt?: Time | undefined;
  /** The version that the visitor saw; default: that of `shownHash`, else the current one. */
  readonly noticeVersion?: number | undefined;
  /** The language of the notice that was shown, as a BCP 47 tag. At most 64 characters. */
  readonly language?: string | undefined;
  /**
   * SHA-256, in lower-case hex, of the body of `GET /v1/public/consent/{noticeId}` that was shown; `unverified` if the
   * browser could not compute it. A hash decides version and language of the record. At most 64 characters.
   */
  readonly shownHash?: string | undefined;
  /** The region that the page applied: ISO 3166-1 alpha-2 or ISO 3166-2. Absent for unknown. At most 6 characters. */
  readonly region?: string | undefined;
}

export interface PublicDataSubjectRequest {
  /** The id of the request. */
  readonly reference: string;
  readonly receivedAt: string;
  /** When it must be answered. */
  readonly dueAt: string;
}

export interface PublicDataSubjectRequestInput {
  readonly type: DataSubjectRequestType;
  /** Where the answer goes. At most 320 characters. */
  readonly email: string;
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** 1 to 2,000 characters. */
  readonly message?: string | undefined;
}

export interface PublicNotice {
  readonly id: string;
  readonly name: string;
  readonly controllerName: string;
  readonly language: string;
  readonly domain: string;
  readonly purposes: readonly PublicPurpose[];
  readonly version: number;
  /** Visitors who decided on a version before this one are asked again. */
  readonly asksSince: number;
  /** The other languages of the notice, as BCP 47 tags. */
  readonly languages: readonly string[];
  readonly links?: NoticeLinks;
  readonly theme?: NoticeTheme;
  /** What the banner says: the texts of the notice, and those of the server for the others. */
  readonly texts: Readonly<Record<string, string>>;
}

export interface PublicPurpose {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  /** A required purpose cannot be refused. */
  readonly required: boolean;
  /** Where the region is known and has none of its own. Default: `consent`. */
  readonly basis?: PurposeBasis;
  /** Region (ISO 3166-1 or ISO 3166-2, which goes first) to the basis there. */
  readonly basisByRegion?: Readonly<Record<string, PurposeBasis>>;
  /** What it stores or reads on the device; at most 60 in a notice. */
  readonly trackers?: readonly Tracker[];
}

export interface Purpose {
  /** At most 256 characters. */
  readonly key: string;
  /** 1 to 200 characters. */
  readonly label: string;
  /** At most 2,000 characters. */
  readonly description: string;
  /** A required purpose cannot be refused. */
  readonly required: boolean;
  /** Where the region is known and has none of its own. Default: `consent`. */
  readonly basis?: PurposeBasis | undefined;
  /** Region (ISO 3166-1 or ISO 3166-2, which goes first) to the basis there. */
  readonly basisByRegion?: Readonly<Record<string, PurposeBasis>> | undefined;
  /** What it stores or reads on the device; at most 60 in a notice. At most 60 items. */
  readonly trackers?: readonly Tracker[] | undefined;
  /** At most 40 items. */
  readonly dataCategories?: readonly DataCategory[] | undefined;
  readonly storage?: PurposeStorage | undefined;
  /** Who else gets the data; an empty list says that only the controller has them. At most 50 items. */
  readonly recipients?: readonly Recipient[] | undefined;
}

/** `consent`: off until the visitor allows it. `object`: on until the visitor objects. `exempt`: needs neither. */
export type PurposeBasis = 'consent' | 'object' | 'exempt';

/** How many records granted and refused a purpose. */
export interface PurposeCount {
  readonly key: string;
  readonly granted: number;
  readonly refused: number;
}

export interface PurposeState {
  readonly granted: boolean;
  /** The latest record that names the purpose. */
  readonly recordId: string;
}

/** How long and where the data are stored. */
export interface PurposeStorage {
  /** ISO 8601: years, months and days, such as `P6M`. At most 20 characters. */
  readonly period?: string | undefined;
  /** What ends the storage where no period is fixed, such as `Account closure`. 1 to 200 characters. */
  readonly criteria?: string | undefined;
  /** ISO 3166-1 alpha-2, or EU. At most 50 items. */
  readonly locations?: readonly string[] | undefined;
}

export interface PurposeTranslation {
  /** 1 to 200 characters. */
  readonly label: string;
  /** At most 2,000 characters. */
  readonly description: string;
}

export interface Readiness {
  /** Percentage of the applicable controls that are accepted. */
  readonly score: number;
  /** Controls that apply. */
  readonly totalControls: number;
  readonly acceptedControls: number;
  /** Overdue ones included. */
  readonly openEvidenceRequests: number;
  readonly overdueEvidenceRequests: number;
  /** By the code of each adopted framework. */
  readonly frameworkReadiness: Readonly<Record<string, ReadinessGroup>>;
  /** By the name of each domain. */
  readonly domainReadiness: Readonly<Record<string, ReadinessGroup>>;
}

export interface ReadinessGroup {
  /** Controls that apply. */
  readonly total: number;
  readonly accepted: number;
  /** Controls whose evidence was submitted and is not accepted yet. */
  readonly submitted: number;
  /** Requests for evidence that are open, overdue ones included. */
  readonly open: number;
  readonly overdue: number;
  /** Percentage of the applicable controls that are accepted. */
  readonly score: number;
}

export interface Recipient {
  /** 1 to 200 characters. */
  readonly name: string;
  readonly role: RecipientRole;
  /** Postal address. 1 to 500 characters. */
  readonly address?: string | undefined;
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly email?: string | undefined;
  /** Where it gets the data: ISO 3166-1 alpha-2, or EU. At most 2 characters. */
  readonly country?: string | undefined;
}

export type RecipientRole = 'processor' | 'third_party';

export type RecordKind = 'capture' | 'withdrawal';

/** Who sent it: a caller with credentials, a page, or `svc import`. */
export type RecordSource = 'api' | 'public' | 'import';

/**
 * Which decisions it counts with: `public` for those of visitors, `api` for all others. A withdrawal is in the space of
 * the record that it withdraws, so its `source` may differ.
 */
export type RecordSpace = 'api' | 'public';

/** Dead letters, or delivered ones. */
export type RedeliverableStatus = 'dead' | 'delivered';

/** What a member may do. */
export type Role = 'admin' | 'dpo' | 'engineer' | 'auditor' | 'cs_agent';

export interface ScheduledRun {
  readonly testId: string;
  readonly title: string;
  readonly lastRunAt: string | null;
  /** One cadence after the last run; before the first, when it was created; null with `event_driven`. */
  readonly nextRunAt: string | null;
  readonly isDue: boolean;
}

export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly canonicalValues?: readonly string[];
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'default';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly ScimAttribute[];
}

export interface ScimAuthenticationScheme {
  readonly type: 'oauthbearertoken';
  readonly name: string;
  readonly description: string;
  readonly specUri: string;
  readonly primary: boolean;
}

export interface ScimBulkFeature {
  readonly supported: boolean;
  readonly maxOperations: number;
  readonly maxPayloadSize: number;
}

/**
 * With `extended`, SCIM also accepts requests that Okta, authentik and JumpCloud send for users and that `strict`
 * rejects; each use is audited.
 */
export type ScimCompatibility = 'strict' | 'extended';

export interface ScimEmail {
  readonly value?: string;
  readonly type?: 'work';
  readonly primary?: true;
}

export interface ScimFeature {
  readonly supported: boolean;
}

export interface ScimFilterFeature {
  readonly supported: boolean;
  readonly maxResults: number;
}

export interface ScimGroup {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:Group'];
  readonly id: Role;
  /** The name of the group at the identity provider if the tenant mapped one, else the role. */
  readonly displayName?: string;
  /** The members with this role who were not removed from the group. */
  readonly members?: readonly ScimMember[];
  readonly meta?: ScimGroupMeta;
}

export interface ScimGroupInput {
  /** Contains urn:ietf:params:scim:schemas:core:2.0:Group. */
  readonly schemas: readonly string[];
  /** A role, or the name of a group that the tenant mapped to a role. */
  readonly displayName: string;
  /** Users to add to the group. At most 20,000 items. */
  readonly members?: readonly ScimMemberInput[] | undefined;
}

export interface ScimGroupMeta {
  readonly resourceType?: 'Group';
  readonly created?: string;
  readonly location?: string;
}

export interface ScimGroupReference {
  readonly value?: string;
  readonly type?: 'direct';
}

export interface ScimGroupReplacement {
  /** Contains urn:ietf:params:scim:schemas:core:2.0:Group. */
  readonly schemas: readonly string[];
  /** Cannot be changed. */
  readonly displayName?: string | undefined;
  /** All members of the group; everyone else is removed. At most 20,000 items. */
  readonly members: readonly ScimMemberInput[];
}

export interface ScimMember {
  readonly value?: string;
  readonly display?: string;
}

export interface ScimMemberInput {
  /** The id of a user. At most 256 characters. */
  readonly value: string;
}

export interface ScimName {
  readonly formatted?: string;
  readonly givenName?: string;
  readonly familyName?: string;
}

export interface ScimNameInput {
  /** At most 256 characters. */
  readonly givenName?: string | undefined;
  /** At most 256 characters. */
  readonly familyName?: string | undefined;
}

export interface ScimPatch {
  /** Contains urn:ietf:params:scim:api:messages:2.0:PatchOp. */
  readonly schemas: readonly string[];
  /** 1 to 1,000 items. */
  readonly Operations: readonly ScimPatchOperation[];
}

export interface ScimPatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path?: string | undefined;
  /** Any JSON value; optional for `remove`. */
  readonly value?: Json | undefined;
}

export interface ScimResourceType {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly schema: string;
  /** None. */
  readonly schemaExtensions: readonly string[];
  readonly meta: ScimResourceTypeMeta;
}

export interface ScimResourceTypeMeta {
  readonly resourceType: 'ResourceType';
  readonly location: string;
}

export interface ScimRole {
  readonly value?: string;
  readonly primary?: true;
}

export interface ScimRoleInput {
  readonly value: Role;
  readonly primary?: boolean | undefined;
}

export interface ScimSchema {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:Schema'];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
  readonly meta: ScimSchemaMeta;
}

export interface ScimSchemaMeta {
  readonly resourceType: 'Schema';
  readonly location: string;
}

export interface ScimServiceProviderConfig {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'];
  readonly patch: ScimFeature;
  readonly bulk: ScimBulkFeature;
  readonly filter: ScimFilterFeature;
  readonly changePassword: ScimFeature;
  readonly sort: ScimFeature;
  readonly etag: ScimFeature;
  readonly authenticationSchemes: readonly ScimAuthenticationScheme[];
  readonly meta: ScimServiceProviderConfigMeta;
}

export interface ScimServiceProviderConfigMeta {
  readonly resourceType: 'ServiceProviderConfig';
  readonly location: string;
}

export interface ScimToken {
  readonly id: string;
  /** The first characters of the token, to identify it. */
  readonly displayPrefix: string;
  readonly createdAt: string;
  /** Written every few seconds. */
  readonly lastUsedAt: string | null;
}

export interface ScimUser {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:User'];
  /** The id of the person, who keeps it after leaving and coming back. */
  readonly id: string;
  /** The id at the identity provider. */
  readonly externalId?: string;
  /** The e-mail address; compares without case. */
  readonly userName?: string;
  readonly name?: ScimName;
  readonly displayName?: string;
  readonly emails?: readonly ScimEmail[];
  /** False while the membership is suspended, for any reason. */
  readonly active?: boolean;
  /** The role; empty for a user whom the operator of the server manages. */
  readonly roles?: readonly ScimRole[];
  /** The role group of the user; empty after a removal from it. */
  readonly groups?: readonly ScimGroupReference[];
  readonly meta?: ScimUserMeta;
}

export interface ScimUserInput {
  /** Contains urn:ietf:params:scim:schemas:core:2.0:User. */
  readonly schemas: readonly string[];
  /** At most 512 characters. */
  readonly externalId?: string | undefined;
  /** The e-mail address; immutable. */
  readonly userName: string;
  readonly name?: ScimNameInput | undefined;
  /** Default: `true`. */
  readonly active?: boolean | undefined;
  /** One role, or several of which one is primary. Default: the default role of the tenant. At most 100 items. */
  readonly roles?: readonly ScimRoleInput[] | undefined;
}

export interface ScimUserMeta {
  readonly resourceType?: 'User';
  readonly created?: string;
  readonly lastModified?: string;
  readonly location?: string;
}

export type Scope =
  | 'audit:read'
  | 'consent:read'
  | 'consent:write'
  | 'controls:read'
  | 'controls:write'
  | 'trust:read'
  | 'trust:write'
  | 'webhooks:read'
  | 'webhooks:write'
  | 'members:read'
  | 'users:read'
  | 'users:write'
  | 'keys:read'
  | 'keys:write'
  | 'dsr:read'
  | 'dsr:write'
  | 'breach:read'
  | 'breach:write'
  | 'tenant:write';

export interface Session {
  readonly id: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** When it ends at the latest. */
  readonly expiresAt: string;
  /** When it ends if it is not used again. */
  readonly idleExpiresAt: string;
  /** The browser and system at sign-in: `Firefox on Windows`. */
  readonly device: string | null;
  /** The challenge that was answered with a code; null without one. */
  readonly challengeId: string | null;
  readonly isCurrent: boolean;
}

/** A status that a user can set. */
export type SettableControlStatus =
  | 'not_started'
  | 'in_progress'
  | 'evidence_requested'
  | 'evidence_submitted'
  | 'implemented'
  | 'needs_review'
  | 'accepted'
  | 'not_applicable'
  | 'excepted';

export type SettableWebhookStatus = 'enabled' | 'paused';

export interface SsoAttributeMap {
  /** The role of each group of the identity provider, by the name of the group. */
  readonly scimGroupRoleMap: Readonly<Record<string, Role>>;
}

export interface SsoAttributeMapInput {
  /** The role of each group of the identity provider, by the name of the group. */
  readonly scimGroupRoleMap?: Readonly<Record<string, Role>> | undefined;
}

export interface SsoConfiguration {
  readonly attributeMap: SsoAttributeMap;
}

export interface SsoConfigurationInput {
  readonly attributeMap?: SsoAttributeMapInput | undefined;
}

export type SubjectChannel = 'email' | 'phone' | 'subject_id';

export interface SubjectLedger {
  readonly state: SubjectState;
  readonly items: readonly ConsentRecord[];
  readonly nextCursor: string | null;
}

export interface SubjectSearch {
  /** 1 to 256 characters. */
  readonly subjectId: string;
}

export interface SubjectSpelling {
  /** As it was given. */
  readonly subjectId: string;
  /** The records over all notices, of callers and of visitors. */
  readonly recordCount: number;
}

export interface SubjectState {
  /** What records captured with credentials say, the newest notice first. */
  readonly api: readonly NoticeState[];
  /**
   * What visitors decided on pages, the newest notice first. Anyone who knows a subject id can send such a record, so
   * it proves less than `api`.
   */
  readonly public: readonly NoticeState[];
  readonly truncated: TruncatedStates;
}

export interface Subprocessor extends DraftSubprocessor {
  /** Since when it is public; null while it was not. */
  readonly announcedAt: string | null;
  /** Since when `until` is public. */
  readonly endAnnouncedAt: string | null;
  /** When what is announced last changed. */
  readonly changedAt: string | null;
}

export interface SubprocessorInput {
  /** 1 to 120 characters. */
  readonly name: string;
  /** 1 to 240 characters. */
  readonly purpose: string;
  /** 1 to 80 characters. */
  readonly country: string;
  /** From when it processes data, perhaps in the future: this is announced as a change. */
  readonly since?: Time | null | undefined;
  /** Until when. From then on it is listed among the changes only. */
  readonly until?: Time | null | undefined;
}

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly apiVersion: string;
  readonly name: string;
  /** The role of members whom SCIM provisions without a role. */
  readonly defaultRole: Role;
  readonly scimCompatibility: ScimCompatibility;
  readonly sso: SsoConfiguration;
  /** Members without a second factor can only enrol one; every other request returns 403 `second_factor_required`. */
  readonly requireSecondFactor: boolean;
  /**
   * Days in which a data-subject request must be answered, for requests opened from now on. The month of GDPR Article
   * 12(3) can be as short as 28 days.
   */
  readonly dsrDays: number;
  /** Whether everyone can make a data-subject request with the form at `/privacy/{slug}/request`. */
  readonly dsrForm: boolean;
  /**
   * Days after which the texts of completed data-subject requests are erased, irrevocably; null keeps them. A change
   * applies to earlier ones too.
   */
  readonly dsrTextDays: number | null;
  /**
   * Days after which the texts of closed breaches are erased, irrevocably; null keeps them. A change applies to earlier
   * ones too.
   */
  readonly breachTextDays: number | null;
  /**
   * Days after which events for webhooks are deleted with their deliveries, attempts and dead letters, unless they were
   * sent again since. What still waits for a paused webhook is deleted too. A change applies to earlier ones too.
   */
  readonly webhookDays: number;
  /** Whether the start page of the dashboard lists the first steps. It switches this off when all are done. */
  readonly firstSteps: boolean;
  readonly createdAt: string;
}

export interface TenantChange {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** The role of members whom SCIM provisions without a role. */
  readonly defaultRole?: Role | undefined;
  readonly scimCompatibility?: ScimCompatibility | undefined;
  readonly sso?: SsoConfigurationInput | undefined;
  /** Members without a second factor can only enrol one; every other request returns 403 `second_factor_required`. */
  readonly requireSecondFactor?: boolean | undefined;
  /**
   * Days in which a data-subject request must be answered, for requests opened from now on. The month of GDPR Article
   * 12(3) can be as short as 28 days. 1 to 90.
   */
  readonly dsrDays?: number | undefined;
  /** Whether everyone can make a data-subject request with the form at `/privacy/{slug}/request`. */
  readonly dsrForm?: boolean | undefined;
  /**
   * Days after which the texts of completed data-subject requests are erased, irrevocably; null keeps them. A change
   * applies to earlier ones too. 30 to 3,650.
   */
  readonly dsrTextDays?: number | null | undefined;
  /**
   * Days after which the texts of closed breaches are erased, irrevocably; null keeps them. A change applies to earlier
   * ones too. 30 to 3,650.
   */
  readonly breachTextDays?: number | null | undefined;
  /**
   * Days after which events for webhooks are deleted with their deliveries, attempts and dead letters, unless they were
   * sent again since. What still waits for a paused webhook is deleted too. A change applies to earlier ones too. 7 to
   * 90.
   */
  readonly webhookDays?: number | undefined;
  /** Whether the start page of the dashboard lists the first steps. It switches this off when all are done. */
  readonly firstSteps?: boolean | undefined;
}

export interface TestHealth {
  readonly summary: TestHealthSummary;
  readonly items: readonly ControlHealth[];
}

export interface TestHealthSummary {
  /** Controls that apply: the items. */
  readonly totalControls: number;
  readonly failing: number;
  readonly warning: number;
  readonly passing: number;
  /** No result yet, or a result that needs human judgement. */
  readonly unknown: number;
  readonly currentEvidence: number;
  readonly staleEvidence: number;
  readonly expiredEvidence: number;
  readonly missingEvidence: number;
  /** All but those with current evidence. */
  readonly needsEvidence: number;
  /** Controls without a test. */
  readonly missingTests: number;
  /** Tests, not controls. */
  readonly dueTests: number;
}

export interface TestResult {
  readonly id: string;
  readonly testId: string;
  readonly status: TestResultStatus;
  readonly notes: string | null;
  readonly url: string | null;
  readonly testedAt: string;
  readonly createdAt: string;
}

export interface TestResultInput {
  readonly status: TestResultStatus;
  /** 1 to 2,000 characters. */
  readonly notes?: string | null | undefined;
  /** Where the output is kept; http or https. At most 2,048 characters. */
  readonly url?: string | null | undefined;
  /** Default: now; not in the future, and not before 2000. */
  readonly testedAt?: Time | undefined;
}

export type TestResultStatus = 'fail' | 'warning' | 'unknown' | 'manual' | 'pass';

export interface Tracker {
  /** Of the cookie, the key in the storage or the request. 1 to 100 characters. */
  readonly name: string;
  /** 1 to 100 characters. */
  readonly provider: string;
  /** `session`, `persistent`, or a duration of ISO 8601 such as `P13M`. At most 20 characters. */
  readonly lifetime: string;
  /** Whether another site than that of the notice gets it. */
  readonly thirdParty: boolean;
}

/** Whether a space has more states than the 100 listed. */
export interface TruncatedStates {
  readonly api: boolean;
  readonly public: boolean;
}

export interface TrustCenter {
  readonly slug: string;
  readonly name: string;
  /** The public page, available while the trust center is published. */
  readonly url: string;
  readonly published: boolean;
  readonly headline: string | null;
  readonly description: string | null;
  readonly contactEmail: string | null;
  readonly securityContact: string | null;
  readonly frameworks: readonly AchievedFramework[];
  readonly links: readonly TrustLink[];
  readonly subprocessors: readonly Subprocessor[];
  readonly showsProof: boolean;
  /** When it was published; null while it is not. */
  readonly publishedAt: string | null;
  /** Null before the first change. */
  readonly updatedAt: string | null;
  /** What is saved but not public; null for none. */
  readonly draft: TrustDraft | null;
}

export interface TrustCenterInput extends TrustDraftInput {
  readonly published: boolean;
}

export interface TrustDraft {
  readonly headline: string | null;
  readonly description: string | null;
  readonly contactEmail: string | null;
  readonly securityContact: string | null;
  readonly frameworks: readonly AchievedFramework[];
  readonly links: readonly TrustLink[];
  readonly subprocessors: readonly DraftSubprocessor[];
  readonly showsProof: boolean;
  readonly updatedAt: string;
}

export interface TrustDraftInput {
  /** 1 to 160 characters. */
  readonly headline?: string | null | undefined;
  /** Text; blank lines separate paragraphs. 1 to 4,000 characters. */
  readonly description?: string | null | undefined;
  /** E-mail address; case does not matter. At most 320 characters. */
  readonly contactEmail?: string | null | undefined;
  /** Where to report a vulnerability. At most 2,048 characters. */
  readonly securityContact?: string | null | undefined;
  /** At most 50 items. */
  readonly frameworks?: readonly AchievedFrameworkInput[] | undefined;
  /** The privacy policy, the status page and other links, each with a unique label. At most 20 items. */
  readonly links?: readonly TrustLinkInput[] | undefined;
  /** Each with its own name, or its own name and `since`. At most 100 items. */
  readonly subprocessors?: readonly SubprocessorInput[] | undefined;
  /**
   * Whether the page shows the latest signed checkpoint of the audit log, which includes the number of its events.
   * Default: `false`.
   */
  readonly showsProof?: boolean | undefined;
}

export interface TrustLink {
  readonly label: string;
  readonly url: string;
}

export interface TrustLinkInput {
  /** 1 to 100 characters. */
  readonly label: string;
  /** At most 2,048 characters. */
  readonly url: string;
}

export interface TrustWidget {
  readonly name: string;
  readonly slug: string;
  /** The names of the frameworks that are achieved and have not expired. */
  readonly achievedFrameworks: readonly string[];
  readonly updatedAt: string;
  /** Only with `language`. */
  readonly words?: BadgeWords;
}

export interface UploadEvidenceFileParams {
  /** 1 to 200 characters. */
  readonly title: string;
  readonly kind: EvidenceKind;
  /** Of the file. Path parts and characters that a file name cannot have are replaced. 1 to 1,000 characters. */
  readonly name: string;
  /** 1 to 500 characters. */
  readonly description?: string | null | undefined;
  /** When it was collected; not in the future, and not before 2000. */
  readonly collectedAt: Time;
  /** When it expires; after collectedAt. */
  readonly expiresAt?: Time | null | undefined;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** The id at the identity provider. */
  readonly externalId: string | null;
  readonly role: MemberRole;
  readonly status: UserStatus;
  /** False until the user has accepted an invitation of this tenant. */
  readonly canSignIn: boolean;
  readonly mfaEnabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignedInAt: string | null;
}

export interface UserChange {
  readonly role?: Role | undefined;
  readonly active?: boolean | undefined;
  /** The reason, for the audit log. 1 to 500 characters. */
  readonly reason?: string | undefined;
}

export interface UserErasure {
  readonly erasureId: string;
  readonly status: ErasureStatus;
  /** What was erased so far. */
  readonly counts: UserErasureCounts;
}

export interface UserErasureCounts {
  /** Sessions that ended. */
  readonly sessions: number;
  readonly invitations: number;
  /** Events of the audit log that named the person. */
  readonly auditEvents: number;
  /** Webhook events. */
  readonly events: number;
  /** Pending deliveries of these events, which were canceled. */
  readonly deliveries: number;
  /** Responses that are kept for retries. */
  readonly responses: number;
}

export type UserStatus = 'active' | 'suspended' | 'deleted';

/** `failed`: something was changed. `could_not_check`: no change was found, but not everything could be checked. */
export type VerificationStatus = 'holds' | 'failed' | 'could_not_check';

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The types of events that it gets; null for all, also those that are added later. */
  readonly eventTypes: readonly WebhookEventType[] | null;
  /**
   * What the `data` of an event must hold for the event to be sent here: for each dotted path a list of accepted
   * values, of which the event holds one; of an array any item counts. Events about webhooks pass in any case. Null:
   * every event of the wanted types.
   */
  readonly filter: WebhookFilter | null;
  /** How many attempts are made in a second, at most; null for as many as the receiver keeps up with. */
  readonly rateLimit: number | null;
  /**
   * When a delivery that fails is tried again: whole seconds after its first attempt, ascending. After the last it is a
   * dead letter. Null: the usual times, over 24 hours.
   */
  readonly retrySchedule: readonly number[] | null;
  /**
   * Whether deliveries are signed with Ed25519 as well (`v1a` of Standard Webhooks), for receivers that shall hold no
   * secret. Each time it is switched on makes a new pair of keys.
   */
  readonly asymmetric: boolean;
  /** Checks the `v1a` signatures: `whpk_` and the base64 of 32 bytes. Null where there are none. */
  readonly publicKey: string | null;
  readonly status: WebhookStatus;
  readonly disabledReason: WebhookDisabledReason | null;
  readonly disabledAt: string | null;
  /** Since when every attempt has failed; null while all is well. */
  readonly failingSince: string | null;
  readonly lastError: string | null;
  /**
   * The receiver asked for a pause (429 or 503 with Retry-After): nothing is sent before. Null where it did not, or the
   * pause is over. Pausing and enabling the webhook ends it, and so does another address.
   */
  readonly pausedUntil: string | null;
  /** How many previous secrets sign along. */
  readonly previousSecrets: number;
  /** When the last of them ends; null for none. */
  readonly previousSecretExpiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface WebhookAttempt {
  readonly id: string;
  readonly at: string;
  readonly outcome: WebhookAttemptOutcome;
  readonly responseStatus: number | null;
  /** What went wrong. */
  readonly message: string | null;
  /** The beginning of what the receiver answered. */
  readonly excerpt: string | null;
  /** How long it took, until the whole answer or the failure. */
  readonly milliseconds: number;
}

export type WebhookAttemptOutcome =
  | 'delivered'
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
  | 'erased';

export interface WebhookChange {
  /** An https address on the public internet. A tenant has one webhook for an address. At most 2,048 characters. */
  readonly url?: string | undefined;
  /** 1 to 200 characters. */
  readonly description?: string | null | undefined;
  /** The types of events that it gets; null for all, also those that are added later. 1 to 25 items. */
  readonly eventTypes?: readonly WebhookEventType[] | null | undefined;
  /**
   * What the `data` of an event must hold for the event to be sent here: for each dotted path a list of accepted
   * values, of which the event holds one; of an array any item counts. Events about webhooks pass in any case. Null:
   * every event of the wanted types.
   */
  readonly filter?: WebhookFilter | null | undefined;
  /** How many attempts are made in a second, at most; null for as many as the receiver keeps up with. 1 to 1,000. */
  readonly rateLimit?: number | null | undefined;
  /**
   * When a delivery that fails is tried again: whole seconds after its first attempt, ascending. After the last it is a
   * dead letter. Null: the usual times, over 24 hours. 1 to 20 items.
   */
  readonly retrySchedule?: readonly number[] | null | undefined;
  /**
   * Whether deliveries are signed with Ed25519 as well (`v1a` of Standard Webhooks), for receivers that shall hold no
   * secret. Each time it is switched on makes a new pair of keys.
   */
  readonly asymmetric?: boolean | undefined;
  /** Also enables a webhook that was disabled. */
  readonly status?: SettableWebhookStatus | undefined;
}

export interface WebhookDelivery {
  /** What the receiver gets as `Svc-Delivery`; the same at each attempt. */
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly status: WebhookDeliveryStatus;
  /** Why the last attempt failed, or why none was made. */
  readonly reason: WebhookFailureReason | null;
  /** The HTTP status of the last answer. */
  readonly responseStatus: number | null;
  readonly attemptCount: number;
  readonly firstAttemptAt: string | null;
  /** Null where no attempt is to come. */
  readonly nextAttemptAt: string | null;
  /** The delivery that this one repeats. */
  readonly redeliveryOf: string | null;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export interface WebhookDeliveryDetail extends WebhookDelivery {
  readonly event: WebhookEvent;
  /** Oldest first. */
  readonly attempts: readonly WebhookAttempt[];
}

/**
 * `pending` waits for an attempt; `dead` has failed for good and can be sent again; `redelivered` was dead and was sent
 * again under another id; `canceled` was canceled by a caller, or belonged to a webhook that was deleted.
 */
export type WebhookDeliveryStatus = 'pending' | 'delivered' | 'dead' | 'redelivered' | 'canceled';

/** `gone`: it answered 410. `failing`: nothing arrived there for days. */
export type WebhookDisabledReason = 'gone' | 'failing';

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly tenantId: string;
  readonly data: Readonly<Record<string, Json>>;
}

export type WebhookEventType =
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
  | 'webhook.test';

export type WebhookFailureReason =
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
  | 'erased';

export type WebhookFilter = Readonly<Record<string, readonly WebhookFilterValue[]>>;

export type WebhookFilterValue = string | number | boolean | null;

export interface WebhookInput {
  /** An https address on the public internet. A tenant has one webhook for an address. At most 2,048 characters. */
  readonly url: string;
  /** 1 to 200 characters. */
  readonly description?: string | null | undefined;
  /** The types of events that it gets; null for all, also those that are added later. 1 to 25 items. */
  readonly eventTypes?: readonly WebhookEventType[] | null | undefined;
  /**
   * What the `data` of an event must hold for the event to be sent here: for each dotted path a list of accepted
   * values, of which the event holds one; of an array any item counts. Events about webhooks pass in any case. Null:
   * every event of the wanted types.
   */
  readonly filter?: WebhookFilter | null | undefined;
  /** How many attempts are made in a second, at most; null for as many as the receiver keeps up with. 1 to 1,000. */
  readonly rateLimit?: number | null | undefined;
  /**
   * When a delivery that fails is tried again: whole seconds after its first attempt, ascending. After the last it is a
   * dead letter. Null: the usual times, over 24 hours. 1 to 20 items.
   */
  readonly retrySchedule?: readonly number[] | null | undefined;
  /**
   * Whether deliveries are signed with Ed25519 as well (`v1a` of Standard Webhooks), for receivers that shall hold no
   * secret. Each time it is switched on makes a new pair of keys. Default: `false`.
   */
  readonly asymmetric?: boolean | undefined;
  /** Default: `enabled`. */
  readonly status?: SettableWebhookStatus | undefined;
}

export interface WebhookPeriod {
  /** The start of the hour or the day, in UTC. */
  readonly startsAt: string;
  readonly delivered: number;
  readonly failedAttempts: number;
  /** Deliveries that failed for good, also those without an attempt. */
  readonly deadLetters: number;
  readonly responseTime: WebhookResponseTime | null;
}

export type WebhookPeriodLength = 'day' | 'hour';

export interface WebhookRedelivery {
  readonly id: string;
  readonly status: WebhookRedeliveryStatus;
  readonly filter: WebhookRedeliveryFilter;
  /** How many deliveries fitted when it was ordered. */
  readonly total: number;
  /** How many are queued by now; what is sent again otherwise or cannot be sent any more is passed over. */
  readonly queued: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export interface WebhookRedeliveryCount {
  readonly count: number;
}

export interface WebhookRedeliveryFilter {
  readonly webhookId: string | null;
  readonly status: RedeliverableStatus;
  readonly reason: WebhookFailureReason | null;
  readonly eventType: string | null;
  readonly from: string | null;
  readonly to: string | null;
}

export interface WebhookRedeliveryInput {
  readonly webhookId?: string | undefined;
  /** Default: `dead`. */
  readonly status?: RedeliverableStatus | undefined;
  readonly reason?: WebhookFailureReason | undefined;
  readonly eventType?: WebhookEventType | undefined;
  /** Deliveries created at this time or later. */
  readonly from?: Time | undefined;
  /** Deliveries created before this time. */
  readonly to?: Time | undefined;
}

export type WebhookRedeliveryStatus = 'running' | 'finished' | 'canceled';

/** Of the attempts that were answered; null without any. */
export interface WebhookResponseTime {
  readonly averageMilliseconds: number;
  readonly slowestMilliseconds: number;
}

export interface WebhookSecretRotation {
  /** How long the old secret signs along; 0 ends it, and all before it, at once. 0 to 168. Default: `24`. */
  readonly overlapHours?: number | undefined;
}

/**
 * `paused`: nothing is sent, and what happens waits. `disabled`: the server itself gave up (`disabledReason`), and what
 * happens becomes a dead letter that can be sent again.
 */
export type WebhookStatus = 'enabled' | 'paused' | 'disabled';

export interface WebhookWithSecret extends Webhook {
  /** Signs every delivery; shown this once. */
  readonly secret: string;
}

/** What the method of each operation returns, by its id in the OpenAPI document. */
export interface OperationResults {
  readonly listConsentNotices: Page<Notice>;
  readonly recordConsentDecision: ConsentDecision;
  readonly createConsentNotice: Notice;
  readonly editConsentNotice: Notice;
  readonly deleteConsentNotice: void;
  readonly getConsent: Notice | SubjectLedger;
  readonly publishConsentNotice: Notice;
  readonly archiveConsentNotice: Notice;
  readonly getConsentNoticeWords: NoticeWords;
  readonly getConsentNoticeShown: PublicNotice;
  readonly listConsentNoticeVersions: Page<NoticeVersion>;
  readonly getSubjectLedger: SubjectLedger;
  readonly searchSubjects: Items<SubjectSpelling>;
  readonly listConsentRecords: Page<ConsentRecord>;
  readonly captureConsentRecord: ConsentRecord;
  readonly getConsentRecord: ConsentRecord;
  readonly findConsentRecord: ConsentRecord;
  readonly getConsentReceipt: ConsentReceipt;
  readonly withdrawConsentRecord: ConsentRecord;
  readonly getPublicConsentNotice: PublicNotice;
  readonly capturePublicConsentRecord: PublicConsentRecord;
  readonly getConsentNoticeStatistics: Items<NoticeDay>;
  readonly listConsentNoticeSightings: Items<NoticeSighting>;
  readonly listControls: ControlList;
  readonly listFrameworks: Items<ControlFramework>;
  readonly getFramework: ControlFrameworkDetail;
  readonly getReadiness: Readiness;
  readonly getTestHealth: TestHealth;
  readonly getEvidenceUsage: EvidenceUsage;
  readonly adoptFrameworks: FrameworkAdoption;
  readonly createControl: ControlDetail;
  readonly getControl: ControlDetail;
  readonly editControl: ControlDetail;
  readonly retireControl: void;
  readonly addEvidence: Evidence;
  readonly listEvidence: Page<Evidence>;
  readonly uploadEvidenceFile: Evidence;
  readonly downloadEvidenceFile: ByteStream;
  readonly getEvidence: Evidence;
  readonly withdrawEvidence: Evidence;
  readonly addControlTest: ControlTest;
  readonly listControlTests: Items<ControlTest>;
  readonly retireControlTest: ControlTest;
  readonly recordTestResult: TestResult;
  readonly listTestResults: Page<TestResult>;
  readonly listUsers: Page<User>;
  readonly listMembers: Page<Member>;
  readonly getUser: User;
  readonly editUser: User;
  readonly removeUser: User;
  readonly listUserSessions: Items<Session>;
  readonly revokeUserSessions: EndedSessions;
  readonly revokeUserSession: EndedSessions;
  readonly createPasswordReset: PasswordResetToken;
  readonly resetUserSecondFactor: User;
  readonly listInvitations: Page<Invitation>;
  readonly inviteUser: CreatedInvitation;
  readonly revokeInvitation: Invitation;
  readonly getTenant: Tenant;
  readonly editTenant: Tenant;
  readonly listApiKeys: Page<ApiKey>;
  readonly createApiKey: CreatedApiKey;
  readonly getApiKey: ApiKey;
  readonly revokeApiKey: ApiKey;
  readonly rotateApiKey: CreatedApiKey;
  readonly getScimToken: ScimToken;
  readonly createScimToken: CreatedScimToken;
  readonly revokeScimToken: ScimToken;
  readonly createDsr: DataSubjectRequest;
  readonly listDsrs: Page<DataSubjectRequest>;
  readonly getDsr: DataSubjectRequest;
  readonly editDsr: DataSubjectRequest;
  readonly extendDsr: DataSubjectRequest;
  readonly completeDsr: DataSubjectRequest;
  readonly createDsrConfirmationLink: DataSubjectRequestConfirmationLink;
  readonly createPublicDsr: PublicDataSubjectRequest;
  readonly confirmPublicDsr: DataSubjectRequestConfirmation;
  readonly reportBreach: Breach;
  readonly listBreaches: Page<Breach>;
  readonly getBreach: Breach;
  readonly editBreach: Breach;
  readonly eraseSubject: Erasure;
  readonly eraseUser: UserErasure;
  readonly eraseDsr: Erasure;
  readonly eraseBreach: Erasure;
  readonly eraseEvidence: Erasure;
  readonly getTrustCenter: TrustCenter;
  readonly replaceTrustCenter: TrustCenter;
  readonly saveTrustDraft: TrustCenter;
  readonly discardTrustDraft: TrustCenter;
  readonly getPublicTrustWidget: TrustWidget;
  readonly createWebhook: WebhookWithSecret;
  readonly listWebhooks: Page<Webhook>;
  readonly getWebhook: Webhook;
  readonly editWebhook: Webhook;
  readonly deleteWebhook: void;
  readonly getWebhookStatistics: Items<WebhookPeriod>;
  readonly rotateWebhookSecret: WebhookWithSecret;
  readonly testWebhook: WebhookDelivery;
  readonly listWebhookDeliveries: Page<WebhookDelivery>;
  readonly getWebhookDelivery: WebhookDeliveryDetail;
  readonly redeliverWebhookDelivery: WebhookDelivery;
  readonly cancelWebhookDelivery: WebhookDelivery;
  readonly redeliverWebhookDeliveries: WebhookRedelivery;
  readonly countWebhookRedelivery: WebhookRedeliveryCount;
  readonly listWebhookRedeliveries: Page<WebhookRedelivery>;
  readonly getWebhookRedelivery: WebhookRedelivery;
  readonly cancelWebhookRedelivery: WebhookRedelivery;
  readonly getOverview: Overview;
  readonly getScimServiceProviderConfig: ScimServiceProviderConfig;
  readonly listScimSchemas: Page<ScimSchema>;
  readonly getScimSchema: ScimSchema;
  readonly listScimResourceTypes: Page<ScimResourceType>;
  readonly getScimResourceType: ScimResourceType;
  readonly listScimUsers: Page<ScimUser>;
  readonly createScimUser: ScimUser;
  readonly getScimUser: ScimUser;
  readonly patchScimUser: ScimUser;
  readonly replaceScimUser: ScimUser;
  readonly deleteScimUser: void;
  readonly listScimGroups: Page<ScimGroup>;
  readonly createScimGroup: ScimGroup;
  readonly getScimGroup: ScimGroup;
  readonly replaceScimGroup: ScimGroup;
  readonly patchScimGroup: ScimGroup;
  readonly deleteScimGroup: void;
  readonly listAuditEvents: Page<AuditEvent>;
  readonly getAuditEvent: AuditEventDetail;
  readonly listAuditCheckpoints: Page<Checkpoint>;
  readonly createAuditCheckpoint: Checkpoint;
  readonly getLatestAuditCheckpoint: Checkpoint;
  readonly proveAuditInclusion: InclusionProof;
  readonly proveAuditConsistency: ConsistencyProof;
  readonly exportAuditLedger: ByteStream;
  readonly listConsentCheckpoints: Page<Checkpoint>;
  readonly createConsentCheckpoint: Checkpoint;
  readonly getLatestConsentCheckpoint: Checkpoint;
  readonly proveConsentInclusion: InclusionProof;
  readonly proveConsentConsistency: ConsistencyProof;
  readonly exportConsentLedger: ByteStream;
  readonly getLedgerVerification: LatestVerification;
}
