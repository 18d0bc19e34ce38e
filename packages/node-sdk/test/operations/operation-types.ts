// biome-ignore-all format: written by write-operation-types.ts from server/openapi.json
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type NoticeStatusSent = "draft" | "published" | "archived";
type NoticePage = { readonly data: readonly (Notice)[]; readonly page: PageInfo; };
type Notice = { readonly id: string; readonly status: NoticeStatus; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly version: (number) | (null); readonly hasUnpublishedChanges: boolean; readonly recordCount: number; readonly createdAt: string; readonly updatedAt: string; readonly publishedAt: (string) | (null); readonly archivedAt: (string) | (null); };
type NoticeStatus = "draft" | "published" | "archived";
type Purpose = { readonly key: string; readonly label: string; readonly description: string; readonly required: boolean; };
type PageInfo = { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; };
type ConsentDecisionInputSent = { readonly subjectId: string; readonly purpose: string; readonly granted: boolean; readonly evidence?: ConsentEvidenceSent | undefined; readonly noticeId?: string | undefined; };
type ConsentEvidenceSent = { readonly ip?: string | undefined; readonly ua?: string | undefined; };
type ConsentDecision = { readonly id: string; readonly subjectId: string; readonly purpose: string; readonly granted: boolean; readonly recordedAt: string; readonly ledgerHash: string; readonly version: number; };
type NoticeContentSent = { readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (PurposeSent)[]; };
type PurposeSent = { readonly key: string; readonly label: string; readonly description: string; readonly required: boolean; };
type NoticeChangeSent = { readonly name?: string | undefined; readonly controllerName?: string | undefined; readonly language?: string | undefined; readonly domain?: string | undefined; readonly purposes?: readonly (PurposeSent)[] | undefined; };
type SubjectLedger = { readonly state: SubjectState; readonly items: readonly (ConsentRecord)[]; readonly nextCursor: (string) | (null); };
type SubjectState = { readonly api: readonly (NoticeState)[]; readonly public: readonly (NoticeState)[]; readonly truncated: TruncatedStates; };
type NoticeState = { readonly noticeId: string; readonly purposes: { readonly [key: string]: PurposeState }; };
type PurposeState = { readonly granted: boolean; readonly recordId: string; };
type TruncatedStates = { readonly api: boolean; readonly public: boolean; };
type ConsentRecord = { readonly id: string; readonly noticeId: string; readonly noticeVersion: number; readonly noticeContentHash: string; readonly subjectId: string; readonly subjectChannel: (SubjectChannel) | (null); readonly kind: RecordKind; readonly withdrawsRecordId: (string) | (null); readonly method: (string) | (null); readonly purposes: { readonly [key: string]: boolean }; readonly otherPurposes: { readonly [key: string]: PurposeState }; readonly source: RecordSource; readonly space: RecordSpace; readonly ipHash: (string) | (null); readonly uaHash: (string) | (null); readonly capturedAt: string; readonly recordedAt: string; readonly sequence: number; readonly ledgerHash: string; readonly prevLedgerHash: (string) | (null); };
type SubjectChannel = "email" | "phone" | "subject_id";
type RecordKind = "capture" | "withdrawal";
type RecordSource = "api" | "public";
type RecordSpace = "api" | "public";
type NoticeVersionList = { readonly items: readonly (NoticeVersion)[]; };
type NoticeVersion = { readonly version: number; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly contentHash: string; readonly publishedAt: string; };
type ConsentRecordPage = { readonly data: readonly (ConsentRecord)[]; readonly page: PageInfo; };
type ConsentRecordInputSent = { readonly subjectId: string; readonly subjectChannel?: SubjectChannelSent | undefined; readonly ip?: string | undefined; readonly ua?: string | undefined; readonly method?: CaptureMethodSent | undefined; readonly purposes: { readonly [key: string]: boolean }; readonly capturedAt?: string | undefined; };
type SubjectChannelSent = "email" | "phone" | "subject_id";
type CaptureMethodSent = "banner" | "modal" | "inline" | "checkbox" | "double_opt_in" | "verbal_recorded";
type ConsentWithdrawalInputSent = { readonly purposes?: readonly (string)[] | undefined; readonly method?: CaptureMethodSent | undefined; readonly capturedAt?: string | undefined; };
type PublicNotice = { readonly id: string; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly version: number; };
type PublicConsentRecordInputSent = { readonly subjectId: string; readonly purposes: { readonly [key: string]: boolean }; readonly method?: string | undefined; readonly capturedAt?: string | undefined; readonly noticeVersion?: number | undefined; };
type PublicConsentRecord = { readonly id: string; readonly noticeId: string; readonly noticeVersion: number; readonly subjectId: string; readonly method: (string) | (null); readonly purposes: { readonly [key: string]: boolean }; readonly capturedAt: string; readonly recordedAt: string; readonly noticeContentHash: string; readonly ledgerHash: string; readonly prevLedgerHash: (string) | (null); };
type AuditEventPage = { readonly items: readonly (AuditEvent)[]; readonly nextCursor: (string) | (null); };
type AuditEvent = { readonly id: string; readonly at: string; readonly actorId: (string) | (null); readonly actorEmail: (string) | (null); readonly actorType: ActorType; readonly action: string; readonly module: string; readonly targetId: (string) | (null); readonly targetRef: (string) | (null); readonly hash: string; readonly prevHash: (string) | (null); };
type ActorType = "user" | "api_key" | "system" | "staff";
type AuditEventDetail = { readonly id: string; readonly at: string; readonly actorId: (string) | (null); readonly actorEmail: (string) | (null); readonly actorType: ActorType; readonly action: string; readonly module: string; readonly targetId: (string) | (null); readonly targetRef: (string) | (null); readonly hash: string; readonly prevHash: (string) | (null); readonly ip: (string) | (null); readonly userAgent: (string) | (null); readonly diff?: Json; readonly reason: (string) | (null); };
type CheckpointPage = { readonly items: readonly (Checkpoint)[]; readonly nextCursor: (string) | (null); };
type Checkpoint = { readonly ledger: LedgerName; readonly size: number; readonly rootHash: string; readonly at: string; readonly note: string; };
type LedgerName = "audit" | "consent";
type InclusionProof = { readonly sequence: number; readonly hash: string; readonly leafHash: string; readonly hashes: readonly (string)[]; readonly checkpoint: Checkpoint; };
type ConsistencyProof = { readonly from: number; readonly hashes: readonly (string)[]; readonly checkpoint: Checkpoint; };
type ControlList = { readonly summary: ControlSummary; readonly items: readonly (Control)[]; };
type ControlSummary = { readonly catalogControls: number; readonly tenantControls: number; readonly implemented: number; readonly needsEvidence: number; readonly failing: number; readonly frameworks: number; };
type Control = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly status: ControlStatus; readonly cadence: ControlCadence; readonly ownerUserId: (string) | (null); readonly evidenceFreshness: EvidenceFreshness; readonly latestResultStatus: (TestResultStatus) | (null); readonly lastTestedAt: (string) | (null); readonly nextReviewAt: (string) | (null); readonly mappedFrameworks: readonly (MappedFramework)[]; readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; };
type ControlStatus = "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "overdue" | "not_applicable" | "excepted";
type ControlCadence = "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven";
type EvidenceFreshness = "current" | "stale" | "expired" | "missing";
type TestResultStatus = "fail" | "warning" | "unknown" | "manual" | "pass";
type MappedFramework = { readonly code: string; readonly name: string; readonly requirements: readonly (string)[]; };
type ControlFrameworkList = { readonly items: readonly (ControlFramework)[]; };
type ControlFramework = { readonly code: string; readonly name: string; readonly description: string; readonly jurisdiction: (string) | (null); readonly versionLabel: (string) | (null); readonly category: (string) | (null); readonly scopeSummary: (string) | (null); readonly assuranceBoundary: (string) | (null); readonly allowedClaim: (string) | (null); readonly prohibitedClaims: readonly (string)[]; };
type ControlFrameworkDetail = { readonly code: string; readonly name: string; readonly description: string; readonly jurisdiction: (string) | (null); readonly versionLabel: (string) | (null); readonly category: (string) | (null); readonly scopeSummary: (string) | (null); readonly assuranceBoundary: (string) | (null); readonly allowedClaim: (string) | (null); readonly prohibitedClaims: readonly (string)[]; readonly requirements: readonly (FrameworkRequirement)[]; };
type FrameworkRequirement = { readonly code: string; readonly subject: string; };
type Readiness = { readonly score: number; readonly totalControls: number; readonly acceptedControls: number; readonly openEvidenceRequests: number; readonly overdueEvidenceRequests: number; readonly frameworkReadiness: { readonly [key: string]: ReadinessGroup }; readonly domainReadiness: { readonly [key: string]: ReadinessGroup }; };
type ReadinessGroup = { readonly total: number; readonly accepted: number; readonly submitted: number; readonly open: number; readonly overdue: number; readonly score: number; };
type TestHealth = { readonly summary: TestHealthSummary; readonly items: readonly (ControlHealth)[]; };
type TestHealthSummary = { readonly totalControls: number; readonly failing: number; readonly warning: number; readonly passing: number; readonly unknown: number; readonly currentEvidence: number; readonly staleEvidence: number; readonly expiredEvidence: number; readonly missingEvidence: number; readonly needsEvidence: number; readonly missingTests: number; readonly dueTests: number; };
type ControlHealth = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly domain: string; readonly status: ControlStatus; readonly evidenceFreshness: EvidenceFreshness; readonly latestResultStatus: (TestResultStatus) | (null); readonly lastTestedAt: (string) | (null); readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; readonly dueTests: number; readonly scheduledRuns: readonly (ScheduledRun)[]; };
type ScheduledRun = { readonly testId: string; readonly title: string; readonly lastRunAt: (string) | (null); readonly nextRunAt: (string) | (null); readonly isDue: boolean; };
type FrameworkAdoptionInputSent = { readonly frameworks: readonly (string)[]; };
type FrameworkAdoption = { readonly frameworks: readonly (string)[]; readonly controls: number; };
type ControlInputSent = { readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly mappings?: { readonly [key: string]: readonly (string)[] } | undefined; readonly cadence: ControlCadenceSent; readonly ownerUserId?: (string) | (null) | undefined; };
type ControlCadenceSent = "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven";
type ControlDetail = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly status: ControlStatus; readonly cadence: ControlCadence; readonly ownerUserId: (string) | (null); readonly evidenceFreshness: EvidenceFreshness; readonly latestResultStatus: (TestResultStatus) | (null); readonly lastTestedAt: (string) | (null); readonly nextReviewAt: (string) | (null); readonly mappedFrameworks: readonly (MappedFramework)[]; readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; readonly mappings: { readonly [key: string]: readonly (string)[] }; readonly guidance: (string) | (null); readonly evidenceExamples: readonly (string)[]; readonly reason: (string) | (null); readonly exceptionEndsAt: (string) | (null); readonly evidenceDueAt: (string) | (null); readonly reviewedAt: (string) | (null); readonly allowedStatuses: readonly (SettableControlStatus)[]; readonly createdAt: string; readonly updatedAt: string; };
type SettableControlStatus = "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "not_applicable" | "excepted";
type ControlChangeSent = { readonly status?: SettableControlStatusSent | undefined; readonly ownerUserId?: (string) | (null) | undefined; readonly cadence?: ControlCadenceSent | undefined; readonly reason?: string | undefined; readonly exceptionEndsAt?: string | undefined; readonly evidenceDueAt?: string | undefined; readonly title?: string | undefined; readonly description?: string | undefined; readonly domain?: string | undefined; readonly mappings?: { readonly [key: string]: readonly (string)[] } | undefined; };
type SettableControlStatusSent = "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "not_applicable" | "excepted";
type EvidenceInputSent = { readonly title: string; readonly kind: EvidenceKindSent; readonly description?: (string) | (null) | undefined; readonly url?: (string) | (null) | undefined; readonly sha256?: (string) | (null) | undefined; readonly collectedAt: string; readonly expiresAt?: (string) | (null) | undefined; };
type EvidenceKindSent = "document" | "screenshot" | "log" | "configuration" | "report" | "attestation" | "link" | "other";
type Evidence = { readonly id: string; readonly controlId: string; readonly title: string; readonly kind: EvidenceKind; readonly description: (string) | (null); readonly url: (string) | (null); readonly sha256: (string) | (null); readonly collectedAt: string; readonly expiresAt: (string) | (null); readonly isValid: boolean; readonly createdAt: string; readonly withdrawnAt: (string) | (null); readonly withdrawalReason: (string) | (null); };
type EvidenceKind = "document" | "screenshot" | "log" | "configuration" | "report" | "attestation" | "link" | "other";
type EvidencePage = { readonly items: readonly (Evidence)[]; readonly nextCursor: (string) | (null); };
type EvidenceWithdrawalSent = { readonly reason: string; };
type ControlTestInputSent = { readonly title: string; readonly procedure?: (string) | (null) | undefined; readonly cadence?: (ControlCadenceSent) | (null) | undefined; };
type ControlTest = { readonly id: string; readonly controlId: string; readonly title: string; readonly procedure: (string) | (null); readonly cadence: (ControlCadence) | (null); readonly latestResult: (LatestTestResult) | (null); readonly resultCount: number; readonly nextRunAt: (string) | (null); readonly isDue: boolean; readonly createdAt: string; readonly retiredAt: (string) | (null); };
type LatestTestResult = { readonly id: string; readonly status: TestResultStatus; readonly testedAt: string; };
type ControlTestList = { readonly items: readonly (ControlTest)[]; };
type TestResultInputSent = { readonly status: TestResultStatusSent; readonly notes?: (string) | (null) | undefined; readonly url?: (string) | (null) | undefined; readonly testedAt?: string | undefined; };
type TestResultStatusSent = "fail" | "warning" | "unknown" | "manual" | "pass";
type TestResult = { readonly id: string; readonly testId: string; readonly status: TestResultStatus; readonly notes: (string) | (null); readonly url: (string) | (null); readonly testedAt: string; readonly createdAt: string; };
type TestResultPage = { readonly items: readonly (TestResult)[]; readonly nextCursor: (string) | (null); };
type SignInInputSent = { readonly email: string; readonly password: string; readonly tenant?: string | undefined; };
type SignedIn = { readonly status: "signed_in"; readonly user: User; readonly tenant: TenantReference; readonly session: SessionReference; };
type User = { readonly id: string; readonly email: string; readonly displayName: string; readonly givenName: (string) | (null); readonly familyName: (string) | (null); readonly externalId: (string) | (null); readonly role: MemberRole; readonly status: UserStatus; readonly canSignIn: boolean; readonly mfaEnabled: boolean; readonly createdAt: string; readonly updatedAt: string; readonly lastSignedInAt: (string) | (null); };
type MemberRole = "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal";
type UserStatus = "active" | "suspended" | "deleted";
type TenantReference = { readonly id: string; readonly slug: string; readonly name: string; };
type SessionReference = { readonly id: string; readonly expiresAt: string; };
type MfaChallenge = { readonly status: "mfa_required"; readonly challengeId: string; readonly expiresAt: string; };
type MfaChallengeAnswerSent = { readonly challengeId: string; readonly code: string; };
type SignedOut = { readonly status: "signed_out"; };
type PasswordChangeSent = { readonly currentPassword: string; readonly newPassword: string; };
type ChangedPassword = { readonly session: SessionReference; };
type InvitationAcceptanceSent = { readonly token: string; readonly password: string; };
type AcceptedInvitation = { readonly email: string; readonly tenant: TenantReference; };
type Me = { readonly user: User; readonly tenant: TenantReference; readonly scopes: readonly (string)[]; readonly session: Session; readonly memberships: readonly (Membership)[]; };
type Session = { readonly id: string; readonly createdAt: string; readonly lastSeenAt: string; readonly expiresAt: string; readonly challengeId: (string) | (null); readonly isCurrent: boolean; };
type Membership = { readonly tenantId: string; readonly tenantSlug: string; readonly tenantName: string; readonly role: MemberRole; };
type SessionList = { readonly items: readonly (Session)[]; };
type EndedSessions = { readonly ended: number; };
type MfaStatus = { readonly enabled: boolean; readonly methods: readonly (MfaMethod)[]; readonly backupCodesRemaining: number; };
type MfaMethod = "totp" | "backup_code";
type PasswordConfirmationSent = { readonly password: string; };
type TotpEnrollment = { readonly totpURI: string; readonly backupCodes: readonly (string)[]; };
type TotpCodeSent = { readonly code: string; };
type BackupCodes = { readonly backupCodes: readonly (string)[]; };
type MemberRoleSent = "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal";
type UserPage = { readonly data: readonly (User)[]; readonly page: PageInfo; };
type UserChangeSent = { readonly role?: RoleSent | undefined; readonly active?: boolean | undefined; readonly reason?: string | undefined; };
type RoleSent = "admin" | "dpo" | "engineer" | "auditor" | "cs_agent";
type InvitationPage = { readonly data: readonly (Invitation)[]; readonly page: PageInfo; };
type Invitation = { readonly id: string; readonly email: string; readonly role: MemberRole; readonly status: InvitationStatus; readonly createdAt: string; readonly expiresAt: string; readonly acceptedAt: (string) | (null); readonly revokedAt: (string) | (null); };
type InvitationStatus = "pending" | "accepted" | "revoked" | "expired";
type InvitationInputSent = { readonly email: string; readonly role?: RoleSent | undefined; };
type CreatedInvitation = { readonly id: string; readonly email: string; readonly role: MemberRole; readonly status: InvitationStatus; readonly createdAt: string; readonly expiresAt: string; readonly acceptedAt: (string) | (null); readonly revokedAt: (string) | (null); readonly token: string; };
type DataSubjectRequestInputSent = { readonly subjectId: string; readonly type: DataSubjectRequestTypeSent; readonly channel?: DataSubjectRequestChannelSent | undefined; readonly notes?: string | undefined; readonly receivedAt?: string | undefined; };
type DataSubjectRequestTypeSent = "access" | "erasure" | "rectification" | "portability" | "restriction" | "objection";
type DataSubjectRequestChannelSent = "email" | "phone" | "web" | "letter" | "in_person" | "other";
type DataSubjectRequest = { readonly id: string; readonly subjectId: string; readonly type: DataSubjectRequestType; readonly channel: (DataSubjectRequestChannel) | (null); readonly notes: (string) | (null); readonly status: DataSubjectRequestStatus; readonly receivedAt: string; readonly dueAt: string; readonly isOverdue: boolean; readonly extendedAt: (string) | (null); readonly extensionReason: (string) | (null); readonly outcome: (DataSubjectRequestOutcome) | (null); readonly reason: (string) | (null); readonly completedAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type DataSubjectRequestType = "access" | "erasure" | "rectification" | "portability" | "restriction" | "objection";
type DataSubjectRequestChannel = "email" | "phone" | "web" | "letter" | "in_person" | "other";
type DataSubjectRequestStatus = "open" | "completed";
type DataSubjectRequestOutcome = "fulfilled" | "rejected" | "partially_fulfilled";
type DataSubjectRequestStatusSent = "open" | "completed";
type DataSubjectRequestPage = { readonly data: readonly (DataSubjectRequest)[]; readonly page: PageInfo; };
type DataSubjectRequestExtensionSent = { readonly reason: string; };
type DataSubjectRequestCompletionSent = { readonly outcome: DataSubjectRequestOutcomeSent; readonly reason?: string | undefined; };
type DataSubjectRequestOutcomeSent = "fulfilled" | "rejected" | "partially_fulfilled";
type BreachInputSent = { readonly title: string; readonly description: string; readonly severity: BreachSeveritySent; readonly discoveredAt: string; readonly affectedSubjects?: number | undefined; readonly dataCategories?: readonly (string)[] | undefined; };
type BreachSeveritySent = "low" | "medium" | "high" | "critical";
type Breach = { readonly id: string; readonly title: string; readonly description: string; readonly severity: BreachSeverity; readonly status: BreachStatus; readonly affectedSubjects: (number) | (null); readonly dataCategories: readonly (string)[]; readonly discoveredAt: string; readonly notificationDueAt: string; readonly isNotificationOverdue: boolean; readonly authorityNotifiedAt: (string) | (null); readonly subjectsNotifiedAt: (string) | (null); readonly notificationReason: (string) | (null); readonly closedAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type BreachSeverity = "low" | "medium" | "high" | "critical";
type BreachStatus = "open" | "contained" | "closed";
type BreachStatusSent = "open" | "contained" | "closed";
type BreachPage = { readonly data: readonly (Breach)[]; readonly page: PageInfo; };
type BreachChangeSent = { readonly title?: string | undefined; readonly description?: string | undefined; readonly severity?: BreachSeveritySent | undefined; readonly affectedSubjects?: (number) | (null) | undefined; readonly dataCategories?: readonly (string)[] | undefined; readonly status?: BreachStatusSent | undefined; readonly authorityNotifiedAt?: (string) | (null) | undefined; readonly subjectsNotifiedAt?: (string) | (null) | undefined; readonly notificationReason?: (string) | (null) | undefined; };
type Tenant = { readonly id: string; readonly slug: string; readonly apiVersion: string; readonly name: string; readonly defaultRole: Role; readonly scimCompatibility: ScimCompatibility; readonly sso: SsoConfiguration; readonly requireSecondFactor: boolean; readonly dsrDays: number; readonly createdAt: string; };
type Role = "admin" | "dpo" | "engineer" | "auditor" | "cs_agent";
type ScimCompatibility = "strict" | "extended";
type SsoConfiguration = { readonly attributeMap: SsoAttributeMap; };
type SsoAttributeMap = { readonly scimGroupRoleMap: { readonly [key: string]: Role }; };
type TenantChangeSent = { readonly name?: string | undefined; readonly defaultRole?: RoleSent | undefined; readonly scimCompatibility?: ScimCompatibilitySent | undefined; readonly sso?: SsoConfigurationInputSent | undefined; readonly requireSecondFactor?: boolean | undefined; readonly dsrDays?: number | undefined; };
type ScimCompatibilitySent = "strict" | "extended";
type SsoConfigurationInputSent = { readonly attributeMap?: SsoAttributeMapInputSent | undefined; };
type SsoAttributeMapInputSent = { readonly scimGroupRoleMap?: { readonly [key: string]: RoleSent } | undefined; };
type TrustCenter = { readonly slug: string; readonly name: string; readonly url: string; readonly published: boolean; readonly headline: (string) | (null); readonly description: (string) | (null); readonly contactEmail: (string) | (null); readonly securityContact: (string) | (null); readonly frameworks: readonly (AchievedFramework)[]; readonly links: readonly (TrustLink)[]; readonly subprocessors: readonly (Subprocessor)[]; readonly showsProof: boolean; readonly publishedAt: (string) | (null); readonly updatedAt: (string) | (null); };
type AchievedFramework = { readonly code: string; readonly achievedAt: string; readonly expiresAt: (string) | (null); readonly reportUrl: (string) | (null); };
type TrustLink = { readonly label: string; readonly url: string; };
type Subprocessor = { readonly name: string; readonly purpose: string; readonly country: string; };
type TrustCenterInputSent = { readonly published: boolean; readonly headline?: (string) | (null) | undefined; readonly description?: (string) | (null) | undefined; readonly contactEmail?: (string) | (null) | undefined; readonly securityContact?: (string) | (null) | undefined; readonly frameworks?: readonly (AchievedFrameworkInputSent)[] | undefined; readonly links?: readonly (TrustLinkInputSent)[] | undefined; readonly subprocessors?: readonly (SubprocessorInputSent)[] | undefined; readonly showsProof?: boolean | undefined; };
type AchievedFrameworkInputSent = { readonly code: string; readonly achievedAt: string; readonly expiresAt?: (string) | (null) | undefined; readonly reportUrl?: (string) | (null) | undefined; };
type TrustLinkInputSent = { readonly label: string; readonly url: string; };
type SubprocessorInputSent = { readonly name: string; readonly purpose: string; readonly country: string; };
type TrustWidget = { readonly name: string; readonly slug: string; readonly achievedFrameworks: readonly (string)[]; readonly updatedAt: string; };
type WebhookInputSent = { readonly url: string; readonly description?: (string) | (null) | undefined; readonly eventTypes?: (readonly (WebhookEventTypeSent)[]) | (null) | undefined; readonly filter?: (WebhookFilterSent) | (null) | undefined; readonly ordering?: WebhookOrderingSent | undefined; readonly rateLimit?: (number) | (null) | undefined; readonly retrySchedule?: (readonly (number)[]) | (null) | undefined; readonly asymmetric?: boolean | undefined; readonly status?: SettableWebhookStatusSent | undefined; };
type WebhookEventTypeSent = "consent.recorded" | "consent.withdrawn" | "consent_notice.published" | "consent_notice.archived" | "dsr.created" | "dsr.completed" | "breach.reported" | "breach.updated" | "control.status_changed" | "control.test_failed" | "user.provisioned" | "user.suspended" | "user.reactivated" | "user.deprovisioned" | "user.role_changed" | "mfa.enabled" | "mfa.disabled" | "webhook.endpoint_failing" | "webhook.endpoint_recovered" | "webhook.endpoint_disabled" | "webhook.delivery_exhausted" | "webhook.test";
type WebhookFilterSent = { readonly [key: string]: readonly (WebhookFilterValueSent)[] };
type WebhookFilterValueSent = (string) | (number) | (boolean) | (null);
type WebhookOrderingSent = "none" | "all" | "subject";
type SettableWebhookStatusSent = "enabled" | "paused";
type WebhookWithSecret = { readonly id: string; readonly url: string; readonly description: (string) | (null); readonly eventTypes: (readonly (WebhookEventType)[]) | (null); readonly filter: (WebhookFilter) | (null); readonly ordering: WebhookOrdering; readonly rateLimit: (number) | (null); readonly retrySchedule: (readonly (number)[]) | (null); readonly asymmetric: boolean; readonly publicKey: (string) | (null); readonly status: WebhookStatus; readonly disabledReason: (WebhookDisabledReason) | (null); readonly disabledAt: (string) | (null); readonly failingSince: (string) | (null); readonly lastError: (string) | (null); readonly pausedUntil: (string) | (null); readonly previousSecrets: number; readonly previousSecretExpiresAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; readonly secret: string; };
type WebhookEventType = "consent.recorded" | "consent.withdrawn" | "consent_notice.published" | "consent_notice.archived" | "dsr.created" | "dsr.completed" | "breach.reported" | "breach.updated" | "control.status_changed" | "control.test_failed" | "user.provisioned" | "user.suspended" | "user.reactivated" | "user.deprovisioned" | "user.role_changed" | "mfa.enabled" | "mfa.disabled" | "webhook.endpoint_failing" | "webhook.endpoint_recovered" | "webhook.endpoint_disabled" | "webhook.delivery_exhausted" | "webhook.test";
type WebhookFilter = { readonly [key: string]: readonly (WebhookFilterValue)[] };
type WebhookFilterValue = (string) | (number) | (boolean) | (null);
type WebhookOrdering = "none" | "all" | "subject";
type WebhookStatus = "enabled" | "paused" | "disabled";
type WebhookDisabledReason = "gone" | "failing";
type WebhookStatusSent = "enabled" | "paused" | "disabled";
type WebhookPage = { readonly data: readonly (Webhook)[]; readonly page: PageInfo; };
type Webhook = { readonly id: string; readonly url: string; readonly description: (string) | (null); readonly eventTypes: (readonly (WebhookEventType)[]) | (null); readonly filter: (WebhookFilter) | (null); readonly ordering: WebhookOrdering; readonly rateLimit: (number) | (null); readonly retrySchedule: (readonly (number)[]) | (null); readonly asymmetric: boolean; readonly publicKey: (string) | (null); readonly status: WebhookStatus; readonly disabledReason: (WebhookDisabledReason) | (null); readonly disabledAt: (string) | (null); readonly failingSince: (string) | (null); readonly lastError: (string) | (null); readonly pausedUntil: (string) | (null); readonly previousSecrets: number; readonly previousSecretExpiresAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type WebhookChangeSent = { readonly url?: string | undefined; readonly description?: (string) | (null) | undefined; readonly eventTypes?: (readonly (WebhookEventTypeSent)[]) | (null) | undefined; readonly filter?: (WebhookFilterSent) | (null) | undefined; readonly ordering?: WebhookOrderingSent | undefined; readonly rateLimit?: (number) | (null) | undefined; readonly retrySchedule?: (readonly (number)[]) | (null) | undefined; readonly asymmetric?: boolean | undefined; readonly status?: SettableWebhookStatusSent | undefined; };
type WebhookSecretRotationSent = { readonly overlapHours?: number | undefined; };
type WebhookDelivery = { readonly id: string; readonly webhookId: string; readonly eventId: string; readonly eventType: string; readonly status: WebhookDeliveryStatus; readonly reason: (WebhookFailureReason) | (null); readonly responseStatus: (number) | (null); readonly attemptCount: number; readonly firstAttemptAt: (string) | (null); readonly nextAttemptAt: (string) | (null); readonly redeliveryOf: (string) | (null); readonly createdAt: string; readonly finishedAt: (string) | (null); };
type WebhookDeliveryStatus = "pending" | "delivered" | "dead" | "redelivered" | "canceled";
type WebhookFailureReason = "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret";
type WebhookDeliveryStatusSent = "pending" | "delivered" | "dead" | "redelivered" | "canceled";
type WebhookFailureReasonSent = "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret";
type WebhookDeliveryPage = { readonly items: readonly (WebhookDelivery)[]; readonly nextCursor: (string) | (null); };
type WebhookDeliveryDetail = { readonly id: string; readonly webhookId: string; readonly eventId: string; readonly eventType: string; readonly status: WebhookDeliveryStatus; readonly reason: (WebhookFailureReason) | (null); readonly responseStatus: (number) | (null); readonly attemptCount: number; readonly firstAttemptAt: (string) | (null); readonly nextAttemptAt: (string) | (null); readonly redeliveryOf: (string) | (null); readonly createdAt: string; readonly finishedAt: (string) | (null); readonly event: WebhookEvent; readonly waitsFor: (string) | (null); readonly attempts: readonly (WebhookAttempt)[]; };
type WebhookEvent = { readonly id: string; readonly type: string; readonly createdAt: string; readonly tenantId: string; readonly data: { readonly [key: string]: Json }; };
type WebhookAttempt = { readonly id: string; readonly at: string; readonly outcome: WebhookAttemptOutcome; readonly responseStatus: (number) | (null); readonly message: (string) | (null); readonly excerpt: (string) | (null); readonly timing: WebhookAttemptTiming; readonly reused: boolean; };
type WebhookAttemptOutcome = "delivered" | "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret";
type WebhookAttemptTiming = { readonly queued: (number) | (null); readonly lookup: (number) | (null); readonly connect: (number) | (null); readonly tls: (number) | (null); readonly firstByte: (number) | (null); readonly total: number; };
type WebhookRedeliveryInputSent = { readonly webhookId?: string | undefined; readonly status?: RedeliverableStatusSent | undefined; readonly reason?: WebhookFailureReasonSent | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly from?: string | undefined; readonly to?: string | undefined; };
type RedeliverableStatusSent = "dead" | "delivered";
type WebhookRedelivery = { readonly id: string; readonly status: WebhookRedeliveryStatus; readonly filter: WebhookRedeliveryFilter; readonly total: number; readonly queued: number; readonly createdAt: string; readonly finishedAt: (string) | (null); };
type WebhookRedeliveryStatus = "running" | "finished" | "canceled";
type WebhookRedeliveryFilter = { readonly webhookId: (string) | (null); readonly status: RedeliverableStatus; readonly reason: (WebhookFailureReason) | (null); readonly eventType: (string) | (null); readonly from: (string) | (null); readonly to: (string) | (null); };
type RedeliverableStatus = "dead" | "delivered";
type WebhookRedeliveryCount = { readonly count: number; };
type WebhookRedeliveryPage = { readonly items: readonly (WebhookRedelivery)[]; readonly nextCursor: (string) | (null); };
type ApiKeyStatusSent = "active" | "expired" | "revoked";
type ApiKeyPage = { readonly data: readonly (ApiKey)[]; readonly page: PageInfo; };
type ApiKey = { readonly id: string; readonly tenantId: string; readonly name: string; readonly environment: ApiKeyEnvironment; readonly displayPrefix: string; readonly scopes: readonly (Scope)[]; readonly otherTenantIds: readonly (string)[]; readonly createdAt: string; readonly expiresAt: (string) | (null); readonly revokedAt: (string) | (null); readonly lastUsedAt: (string) | (null); readonly replacedById: (string) | (null); readonly status: ApiKeyStatus; };
type ApiKeyEnvironment = "live" | "test";
type Scope = "audit:read" | "consent:read" | "consent:write" | "controls:read" | "controls:write" | "trust:read" | "trust:write" | "webhooks:read" | "webhooks:write" | "users:read" | "users:write" | "keys:write" | "dsr:read" | "dsr:write" | "breach:read" | "breach:write" | "tenant:write";
type ApiKeyStatus = "active" | "expired" | "revoked";
type ApiKeyInputSent = { readonly name: string; readonly environment?: ApiKeyEnvironmentSent | undefined; readonly scopes: readonly (ScopeSent)[]; readonly expiresAt?: (string) | (null) | undefined; readonly otherTenantIds?: readonly (string)[] | undefined; };
type ApiKeyEnvironmentSent = "live" | "test";
type ScopeSent = "audit:read" | "consent:read" | "consent:write" | "controls:read" | "controls:write" | "trust:read" | "trust:write" | "webhooks:read" | "webhooks:write" | "users:read" | "users:write" | "keys:write" | "dsr:read" | "dsr:write" | "breach:read" | "breach:write" | "tenant:write";
type CreatedApiKey = { readonly id: string; readonly tenantId: string; readonly name: string; readonly environment: ApiKeyEnvironment; readonly displayPrefix: string; readonly scopes: readonly (Scope)[]; readonly otherTenantIds: readonly (string)[]; readonly createdAt: string; readonly expiresAt: (string) | (null); readonly revokedAt: (string) | (null); readonly lastUsedAt: (string) | (null); readonly replacedById: (string) | (null); readonly status: ApiKeyStatus; readonly key: string; };
type ApiKeyRotationSent = { readonly overlapHours?: number | undefined; };
type ScimToken = { readonly id: string; readonly displayPrefix: string; readonly createdAt: string; readonly lastUsedAt: (string) | (null); };
type CreatedScimToken = { readonly id: string; readonly displayPrefix: string; readonly createdAt: string; readonly lastUsedAt: (string) | (null); readonly token: string; };
type AccessTokenRequestSent = { readonly grant_type: string; readonly scope?: string | undefined; readonly client_id?: string | undefined; readonly client_secret?: string | undefined; };
type AccessToken = { readonly access_token: string; readonly token_type: "Bearer"; readonly expires_in: number; readonly scope: string; };
type AccessTokenRevocationSent = { readonly token: string; readonly token_type_hint?: string | undefined; readonly client_id?: string | undefined; readonly client_secret?: string | undefined; };
type RevokedAccessToken = Record<string, never>;
type ScimServiceProviderConfig = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]; readonly patch: ScimFeature; readonly bulk: ScimBulkFeature; readonly filter: ScimFilterFeature; readonly changePassword: ScimFeature; readonly sort: ScimFeature; readonly etag: ScimFeature; readonly authenticationSchemes: readonly (ScimAuthenticationScheme)[]; readonly meta: ScimServiceProviderConfigMeta; };
type ScimFeature = { readonly supported: boolean; };
type ScimBulkFeature = { readonly supported: boolean; readonly maxOperations: number; readonly maxPayloadSize: number; };
type ScimFilterFeature = { readonly supported: boolean; readonly maxResults: number; };
type ScimAuthenticationScheme = { readonly type: "oauthbearertoken"; readonly name: string; readonly description: string; readonly specUri: string; readonly primary: boolean; };
type ScimServiceProviderConfigMeta = { readonly resourceType: "ServiceProviderConfig"; readonly location: string; };
type ScimSchemaList = { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimSchema)[]; };
type ScimSchema = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:Schema"]; readonly id: string; readonly name: string; readonly description: string; readonly attributes: readonly (ScimAttribute)[]; readonly meta: ScimSchemaMeta; };
type ScimAttribute = { readonly name: string; readonly type: "string" | "boolean" | "complex"; readonly multiValued: boolean; readonly description: string; readonly required: boolean; readonly caseExact?: boolean; readonly canonicalValues?: readonly (string)[]; readonly mutability: "readOnly" | "readWrite" | "immutable"; readonly returned: "default"; readonly uniqueness?: "none" | "server"; readonly subAttributes?: readonly (ScimAttribute)[]; };
type ScimSchemaMeta = { readonly resourceType: "Schema"; readonly location: string; };
type ScimResourceTypeList = { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimResourceType)[]; };
type ScimResourceType = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"]; readonly id: string; readonly name: string; readonly description: string; readonly endpoint: string; readonly schema: string; readonly schemaExtensions: readonly (string)[]; readonly meta: ScimResourceTypeMeta; };
type ScimResourceTypeMeta = { readonly resourceType: "ResourceType"; readonly location: string; };
type ScimUserList = { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimUser)[]; };
type ScimUser = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:User"]; readonly id: string; readonly externalId?: string; readonly userName?: string; readonly name?: ScimName; readonly displayName?: string; readonly emails?: readonly (ScimEmail)[]; readonly active?: boolean; readonly roles?: readonly (ScimRole)[]; readonly groups?: readonly (ScimGroupReference)[]; readonly meta?: ScimUserMeta; };
type ScimName = { readonly givenName?: string; readonly familyName?: string; readonly formatted?: string; };
type ScimEmail = { readonly value?: string; readonly type?: "work"; readonly primary?: true; };
type ScimRole = { readonly value?: string; readonly primary?: true; };
type ScimGroupReference = { readonly value?: string; readonly type?: "direct"; };
type ScimUserMeta = { readonly resourceType?: "User"; readonly created?: string; readonly lastModified?: string; readonly location?: string; };
type ScimUserInputSent = { readonly schemas: readonly (string)[]; readonly userName: string; readonly name?: ScimNameInputSent | undefined; readonly externalId?: string | undefined; readonly active?: boolean | undefined; readonly roles?: readonly (ScimRoleInputSent)[] | undefined; };
type ScimNameInputSent = { readonly givenName?: string | undefined; readonly familyName?: string | undefined; };
type ScimRoleInputSent = { readonly value: RoleSent; readonly primary?: boolean | undefined; };
type ScimPatchSent = { readonly schemas: readonly (string)[]; readonly Operations: readonly (ScimPatchOperationSent)[]; };
type ScimPatchOperationSent = { readonly op: "add" | "remove" | "replace"; readonly path?: string | undefined; readonly value?: unknown | undefined; };
type ScimGroupList = { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimGroup)[]; };
type ScimGroup = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:Group"]; readonly id: Role; readonly displayName?: string; readonly members?: readonly (ScimMember)[]; readonly meta?: ScimGroupMeta; };
type ScimMember = { readonly value?: string; readonly display?: string; };
type ScimGroupMeta = { readonly resourceType?: "Group"; readonly created?: string; readonly location?: string; };
type ScimGroupInputSent = { readonly schemas: readonly (string)[]; readonly displayName: string; readonly members?: readonly (ScimMemberInputSent)[] | undefined; };
type ScimMemberInputSent = { readonly value: string; };
type ScimGroupReplacementSent = { readonly schemas: readonly (string)[]; readonly displayName?: string | undefined; readonly members: readonly (ScimMemberInputSent)[]; };

