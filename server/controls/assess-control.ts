import type { z } from 'zod';
import { viewRow } from '../http/schemas.ts';
import { type CatalogueControl, type Framework, findCatalogueControl } from './catalogue/catalogue.ts';
import { type Control, ControlDetail, type CustomDefinition, type StoredControl } from './control.ts';
import { findLastRun, findWorstResult, type TestFacts } from './control-test.ts';
import { rateFreshness } from './evidence.ts';
import { type Cadence, deriveStatus, findNextReview, transitions } from './status.ts';

/** A control of a tenant at one time; every operation derives its answer from this. */
export interface AssessedControl {
  readonly row: StoredControl;
  readonly control: Control;
  /** The control in the catalogue; null for a custom control. */
  readonly template: CatalogueControl | null;
  readonly definition: CustomDefinition;
  /** Its tests in use. */
  readonly tests: readonly TestFacts[];
}

/**
 * Derives everything that follows from rows and dates. None of it is stored, so it cannot become stale.
 * @param adopted the frameworks of the tenant, in the order of the catalogue.
 * @param tests those in use.
 * @returns null for a control that is not in force: retired from the catalogue, or in no adopted framework.
 */
export function assessControl(
  row: StoredControl,
  adopted: readonly Framework[],
  now: string,
  tests: readonly TestFacts[] = [],
): AssessedControl | null {
  const template = row.definition === null ? findCatalogueControl(row.control_id) : null;
  if (template === undefined) return null;
  const definition: CustomDefinition = template ?? JSON.parse(row.definition as string);
  const { code, title, description, domain, mappings } = definition;
  const mappedFrameworks = adopted.flatMap((framework) => {
    const requirements = Object.hasOwn(mappings, framework.code) ? mappings[framework.code] : undefined;
    return requirements ? [{ code: framework.code, name: framework.name, requirements }] : [];
  });
  if (template !== null && mappedFrameworks.length === 0) return null;
  const cadence = row.cadence as Cadence;
  const support = { evidenceFreshness: rateFreshness(row, cadence, now), latestResultStatus: findWorstResult(tests) };
  const control: Control = {
    id: row.id,
    controlId: row.control_id,
    code,
    title,
    description,
    domain,
    status: deriveStatus(row, support, now),
    cadence,
    ownerUserId: row.owner_user_id,
    ...support,
    lastTestedAt: findLastRun(tests),
    nextReviewAt: findNextReview(row),
    mappedFrameworks,
    evidenceCount: row.evidence_count,
    testCount: tests.length,
    resultCount: tests.reduce((sum, { result_count }) => sum + result_count, 0),
  };
  return { row, control, template, definition, tests };
}

/** A control with the fields that the list leaves out. */
export function viewDetail({ row, control, template, definition }: AssessedControl): z.output<typeof ControlDetail> {
  return viewRow(ControlDetail, row, {
    ...control,
    mappings: definition.mappings,
    guidance: template?.guidance ?? null,
    evidenceExamples: template?.evidence ?? [],
    allowedStatuses: [...transitions[control.status]],
  });
}
