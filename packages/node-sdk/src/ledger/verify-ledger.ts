import type { RequestOptions, Transport } from '../transport.ts';
import type { LedgerCrypto } from './bytes.ts';
import { openCheckpoint, readKey, tidyNote } from './checkpoint.ts';
import { type VerifiedExport, verifyExportBetween } from './export.ts';

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
   * the latest that it signed by itself, and `newer` is the number of entries since.
   */
  readonly signFirst?: boolean | undefined;
  readonly onProgress?: ((entries: number) => void) | undefined;
  /** Ends the verification; `cause` of the AbortError is its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What was verified; `note` is the checkpoint to keep for the next time, and `publicKey` the key to keep with it. */
export interface VerifiedLedger extends VerifiedExport {
  readonly publicKey: string;
}

/** `verifyLedger` of `LedgerVerifier`. */
export async function verifyLedger(
  crypto: LedgerCrypto,
  svc: Pick<Transport, 'request' | 'stream'>,
  options: VerifyLedgerOptions,
): Promise<VerifiedLedger> {
  const { ledger, keptCheckpoint, tenantId, signFirst = true, onProgress, signal } = options;
  const call = { signal };
  const publicKey = options.publicKey ?? (await fetchPublicKey(svc, call));
  // What was handed in is looked at before anything is asked for.
  if (keptCheckpoint === undefined) readKey(crypto.sha256, publicKey);
  else await openCheckpoint(crypto, tidyNote(keptCheckpoint), publicKey);
  const name = ledger === 'audit' ? 'Audit' : 'Consent';
  const base = `/v1/ledgers/${ledger}`;
  let signedFirst: string | undefined;
  if (signFirst) {
    const operation = { id: `create${name}Checkpoint`, method: 'POST', path: `${base}/checkpoints` } as const;
    const { note } = await svc.request<{ readonly note: string }>(operation, call);
    await openCheckpoint(crypto, note, publicKey);
    signedFirst = note;
  }
  const operation = { id: `export${name}Ledger`, method: 'GET', path: `${base}/export`, answer: 'stream' } as const;
  // A whole export meets every earlier checkpoint on its way: it needs no proof of its own.
  const checkpoint = keptCheckpoint;
  const wanted = { publicKey, ledger, tenantId, from: null, to: null, checkpoint, onProgress, signal };
  const verified = await verifyExportBetween(crypto, await svc.stream(operation, call), wanted, signedFirst);
  return { ...verified, publicKey };
}

async function fetchPublicKey(svc: Pick<Transport, 'request'>, call: RequestOptions): Promise<string> {
  const path = '/.well-known/svc-ledger-key';
  // It is a line of text, and no JSON that the client would read.
  const operation = { id: 'getLedgerKey', method: 'GET', path, credential: 'none', answer: 'none' } as const;
  const response = await svc.request<void>(operation, call).asResponse();
  return (await response.text()).trim();
}
