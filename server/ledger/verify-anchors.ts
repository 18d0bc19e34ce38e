import { hash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { nameLedger } from './anchor-log.ts';
import { type AnchorRecord, LogReader, MalformedLog, readRecords } from './anchor-records.ts';
import { readCheckpoint } from './checkpoint.ts';
import { nameRestore, type RestoreStatement, readRestoreStatement, readStart } from './restore-statement.ts';
import { type NoteVerifier, openNote } from './signed-note.ts';
import type { LedgerOf } from './tree-store.ts';

/** What was said outside of the database about a ledger: so many entries, and this root over them. */
export interface RootClaim {
  readonly size: number;
  /** Base64. */
  readonly rootHash: string;
  /** RFC 3339, UTC. */
  readonly at: string;
  /** Where it stands, for people. */
  readonly place: string;
  /** The name (`nameNote`) of the checkpoint that the database must have; null where only the ledger must fit. */
  readonly note: string | null;
}

/** A record of the log that is not what a server wrote. */
export interface AnchorFault {
  readonly line: number;
  readonly issue: string;
}

/** A restore that was accepted, or the start of a log beside a database that had checkpoints already. */
export interface LogEvent {
  readonly kind: 'restore' | 'start';
  readonly line: number;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** What the log of anchors says, once each record was looked at. */
export interface ReadAnchors {
  readonly isThere: boolean;
  /** How many records it has. */
  readonly records: number;
  readonly faults: readonly AnchorFault[];
  /** What was said of the log itself, in order. */
  readonly events: readonly LogEvent[];
  /** By the name of the ledger (`nameLedger`): what came after the latest restore, and that itself. */
  readonly claims: ReadonlyMap<string, readonly RootClaim[]>;
}

/**
 * Reads the log of anchors.
 * @param verifier null where the key is not known: then nothing but the form of the records is looked at.
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
        faults.push({ line, issue: 'the restore statement was made for another place of the log: it was copied here' });
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

/** What counts from a restore on. */
function startAnew({ at, states }: RestoreStatement, place: string): Map<string, RootClaim[]> {
  return new Map(
    states.map((state) => [
      nameLedger(state),
      [{ size: state.size, rootHash: state.rootHash, at, place: `${place} (restore)`, note: null }],
    ]),
  );
}

/** Which notes a log has. Read it after the database: a server appends what it committed. */
export function readNoteNames(path: string): ReadonlySet<string> {
  const names = new Set<string>();
  scan(path, ({ bytes }) => names.add(nameNote(bytes)));
  return names;
}

/** A short name of a note: millions of them fit in memory. */
export function nameNote(note: string | Buffer): string {
  return hash('sha256', note, 'base64');
}

/**
 * @param refuse takes what keeps the rest of the file from being read.
 * @returns whether there is such a file.
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

/** The ledger that a name (`nameLedger`) stands for. */
export function readLedgerName(name: string): LedgerOf | null {
  const [, tenantId, ledger] = /^([^/]+)\/(consent|audit)$/.exec(name) ?? [];
  return tenantId === undefined ? null : { tenantId, ledger: ledger as LedgerOf['ledger'] };
}
