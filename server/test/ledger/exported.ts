import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import {
  LedgerVerificationError,
  type VerifiedExport,
  verifyExport,
} from '../../../packages/node-sdk/src/ledger/index.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { findShownText } from '../../consent/notice-store.ts';
import type { Installation } from '../../installation/installation.ts';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { type StoredCheckpoint, signCheckpoint } from '../../ledger/checkpoint-store.ts';
import type { LedgerOf } from '../../ledger/entry.ts';
import { prepareExport } from '../../ledger/export.ts';
import { runTransaction } from '../../storage/database.ts';

/** Texts that break naive splitting of lines, sorting of keys, or counting of bytes as characters. */
export const hardTexts = ['plain', '\u2028line\u2029', '\uFFFD', '\u{1F600}', '"\\', '\r\n', '\u0000', '\u0085', 'é'];

/** Appends an event to the audit log of a tenant. */
export function appendOne({ database }: Installation, tenantId: string, now: string, text: string): Promise<void> {
  return runTransaction({ ...database, clock: () => now }, now, (tx) =>
    recordEvent(tx, systemSource(tenantId), {
      module: 'consent',
      action: 'thing.done',
      targetId: text,
      targetRef: null,
      // Keys that are special in objects, and keys that objects sort as numbers.
      diff: JSON.parse(`{"__proto__":{"x":1},"constructor":1,"10":1,"9":${JSON.stringify(text)}}`),
    }),
  );
}

/** Signs a checkpoint of the current ledger. */
export function signNow(installation: Installation, of: LedgerOf, now: string): Promise<StoredCheckpoint> {
  return runTransaction(installation.database, now, (tx) => signCheckpoint(tx, installation, of));
}

export interface Wanted {
  readonly from?: string | null;
  readonly to?: string | null;
  readonly since?: number | null;
}

/** The text of an export against a checkpoint. */
export async function exportText(
  { database, signer }: Installation,
  of: LedgerOf,
  checkpoint: StoredCheckpoint,
  { from = null, to = null, since = null }: Wanted = {},
): Promise<string> {
  const findShown = (entry: Parameters<typeof findShownText>[2]) => findShownText(database.kysely, of.tenantId, entry);
  const options = { ...of, from, to, since, checkpoint, verifierKey: signer.verifierKey, findShown };
  return readAll(Readable.from((await prepareExport(database.kysely, options)).lines));
}

/** The result of verifying a file: its report, or its first fault. */
export interface FileReport extends Partial<VerifiedExport> {
  readonly fault: { readonly line: number | null; readonly issue: string } | null;
}

/** Verifies a file as `svc export verify` does: from its bytes, the text of the key, and a kept note. */
export async function verifyFile(
  file: string | Uint8Array,
  publicKey: string,
  earlier: string | null = null,
): Promise<FileReport> {
  try {
    const chunks = Readable.from([Buffer.from(file)]);
    return { ...(await verifyExport(chunks, { publicKey, checkpoint: earlier ?? undefined })), fault: null };
  } catch (error) {
    if (!LedgerVerificationError.isInstance(error)) throw error;
    return { fault: { line: error.line, issue: error.message } };
  }
}

/** Deletes the tree of a ledger, as if it had not been built yet. */
export function forgetTree({ database }: Installation, of: LedgerOf): Promise<unknown> {
  return Promise.all(
    (['merkle_trees', 'merkle_tiles'] as const).map((table) =>
      database.kysely.deleteFrom(table).where('tenant_id', '=', of.tenantId).where('ledger', '=', of.ledger).execute(),
    ),
  );
}

const start = Date.parse('2026-11-21T12:00:00.000Z');
/** A time in minutes after the start. */
export const time = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

/** A ledger with the notes of all its checkpoints. */
export interface Ledger {
  readonly of: { readonly tenantId: string; readonly ledger: 'audit' };
  readonly checkpoints: readonly StoredCheckpoint[];
  readonly minutes: number;
}

/** Creates a tenant with a ledger. @param steps minutes before each entry; a negative number is a checkpoint. */
export async function createLedger(installation: Installation, steps: readonly number[]): Promise<Ledger> {
  const wanted = { slug: `tenant-${randomUUID()}`, name: 'Tenant' };
  const { id: tenantId } = await runTransaction(installation.database, time(0), (tx) => createTenant(tx, wanted));
  const of = { tenantId, ledger: 'audit' } as const;
  const checkpoints: StoredCheckpoint[] = [];
  let minutes = 0;
  for (const [number, step] of steps.entries()) {
    if (step < 0) checkpoints.push(await signNow(installation, of, time(minutes)));
    else {
      minutes += step;
      await appendOne(installation, tenantId, time(minutes), hardTexts[number % hardTexts.length] as string);
    }
  }
  checkpoints.push(await signNow(installation, of, time(minutes)));
  return { of, checkpoints, minutes };
}
export const latestOf = ({ checkpoints }: Ledger) => checkpoints.at(-1) as StoredCheckpoint;
