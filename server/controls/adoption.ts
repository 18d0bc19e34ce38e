import { recordChange, recordChanges } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import type { UnitOfWork } from '../storage/database.ts';
import { insertRows } from '../storage/rows.ts';
import { type CatalogueControl, catalogue, type Framework } from './catalogue/catalogue.ts';
import { newControlRow } from './control-changes.ts';
import { newTestRow } from './part-changes.ts';
import { controlRows, listAdopted, listControlRows, programRows, saveProgram, testRows } from './store.ts';

/**
 * Sets the frameworks of a tenant: the complete list. Controls of the catalogue that come into force for the first time
 * start with the tests of the catalogue. Those that no adopted framework needs are kept with their history, out of force.
 * Adopting the same list again adds the controls that the catalogue has gained, and otherwise changes nothing.
 * @returns the codes of the adopted frameworks, and the number of controls in force.
 */
export async function adoptFrameworks(
  work: UnitOfWork,
  source: AuditSource,
  codes: readonly string[],
): Promise<{ frameworks: string[]; controls: number }> {
  const { tenantId } = source;
  // Of two concurrent adoptions, the second sees what the first created.
  await work.lockTenant(tenantId);
  const adopted = catalogue.frameworks.filter(({ code }) => codes.includes(code));
  await changeProgram(work, source, adopted);
  const rows = await listControlRows(work.transaction, { tenantId });
  const known = new Set(rows.map((row) => row.control_id));
  const inForce = catalogue.controls.filter(({ mappings }) =>
    adopted.some(({ code }) => Object.hasOwn(mappings, code)),
  );
  const missing = inForce.filter(({ controlId }) => !known.has(controlId));
  await createControls(work, source, missing);
  const customs = rows.filter(({ definition }) => definition !== null);
  return { frameworks: adopted.map(({ code }) => code), controls: inForce.length + customs.length };
}

async function changeProgram(work: UnitOfWork, source: AuditSource, adopted: readonly Framework[]): Promise<void> {
  const before = (await listAdopted(work.transaction, source.tenantId)).map(({ code }) => code);
  const after = adopted.map(({ code }) => code);
  if (before.join(' ') === after.join(' ')) return;
  const row = await saveProgram(work, source.tenantId, adopted);
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
  const created = controls.map(({ code, controlId, cadence, tests }) => {
    const row = newControlRow(work, source.tenantId, controlId, cadence);
    return { row, code, tests: tests.map((test) => newTestRow(work, row, { ...test, cadence: test.cadence ?? null })) };
  });
  const rows = created.map(({ row, code }) => ({ source, row, change: { verb: 'created', targetRef: code } }));
  const tests = created.flatMap(({ row: { control_id: controlId }, code, tests }) =>
    tests.map((row) => {
      const diff = { controlId, cadence: row.cadence };
      return { source, row, change: { verb: 'created', targetRef: code, diff } };
    }),
  );
  const { transaction } = work;
  await insertRows(
    transaction,
    'tenant_controls',
    created.map(({ row }) => row),
  );
  await insertRows(
    transaction,
    'control_tests',
    tests.map(({ row }) => row),
  );
  await recordChanges(work, controlRows, rows);
  await recordChanges(work, testRows, tests);
}
