import { existsSync } from 'node:fs';
import { findKeyring, openErasures } from '../installation/installation.ts';
import { erasureFile, nameLine } from '../ledger/erasure-log.ts';
import { listLastErasures, readErasures } from '../ledger/erasure-store.ts';
import { areWithin } from '../storage/database.ts';
import type { Scene } from './verify-tenant.ts';

/** A server appends each checkpoint and each erasure to its logs at once, and those of other servers within a minute. */
export const appendedWithin = 5 * 60_000;

/**
 * Compares `erasures.log` with the erasures in the database. Lines from before the latest restore may be missing there: it
 * has erased again what they name.
 */
export async function verifyErasureLog(
  { queries, settings, now, keys, progress, findings }: Scene,
  tenants: readonly { readonly id: string; readonly slug: string }[],
) {
  // Without the secret nothing in the log can be trusted, which is reported already.
  if (keys === null) return;
  const log = openErasures(findKeyring(settings));
  const { dataDir } = settings;
  if (!existsSync(log.file)) {
    const issue = `${erasureFile} is missing in ${dataDir}: a restore of an older backup would erase nothing again. Put a copy of the file in its place, from another server or a newer backup; a server that starts without it writes it again from the database.`;
    if ((await listLastErasures(queries)).size > 0) findings.add('unchecked', 'erasure', issue);
    return;
  }
  const issues: string[] = [];
  const names = new Set<string>();
  const expected = new Map<string, { readonly tenantId: string; readonly number: number }>();
  const forget = () => {
    issues.length = 0;
    expected.clear();
  };
  // Read before the rows: the erasure of each line was committed before it.
  for (const { line, tenantId, number } of log.read((issue) => issues.push(issue), forget)) {
    names.add(nameLine(line));
    expected.set(nameLine(line), { tenantId, number });
  }
  for (const issue of issues) findings.add('tampered', 'erasure', `${erasureFile}: ${issue}`);
  for (const { id, slug } of tenants) {
    const unlogged: number[] = [];
    for await (const rows of readErasures(queries, id, 0))
      for (const { number, line } of rows) {
        expected.delete(nameLine(line));
        if (!names.has(nameLine(line)) && !isRecent(line, now)) unlogged.push(number);
      }
    const missing = [...expected.values()].filter(({ tenantId }) => tenantId === id).map(({ number }) => number);
    if (missing.length > 0) {
      const issue = `${slug}: the database lacks ${describeErasures(missing)} that ${erasureFile} has: it is an older copy, and erased values may be back. Run: svc restore --in-place`;
      findings.add('tampered', 'erasure', issue, id);
    }
    if (unlogged.length > 0) {
      const issue = `${slug}: ${erasureFile} lacks ${describeErasures(unlogged)} of the database: a restore of an older backup would not repeat ${unlogged.length > 1 ? 'them' : 'it'}. Put a copy of the file in its place, from another server or a newer backup.`;
      findings.add('unchecked', 'erasure', issue, id);
    }
  }
  if (names.size > 0 && !findings.list.some(({ about }) => about === 'erasure'))
    progress.say(`✓ ${erasureFile} and the database have the same erasures`);
}

function describeErasures(numbers: readonly number[]): string {
  return `erasure${numbers.length > 1 ? 's' : ''} ${numbers.slice(0, 3).join(', ')}${numbers.length > 3 ? ' …' : ''}`;
}

function isRecent(line: string, now: string): boolean {
  try {
    const { at } = JSON.parse(line.slice(line.indexOf('{')));
    return areWithin(appendedWithin, now, at);
  } catch {
    return false;
  }
}
