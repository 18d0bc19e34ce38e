// biome-ignore-all format: written by write-operation-types.ts from server/openapi.json
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Notice = { readonly id: string; readonly status: "draft" | "published" | "archived"; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly version: (number) | (null); readonly hasUnpublishedChanges: boolean; readonly recordCount: number; readonly createdAt: string; readonly updatedAt: string; readonly publishedAt: (string) | (null); readonly archivedAt: (string) | (null); };
type Purpose = { readonly key: string; readonly label: string; readonly description: string; readonly required: boolean; };
type DecisionInputSent = { readonly subjectId: string; readonly purpose: string; readonly granted: boolean; readonly evidence?: { readonly ip?: string | undefined; readonly ua?: string | undefined; } | undefined; readonly noticeId?: string | undefined; };
type Decision = { readonly id: string; readonly subjectId: string; readonly purpose: string; readonly granted: boolean; readonly recordedAt: string; readonly ledgerHash: string; readonly version: number; };
type NoticeContentSent = { readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (PurposeSent)[]; };
type PurposeSent = { readonly key: string; readonly label: string; readonly description: string; readonly required: boolean; };
type NoticeChangeSent = { readonly name?: string | undefined; readonly controllerName?: string | undefined; readonly language?: string | undefined; readonly domain?: string | undefined; readonly purposes?: readonly (PurposeSent)[] | undefined; };
type SubjectLedger = { readonly state: SubjectState; readonly items: readonly (ConsentRecord)[]; readonly nextCursor: (string) | (null); };
type SubjectState = { readonly api: readonly (NoticeState)[]; readonly public: readonly (NoticeState)[]; readonly truncated: boolean; };
type NoticeState = { readonly noticeId: string; readonly purposes: { readonly [key: string]: PurposeState }; };
type PurposeState = { readonly granted: boolean; readonly recordId: string; };
type ConsentRecord = { readonly id: string; readonly noticeId: string; readonly noticeVersion: number; readonly noticeContentHash: string; readonly subjectId: string; readonly subjectChannel: ("email" | "phone" | "subject_id") | (null); readonly kind: "capture" | "withdrawal"; readonly withdrawsRecordId: (string) | (null); readonly method: (string) | (null); readonly purposes: { readonly [key: string]: boolean }; readonly otherPurposes: { readonly [key: string]: PurposeState }; readonly source: "api" | "public"; readonly space: "api" | "public"; readonly ipHash: (string) | (null); readonly uaHash: (string) | (null); readonly capturedAt: string; readonly recordedAt: string; readonly sequence: number; readonly ledgerHash: string; readonly prevLedgerHash: (string) | (null); };
type NoticeVersion = { readonly version: number; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly contentHash: string; readonly publishedAt: string; };
type RecordInputSent = { readonly subjectId: string; readonly subjectChannel?: "email" | "phone" | "subject_id" | undefined; readonly ip?: string | undefined; readonly ua?: string | undefined; readonly method?: "banner" | "modal" | "inline" | "checkbox" | "double_opt_in" | "verbal_recorded" | undefined; readonly purposes: { readonly [key: string]: boolean }; readonly capturedAt?: string | undefined; };
type WithdrawalInputSent = { readonly purposes?: readonly (string)[] | undefined; readonly method?: "banner" | "modal" | "inline" | "checkbox" | "double_opt_in" | "verbal_recorded" | undefined; readonly capturedAt?: string | undefined; };
type PublicNotice = { readonly id: string; readonly name: string; readonly controllerName: string; readonly language: string; readonly domain: string; readonly purposes: readonly (Purpose)[]; readonly version: number; };
type PublicRecordInputSent = { readonly subjectId: string; readonly purposes: { readonly [key: string]: boolean }; readonly method?: string | undefined; readonly capturedAt?: string | undefined; readonly noticeVersion?: number | undefined; };
type PublicRecord = { readonly id: string; readonly noticeId: string; readonly noticeVersion: number; readonly subjectId: string; readonly method: (string) | (null); readonly purposes: { readonly [key: string]: boolean }; readonly capturedAt: string; readonly recordedAt: string; readonly noticeContentHash: string; readonly ledgerHash: string; readonly prevLedgerHash: (string) | (null); };
type AuditEvent = { readonly id: string; readonly at: string; readonly actorId: (string) | (null); readonly actorEmail: (string) | (null); readonly actorType: "user" | "api_key" | "system" | "staff"; readonly action: string; readonly module: string; readonly targetId: (string) | (null); readonly targetRef: (string) | (null); readonly hash: string; readonly prevHash: (string) | (null); };
type AuditEventDetail = { readonly id: string; readonly at: string; readonly actorId: (string) | (null); readonly actorEmail: (string) | (null); readonly actorType: "user" | "api_key" | "system" | "staff"; readonly action: string; readonly module: string; readonly targetId: (string) | (null); readonly targetRef: (string) | (null); readonly hash: string; readonly prevHash: (string) | (null); readonly ip: (string) | (null); readonly userAgent: (string) | (null); readonly diff?: Json; readonly reason: (string) | (null); };
type Checkpoint = { readonly ledger: "audit" | "consent"; readonly size: number; readonly rootHash: string; readonly at: string; readonly note: string; };
type InclusionProof = { readonly sequence: number; readonly hash: string; readonly leafHash: string; readonly hashes: readonly (string)[]; readonly checkpoint: Checkpoint; };
type ConsistencyProof = { readonly from: number; readonly hashes: readonly (string)[]; readonly checkpoint: Checkpoint; };
type ControlList = { readonly summary: { readonly catalogControls: number; readonly tenantControls: number; readonly implemented: number; readonly needsEvidence: number; readonly failing: number; readonly frameworks: number; }; readonly items: readonly (Control)[]; };
type Control = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly status: "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "overdue" | "not_applicable" | "excepted"; readonly cadence: "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven"; readonly ownerUserId: (string) | (null); readonly evidenceFreshness: "current" | "stale" | "expired" | "missing"; readonly latestResultStatus: ("fail" | "warning" | "unknown" | "manual" | "pass") | (null); readonly lastTestedAt: (string) | (null); readonly nextReviewAt: (string) | (null); readonly mappedFrameworks: readonly (MappedFramework)[]; readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; };
type MappedFramework = { readonly code: string; readonly name: string; readonly requirements: readonly (string)[]; };
type ControlFramework = { readonly code: string; readonly name: string; readonly description: string; readonly jurisdiction: (string) | (null); readonly versionLabel: (string) | (null); readonly category: (string) | (null); readonly scopeSummary: (string) | (null); readonly assuranceBoundary: (string) | (null); readonly allowedClaim: (string) | (null); readonly prohibitedClaims: readonly (string)[]; };
type ControlFrameworkDetail = { readonly code: string; readonly name: string; readonly description: string; readonly jurisdiction: (string) | (null); readonly versionLabel: (string) | (null); readonly category: (string) | (null); readonly scopeSummary: (string) | (null); readonly assuranceBoundary: (string) | (null); readonly allowedClaim: (string) | (null); readonly prohibitedClaims: readonly (string)[]; readonly requirements: readonly ({ readonly code: string; readonly subject: string; })[]; };
type Readiness = { readonly score: number; readonly totalControls: number; readonly acceptedControls: number; readonly openEvidenceRequests: number; readonly overdueEvidenceRequests: number; readonly frameworkReadiness: { readonly [key: string]: ReadinessGroup }; readonly domainReadiness: { readonly [key: string]: ReadinessGroup }; };
type ReadinessGroup = { readonly total: number; readonly accepted: number; readonly submitted: number; readonly open: number; readonly overdue: number; readonly score: number; };
type TestHealth = { readonly summary: { readonly totalControls: number; readonly failing: number; readonly warning: number; readonly passing: number; readonly unknown: number; readonly currentEvidence: number; readonly staleEvidence: number; readonly expiredEvidence: number; readonly missingEvidence: number; readonly needsEvidence: number; readonly missingTests: number; readonly dueTests: number; }; readonly items: readonly (ControlHealth)[]; };
type ControlHealth = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly domain: string; readonly status: "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "overdue" | "not_applicable" | "excepted"; readonly evidenceFreshness: "current" | "stale" | "expired" | "missing"; readonly latestResultStatus: ("fail" | "warning" | "unknown" | "manual" | "pass") | (null); readonly lastTestedAt: (string) | (null); readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; readonly dueTests: number; readonly scheduledRuns: readonly (ScheduledRun)[]; };
type ScheduledRun = { readonly testId: string; readonly title: string; readonly lastRunAt: (string) | (null); readonly nextRunAt: (string) | (null); readonly isDue: boolean; };
type NewControlSent = { readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly mappings?: { readonly [key: string]: readonly (string)[] } | undefined; readonly cadence: "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven"; readonly ownerUserId?: (string) | (null) | undefined; };
type ControlDetail = { readonly id: string; readonly controlId: string; readonly code: string; readonly title: string; readonly description: string; readonly domain: string; readonly status: "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "overdue" | "not_applicable" | "excepted"; readonly cadence: "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven"; readonly ownerUserId: (string) | (null); readonly evidenceFreshness: "current" | "stale" | "expired" | "missing"; readonly latestResultStatus: ("fail" | "warning" | "unknown" | "manual" | "pass") | (null); readonly lastTestedAt: (string) | (null); readonly nextReviewAt: (string) | (null); readonly mappedFrameworks: readonly (MappedFramework)[]; readonly evidenceCount: number; readonly testCount: number; readonly resultCount: number; readonly mappings: { readonly [key: string]: readonly (string)[] }; readonly guidance: (string) | (null); readonly evidenceExamples: readonly (string)[]; readonly reason: (string) | (null); readonly exceptionEndsAt: (string) | (null); readonly evidenceDueAt: (string) | (null); readonly reviewedAt: (string) | (null); readonly allowedStatuses: readonly ("not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "not_applicable" | "excepted")[]; readonly createdAt: string; readonly updatedAt: string; };
type ControlChangeSent = { readonly status?: "not_started" | "in_progress" | "evidence_requested" | "evidence_submitted" | "implemented" | "needs_review" | "accepted" | "not_applicable" | "excepted" | undefined; readonly ownerUserId?: (string) | (null) | undefined; readonly cadence?: "monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven" | undefined; readonly reason?: string | undefined; readonly exceptionEndsAt?: string | undefined; readonly evidenceDueAt?: string | undefined; readonly title?: string | undefined; readonly description?: string | undefined; readonly domain?: string | undefined; readonly mappings?: { readonly [key: string]: readonly (string)[] } | undefined; };
type NewEvidenceSent = { readonly title: string; readonly kind: "document" | "screenshot" | "log" | "configuration" | "report" | "attestation" | "link" | "other"; readonly description?: (string) | (null) | undefined; readonly url?: (string) | (null) | undefined; readonly sha256?: (string) | (null) | undefined; readonly collectedAt: string; readonly expiresAt?: (string) | (null) | undefined; };
type Evidence = { readonly id: string; readonly controlId: string; readonly title: string; readonly kind: "document" | "screenshot" | "log" | "configuration" | "report" | "attestation" | "link" | "other"; readonly description: (string) | (null); readonly url: (string) | (null); readonly sha256: (string) | (null); readonly collectedAt: string; readonly expiresAt: (string) | (null); readonly isValid: boolean; readonly createdAt: string; readonly withdrawnAt: (string) | (null); readonly withdrawalReason: (string) | (null); };
type NewControlTestSent = { readonly title: string; readonly procedure?: (string) | (null) | undefined; readonly cadence?: ("monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven") | (null) | undefined; };
type ControlTest = { readonly id: string; readonly controlId: string; readonly title: string; readonly procedure: (string) | (null); readonly cadence: ("monthly" | "quarterly" | "semi_annual" | "annual" | "event_driven") | (null); readonly latestResult: ({ readonly id: string; readonly status: "fail" | "warning" | "unknown" | "manual" | "pass"; readonly testedAt: string; }) | (null); readonly resultCount: number; readonly nextRunAt: (string) | (null); readonly isDue: boolean; readonly createdAt: string; readonly retiredAt: (string) | (null); };
type NewTestResultSent = { readonly status: "fail" | "warning" | "unknown" | "manual" | "pass"; readonly notes?: (string) | (null) | undefined; readonly url?: (string) | (null) | undefined; readonly testedAt?: string | undefined; };
type TestResult = { readonly id: string; readonly testId: string; readonly status: "fail" | "warning" | "unknown" | "manual" | "pass"; readonly notes: (string) | (null); readonly url: (string) | (null); readonly testedAt: string; readonly createdAt: string; };
type SignedIn = { readonly status: "signed_in"; readonly user: User; readonly tenant: { readonly id: string; readonly slug: string; readonly name: string; }; readonly session: { readonly id: string; readonly expiresAt: string; }; };
type User = { readonly id: string; readonly email: string; readonly displayName: string; readonly givenName: (string) | (null); readonly familyName: (string) | (null); readonly externalId: (string) | (null); readonly role: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal"; readonly status: "active" | "suspended" | "deleted"; readonly canSignIn: boolean; readonly mfaEnabled: boolean; readonly createdAt: string; readonly updatedAt: string; readonly lastSignedInAt: (string) | (null); };
type CodeWanted = { readonly status: "mfa_required"; readonly challengeId: string; readonly expiresAt: string; };
type Me = { readonly user: User; readonly tenant: { readonly id: string; readonly slug: string; readonly name: string; }; readonly scopes: readonly (string)[]; readonly session: Session; readonly memberships: readonly ({ readonly tenantId: string; readonly tenantSlug: string; readonly tenantName: string; readonly role: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal"; })[]; };
type Session = { readonly id: string; readonly createdAt: string; readonly lastSeenAt: string; readonly expiresAt: string; readonly challengeId: (string) | (null); readonly isCurrent: boolean; };
type MfaStatus = { readonly enabled: boolean; readonly methods: readonly ("totp" | "backup_code")[]; readonly backupCodesRemaining: number; };
type Invitation = { readonly id: string; readonly email: string; readonly role: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal"; readonly status: "pending" | "accepted" | "revoked" | "expired"; readonly createdAt: string; readonly expiresAt: string; readonly acceptedAt: (string) | (null); readonly revokedAt: (string) | (null); };
type DataSubjectRequestInputSent = { readonly subjectId: string; readonly type: "access" | "erasure" | "rectification" | "portability" | "restriction" | "objection"; readonly channel?: "email" | "phone" | "web" | "letter" | "in_person" | "other" | undefined; readonly notes?: string | undefined; readonly receivedAt?: string | undefined; };
type DataSubjectRequest = { readonly id: string; readonly subjectId: string; readonly type: "access" | "erasure" | "rectification" | "portability" | "restriction" | "objection"; readonly channel: ("email" | "phone" | "web" | "letter" | "in_person" | "other") | (null); readonly notes: (string) | (null); readonly status: "open" | "completed"; readonly receivedAt: string; readonly dueAt: string; readonly isOverdue: boolean; readonly extendedAt: (string) | (null); readonly extensionReason: (string) | (null); readonly outcome: ("fulfilled" | "rejected" | "partially_fulfilled") | (null); readonly reason: (string) | (null); readonly completedAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type DataSubjectRequestExtensionSent = { readonly reason: string; };
type DataSubjectRequestCompletionSent = { readonly outcome: "fulfilled" | "rejected" | "partially_fulfilled"; readonly reason?: string | undefined; };
type BreachInputSent = { readonly title: string; readonly description: string; readonly severity: "low" | "medium" | "high" | "critical"; readonly discoveredAt: string; readonly affectedSubjects?: number | undefined; readonly dataCategories?: readonly (string)[] | undefined; };
type Breach = { readonly id: string; readonly title: string; readonly description: string; readonly severity: "low" | "medium" | "high" | "critical"; readonly status: "open" | "contained" | "closed"; readonly affectedSubjects: (number) | (null); readonly dataCategories: readonly (string)[]; readonly discoveredAt: string; readonly notificationDueAt: string; readonly isNotificationOverdue: boolean; readonly authorityNotifiedAt: (string) | (null); readonly subjectsNotifiedAt: (string) | (null); readonly notificationReason: (string) | (null); readonly closedAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type BreachChangeSent = { readonly title?: string | undefined; readonly description?: string | undefined; readonly severity?: "low" | "medium" | "high" | "critical" | undefined; readonly affectedSubjects?: (number) | (null) | undefined; readonly dataCategories?: readonly (string)[] | undefined; readonly status?: "open" | "contained" | "closed" | undefined; readonly authorityNotifiedAt?: (string) | (null) | undefined; readonly subjectsNotifiedAt?: (string) | (null) | undefined; readonly notificationReason?: (string) | (null) | undefined; };
type Tenant = { readonly id: string; readonly slug: string; readonly apiVersion: string; readonly name: string; readonly defaultRole: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent"; readonly scimCompatibility: "strict" | "extended"; readonly sso: SsoConfigurationOutput; readonly requireSecondFactor: boolean; readonly dsrDays: number; readonly createdAt: string; };
type SsoConfigurationOutput = { readonly attributeMap: { readonly scimGroupRoleMap: { readonly [key: string]: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" }; }; };
type SsoConfigurationSent = { readonly attributeMap?: { readonly scimGroupRoleMap?: { readonly [key: string]: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" } | undefined; } | undefined; };
type TrustCenter = { readonly slug: string; readonly name: string; readonly url: string; readonly published: boolean; readonly headline: (string) | (null); readonly description: (string) | (null); readonly contactEmail: (string) | (null); readonly securityContact: (string) | (null); readonly frameworks: readonly ({ readonly code: string; readonly achievedAt: string; readonly expiresAt: (string) | (null); readonly reportUrl: (string) | (null); })[]; readonly links: readonly ({ readonly label: string; readonly url: string; })[]; readonly subprocessors: readonly ({ readonly name: string; readonly purpose: string; readonly country: string; })[]; readonly showsProof: boolean; readonly publishedAt: (string) | (null); readonly updatedAt: (string) | (null); };
type TrustCenterInputSent = { readonly published: boolean; readonly headline?: (string) | (null) | undefined; readonly description?: (string) | (null) | undefined; readonly contactEmail?: (string) | (null) | undefined; readonly securityContact?: (string) | (null) | undefined; readonly frameworks?: readonly ({ readonly code: string; readonly achievedAt: string; readonly expiresAt?: (string) | (null) | undefined; readonly reportUrl?: (string) | (null) | undefined; })[] | undefined; readonly links?: readonly ({ readonly label: string; readonly url: string; })[] | undefined; readonly subprocessors?: readonly ({ readonly name: string; readonly purpose: string; readonly country: string; })[] | undefined; readonly showsProof?: boolean | undefined; };
type TrustWidget = { readonly name: string; readonly slug: string; readonly achievedFrameworks: readonly (string)[]; readonly updatedAt: string; };
type WebhookInputSent = { readonly url: string; readonly description?: (string) | (null) | undefined; readonly eventTypes?: (readonly (WebhookEventTypeSent)[]) | (null) | undefined; readonly filter?: (WebhookFilterSent) | (null) | undefined; readonly ordering?: "none" | "all" | "subject" | undefined; readonly rateLimit?: (number) | (null) | undefined; readonly retrySchedule?: (readonly (number)[]) | (null) | undefined; readonly asymmetric?: boolean | undefined; readonly status?: "enabled" | "paused" | undefined; };
type WebhookEventTypeSent = "consent.recorded" | "consent.withdrawn" | "consent_notice.published" | "consent_notice.archived" | "dsr.created" | "dsr.completed" | "breach.reported" | "breach.updated" | "control.status_changed" | "control.test_failed" | "user.provisioned" | "user.suspended" | "user.reactivated" | "user.deprovisioned" | "user.role_changed" | "mfa.enabled" | "mfa.disabled" | "webhook.endpoint_failing" | "webhook.endpoint_recovered" | "webhook.endpoint_disabled" | "webhook.delivery_exhausted" | "webhook.test";
type WebhookFilterSent = { readonly [key: string]: readonly (((string) | (number) | (boolean)) | (null))[] };
type WebhookWithSecret = { readonly id: string; readonly url: string; readonly description: (string) | (null); readonly eventTypes: (readonly (WebhookEventType)[]) | (null); readonly filter: (WebhookFilter) | (null); readonly ordering: "none" | "all" | "subject"; readonly rateLimit: (number) | (null); readonly retrySchedule: (readonly (number)[]) | (null); readonly asymmetric: boolean; readonly publicKey: (string) | (null); readonly status: "enabled" | "paused" | "disabled"; readonly disabledReason: ("gone" | "failing") | (null); readonly disabledAt: (string) | (null); readonly failingSince: (string) | (null); readonly lastError: (string) | (null); readonly pausedUntil: (string) | (null); readonly previousSecrets: number; readonly previousSecretExpiresAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; readonly secret: string; };
type WebhookEventType = "consent.recorded" | "consent.withdrawn" | "consent_notice.published" | "consent_notice.archived" | "dsr.created" | "dsr.completed" | "breach.reported" | "breach.updated" | "control.status_changed" | "control.test_failed" | "user.provisioned" | "user.suspended" | "user.reactivated" | "user.deprovisioned" | "user.role_changed" | "mfa.enabled" | "mfa.disabled" | "webhook.endpoint_failing" | "webhook.endpoint_recovered" | "webhook.endpoint_disabled" | "webhook.delivery_exhausted" | "webhook.test";
type WebhookFilter = { readonly [key: string]: readonly (((string) | (number) | (boolean)) | (null))[] };
type Webhook = { readonly id: string; readonly url: string; readonly description: (string) | (null); readonly eventTypes: (readonly (WebhookEventType)[]) | (null); readonly filter: (WebhookFilter) | (null); readonly ordering: "none" | "all" | "subject"; readonly rateLimit: (number) | (null); readonly retrySchedule: (readonly (number)[]) | (null); readonly asymmetric: boolean; readonly publicKey: (string) | (null); readonly status: "enabled" | "paused" | "disabled"; readonly disabledReason: ("gone" | "failing") | (null); readonly disabledAt: (string) | (null); readonly failingSince: (string) | (null); readonly lastError: (string) | (null); readonly pausedUntil: (string) | (null); readonly previousSecrets: number; readonly previousSecretExpiresAt: (string) | (null); readonly createdAt: string; readonly updatedAt: string; };
type WebhookChangeSent = { readonly url?: string | undefined; readonly description?: (string) | (null) | undefined; readonly eventTypes?: (readonly (WebhookEventTypeSent)[]) | (null) | undefined; readonly filter?: (WebhookFilterSent) | (null) | undefined; readonly ordering?: "none" | "all" | "subject" | undefined; readonly rateLimit?: (number) | (null) | undefined; readonly retrySchedule?: (readonly (number)[]) | (null) | undefined; readonly asymmetric?: boolean | undefined; readonly status?: "enabled" | "paused" | undefined; };
type WebhookDelivery = { readonly id: string; readonly webhookId: string; readonly eventId: string; readonly eventType: string; readonly status: "pending" | "delivered" | "dead" | "redelivered" | "canceled"; readonly reason: ("http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret") | (null); readonly responseStatus: (number) | (null); readonly attemptCount: number; readonly firstAttemptAt: (string) | (null); readonly nextAttemptAt: (string) | (null); readonly redeliveryOf: (string) | (null); readonly createdAt: string; readonly finishedAt: (string) | (null); };
type WebhookDeliveryDetail = { readonly id: string; readonly webhookId: string; readonly eventId: string; readonly eventType: string; readonly status: "pending" | "delivered" | "dead" | "redelivered" | "canceled"; readonly reason: ("http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret") | (null); readonly responseStatus: (number) | (null); readonly attemptCount: number; readonly firstAttemptAt: (string) | (null); readonly nextAttemptAt: (string) | (null); readonly redeliveryOf: (string) | (null); readonly createdAt: string; readonly finishedAt: (string) | (null); readonly event: { readonly id: string; readonly type: string; readonly createdAt: string; readonly tenantId: string; readonly data: { readonly [key: string]: Json }; }; readonly waitsFor: (string) | (null); readonly attempts: readonly (WebhookAttempt)[]; };
type WebhookAttempt = { readonly id: string; readonly at: string; readonly outcome: "delivered" | "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret"; readonly responseStatus: (number) | (null); readonly message: (string) | (null); readonly excerpt: (string) | (null); readonly timing: { readonly queued: (number) | (null); readonly lookup: (number) | (null); readonly connect: (number) | (null); readonly tls: (number) | (null); readonly firstByte: (number) | (null); readonly total: number; }; readonly reused: boolean; };
type WebhookRedeliveryInputSent = { readonly webhookId?: string | undefined; readonly status?: "dead" | "delivered" | undefined; readonly reason?: "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret" | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly from?: string | undefined; readonly to?: string | undefined; };
type WebhookRedelivery = { readonly id: string; readonly status: "running" | "finished" | "canceled"; readonly filter: { readonly webhookId: (string) | (null); readonly status: "dead" | "delivered"; readonly reason: ("http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret") | (null); readonly eventType: (string) | (null); readonly from: (string) | (null); readonly to: (string) | (null); }; readonly total: number; readonly queued: number; readonly createdAt: string; readonly finishedAt: (string) | (null); };
type ApiKey = { readonly id: string; readonly tenantId: string; readonly name: string; readonly environment: "live" | "test"; readonly displayPrefix: string; readonly scopes: readonly ("audit:read" | "consent:read" | "consent:write" | "controls:read" | "controls:write" | "trust:read" | "trust:write" | "webhooks:read" | "webhooks:write" | "users:read" | "users:write" | "keys:write" | "dsr:read" | "dsr:write" | "breach:read" | "breach:write" | "tenant:write")[]; readonly otherTenantIds: readonly (string)[]; readonly createdAt: string; readonly expiresAt: (string) | (null); readonly revokedAt: (string) | (null); readonly lastUsedAt: (string) | (null); readonly replacedById: (string) | (null); readonly status: "active" | "expired" | "revoked"; };
type CreatedApiKey = { readonly id: string; readonly tenantId: string; readonly name: string; readonly environment: "live" | "test"; readonly displayPrefix: string; readonly scopes: readonly ("audit:read" | "consent:read" | "consent:write" | "controls:read" | "controls:write" | "trust:read" | "trust:write" | "webhooks:read" | "webhooks:write" | "users:read" | "users:write" | "keys:write" | "dsr:read" | "dsr:write" | "breach:read" | "breach:write" | "tenant:write")[]; readonly otherTenantIds: readonly (string)[]; readonly createdAt: string; readonly expiresAt: (string) | (null); readonly revokedAt: (string) | (null); readonly lastUsedAt: (string) | (null); readonly replacedById: (string) | (null); readonly status: "active" | "expired" | "revoked"; readonly key: string; };
type ScimToken = { readonly id: string; readonly displayPrefix: string; readonly createdAt: string; readonly lastUsedAt: (string) | (null); };
type CreatedScimToken = { readonly id: string; readonly displayPrefix: string; readonly createdAt: string; readonly lastUsedAt: (string) | (null); readonly token: string; };
type AccessToken = { readonly access_token: string; readonly token_type: "Bearer"; readonly expires_in: number; readonly scope: string; };
type ScimServiceProviderConfig = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"]; readonly patch: { readonly supported: boolean; }; readonly bulk: { readonly supported: boolean; readonly maxOperations: number; readonly maxPayloadSize: number; }; readonly filter: { readonly supported: boolean; readonly maxResults: number; }; readonly changePassword: { readonly supported: boolean; }; readonly sort: { readonly supported: boolean; }; readonly etag: { readonly supported: boolean; }; readonly authenticationSchemes: readonly ({ readonly type: "oauthbearertoken"; readonly name: string; readonly description: string; readonly specUri: string; readonly primary: boolean; })[]; readonly meta: { readonly resourceType: "ServiceProviderConfig"; readonly location: string; }; };
type ScimSchema = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:Schema"]; readonly id: string; readonly name: string; readonly description: string; readonly attributes: readonly (ScimAttribute)[]; readonly meta: { readonly resourceType: "Schema"; readonly location: string; }; };
type ScimAttribute = { readonly name: string; readonly type: "string" | "boolean" | "complex"; readonly multiValued: boolean; readonly description: string; readonly required: boolean; readonly caseExact?: boolean; readonly canonicalValues?: readonly (string)[]; readonly mutability: "readOnly" | "readWrite" | "immutable"; readonly returned: "default"; readonly uniqueness?: "none" | "server"; readonly subAttributes?: readonly (ScimAttribute)[]; };
type ScimResourceType = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"]; readonly id: string; readonly name: string; readonly description: string; readonly endpoint: string; readonly schema: string; readonly schemaExtensions: readonly (unknown)[]; readonly meta: { readonly resourceType: "ResourceType"; readonly location: string; }; };
type ScimUser = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:User"]; readonly id: string; readonly externalId?: string; readonly userName?: string; readonly name?: { readonly givenName?: string; readonly familyName?: string; readonly formatted?: string; }; readonly displayName?: string; readonly emails?: readonly ({ readonly value?: string; readonly type?: "work"; readonly primary?: true; })[]; readonly active?: boolean; readonly roles?: readonly ({ readonly value?: string; readonly primary?: true; })[]; readonly groups?: readonly ({ readonly value?: string; readonly type?: "direct"; })[]; readonly meta?: { readonly resourceType?: "User"; readonly created?: string; readonly lastModified?: string; readonly location?: string; }; };
type ScimGroup = { readonly schemas: readonly ["urn:ietf:params:scim:schemas:core:2.0:Group"]; readonly id: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent"; readonly displayName?: string; readonly members?: readonly ({ readonly value?: string; readonly display?: string; })[]; readonly meta?: { readonly resourceType?: "Group"; readonly created?: string; readonly location?: string; }; };

/** What each operation takes and answers by the OpenAPI document, which the server makes of its schemas. */
export interface OperationTypes {
  listConsentNotices: {
    path: never;
    query: { readonly status?: "draft" | "published" | "archived" | undefined; readonly domain?: string | undefined; readonly search?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (Notice)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
  };
  recordConsentDecision: {
    path: never;
    query: never;
    body: DecisionInputSent;
    answer: Decision;
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
    answer: { readonly items: readonly (NoticeVersion)[]; };
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
    answer: { readonly data: readonly (ConsentRecord)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
  };
  captureConsentRecord: {
    path: { readonly id: string; };
    query: never;
    body: RecordInputSent;
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
    body: WithdrawalInputSent;
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
    body: PublicRecordInputSent;
    answer: PublicRecord;
  };
  listAuditEvents: {
    path: never;
    query: { readonly module?: string | undefined; readonly actor?: "user" | "api_key" | "system" | "staff" | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly items: readonly (AuditEvent)[]; readonly nextCursor: (string) | (null); };
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
    answer: { readonly items: readonly (Checkpoint)[]; readonly nextCursor: (string) | (null); };
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
    answer: { readonly items: readonly (Checkpoint)[]; readonly nextCursor: (string) | (null); };
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
    answer: { readonly items: readonly (ControlFramework)[]; };
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
    body: { readonly frameworks: readonly (string)[]; };
    answer: { readonly frameworks: readonly (string)[]; readonly controls: number; };
  };
  createControl: {
    path: never;
    query: never;
    body: NewControlSent;
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
    body: NewEvidenceSent;
    answer: Evidence;
  };
  listEvidence: {
    path: { readonly controlId: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly items: readonly (Evidence)[]; readonly nextCursor: (string) | (null); };
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
    body: { readonly reason: string; };
    answer: Evidence;
  };
  addControlTest: {
    path: { readonly controlId: string; };
    query: never;
    body: NewControlTestSent;
    answer: ControlTest;
  };
  listControlTests: {
    path: { readonly controlId: string; };
    query: { readonly status?: "in_use" | "retired" | undefined; };
    body: never;
    answer: { readonly items: readonly (ControlTest)[]; };
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
    body: NewTestResultSent;
    answer: TestResult;
  };
  listTestResults: {
    path: { readonly controlId: string; readonly testId: string; };
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly items: readonly (TestResult)[]; readonly nextCursor: (string) | (null); };
  };
  signIn: {
    path: never;
    query: never;
    body: { readonly email: string; readonly password: string; readonly tenant?: string | undefined; };
    answer: (SignedIn) | (CodeWanted);
  };
  answerChallenge: {
    path: never;
    query: never;
    body: { readonly challengeId: string; readonly code: string; };
    answer: SignedIn;
  };
  signOut: {
    path: never;
    query: never;
    body: never;
    answer: { readonly status: "signed_out"; };
  };
  changePassword: {
    path: never;
    query: never;
    body: { readonly currentPassword: string; readonly newPassword: string; };
    answer: { readonly session: { readonly id: string; readonly expiresAt: string; }; };
  };
  acceptInvitation: {
    path: never;
    query: never;
    body: { readonly token: string; readonly password: string; };
    answer: { readonly email: string; readonly tenant: { readonly id: string; readonly slug: string; readonly name: string; }; };
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
    answer: { readonly items: readonly (Session)[]; };
  };
  endMyOtherSessions: {
    path: never;
    query: never;
    body: never;
    answer: { readonly ended: number; };
  };
  endMySession: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: { readonly ended: number; };
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
    body: { readonly password: string; };
    answer: { readonly totpURI: string; readonly backupCodes: readonly (string)[]; };
  };
  verifyTotp: {
    path: never;
    query: never;
    body: { readonly code: string; };
    answer: MfaStatus;
  };
  disableTotp: {
    path: never;
    query: never;
    body: { readonly password: string; };
    answer: MfaStatus;
  };
  replaceBackupCodes: {
    path: never;
    query: never;
    body: { readonly password: string; };
    answer: { readonly backupCodes: readonly (string)[]; };
  };
  listUsers: {
    path: never;
    query: { readonly status?: "active" | "suspended" | undefined; readonly role?: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal" | undefined; readonly email?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (User)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
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
    body: { readonly role?: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | undefined; readonly active?: boolean | undefined; readonly reason?: string | undefined; };
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
    answer: { readonly items: readonly (Session)[]; };
  };
  revokeUserSessions: {
    path: { readonly id: string; };
    query: never;
    body: never;
    answer: { readonly ended: number; };
  };
  revokeUserSession: {
    path: { readonly id: string; readonly sessionId: string; };
    query: never;
    body: never;
    answer: { readonly ended: number; };
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
    answer: { readonly data: readonly (Invitation)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
  };
  inviteUser: {
    path: never;
    query: never;
    body: { readonly email: string; readonly role?: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | undefined; };
    answer: { readonly id: string; readonly email: string; readonly role: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | "dpco_principal"; readonly status: "pending" | "accepted" | "revoked" | "expired"; readonly createdAt: string; readonly expiresAt: string; readonly acceptedAt: (string) | (null); readonly revokedAt: (string) | (null); readonly token: string; };
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
    query: { readonly status?: "open" | "completed" | undefined; readonly type?: "access" | "erasure" | "rectification" | "portability" | "restriction" | "objection" | undefined; readonly subjectId?: string | undefined; readonly overdue?: "true" | "false" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (DataSubjectRequest)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
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
    query: { readonly status?: "open" | "contained" | "closed" | undefined; readonly severity?: "low" | "medium" | "high" | "critical" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (Breach)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
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
    body: { readonly name?: string | undefined; readonly defaultRole?: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent" | undefined; readonly scimCompatibility?: "strict" | "extended" | undefined; readonly sso?: SsoConfigurationSent | undefined; readonly requireSecondFactor?: boolean | undefined; readonly dsrDays?: number | undefined; };
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
    query: { readonly status?: "enabled" | "paused" | "disabled" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (Webhook)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
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
    body: { readonly overlapHours?: number | undefined; };
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
    query: { readonly status?: "pending" | "delivered" | "dead" | "redelivered" | "canceled" | undefined; readonly webhookId?: string | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly reason?: "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret" | undefined; readonly from?: string | undefined; readonly to?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly items: readonly (WebhookDelivery)[]; readonly nextCursor: (string) | (null); };
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
    query: { readonly webhookId?: string | undefined; readonly status?: "dead" | "delivered" | undefined; readonly reason?: "http_error" | "redirect" | "gone" | "rate_limited" | "timeout" | "dns" | "refused_address" | "connection" | "tls" | "protocol" | "endpoint_disabled" | "unsealable_secret" | undefined; readonly eventType?: WebhookEventTypeSent | undefined; readonly from?: string | undefined; readonly to?: string | undefined; };
    body: never;
    answer: { readonly count: number; };
  };
  listWebhookRedeliveries: {
    path: never;
    query: { readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly items: readonly (WebhookRedelivery)[]; readonly nextCursor: (string) | (null); };
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
    query: { readonly status?: "active" | "expired" | "revoked" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; };
    body: never;
    answer: { readonly data: readonly (ApiKey)[]; readonly page: { readonly cursor: (string) | (null); readonly nextCursor: (string) | (null); readonly limit: number; readonly total: number; }; };
  };
  createApiKey: {
    path: never;
    query: never;
    body: { readonly name: string; readonly environment?: "live" | "test" | undefined; readonly scopes: readonly ("audit:read" | "consent:read" | "consent:write" | "controls:read" | "controls:write" | "trust:read" | "trust:write" | "webhooks:read" | "webhooks:write" | "users:read" | "users:write" | "keys:write" | "dsr:read" | "dsr:write" | "breach:read" | "breach:write" | "tenant:write")[]; readonly expiresAt?: (string) | (null) | undefined; readonly otherTenantIds?: readonly (string)[] | undefined; };
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
    body: { readonly overlapHours?: number | undefined; };
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
    body: { readonly grant_type: string; readonly scope?: string | undefined; readonly client_id?: string | undefined; readonly client_secret?: string | undefined; };
    answer: AccessToken;
  };
  revokeAccessToken: {
    path: never;
    query: never;
    body: { readonly token: string; readonly token_type_hint?: string | undefined; readonly client_id?: string | undefined; readonly client_secret?: string | undefined; };
    answer: Record<string, never>;
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
    answer: { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimSchema)[]; };
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
    answer: { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimResourceType)[]; };
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
    answer: { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimUser)[]; };
  };
  createScimUser: {
    path: never;
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: { readonly schemas: readonly (string)[]; readonly userName: string; readonly name?: { readonly givenName?: string | undefined; readonly familyName?: string | undefined; } | undefined; readonly externalId?: string | undefined; readonly active?: boolean | undefined; readonly roles?: readonly ({ readonly value: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent"; readonly primary?: boolean | undefined; })[] | undefined; };
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
    body: { readonly schemas: readonly (string)[]; readonly Operations: readonly ({ readonly op: "add" | "remove" | "replace"; readonly path?: string | undefined; readonly value?: unknown | undefined; })[]; };
    answer: ScimUser;
  };
  replaceScimUser: {
    path: { readonly id: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: { readonly schemas: readonly (string)[]; readonly userName: string; readonly name?: { readonly givenName?: string | undefined; readonly familyName?: string | undefined; } | undefined; readonly externalId?: string | undefined; readonly active?: boolean | undefined; readonly roles?: readonly ({ readonly value: "admin" | "dpo" | "engineer" | "auditor" | "cs_agent"; readonly primary?: boolean | undefined; })[] | undefined; };
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
    answer: { readonly schemas: readonly ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]; readonly totalResults: number; readonly startIndex: number; readonly itemsPerPage: number; readonly Resources: readonly (ScimGroup)[]; };
  };
  createScimGroup: {
    path: never;
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: { readonly schemas: readonly (string)[]; readonly displayName: string; readonly members?: readonly ({ readonly value: string; })[] | undefined; };
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
    body: { readonly schemas: readonly (string)[]; readonly displayName?: string | undefined; readonly members: readonly ({ readonly value: string; })[]; };
    answer: ScimGroup;
  };
  patchScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: { readonly schemas: readonly (string)[]; readonly Operations: readonly ({ readonly op: "add" | "remove" | "replace"; readonly path?: string | undefined; readonly value?: unknown | undefined; })[]; };
    answer: ScimGroup;
  };
  deleteScimGroup: {
    path: { readonly role: string; };
    query: { readonly attributes?: string | undefined; readonly excludedAttributes?: string | undefined; };
    body: never;
    answer: never;
  };
}
