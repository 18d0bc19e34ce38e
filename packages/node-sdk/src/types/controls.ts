import type { Time } from './json.ts';
/** How often a control is reviewed and tested; `event_driven`: when something happens. */
export type Cadence = 'monthly' | 'quarterly' | 'semi_annual' | 'annual' | 'event_driven';

/** What a control can be set to. */
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

/** How a control stands; `overdue` comes by time alone. */
export type ControlStatus = SettableControlStatus | 'overdue';

/**
 * `current` for one cadence after the latest item that counts was collected, `stale` for one more, then `expired`;
 * `missing` without any item. With the cadence `event_driven`, current as long as an item counts.
 */
export type EvidenceFreshness = 'current' | 'stale' | 'expired' | 'missing';

/** How a test went; `manual`: only people can tell. */
export type ResultStatus = 'pass' | 'fail' | 'warning' | 'manual' | 'unknown';

/** Requirements by the code of their framework, such as `{ GDPR: ['Art. 32'] }`. */
export type Mappings = Readonly<Record<string, readonly string[]>>;

/** A framework with the requirements that a control is mapped to. */
export interface MappedFramework {
  readonly code: string;
  readonly name: string;
  readonly requirements: readonly string[];
}

/** A control as the list has it. What depends on time follows from dates at the moment of the request. */
export interface Control {
  /** The id of the control in this tenant. */
  readonly id: string;
  /** For a control of the catalogue the same on every installation; else the id. */
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  /**
   * As it was set, but `overdue` once the day of requested evidence has passed, and `needs_review` from the moment that a
   * review is due or an exception ends. An acceptance holds until the next review as long as the evidence is current and no
   * test fails; otherwise the control is in `needs_review` until that is mended.
   */
  readonly status: ControlStatus;
  readonly cadence: Cadence;
  readonly ownerUserId: string | null;
  readonly evidenceFreshness: EvidenceFreshness;
  /** The worst among the latest results of its tests. */
  readonly latestResultStatus: ResultStatus | null;
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

/** One control with what the list leaves out. */
export interface ControlDetail extends Control {
  /** All requirements that it is mapped to, adopted or not. */
  readonly mappings: Mappings;
  /** How to do it; null for controls of your own. */
  readonly guidance: string | null;
  readonly evidenceExamples: readonly string[];
  /** Why it is excepted or does not apply. */
  readonly reason: string | null;
  readonly exceptionEndsAt: string | null;
  readonly evidenceDueAt: string | null;
  /** When it was last set to implemented or accepted, or set to that again. */
  readonly reviewedAt: string | null;
  /** Where it may go from its status. */
  readonly allowedStatuses: readonly SettableControlStatus[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The controls of a tenant, counted and listed. */
export interface ControlList {
  readonly summary: {
    /** Controls in the catalogue. */
    readonly catalogControls: number;
    /** Controls of the tenant: the items. */
    readonly tenantControls: number;
    /** Items that are implemented or accepted. */
    readonly implemented: number;
    /** Items that apply and whose evidence is not current. */
    readonly needsEvidence: number;
    /** Items that apply and whose latest result is `fail`. */
    readonly failing: number;
    /** Adopted frameworks. */
    readonly frameworks: number;
  };
  readonly items: readonly Control[];
}

/** A control of your own. */
export interface NewControl {
  /** 1 to 32 of A-Z a-z 0-9 . _ -, unlike every other code of the tenant and not like one of the catalogue (`AC-01`). */
  readonly code: string;
  /** 1 to 200 characters. */
  readonly title: string;
  /** 1 to 2,000 characters. */
  readonly description: string;
  /** 1 to 80 characters. */
  readonly domain: string;
  /** Default: none. `frameworks.retrieve` tells which requirements there are. */
  readonly mappings?: Mappings | undefined;
  readonly cadence: Cadence;
  /** A member who may sign in; default: nobody. */
  readonly ownerUserId?: string | null | undefined;
}

/** A change of a control; what is left out stays as it is. At least one field. */
export interface ControlChange {
  readonly status?: SettableControlStatus | undefined;
  /** A member who may sign in; null for nobody. */
  readonly ownerUserId?: string | null | undefined;
  readonly cadence?: Cadence | undefined;
  /**
   * Why, 1 to 500 characters; goes with another status or a review, and stands in the audit log. Needed for
   * `not_applicable` and `excepted`, whose control keeps it.
   */
  readonly reason?: string | undefined;
  /** Needed for `excepted`: in the future, two years ahead at most. */
  readonly exceptionEndsAt?: Time | undefined;
  /** For `evidence_requested`: in the future; default: 30 days ahead. */
  readonly evidenceDueAt?: Time | undefined;
  /** Of your own controls alone; 1 to 200 characters. */
  readonly title?: string | undefined;
  /** Of your own controls alone; 1 to 2,000 characters. */
  readonly description?: string | undefined;
  /** Of your own controls alone; 1 to 80 characters. */
  readonly domain?: string | undefined;
  /** Of your own controls alone. */
  readonly mappings?: Mappings | undefined;
}

/** What an item of evidence is. */
export type EvidenceKind =
  | 'document'
  | 'screenshot'
  | 'log'
  | 'configuration'
  | 'report'
  | 'attestation'
  | 'link'
  | 'other';

/** An item of evidence to add. */
export interface NewEvidence {
  /** 1 to 200 characters. */
  readonly title: string;
  readonly kind: EvidenceKind;
  /** 1 to 2,000 characters. */
  readonly description?: string | null | undefined;
  /** Where it is kept; http or https. */
  readonly url?: string | null | undefined;
  /** SHA-256 of the file, hex; proves which one was meant. */
  readonly sha256?: string | null | undefined;
  /** When it was collected, RFC 3339; not in the future. */
  readonly collectedAt: Time;
  /** When it stops to count, RFC 3339; after `collectedAt`. Default: never. */
  readonly expiresAt?: Time | null | undefined;
}

/** An item of evidence. */
export interface Evidence {
  readonly id: string;
  readonly controlId: string;
  readonly title: string;
  readonly kind: EvidenceKind;
  readonly description: string | null;
  readonly url: string | null;
  readonly sha256: string | null;
  readonly collectedAt: string;
  readonly expiresAt: string | null;
  /** Whether it counts: neither expired nor withdrawn. */
  readonly isValid: boolean;
  readonly createdAt: string;
  readonly withdrawnAt: string | null;
  readonly withdrawalReason: string | null;
}

/** A test to add to a control. */
export interface NewControlTest {
  /** 1 to 200 characters. */
  readonly title: string;
  /** How, and when it has passed; 1 to 2,000 characters. */
  readonly procedure?: string | null | undefined;
  /** How often it runs; default, and null: as the control. */
  readonly cadence?: Cadence | null | undefined;
}

/** A test of a control. */
export interface ControlTest {
  readonly id: string;
  readonly controlId: string;
  readonly title: string;
  readonly procedure: string | null;
  /** Null for the cadence of the control. */
  readonly cadence: Cadence | null;
  readonly latestResult: {
    readonly id: string;
    readonly status: ResultStatus;
    readonly testedAt: string;
  } | null;
  readonly resultCount: number;
  /** Null where only an event makes it due, and for a retired test. */
  readonly nextRunAt: string | null;
  readonly isDue: boolean;
  readonly createdAt: string;
  readonly retiredAt: string | null;
}

/** Which tests are listed. */
export interface ControlTestListParams {
  /** Default: `in_use`. */
  readonly status?: 'in_use' | 'retired' | undefined;
}

/** How a test went. */
export interface NewTestResult {
  readonly status: ResultStatus;
  /** 1 to 2,000 characters. */
  readonly notes?: string | null | undefined;
  /** Where the output is kept; http or https. */
  readonly url?: string | null | undefined;
  /** RFC 3339, not in the future; default: now. */
  readonly testedAt?: Time | undefined;
}

/** A result of a test. */
export interface TestResult {
  readonly id: string;
  readonly testId: string;
  readonly status: ResultStatus;
  readonly notes: string | null;
  readonly url: string | null;
  readonly testedAt: string;
  readonly createdAt: string;
}
