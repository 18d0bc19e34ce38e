import type { RequestOptions, Transport } from '../transport.ts';
import type { LedgerCrypto } from './bytes.ts';
import { readKey, readLedgerCheckpoint, readNote, tidyNote } from './checkpoint.ts';
import { fail } from './error.ts';
import { type VerifiedExport, type VerifyExportOptions, verifyExportBetween } from './export.ts';
import type { KeyOptions } from './keys.ts';
import type { AttestationOptions } from './log-proof.ts';

/** How to verify a ledger over the network. */
export interface VerifyLedgerOptions
  extends AttestationOptions,
    Pick<KeyOptions, 'rotations'>,
    Pick<VerifyExportOptions, 'onProgress'> {
  readonly ledger: 'audit' | 'consent';
  /** Id of the tenant to which the ledger must belong. */
  readonly tenantId?: string | undefined;
  /** The note that the previous verification returned, from your own storage. Without it, earlier entries are taken as they are. */
  readonly keptCheckpoint?: string | undefined;
  /**
   * Your own copy of the line at `/.well-known/svc-ledger-key`. Without it, the key is fetched, which proves nothing
   * against an attacker who controls the server: pass it wherever the verification must be reliable.
   */
  readonly publicKey?: string | undefined;
  /**
   * If true, the server signs a checkpoint first: everything up to now is verified, and it cannot return another
   * history. Default true. Otherwise the checkpoint is the latest on the server's schedule, and `newer` is the number
   * of entries since.
   */
  readonly signFirst?: boolean | undefined;
  /** Aborts the verification and its requests; `cause` of the AbortError is its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The result; store `note` as the checkpoint for the next verification, and `publicKey` as the key. */
export type VerifiedLedger = VerifiedExport;

/** `verifyLedger` of `LedgerVerifier`. */
export async function verifyLedger(
  crypto: LedgerCrypto,
  svc: Pick<Transport, 'request' | 'stream'>,
  options: VerifyLedgerOptions,
): Promise<VerifiedLedger> {
  const { ledger, tenantId, keptCheckpoint: checkpoint, signFirst = true, onProgress, signal } = options;
  const { rotations, witnesses, quorum, verifyTimestamp } = options;
  const call = { signal };
  const publicKey = options.publicKey ?? (await fetchPublicKey(svc, call));
  // Arguments are validated before anything is signed. A signature may need the rotations in the export.
  const key = readKey(crypto.sha256, publicKey);
  if (checkpoint !== undefined && readLedgerCheckpoint(readNote(tidyNote(checkpoint), key).text) === null)
    fail('checkpoint_not_signed', 'the earlier checkpoint is not a signed checkpoint');
  const name = ledger === 'audit' ? 'Audit' : 'Consent';
  const base = `/v1/ledgers/${ledger}`;
  let signedFirst: string | undefined;
  if (signFirst) {
    const operation = { id: `create${name}Checkpoint`, method: 'POST', path: `${base}/checkpoints` } as const;
    const { note } = await svc.request<{ readonly note: string }>(operation, call);
    signedFirst = note;
  }
  const operation = { id: `export${name}Ledger`, method: 'GET', path: `${base}/export` } as const;
  // A whole export contains every earlier checkpoint: it needs no separate proof.
  const range = { ledger, tenantId, from: null, to: null };
  const wanted = { ...range, publicKey, rotations, checkpoint, witnesses, quorum, verifyTimestamp, onProgress, signal };
  return verifyExportBetween(crypto, await svc.stream(operation, call), wanted, signedFirst);
}

async function fetchPublicKey(svc: Pick<Transport, 'request'>, call: RequestOptions): Promise<string> {
  const path = '/.well-known/svc-ledger-key';
  // A line of text, which the client would not parse as JSON.
  const operation = { id: 'getLedgerKey', method: 'GET', path, credential: 'none', answer: 'none' } as const;
  const response = await svc.request<void>(operation, call).asResponse();
  return (await response.text()).trim();
}