/** What each operation takes and answers by the OpenAPI document, which the server makes of its schemas. */
export interface OperationTypes {
  listConsentNotices: {
    path: never;
    query: { readonly status?: NoticeStatusSent | undefined; readonly domain?: string | undefined; readonly search?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: NoticePage;
  };
  recordConsentDecision: {
    path: never;
    query: never;
    body: ConsentDecisionInputSent;
    answer: ConsentDecision;
  };
  createConsentNotice: {
    path: never;
    query: never;
    body: NoticeContentSent;
    answer: Notice;
  };
  editConsentNotice: {
    path: { readonly id: string; };
    query: never;
    body: NoticeChangeSent;
    answer: Notice;
  };
  getConsent: {
    path: { readonly id: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: (Notice) | (SubjectLedger);
  };
  publishConsentNotice: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: Notice;
  };
  archiveConsentNotice: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: Notice;
  };
  listConsentNoticeVersions: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: NoticeVersionList;
  };
  getSubjectLedger: {
    path: { readonly subjectId: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: SubjectLedger;
  };
  listConsentRecords: {
    path: { readonly id: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: ConsentRecordPage;
  };
  captureConsentRecord: {
    path: { readonly id: string; };
    query: never;
    body: ConsentRecordInputSent;
    answer: ConsentRecord;
  };
  getConsentRecord: {
    path: { readonly id: string; readonly recordId: string; };
    query: never;
    body: never;
    answer: ConsentRecord;
  };
  withdrawConsentRecord: {
    path: { readonly id: string; readonly recordId: string; };
    query: never;
    body: ConsentWithdrawalInputSent;
    answer: ConsentRecord;
  };
  getPublicConsentNotice: {
    path: { readonly noticeId: string; };
    query: never;
    body: never;
    answer: PublicNotice;
  };
  capturePublicConsentRecord: {
    path: { readonly noticeId: string; };
    query: never;
    body: PublicConsentRecordInputSent;
    answer: PublicConsentRecord;
  };
  listAuditEvents: {
    path: never;
    query: { readonly module?: string | undefined; readonly actor?: "user" | "api_key" | "system" | "staff" | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: AuditEventPage;
  };
  getAuditEvent: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: AuditEventDetail;
  };
  listAuditCheckpoints: {
    path: never;
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: CheckpointPage;
  };
  createAuditCheckpoint: {
    path: never;
    query: never;
    body: never;
    answer: Checkpoint;
  };
  getLatestAuditCheckpoint: {
    path: never;
    query: never;
    body: never;
    answer: Checkpoint;
  };
  proveAuditInclusion: {
    path: never;
    query: { readonly id?: string | undefined; readonly sequence?: number | undefined; readonly size?: number | undefined; };
    body: never;
    answer: InclusionProof;
  };
  proveAuditConsistency: {
    path: never;
    query: { readonly from: number; readonly to?: number | undefined; };
    body: never;
    answer: ConsistencyProof;
  };
  exportAuditLedger: {
    path: never;
    query: { readonly from?: string | undefined; readonly to?: string | undefined; readonly since?: number | undefined; };
    body: never;
    answer: string;
  };
  listConsentCheckpoints: {
    path: never;
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: CheckpointPage;
  };
  createConsentCheckpoint: {
    path: never;
    query: never;
    body: never;
    answer: Checkpoint;
  };
  getLatestConsentCheckpoint: {
    path: never;
    query: never;
    body: never;
    answer: Checkpoint;
  };
  proveConsentInclusion: {
    path: never;
    query: { readonly sequence: number; readonly size?: number | undefined; };
    body: never;
    answer: InclusionProof;
  };
  proveConsentConsistency: {
    path: never;
    query: { readonly from: number; readonly to?: number | undefined; };
    body: never;
    answer: ConsistencyProof;
  };
  exportConsentLedger: {
    path: never;
    query: { readonly from?: string | undefined; readonly to?: string | undefined; readonly since?: number | undefined; };
    body: never;
    answer: string;
  };
  listControls: {
    path: never;
    query: never;
    body: never;
    answer: ControlList;
  };
  listFrameworks: {
    path: never;
    query: never;
    body: never;
    answer: ControlFrameworkList;
  };
  getFramework: {
    path: { readonly code: string; };
    query: never;
    body: never;
    answer: ControlFrameworkDetail;
  };
  getReadiness: {
    path: never;
    query: never;
    body: never;
    answer: Readiness;
  };
  getTestHealth: {
    path: never;
    query: never;
    body: never;
    answer: TestHealth;
  };
  adoptFrameworks: {
    path: never;
    query: never;
    body: FrameworkAdoptionInputSent;
    answer: FrameworkAdoption;
  };
  createControl: {
    path: never;
    query: never;
    body: ControlInputSent;
    answer: ControlDetail;
  };
  getControl: {
    path: { readonly controlId: string; };
    query: never;
    body: never;
    answer: ControlDetail;
  };
  editControl: {
    path: { readonly controlId: string; };
    query: never;
    body: ControlChangeSent;
    answer: ControlDetail;
  };
  retireControl: {
    path: { readonly controlId: string; };
    query: never;
    body: never;
    answer: never;
  };
  addEvidence: {
    path: { readonly controlId: string; };
    query: never;
    body: EvidenceInputSent;
    answer: Evidence;
  };
  listEvidence: {
    path: { readonly controlId: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: EvidencePage;
  };
  getEvidence: {
    path: { readonly controlId: string; readonly evidenceId: string; };
    query: never;
    body: never;
    answer: Evidence;
  };
  withdrawEvidence: {
    path: { readonly controlId: string; readonly evidenceId: string; };
    query: never;
    body: EvidenceWithdrawalSent;
    answer: Evidence;
  };
  addControlTest: {
    path: { readonly controlId: string; };
    query: never;
    body: ControlTestInputSent;
    answer: ControlTest;
  };
  listControlTests: {
    path: { readonly controlId: string; };
    query: { readonly status?: "in_use" | "retired" | undefined; };
    body: never;
    answer: ControlTestList;
  };
  retireControlTest: {
    path: { readonly controlId: string; readonly testId: string; };
    query: never;
    body: never;
    answer: ControlTest;
  };
  recordTestResult: {
    path: { readonly controlId: string; readonly testId: string; };
    query: never;
    body: TestResultInputSent;
    answer: TestResult;
  };
  listTestResults: {
    path: { readonly controlId: string; readonly testId: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: TestResultPage;
  };
  signIn: {
    path: never;
    query: never;
    body: SignInInputSent;
    answer: (SignedIn) | (MfaChallenge);
  };
  answerChallenge: {
    path: never;
    query: never;
    body: MfaChallengeAnswerSent;
    answer: SignedIn;
  };
  signOut: {
    path: never;
    query: never;
    body: never;
    answer: SignedOut;
  };
  changePassword: {
    path: never;
    query: never;
    body: PasswordChangeSent;
    answer: ChangedPassword;
  };
  acceptInvitation: {
    path: never;
    query: never;
    body: InvitationAcceptanceSent;
    answer: AcceptedInvitation;
  };
  getMe: {
    path: never;
    query: never;
    body: never;
    answer: Me;
  };
  listMySessions: {
    path: never;
    query: never;
    body: never;
    answer: SessionList;
  };
  endMyOtherSessions: {
    path: never;
    query: never;
    body: never;
    answer: EndedSessions;
  };
  endMySession: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: EndedSessions;
  };
  getMfaStatus: {
    path: never;
    query: never;
    body: never;
    answer: MfaStatus;
  };
  enrollTotp: {
    path: never;
    query: never;
    body: PasswordConfirmationSent;
    answer: TotpEnrollment;
  };
  verifyTotp: {
    path: never;
    query: never;
    body: TotpCodeSent;
    answer: MfaStatus;
  };
  disableTotp: {
    path: never;
    query: never;
    body: PasswordConfirmationSent;
    answer: MfaStatus;
  };
  replaceBackupCodes: {
    path: never;
    query: never;
    body: PasswordConfirmationSent;
    answer: BackupCodes;
  };
  listUsers: {
    path: never;
    query: { readonly status?: "active" | "suspended" | undefined; readonly role?: MemberRoleSent | undefined; readonly email?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: UserPage;
  };
  getUser: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: User;
  };
  editUser: {
    path: { readonly id: string; };
    query: never;
    body: UserChangeSent;
    answer: User;
  };
  removeUser: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: User;
  };
  listUserSessions: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: SessionList;
  };
  revokeUserSessions: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: EndedSessions;
  };
  revokeUserSession: {
    path: { readonly id: string; readonly sessionId: string; };
    query: never;
    body: never;
    answer: EndedSessions;
  };
  resetUserSecondFactor: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: User;
  };
  listInvitations: {
    path: never;
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: InvitationPage;
  };
  inviteUser: {
    path: never;
    query: never;
    body: InvitationInputSent;
    answer: CreatedInvitation;
  };
  revokeInvitation: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: Invitation;
  };
  createDsr: {
    path: never;
    query: never;
    body: DataSubjectRequestInputSent;
    answer: DataSubjectRequest;
  };
  listDsrs: {
    path: never;
    query: { readonly status?: DataSubjectRequestStatusSent | undefined; readonly type?: DataSubjectRequestTypeSent | undefined; readonly subjectId?: string | undefined; readonly overdue?: "true" | "false" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: DataSubjectRequestPage;
  };
  getDsr: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: DataSubjectRequest;
  };
  extendDsr: {
    path: { readonly id: string; };
    query: never;
    body: DataSubjectRequestExtensionSent;
    answer: DataSubjectRequest;
  };
  completeDsr: {
    path: { readonly id: string; };
    query: never;
    body: DataSubjectRequestCompletionSent;
    answer: DataSubjectRequest;
  };
  reportBreach: {
    path: never;
    query: never;
    body: BreachInputSent;
    answer: Breach;
  };
  listBreaches: {
    path: never;
    query: { readonly status?: BreachStatusSent | undefined; readonly severity?: BreachSeveritySent | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: BreachPage;
  };
  getBreach: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: Breach;
  };
  editBreach: {
    path: { readonly id: string; };
    query: never;
    body: BreachChangeSent;
    answer: Breach;
  };
  getTenant: {
    path: never;
    query: never;
    body: never;
    answer: Tenant;
  };
  editTenant: {
    path: never;
    query: never;
    body: TenantChangeSent;
    answer: Tenant;
  };
  getTrustCenter: {
    path: never;
    query: never;
    body: never;
    answer: TrustCenter;
  };
  replaceTrustCenter: {
    path: never;
    query: never;
    body: TrustCenterInputSent;
    answer: TrustCenter;
  };
  getPublicTrustWidget: {
    path: { readonly slug: string; };
    query: never;
    body: never;
    answer: TrustWidget;
  };
  createWebhook: {
    path: never;
    query: never;
    body: WebhookInputSent;
    answer: WebhookWithSecret;
  };
  listWebhooks: {
    path: never;
    query: { readonly status?: WebhookStatusSent | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: WebhookPage;
  };
  getWebhook: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: Webhook;
  };
  editWebhook: {
    path: { readonly id: string; };
    query: never;
    body: WebhookChangeSent;
    answer: Webhook;
  };
  deleteWebhook: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: never;
  };
  rotateWebhookSecret: {
    path: { readonly id: string; };
    query: never;
    body: WebhookSecretRotationSent;
    answer: WebhookWithSecret;
  };
  testWebhook: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookDelivery;
  };
  listWebhookDeliveries: {
    path: never;
    query: { readonly status?: WebhookDeliveryStatusSent | undefined; readonly webhookId?: string | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly reason?: WebhookFailureReasonSent | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: WebhookDeliveryPage;
  };
  getWebhookDelivery: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookDeliveryDetail;
  };
  redeliverWebhookDelivery: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookDelivery;
  };
  cancelWebhookDelivery: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookDelivery;
  };
  redeliverWebhookDeliveries: {
    path: never;
    query: never;
    body: WebhookRedeliveryInputSent;
    answer: WebhookRedelivery;
  };
  countWebhookRedelivery: {
    path: never;
    query: { readonly webhookId?: string | undefined; readonly status?: RedeliverableStatusSent | undefined; readonly reason?: WebhookFailureReasonSent | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly from?: string | undefined; readonly to?: string | undefined; };
    body: never;
    answer: WebhookRedeliveryCount;
  };
  listWebhookRedeliveries: {
    path: never;
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: WebhookRedeliveryPage;
  };
  getWebhookRedelivery: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookRedelivery;
  };
  cancelWebhookRedelivery: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: WebhookRedelivery;
  };
  listApiKeys: {
    path: never;
    query: { readonly status?: ApiKeyStatusSent | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: ApiKeyPage;
  };
  createApiKey: {
    path: never;
    query: never;
    body: ApiKeyInputSent;
    answer: CreatedApiKey;
  };
  getApiKey: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: ApiKey;
  };
  revokeApiKey: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: ApiKey;
  };
  rotateApiKey: {
    path: { readonly id: string; };
    query: never;
    body: ApiKeyRotationSent;
    answer: CreatedApiKey;
  };
  getScimToken: {
    path: never;
    query: never;
    body: never;
    answer: ScimToken;
  };
  createScimToken: {
    path: never;
    query: never;
    body: never;
    answer: CreatedScimToken;
  };
  revokeScimToken: {
    path: never;
    query: never;
    body: never;
    answer: ScimToken;
  };
  issueAccessToken: {
    path: never;
    query: never;
    body: AccessTokenRequestSent;
    answer: AccessToken;
  };
  revokeAccessToken: {
    path: never;
    query: never;
    body: AccessTokenRevocationSent;
    answer: RevokedAccessToken;
  };
  getScimServiceProviderConfig: {
    path: never;
    query: { readonly filter?: string | undefined; };
    body: never;
    answer: ScimServiceProviderConfig;
  };
  listScimSchemas: {
    path: never;
    query: { readonly filter?: string | undefined; };
    body: never;
    answer: ScimSchemaList;
  };
  getScimSchema: {
    path: { readonly id: string; };
    query: { readonly filter?: string | undefined; };
    body: never;
    answer: ScimSchema;
  };
  listScimResourceTypes: {
    path: never;
    query: { readonly filter?: string | undefined; };
    body: never;
    answer: ScimResourceTypeList;
  };
  getScimResourceType: {
    path: { readonly id: string; };
    query: { readonly filter?: string | undefined; };
    body: never;
    answer: ScimResourceType;
  };
  listScimUsers: {
    path: never;
    query: { readonly filter?: string | undefined; readonly startIndex?: number | undefined; readonly count?: number | undefined; readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: ScimUserList;
  };
  createScimUser: {
    path: never;
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimUserInputSent;
    answer: ScimUser;
  };
  getScimUser: {
    path: { readonly id: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: ScimUser;
  };
  patchScimUser: {
    path: { readonly id: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimPatchSent;
    answer: ScimUser;
  };
  replaceScimUser: {
    path: { readonly id: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimUserInputSent;
    answer: ScimUser;
  };
  deleteScimUser: {
    path: { readonly id: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: never;
  };
  listScimGroups: {
    path: never;
    query: { readonly filter?: string | undefined; readonly startIndex?: number | undefined; readonly count?: number | undefined; readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: ScimGroupList;
  };
  createScimGroup: {
    path: never;
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimGroupInputSent;
    answer: ScimGroup;
  };
  getScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: ScimGroup;
  };
  replaceScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimGroupReplacementSent;
    answer: ScimGroup;
  };
  patchScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: ScimPatchSent;
    answer: ScimGroup;
  };
  deleteScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: never;
  };
}
