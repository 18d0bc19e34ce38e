import { z } from 'zod';
import { canonicalize, type Json } from './canonical.ts';
import { hashEntry, leafOf } from './chain.ts';
import { type Checkpoint, nameOrigin, openCheckpoint } from './checkpoint.ts';
import { timeKeys } from './entry-store.ts';
import { exportFormat, writeLine } from './export.ts';
import { Fault } from './export-lines.ts';
import { CompactTree, hashBytes, splitRange, verifyConsistency } from './merkle.ts';
import { type NoteVerifier, writeVerifierKey } from './signed-note.ts';

/** What an export showed. */
export interface ExportReport {
  /** How many entries were found good. */
  readonly entries: number;
  readonly checkpoint: { readonly origin: string; readonly size: number; readonly at: string } | null;
  /** What the file claims to hold all of: a file may show less than the ledger has, but not without saying so. */
  readonly range: ExportRange | null;
  /** Whether the checkpoint was shown to have grown out of the earlier one; null when none was given. */
  readonly isConsistent: boolean | null;
  /** How often the time of an entry is before that of its predecessor: the clock of the server was set back. */
  readonly clockFalls: number;
  readonly fault: ExportFault | null;
}

/** What an export holds. */
export interface ExportRange extends Pick<Header, 'first' | 'last' | 'from' | 'to' | 'newer'> {
  /** Up to when: the end of the range, or the time of the checkpoint where that is earlier. */
  readonly until: string;
}

/** The first thing that is wrong with an export. */
export interface ExportFault {
  /** The line of the file, from 1. */
  readonly line: number;
  readonly issue: string;
}

const Hash = z.string().refine((text) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === hashBytes && bytes.toString('base64') === text;
}, 'is no hash');
const UtcTime = z.iso.datetime({ precision: 3 });
const Count = z.int().min(0);

const Header = z.strictObject({
  format: z.literal(exportFormat),
  tenantId: z.string(),
  ledger: z.enum(['consent', 'audit']),
  from: UtcTime.nullable(),
  to: UtcTime.nullable(),
  first: z.int().min(1),
  last: Count,
  newer: Count,
  verifierKey: z.string(),
  checkpoint: z.string(),
  before: z.array(Hash),
  after: z.array(Hash),
  consistency: z.strictObject({ from: Count, hashes: z.array(Hash) }).nullable(),
});
type Header = z.output<typeof Header>;

const ChainHash = z.string().regex(/^[0-9a-f]{64}$/, 'is no hash');

const Line = z.strictObject({
  sequence: z.int().min(1),
  prevHash: ChainHash.nullable(),
  hash: ChainHash,
  // Taken as it is: a schema of the keys would lose one that is called __proto__.
  entry: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
});
type Line = z.output<typeof Line>;
type JsonObject = Readonly<Record<string, Json>>;

/**
 * Verifies an export with nothing but the key of who signed it.
 * @param lines of the file, without their line breaks.
 * @param earlier the note of a checkpoint that was kept: the export must have grown out of what it speaks of.
 * @param onProgress called now and then with the number of entries read so far.
 */
export async function verifyExport(
  lines: AsyncIterable<string> | Iterable<string>,
  verifier: NoteVerifier,
  earlier: string | null = null,
  onProgress: (entries: number) => void = () => undefined,
): Promise<ExportReport> {
  let line = 1;
  let check: ExportCheck | null = null;
  const report = (fault: ExportFault | null): ExportReport => ({
    entries: check?.entries ?? 0,
    checkpoint: check === null ? null : pickCheckpoint(check.checkpoint),
    range: check === null ? null : check.range,
    isConsistent: earlier === null ? null : fault === null,
    clockFalls: check?.clockFalls ?? 0,
    fault,
  });
  try {
    for await (const text of lines) {
      if (check === null) check = new ExportCheck(readHeader(text), verifier, earlier);
      else check.take(readLine(Line, text), text);
      if (line % progressLines === 0) onProgress(check.entries);
      line += 1;
    }
    if (check === null) throw new Fault('the file is empty');
    check.finish();
    return report(null);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return report({ line, issue: error.message });
  }
}

