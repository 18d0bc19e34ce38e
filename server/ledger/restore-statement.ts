import { hashBytes } from './merkle.ts';
import type { LedgerOf } from './tree-store.ts';

/** The state of a ledger at a moment. */
export interface AnchoredState extends LedgerOf {
  readonly size: number;
  /** Root of its Merkle tree, base64. */
  readonly rootHash: string;
}

/** A position in the log. */
export interface LogPosition {
  readonly records: number;
  /** SHA-256 over the records before it, each with the empty line after it: base64. */
  readonly hash: string;
}

/** States that an operator with the secret put a database in place; earlier anchors no longer count. */
export interface RestoreStatement {
  /** The name of the key, and `/restore`. */
  readonly origin: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Its position in the log: the statement is invalid at any other. */
  readonly after: LogPosition;
  /** The state of each ledger at that time. */
  readonly states: readonly AnchoredState[];
}

/** The name that restore statements have where checkpoints have the name of a ledger. */
export function nameRestore(keyName: string): string {
  return `${keyName}/restore`;
}

/** The text of a statement: its origin, time, position in the log, and a line for each ledger. */
export function writeRestoreStatement({ origin, at, after, states }: RestoreStatement): string {
  const lines = states.map(({ tenantId, ledger, size, rootHash }) => `${tenantId}/${ledger} ${size} ${rootHash}`);
  return `${[origin, `Restored: ${at}`, `After: ${after.records} ${after.hash}`, ...lines].join('\n')}\n`;
}

/**
 * Parses the text of a statement.
 * @returns null if it is not a restore statement.
 */
export function readRestoreStatement(text: string): RestoreStatement | null {
  const [origin = '', stamp = '', place = '', ...lines] = text.split('\n');
  const [, at] = /^Restored: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/.exec(stamp) ?? [];
  const [, records, hash] = /^After: (0|[1-9]\d{0,14}) ([A-Za-z0-9+/]{43}=)$/.exec(place) ?? [];
  if (records === undefined || hash === undefined) return null;
  if (!/^[^\s/]+\/restore$/.test(origin) || at === undefined || lines.pop() !== '') return null;
  const states: AnchoredState[] = [];
  for (const line of lines) {
    const [, tenantId, ledger, size, rootHash = ''] =
      /^([^\s/]+)\/(consent|audit) (0|[1-9]\d{0,14}) ([A-Za-z0-9+/=]+)$/.exec(line) ?? [];
    if (tenantId === undefined || ledger === undefined || Buffer.from(rootHash, 'base64').length !== hashBytes)
      return null;
    states.push({ tenantId, ledger: ledger as LedgerOf['ledger'], size: Number(size), rootHash });
  }
  return { origin, at, after: { records: Number(records), hash }, states };
}

/** The text of the first record of a log that was started when the database already had checkpoints. */
export function writeStart(keyName: string, at: string): string {
  return `${keyName}/start\nStarted: ${at}\n`;
}

/**
 * Parses the text of `writeStart`.
 * @returns null if it is not a start record.
 */
export function readStart(text: string): { readonly origin: string; readonly at: string } | null {
  const [, origin, at] = /^([^\s/]+\/start)\nStarted: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/.exec(text) ?? [];
  return origin === undefined || at === undefined ? null : { origin, at };
}
