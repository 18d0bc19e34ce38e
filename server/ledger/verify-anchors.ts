import { hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { nameLedger } from './anchor-log.ts';
import { type AnchorRecord, LogReader, MalformedLog, readRecords } from './anchor-records.ts';
import { readCheckpoint } from './checkpoint.ts';
import { nameRestore, type RestoreStatement, readRestoreStatement, readStart } from './restore-statement.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';
import type { LedgerOf } from './tree-store.ts';

/** A statement from outside the database about a ledger: its number of entries and the root over them. */
export interface RootClaim {
  readonly size: number;
  /** Base64. */
  readonly rootHash: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Its source, to print. */
  readonly place: string;
  /** The name (`nameNote`) of the checkpoint that the database must have; null if only the ledger must match. */
  readonly note: string | null;
}

/** An invalid record of the log. */
export interface AnchorFault {
  readonly line: number;
  readonly issue: string;
}

/** An accepted restore, or the start of a log when the database already had checkpoints. */
export interface LogEvent {
  readonly kind: 'restore' | 'start';
  readonly line: number;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** The content of the anchor log after all records were checked. */
export interface ReadAnchors {
  readonly isThere: boolean;
  /** How many records it has. */
  readonly records: number;
  readonly faults: readonly AnchorFault[];
  /** Statements about the log itself, in order. */
  readonly events: readonly LogEvent[];
  /** By the name of the ledger (`nameLedger`): the latest restore, and the checkpoints after it. */
  readonly claims: ReadonlyMap<string, readonly RootClaim[]>;
}

/**
 * Reads the log of anchors.
 * @param verifier null if the key is unknown: then only the format of the records is checked.
 */
export function readAnchors(path: string, verifier: NoteVerifier | null): ReadAnchors {
  let records = 0;
  const reader = new LogReader();
  const faults: AnchorFault[] = [];
  const events: LogEvent[] = [];
  let claims = new Map<string, RootClaim[]>();
  const claim = (name: string, one: RootClaim) => {
    const known = claims.get(name);
    if (known === undefined) claims.set(name, [one]);
    else known.push(one);
  };
  const look = ({ line, bytes }: AnchorRecord) => {
    const note = bytes.toString();
    const text = verifier === null ? note.slice(0, note.lastIndexOf('\n\n') + 1) : openNote(note, verifier);
    if (text === null) {
      faults.push({ line, issue: 'the record is not signed by this installation' });
      return;
    }
    const place = `checkpoints.log line ${line}`;
    const checkpoint = readCheckpoint(text);
    const statement = readRestoreStatement(text);
    const start = readStart(text);
    const origin = (checkpoint ?? statement ?? start)?.origin ?? '';
    const [keyName = '', ...rest] = origin.split('/');
    if (verifier !== null && keyName !== verifier.name) {
      faults.push({ line, issue: 'the record belongs to another installation' });
    } else if (checkpoint !== null) {
      const { size, at, rootHash } = checkpoint;
      claim(rest.join('/'), { size, at, rootHash: rootHash.toString('base64'), place, note: nameNote(note) });
    } else if (statement !== null && origin === nameRestore(keyName)) {
      if (reader.isPlaceOf(statement)) {
        claims = startAnew(statement, place);
        events.push({ kind: 'restore', line, at: statement.at });
      } else
        faults.push({
          line,
          issue: 'the restore statement was made for another position in the log: it was copied here',
        });
    } else if (start !== null) events.push({ kind: 'start', line, at: start.at });
    else faults.push({ line, issue: 'the record is neither a checkpoint nor a statement' });
  };
  const take = (record: AnchorRecord) => {
    look(record);
    records += 1;
    reader.take(record);
  };
  const isThere = scan(path, take, ({ line, message }) => faults.push({ line, issue: message }));
  return { isThere, records, faults, events, claims };
}

/** The claims that count after a restore. */
function startAnew({ at, states }: RestoreStatement, place: string): Map<string, RootClaim[]> {
  return new Map(
    states.map((state) => [
      nameLedger(state),
      [{ size: state.size, rootHash: state.rootHash, at, place: `${place} (restore)`, note: null }],
    ]),
  );
}

/** The names of the notes in a log. Call it after reading the database: a server appends after its commit. */
export function readNoteNames(path: string): ReadonlySet<string> {
  const names = new Set<string>();
  scan(path, ({ bytes }) => names.add(nameNote(bytes)));
  return names;
}

/** A short name of a note, so that millions of them fit in memory. */
export function nameNote(note: string | Buffer): string {
  return hash('sha256', note, 'base64');
}

/**
 * @param refuse is called with the reason why the rest of the file cannot be read.
 * @returns whether the file exists.
 */
function scan(
  path: string,
  take: (record: AnchorRecord) => void,
  refuse: (error: MalformedLog) => void = () => undefined,
): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).isFile()) for (const record of readRecords(file)) take(record);
  } catch (error) {
    if (!(error instanceof MalformedLog)) throw error;
    refuse(error);
  } finally {
    closeSync(file);
  }
  return true;
}

/** The ledger of a name (`nameLedger`). */
export function readLedgerName(name: string): LedgerOf | null {
  const [, tenantId, ledger] = /^([^/]+)\/(consent|audit)$/.exec(name) ?? [];
  return tenantId === undefined ? null : { tenantId, ledger: ledger as LedgerOf['ledger'] };
}
