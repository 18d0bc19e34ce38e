import type { ControlStatus, EvidenceFreshness, ResultStatus } from './controls.ts';

/** A framework of the catalogue. */
export interface Framework {
  readonly code: string;
  readonly name: string;
  readonly description: string;
  readonly jurisdiction: string | null;
  readonly versionLabel: string | null;
  readonly category: string | null;
  /** To whom and to what it applies. */
  readonly scopeSummary: string | null;
  /** What a good readiness shows, and what it cannot. */
  readonly assuranceBoundary: string | null;
  /** What you may say when your readiness is good. */
  readonly allowedClaim: string | null;
  /** What you must not say on this basis. */
  readonly prohibitedClaims: readonly string[];
}

/** A framework with the requirements that controls may be mapped to. */
export interface FrameworkDetail extends Framework {
  /** In the order of the source. */
  readonly requirements: readonly { readonly code: string; readonly subject: string }[];
}

/** The frameworks that a tenant follows. */
export interface AdoptionInput {
  /** Codes, at most 100: the whole list. A framework that is left out is dropped. */
  readonly frameworks: readonly string[];
}

/** What came of an adoption. */
export interface Adoption {
  readonly frameworks: readonly string[];
  /** Controls in force now, the tenant's own included. */
  readonly controls: number;
}

/** How far a tenant is. */
export interface Readiness {
  /** Of 100 applicable controls, how many are accepted. */
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

/** How far the controls of one framework or domain are. */
export interface ReadinessGroup {
  /** Controls that apply. */
  readonly total: number;
  readonly accepted: number;
  /** Controls whose evidence was submitted and is not accepted yet. */
  readonly submitted: number;
  /** Requests for evidence that are open, overdue ones included. */
  readonly open: number;
  readonly overdue: number;
  /** Of 100 applicable controls, how many are accepted. */
  readonly score: number;
}

/** How the tests and the evidence of the controls stand that apply. */
export interface TestHealth {
  readonly summary: {
    /** Controls that apply: the items. */
    readonly totalControls: number;
    readonly failing: number;
    readonly warning: number;
    readonly passing: number;
    /** No result yet, or only people can tell. */
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
  };
  readonly items: readonly ControlHealth[];
}

/** How the tests and the evidence of one control stand. */
export interface ControlHealth {
  readonly id: string;
  readonly controlId: string;
  readonly code: string;
  readonly title: string;
  readonly domain: string;
  readonly status: ControlStatus;
  readonly evidenceFreshness: EvidenceFreshness;
  /** The worst among the latest results of its tests. */
  readonly latestResultStatus: ResultStatus | null;
  readonly lastTestedAt: string | null;
  readonly evidenceCount: number;
  readonly testCount: number;
  readonly resultCount: number;
  readonly dueTests: number;
  readonly scheduledRuns: readonly ScheduledRun[];
}

/** When a test ran and runs. */
export interface ScheduledRun {
  readonly testId: string;
  readonly title: string;
  readonly lastRunAt: string | null;
  /** One cadence after the last run; at once before the first; null where only an event makes it due. */
  readonly nextRunAt: string | null;
  readonly isDue: boolean;
}
