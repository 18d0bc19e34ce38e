import type {
  Control,
  ControlCadence,
  ControlDetail,
  ControlFrameworkDetail,
  Evidence,
  SettableControlStatus,
  TestResult,
} from '../types/api.ts';
import { type CatalogueControl, readCatalogue } from './catalogue.ts';
import {
  deriveStatus,
  findNextReview,
  findWorst,
  rateFreshness,
  type StatusDates,
  transitions,
} from './control-rules.ts';
import type { Mappings } from './rules.ts';

/** What a control is, by the catalogue or by the tenant. */
export interface Definition {
  readonly code: string;
  readonly title: string;
  readonly description: string;
  readonly domain: string;
  readonly mappings: Mappings;
}

/** A control as it is kept. */
export interface StoredControl extends StatusDates {
  readonly id: string;
  readonly controlId: string;
  /** Null for a control of the catalogue. */
  readonly definition: Definition | null;
  readonly status: SettableControlStatus;
  readonly ownerUserId: string | null;
  readonly reason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly isRetired: boolean;
}

export type StoredEvidence = Omit<Evidence, 'isValid' | 'controlId'>;

export interface StoredTest {
  readonly id: string;
  readonly title: string;
  readonly procedure: string | null;
  readonly cadence: ControlCadence | null;
  readonly createdAt: string;
  readonly retiredAt: string | null;
  /** In the order in which they were recorded. */
  readonly results: readonly TestResult[];
}

/** A control at one time. */
export interface AssessedControl {
  readonly stored: StoredControl;
  readonly control: Control;
  readonly template: CatalogueControl | null;
  readonly definition: Definition;
  /** When the latest item of evidence was collected that counts. */
  readonly latestEvidence: string | null;
  /** Those in use. */
  readonly tests: readonly StoredTest[];
}

/** The controls of the tenant with their evidence and tests. */
export class ControlState {
  adopted: readonly ControlFrameworkDetail[] = [];
  readonly controls = new Map<string, StoredControl>();
  readonly evidence = new Map<string, readonly StoredEvidence[]>();
  readonly tests = new Map<string, readonly StoredTest[]>();

  /** By its id in the tenant, or the one that it has in the catalogue; no retired one. */
  find(id: string | undefined): StoredControl | undefined {
    return [...this.controls.values()].find((one) => !one.isRetired && (one.id === id || one.controlId === id));
  }

  /** What a stored control is at a time; null when it is not in force. */
  assess(stored: StoredControl, now: string): AssessedControl | null {
    const template =
      stored.definition === null
        ? (readCatalogue().controls.find(({ controlId }) => controlId === stored.controlId) ?? null)
        : null;
    const definition = stored.definition ?? template;
    if (definition === null) return null;
    const mappedFrameworks = this.adopted
      .filter(({ code }) => Object.hasOwn(definition.mappings, code))
      .map(({ code, name }) => ({ code, name, requirements: definition.mappings[code] ?? [] }));
    if (template !== null && mappedFrameworks.length === 0) return null;
    const { id, controlId, cadence, ownerUserId } = stored;
    const kept = (this.evidence.get(id) ?? []).filter(({ withdrawnAt }) => withdrawnAt === null);
    const valid = kept.filter((item) => isValid(item, now));
    const latestEvidence = latestOf(valid.map(({ collectedAt }) => collectedAt));
    const tests = (this.tests.get(id) ?? []).filter(({ retiredAt }) => retiredAt === null);
    const latest = tests.map(findLatest).filter((result) => result !== null);
    const support = {
      evidenceFreshness: rateFreshness(kept.length, latestEvidence, cadence, now),
      latestResultStatus: findWorst(latest.map(({ status }) => status)),
    };
    const { code, title, description, domain } = definition;
    const control: Control = {
      ...{ id, controlId, code, title, description, domain, status: deriveStatus(stored, support, now), cadence },
      ...{ ownerUserId, ...support, lastTestedAt: latestOf(latest.map(({ testedAt }) => testedAt)) },
      ...{ nextReviewAt: findNextReview(stored), mappedFrameworks, evidenceCount: kept.length },
      ...{ testCount: tests.length, resultCount: tests.reduce((sum, { results }) => sum + results.length, 0) },
    };
    return { stored, control, template, definition, latestEvidence, tests };
  }

  /** All in force, in the order of their codes. */
  assessAll(now: string): readonly AssessedControl[] {
    const stored = [...this.controls.values()].filter(({ isRetired }) => !isRetired);
    const found = stored.map((one) => this.assess(one, now)).filter((one) => one !== null);
    const keyOf = ({ control }: AssessedControl) => `${control.code}\0${control.id}`;
    return found.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
  }
}

/** Whether an item of evidence counts. */
export function isValid({ expiresAt, withdrawnAt }: StoredEvidence, now: string): boolean {
  return withdrawnAt === null && (expiresAt === null || expiresAt > now);
}

/** The result of a test with the latest time, of those with the same time the one that was recorded last. */
export function findLatest({ results }: StoredTest): TestResult | null {
  return results.reduce<TestResult | null>(
    (latest, one) => (latest === null || one.testedAt >= latest.testedAt ? one : latest),
    null,
  );
}

function latestOf(times: readonly string[]): string | null {
  return times.toSorted().at(-1) ?? null;
}

/** One control with what the list leaves out. */
export function viewDetail({ stored, control, template, definition }: AssessedControl): ControlDetail {
  const { reason, exceptionEndsAt, evidenceDueAt, reviewedAt, createdAt, updatedAt } = stored;
  return {
    ...{ ...control, mappings: definition.mappings, guidance: template?.guidance ?? null },
    ...{ evidenceExamples: template?.evidence ?? [], reason, exceptionEndsAt, evidenceDueAt, reviewedAt },
    ...{ allowedStatuses: transitions[control.status], createdAt, updatedAt },
  };
}
