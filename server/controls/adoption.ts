import type { AuditSource } from '../http/principal.ts';
import { controlRows, programRows, testRows } from '../ledger/audit/rows.ts';
import { recordChange, recordChanges } from '../ledger/audit/store.ts';
import type { Transaction } from '../storage/database.ts';
import { insertRows } from '../storage/rows.ts';
import { type CatalogueControl, catalogue } from './catalogue/catalogue.ts';
import { newControlRow } from './control-changes.ts';
import { newTestRow } from './part-changes.ts';
import { listAdopted, listControlRows, saveProgram } from './store.ts';

/**
 * Sets the frameworks of a tenant: the complete list. Controls of the catalogue that come into force for the first time
 * start with the tests of the catalogue. Those that no adopted framework needs are kept with their history, out of force.
 * Adopting the same list again adds the controls that the catalogue has gained, and otherwise changes nothing.
 * @returns the codes of the adopted frameworks, and the number of controls in force.
 */
export async function adoptFrameworks(tx: Transaction, source: AuditSource, codes: readonly string[]) {
  const { now, queries } = tx;
  const { tenantId } = source;
  // Of two concurrent adoptions, the second sees what the first created.
  await tx.lockTenant(tenantId);
  const adopted = catalogue.frameworks.filter(({ code }) => codes.includes(code));
  const frameworks = adopted.map(({ code }) => code);
  const before = (await listAdopted(queries, tenantId)).map(({ code }) => code);
  if (before.join(' ') !== frameworks.join(' ')) {
    const diff = { before: { frameworks: before }, after: { frameworks } };
    const row = await saveProgram(tx, tenantId, adopted);
    await recordChange(tx, source, programRows, row, { verb: 'adopted', targetRef: null, diff });
  }
  const rows = await listControlRows(queries, { tenantId, now });
  const known = new Set(rows.map((row) => row.control_id));
  const inForce = catalogue.controls.filter(({ mappings }) =>
    adopted.some(({ code }) => Object.hasOwn(mappings, code)),
  );
  const missing = inForce.filter(({ controlId }) => !known.has(controlId));
  await createControls(tx, source, missing);
  const customs = rows.filter(({ definition }) => definition !== null);
  return { frameworks, controls: inForce.length + customs.length };
}

async function createControls(tx: Transaction, source: AuditSource, controls: readonly CatalogueControl[]) {
  const created = controls.map(({ code, controlId, cadence, tests }) => {
    const change = { verb: 'created', targetRef: code };
    const row = newControlRow(tx, source.tenantId, controlId, cadence);
    const ofTests = tests.map((test) => {
      const ofTest = newTestRow(tx, row, { ...test, cadence: test.cadence ?? null });
      return { source, row: ofTest, change: { ...change, diff: { controlId, cadence: ofTest.cadence } } };
    });
    return { source, row, change, ofTests };
  });
  const tests = created.flatMap(({ ofTests }) => ofTests);
  const rowsOf = <Row>(changes: readonly { readonly row: Row }[]) => changes.map(({ row }) => row);
  await insertRows(tx.queries, 'tenant_controls', rowsOf(created));
  await insertRows(tx.queries, 'control_tests', rowsOf(tests));
  await recordChanges(tx, controlRows, created);
  await recordChanges(tx, testRows, tests);
}
