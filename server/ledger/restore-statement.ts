import { hashBytes } from './merkle.ts';
import type { LedgerOf } from './tree-store.ts';

/** What a ledger held at a moment. */
export interface AnchoredState extends LedgerOf {
  readonly size: number;
  /** Root of its Merkle tree, base64. */
  readonly rootHash: string;
}

/** How far a log goes. */
export interface LogPosition {
  readonly records: number;
  /** SHA-256 over its records, each with the empty line after it: base64. */
  readonly hash: string;
}

/** Somebody with the secret put a database in place: from then on the anchors before no longer count. */
export interface RestoreStatement {
  /** The name of the key, and `/restore`. */
  readonly origin: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** What stands before it in the log: it counts nowhere else. */
  readonly after: LogPosition;
  /** What each ledger held then. */
  readonly states: readonly AnchoredState[];
}

/** The name that restore statements have in place of that of a ledger. */
export function nameRestore(keyName: string): string {
  return `${keyName}/restore`;
}

/** The text of a statement: its origin, when, its place in the log, and a line for each ledger. */
export function writeRestoreStatement({ origin, at, after, states }: RestoreStatement): string {
  const lines = states.map(({ tenantId, ledger, size, rootHash }) => `${tenantId}/${ledger} ${size} ${rootHash}`);
  return `${[origin, `Restored: ${at}`, `After: ${after.records} ${after.hash}`, ...lines].join('\n')}\n`;
}

/**
 * Reads the text of a statement.
 * @returns null for what is none.
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

/** The text that stands first in a log which was started although the database had checkpoints already. */
export function writeStart(keyName: string, at: string): string {
  return `${keyName}/start\nStarted: ${at}\n`;
}

/**
 * Reads the text of `writeStart`.
 * @returns null for what is none.
 */
export function readStart(text: string): { readonly origin: string; readonly at: string } | null {
  const [, origin, at] = /^([^\s/]+\/start)\nStarted: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n$/.exec(text) ?? [];
  return origin === undefined || at === undefined ? null : { origin, at };
}
