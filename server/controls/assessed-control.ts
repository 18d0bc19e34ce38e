import type { Selectable } from 'kysely';
import type { Tables } from '../storage/tables.ts';
import type { Cadence } from './cadence.ts';
import { type CatalogueControl, type Framework, findCatalogueControl } from './catalogue/catalogue.ts';
import type { Control, ControlDetail, OwnDefinition } from './control.ts';
import { type EvidenceFacts, rateFreshness } from './freshness.ts';
import { deriveStatus, findNextReview, type SettableStatus, type StatusDates, transitions } from './status.ts';
import { findLastRun, findWorstResult, type TestFacts } from './test-schedule.ts';

export type ControlRow = Selectable<Tables['tenant_controls']>;

type Definition = Pick<CatalogueControl, 'code' | 'title' | 'description' | 'domain' | 'mappings'>;

/** A control of a tenant at one time: all that the operations tell of it follows from here. */
export interface AssessedControl {
  readonly row: ControlRow;
  readonly control: Control;
  /** What the catalogue says of it; null for a control of the tenant's own. */
  readonly template: CatalogueControl | null;
  readonly definition: Definition;
  readonly evidence: EvidenceFacts;
  /** Its tests in use. */
  readonly tests: readonly TestFacts[];
}

/** What is known of a control besides its row. */
export type ControlFacts = Pick<AssessedControl, 'evidence' | 'tests'>;

/**
 * Works out everything that follows from rows and dates; nothing of it is stored, so nothing of it goes stale.
 * @param adopted the frameworks of the tenant, in the order of the catalogue.
 * @returns null for a control that is not in force.
 */
export function assessControl(
  row: ControlRow,
  { evidence, tests }: ControlFacts,
  adopted: readonly Framework[],
  now: string,
): AssessedControl | null {
  const known = findDefinition(row);
  if (known === null) return null;
  const { template, definition } = known;
  const mappedFrameworks = mapFrameworks(definition, adopted);
  if (template !== null && mappedFrameworks.length === 0) return null;
  const dates = readDates(row);
  const support = {
    evidenceFreshness: rateFreshness(evidence, dates.cadence, now),
    latestResultStatus: findWorstResult(tests),
  };
  const control: Control = {
    id: row.id,
    controlId: row.control_id,
    code: definition.code,
    title: definition.title,
    description: definition.description,
    domain: definition.domain,
    status: deriveStatus(dates, support, now),
    cadence: dates.cadence,
    ownerUserId: row.owner_user_id,
    ...support,
    lastTestedAt: findLastRun(tests),
    nextReviewAt: findNextReview(dates),
    mappedFrameworks,
    evidenceCount: evidence.count,
    testCount: tests.length,
    resultCount: tests.reduce((sum, { resultCount }) => sum + resultCount, 0),
  };
  return {
    row,
    control,
    template,
    definition,
    evidence,
    tests,
  };
}

/** What a control is: by the catalogue, or by the tenant. Null when the catalogue has it no more. */
function findDefinition(
  row: ControlRow,
): { readonly template: CatalogueControl | null; readonly definition: Definition } | null {
  if (row.definition !== null)
    return { template: null, definition: JSON.parse(row.definition) as OwnDefinition as Definition };
  const template = findCatalogueControl(row.control_id);
  return template === undefined ? null : { template, definition: template };
}

/** Whether a control of the catalogue belongs to a tenant that adopted these frameworks. */
export function isInForce({ mappings }: Pick<CatalogueControl, 'mappings'>, adopted: readonly Framework[]): boolean {
  return adopted.some(({ code }) => Object.hasOwn(mappings, code));
}

function mapFrameworks({ mappings }: Definition, adopted: readonly Framework[]): Control['mappedFrameworks'] {
  return adopted
    .filter(({ code }) => Object.hasOwn(mappings, code))
    .map(({ code, name }) => ({ code, name, requirements: [...(mappings[code] ?? [])] }));
}

/** What decides the status of a stored control. */
export function readDates(row: ControlRow): StatusDates {
  return {
    status: row.status as SettableStatus,
    cadence: row.cadence as Cadence,
    reviewedAt: row.reviewed_at,
    exceptionEndsAt: row.exception_ends_at,
    evidenceDueAt: row.evidence_due_at,
  };
}

/** One control with what the list leaves out. */
export function viewDetail({ row, control, template, definition }: AssessedControl): ControlDetail {
  return {
    ...control,
    mappings: Object.fromEntries(Object.entries(definition.mappings).map(([code, listed]) => [code, [...listed]])),
    guidance: template?.guidance ?? null,
    evidenceExamples: [...(template?.evidence ?? [])],
    reason: row.reason,
    exceptionEndsAt: row.exception_ends_at,
    evidenceDueAt: row.evidence_due_at,
    reviewedAt: row.reviewed_at,
    allowedStatuses: [...transitions[control.status]],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
