import type { RequestOptions, Transport } from '../transport.ts';
import { openCheckpoint, readKey, tidyNote } from './checkpoint.ts';
import { LedgerVerificationError } from './error.ts';
import { type VerifiedExport, verifyExport } from './export.ts';

/** How to verify a ledger over the network. */
export interface VerifyLedgerOptions {
  readonly ledger: 'audit' | 'consent';
  /** The note that the last verification gave you, wherever you kept it since. Without it the past is taken as it is. */
  readonly keptCheckpoint?: string | undefined;
  /**
   * Your own copy of the line at `/.well-known/svc-ledger-key`. Without one it is fetched, and whoever answers in the name
   * of the server is believed: hand it in wherever the verification is to mean something.
   */
  readonly publicKey?: string | undefined;
  /** The tenant whose ledger it must be, by id. */
  readonly tenantId?: string | undefined;
  /**
   * Whether the server signs a checkpoint first, so that everything up to now is verified. Default true. Otherwise it is
   * the latest that it signed by itself, and `newer` tells how many entries came since.
   */
  readonly signFirst?: boolean | undefined;
  readonly onProgress?: ((entries: number) => void) | undefined;
  /** Ends the verification; it rejects with the reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What was verified; `note` is the checkpoint to keep for the next time, and `publicKey` the key to keep with it. */
export interface VerifiedLedger extends VerifiedExport {
  readonly publicKey: string;
}

/**
 * Fetches a whole ledger and verifies it here: each entry, the order, the signed root, and with a kept checkpoint that
 * nothing of what was there then was changed since. Nothing is held in memory but the line being read.
 * @param svc the client, with a key that has `audit:read` or `consent:read`.
 * @throws {LedgerVerificationError} at the first thing that is wrong; the errors of the client besides.
 */
export async function verifyLedger(
  svc: Pick<Transport, 'request' | 'stream'>,
  options: VerifyLedgerOptions,
): Promise<VerifiedLedger> {
  const { ledger, keptCheckpoint, tenantId, signFirst = true, onProgress, signal } = options;
  const call = { signal };
  const publicKey = options.publicKey ?? (await fetchPublicKey(svc, call));
  // What was handed in is looked at before anything is asked for.
  if (keptCheckpoint === undefined) readKey(publicKey);
  else openCheckpoint(tidyNote(keptCheckpoint), publicKey);
  const name = ledger === 'audit' ? 'Audit' : 'Consent';
  const base = `/v1/ledgers/${ledger}`;
  let signed = 0;
  if (signFirst) {
    const operation = { id: `create${name}Checkpoint`, method: 'POST', path: `${base}/checkpoints` } as const;
    const { note } = await svc.request<{ readonly note: string }>(operation, call);
    signed = openCheckpoint(note, publicKey).size;
  }
  const operation = { id: `export${name}Ledger`, method: 'GET', path: `${base}/export`, answer: 'stream' } as const;
  // A whole export meets every earlier checkpoint on its way: it needs no proof of its own.
  const checkpoint = keptCheckpoint;
  const wanted = { publicKey, ledger, tenantId, from: null, to: null, checkpoint, onProgress, signal };
  const verified = await verifyExport(await svc.stream(operation, call), wanted);
  if (verified.checkpoint.size < signed)
    throw new LedgerVerificationError(
      'ledger_shrunk',
      `the export has ${verified.checkpoint.size} entries, the checkpoint just signed spoke of ${signed}`,
    );
  return { ...verified, publicKey };
}

async function fetchPublicKey(svc: Pick<Transport, 'stream'>, call: RequestOptions): Promise<string> {
  const path = '/.well-known/svc-ledger-key';
  const operation = { id: 'getLedgerKey', method: 'GET', path, credential: 'none', answer: 'stream' } as const;
  let text = '';
  // Leaving the loop early gives the rest of the answer up.
  for await (const chunk of await svc.stream(operation, call)) {
    text += Buffer.from(chunk).toString();
    if (text.length > longestKey) break;
  }
  return text.trim();
}

/** What is longer than this is no key; it is not read to its end. */
const longestKey = 1024;
