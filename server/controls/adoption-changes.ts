import { recordChange, recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { lockChain } from '../ledger/append.ts';
import { newId } from '../storage/ids.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { isInForce } from './assessed-control.ts';
import { type CatalogueControl, catalogue, type Framework } from './catalogue/catalogue.ts';
import { newControlRow } from './control-changes.ts';
import { controlRows, insertControls, listControlRows } from './control-store.ts';
import { findProgram, listAdopted, programRows, saveProgram } from './program-store.ts';
import { insertTests, type TestRow, testRows } from './test-store.ts';

/** What a tenant follows after an adoption. */
export interface Adoption {
  readonly frameworks: readonly string[];
  /** How many controls are in force. */
  readonly controls: number;
}

/**
 * Sets the frameworks that a tenant follows: the whole list. Controls of the catalogue that come into force for the first
 * time begin with the tests of the catalogue; those that no framework of the list needs rest with all their history until
 * one does. Adopting the same list again takes up what the catalogue has gained since, and otherwise does nothing.
 */
export async function adoptFrameworks(
  work: UnitOfWork,
  source: AuditSource,
  codes: readonly string[],
): Promise<Adoption> {
  const { tenantId } = source;
  // Two adoptions at once: the second sees what the first created.
  await lockChain(work.transaction, tenantId, 'audit');
  const adopted = catalogue.frameworks.filter(({ code }) => codes.includes(code));
  await changeProgram(work, source, adopted);
  const rows = await listControlRows(work.transaction, { tenantId });
  const known = new Set(rows.map((row) => row.control_id));
  const inForce = catalogue.controls.filter((control) => isInForce(control, adopted));
  await createControls(
    work,
    source,
    inForce.filter(({ controlId }) => !known.has(controlId)),
  );
  const own = rows.filter(({ definition }) => definition !== null);
  return { frameworks: adopted.map(({ code }) => code), controls: inForce.length + own.length };
}

async function changeProgram(work: UnitOfWork, source: AuditSource, adopted: readonly Framework[]): Promise<void> {
  const program = await findProgram(work.transaction, source.tenantId);
  const before = (await listAdopted(work.transaction, source.tenantId)).map(({ code }) => code);
  const after = adopted.map(({ code }) => code);
  if (before.join(' ') === after.join(' ')) return;
  const row = await saveProgram(work, source.tenantId, program, adopted);
  await recordChange(work, source, programRows, row, {
    verb: 'adopted',
    targetRef: null,
    diff: { before: { frameworks: before }, after: { frameworks: after } },
  });
}

async function createControls(
  work: UnitOfWork,
  source: AuditSource,
  controls: readonly CatalogueControl[],
): Promise<void> {
  const created = controls.map((control) => {
    const { id, ...columns } = newControlRow(work, source.tenantId);
    const row = { id, ...columns, control_id: control.controlId, definition: null, cadence: control.cadence };
    return { row, control, tests: control.tests.map((test) => newTestRow(work, row, test)) };
  });
  await insertControls(
    work,
    created.map(({ row }) => row),
  );
  await insertTests(
    work,
    created.flatMap(({ tests }) => tests),
  );
  const tell = (targetRef: string, diff = {}) => ({ verb: 'created', targetRef, diff });
  await recordChanges(
    work,
    controlRows,
    created.map(({ row, control }) => ({ source, row, change: tell(control.code) })),
  );
  await recordChanges(
    work,
    testRows,
    created.flatMap(({ tests, control }) =>
      tests.map((row) => ({
        source,
        row,
        change: tell(control.code, { controlId: control.controlId, cadence: row.cadence }),
      })),
    ),
  );
}

/** A test that has not run yet. */
export function newTestRow(
  { now }: UnitOfWork,
  control: { readonly id: string; readonly tenant_id: string },
  {
    title,
    procedure,
    cadence = null,
  }: { readonly title: string; readonly procedure: string | null; readonly cadence?: string | null | undefined },
): TestRow {
  return {
    id: newId(),
    tenant_id: control.tenant_id,
    tenant_control_id: control.id,
    title,
    procedure,
    cadence,
    created_at: now,
    retired_at: null,
  };
}
