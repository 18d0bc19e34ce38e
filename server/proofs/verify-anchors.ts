import { type AnchorRecord, LogReader, nameNote, scanLog } from '../ledger/anchor-log.ts';
import {
  type Checkpoint,
  nameRestore,
  nameTree,
  openCheckpoint,
  readCheckpoint,
  readRestoreStatement,
  readStart,
} from '../ledger/checkpoint.ts';
import { type NoteVerifier, openOwnNote, openStatement, textOf } from '../ledger/signed-note.ts';

/** A statement from outside the database about a ledger: its number of entries, the root over them, and its time. */
export interface RootClaim extends Omit<Checkpoint, 'origin'> {
  /** Its source, to print. */
  readonly place: string;
  /** The name (`nameNote`) of the checkpoint that the database must have; null if only the ledger must match. */
  readonly note: string | null;
}

/** The content of the anchor log after all records were checked. */
export interface ReadAnchors {
  readonly isThere: boolean;
  /** How many records it has. */
  readonly records: number;
  /** Invalid records. */
  readonly faults: readonly { readonly line: number; readonly issue: string }[];
  /** Accepted restores, and the start of a log when the database already had checkpoints, in order. */
  readonly events: readonly {
    readonly kind: 'restore' | 'start';
    readonly line: number;
    readonly at: string;
  }[];
  /** By the name of the ledger (`nameTree`): the latest restore, and the checkpoints after it. */
  readonly claims: ReadonlyMap<string, readonly RootClaim[]>;
}

/**
 * Reads the log of anchors.
 * @param verifier null if the key is unknown: then only the format of the records is checked.
 */
export function readAnchors(path: string, verifier: NoteVerifier | null): ReadAnchors {
  const reader = new LogReader();
  const faults: ReadAnchors['faults'][number][] = [];
  const events: ReadAnchors['events'][number][] = [];
  const claims = new Map<string, RootClaim[]>();
  const claim = (name: string, one: RootClaim) => {
    const known = claims.get(name);
    if (known === undefined) claims.set(name, [one]);
    else known.push(one);
  };
  /** @returns the fault of the record; null if it has none. */
  const look = ({ line, bytes }: AnchorRecord): string | null => {
    const note = bytes.toString();
    const text = verifier === null ? textOf(note) : openOwnNote(note, verifier)?.text;
    if (text === undefined) return 'the record is not signed by this installation';
    const open = <Statement extends { readonly at: string }>(read: (text: string) => Statement | null) =>
      verifier === null ? read(text) : openStatement(note, verifier, read);
    const place = `checkpoints.log line ${line}`;
    const checkpoint = verifier === null ? readCheckpoint(text) : openCheckpoint(note, verifier);
    const statement = open(readRestoreStatement);
    const start = open(readStart);
    const origin = (checkpoint ?? statement ?? start)?.origin ?? '';
    const [keyName = '', ...rest] = origin.split('/');
    if (verifier !== null && keyName !== verifier.name) return 'the record belongs to another installation';
    if (checkpoint !== null) {
      const { size, at, rootHash } = checkpoint;
      claim(rest.join('/'), { size, at, rootHash, place, note: nameNote(note) });
    } else if (statement !== null && origin === nameRestore(keyName)) {
      if (!reader.isPlaceOf(statement))
        return 'the restore statement was made for another position in the log: it was copied here';
      const { at, states } = statement;
      claims.clear();
      for (const { size, rootHash, ...of } of states)
        claim(nameTree(of), { size, rootHash, at, place: `${place} (restore)`, note: null });
      events.push({ kind: 'restore', line, at });
    } else if (start !== null) events.push({ kind: 'start', line, at: start.at });
    else return 'the record is neither a checkpoint nor a statement, or its key was rotated before';
    return null;
  };
  const take = (record: AnchorRecord) => {
    const issue = look(record);
    if (issue !== null) faults.push({ line: record.line, issue });
  };
  const isThere = scanLog(path, reader, take, ({ line, message }) => faults.push({ line, issue: message }));
  return { isThere, records: reader.position.records, faults, events, claims };
}