const progressLines = 5000;
/** How far the clocks of the servers of one installation may be apart: ten minutes, in milliseconds. */
const clockTolerance = 600_000;

/** The check of one export, line by line. */
class ExportCheck {
  readonly checkpoint: Checkpoint;
  readonly #header: Header;
  readonly #earlier: Checkpoint | null;
  readonly #tree = new CompactTree();
  clockFalls = 0;
  #last: Line | null = null;
  #lastTime = '';
  #meetsEarlier = false;

  constructor(header: Header, verifier: NoteVerifier, earlier: string | null) {
    this.#header = header;
    const origin = nameOrigin(verifier.name, header.tenantId, header.ledger);
    this.checkpoint = requireCheckpoint(header.checkpoint, verifier, origin, 'the checkpoint of the export');
    this.#earlier = earlier === null ? null : requireCheckpoint(earlier, verifier, origin, 'the earlier checkpoint');
    const { size } = this.checkpoint;
    if (header.verifierKey !== writeVerifierKey(verifier)) throw new Fault('the header names another key');
    // Of a ledger with entries an export has at least one: the neighbours of a range, where nothing lies in it.
    if (header.last > size || header.first > header.last + (size === 0 ? 1 : 0))
      throw new Fault('the header names entries that cannot be');
    if (this.#earlier !== null && this.#earlier.size > size)
      throw new Fault(`the export has ${size} entries, the earlier checkpoint spoke of ${this.#earlier.size}`);
    this.#addSubtrees(header.before, 0, header.first - 1);
    this.#compareEarlier();
  }

  /** How many entries were found good so far. */
  get entries(): number {
    return this.#last === null ? 0 : this.#last.sequence - this.#header.first + 1;
  }

  /** What the header names. */
  get range(): ExportRange {
    const { first, last, from, to, newer } = this.#header;
    const { at } = this.checkpoint;
    return { first, last, from, to, newer, until: to === null || at < to ? at : to };
  }

  take(line: Line, text: string): void {
    const { first, last, ledger, tenantId } = this.#header;
    const expected = (this.#last?.sequence ?? first - 1) + 1;
    if (expected > last) throw new Fault(`there are entries after number ${last}, the last one that the header names`);
    if (line.sequence !== expected) throw new Fault(`entry ${expected} is missing: here is number ${line.sequence}`);
    if (this.#last !== null && line.prevHash !== this.#last.hash)
      throw new Fault(`entry ${expected} names another predecessor`);
    if (expected === 1 && line.prevHash !== null) throw new Fault('the first entry names a predecessor');
    const entry = canonicalizeEntry(line.entry);
    if (hashEntry(line.prevHash, entry) !== line.hash) throw new Fault(`the hash of entry ${expected} does not fit it`);
    // A key that stands there twice reads differently to different programs.
    if (writeLine({ ...line, entry }) !== text) throw new Fault(`entry ${expected} is not written as the server does`);
    if (line.entry.tenantId !== tenantId) throw new Fault(`entry ${expected} belongs to another tenant`);
    const time = line.entry[timeKeys[ledger]];
    if (typeof time !== 'string') throw new Fault(`entry ${expected} has no time`);
    if (time < this.#lastTime) this.clockFalls += 1;
    this.#requirePlausible(expected, time);
    this.#requireEdges(expected, time);
    this.#tree.add(leafOf(line.hash));
    this.#last = line;
    this.#lastTime = time;
    this.#compareEarlier();
  }

  finish(): void {
    const { first, last, after, to } = this.#header;
    const { size, rootHash } = this.checkpoint;
    const reached = this.#last?.sequence ?? first - 1;
    if (reached < last)
      throw new Fault(`the file ends after entry ${reached}; the header names ${last} as the last one`);
    if (last < size && (to === null || this.#lastTime < to))
      throw new Fault(`entries are left out: nothing shows that entry ${last + 1} is later than the range`);
    this.#addSubtrees(after, last, size);
    if (!this.#tree.root().equals(rootHash)) throw new Fault('the entries are not those that the checkpoint speaks of');
    this.#compareEarlier();
    this.#requireConsistency();
  }

  /** What came after a checkpoint is not much older than it. */
  #requirePlausible(sequence: number, time: string): void {
    if (this.#earlier === null || sequence <= this.#earlier.size) return;
    if (Date.parse(time) + clockTolerance < Date.parse(this.#earlier.at))
      throw new Fault(
        `entry ${sequence} is of ${time}, but was not there when the earlier checkpoint was signed at ${this.#earlier.at}: one of the two times is wrong`,
      );
  }

  /** An entry before the range must come first, unless the first of all does. */
  #requireEdges(sequence: number, time: string): void {
    const { first, from } = this.#header;
    if (sequence === first && first > 1 && (from === null || time >= from))
      throw new Fault(`entries are left out: nothing shows that entry ${first - 1} is earlier than the range`);
  }

  #addSubtrees(hashes: readonly string[], start: number, end: number): void {
    const subtrees = splitRange({ start, end });
    if (subtrees.length !== hashes.length) throw new Fault('the header has too many or too few hashes');
    for (const [index, { level }] of subtrees.entries())
      this.#tree.add(Buffer.from(hashes[index] as string, 'base64'), level);
  }

  /** Where the file has all entries of the earlier checkpoint, its root shows whether they are the same. */
  #compareEarlier(): void {
    if (this.#earlier === null || this.#tree.size !== this.#earlier.size) return;
    if (!this.#tree.root().equals(this.#earlier.rootHash))
      throw new Fault(`the first ${this.#earlier.size} entries are not those that the earlier checkpoint spoke of`);
    this.#meetsEarlier = true;
  }

  #requireConsistency(): void {
    if (this.#earlier === null || this.#meetsEarlier) return;
    const { consistency } = this.#header;
    if (consistency?.from !== this.#earlier.size)
      throw new Fault(
        `nothing shows that the export grew out of the earlier checkpoint: export it with since=${this.#earlier.size}, or from the first entry on`,
      );
    const isConsistent = verifyConsistency({
      from: { size: this.#earlier.size, root: this.#earlier.rootHash },
      to: { size: this.checkpoint.size, root: this.checkpoint.rootHash },
      hashes: consistency.hashes.map((hash) => Buffer.from(hash, 'base64')),
    });
    if (!isConsistent) throw new Fault('the ledger did not grow out of the earlier checkpoint: its past was changed');
  }
}

function requireCheckpoint(note: string, verifier: NoteVerifier, origin: string, what: string): Checkpoint {
  const checkpoint = openCheckpoint(note, verifier);
  if (checkpoint === null) throw new Fault(`${what} is not signed with this key`);
  if (checkpoint.origin !== origin) throw new Fault(`${what} belongs to another ledger: ${checkpoint.origin}`);
  return checkpoint;
}

function pickCheckpoint({ origin, size, at }: Checkpoint) {
  return { origin, size, at };
}

function canonicalizeEntry(entry: JsonObject): string {
  try {
    return canonicalize(entry);
  } catch {
    throw new Fault('the entry has no canonical form');
  }
}

function readHeader(text: string): Header {
  const header = readLine(Header, text);
  if (JSON.stringify(header) !== text) throw new Fault('the header is not written as the server does');
  return header;
}

function readLine<Value>(schema: z.ZodType<Value>, text: string): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Fault('the line is no JSON');
  }
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Fault(`${issue?.path.join('.') || 'the line'}: ${issue?.message}`);
}
