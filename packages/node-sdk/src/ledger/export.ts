import { AbortError, noCall } from '../errors.ts';
import { fromHex, isEqual, type LedgerCrypto, type Sha256, toHex } from './bytes.ts';
import { clockTolerance, type OpenedCheckpoint, readKey, tidyNote, writeKey } from './checkpoint.ts';
import { fail, type LedgerFault, LedgerVerificationError } from './error.ts';
import {
  type Chunks,
  type Header,
  type Line,
  readHeader,
  readLine,
  readLines,
  readShownLine,
  shownMark,
  writeLine,
} from './export-format.ts';
import { includesKey, type KeyOptions, type Keys, openKeys, openSigned } from './keys.ts';
import { type AttestationOptions, openLogProof, type VerifiedLogProof, verifyAttestations } from './log-proof.ts';
import { GrowingTree, hashLeaf, isGrown, readHashes, splitRange } from './merkle.ts';
import { verifyOpenings } from './openings.ts';
import { openShown, readShownHash, readWords, requireShown, type ShownNotice, type ShownWords } from './shown.ts';

/** Options of the verification of an export. */
export interface VerifyExportOptions extends AttestationOptions, KeyOptions {
  /** The note of a checkpoint that you kept: the export must have grown out of what it covers. */
  readonly checkpoint?: string | undefined;
  /** The expected tenant, ledger and range of time. `undefined` is not compared; `null` means no limit. */
  readonly tenantId?: string | undefined;
  readonly ledger?: 'audit' | 'consent' | undefined;
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
  /** The id of a record of the consent ledger to return, with the words that the visitor saw. */
  readonly recordId?: string | undefined;
  /** Stops the verification; `cause` of the AbortError is its reason. A source that hangs must be given the signal too. */
  readonly signal?: AbortSignal | undefined;
  /** Called now and then, with the number of entries that were found good so far. */
  readonly onProgress?: ((entries: number) => void) | undefined;
}

/** Result of the verification of an export. */
export interface VerifiedExport {
  /** How many entries were found good. */
  readonly entries: number;
  /** The numbers of the first and of the last of them. */
  readonly first: number;
  readonly last: number;
  /** The range of time that the export holds all of, with its two neighbors. */
  readonly from: string | null;
  readonly to: string | null;
  /** Up to when it does: the end of the range, or the time of the checkpoint where that is earlier. */
  readonly until: string;
  /** How many entries the ledger is said to have after the checkpoint. Reported by the server, not proven. */
  readonly newer: number;
  readonly checkpoint: OpenedCheckpoint;
  /** The signed note: keep it, and pass it the next time. */
  readonly note: string;
  /** The key that signs now, as far as the rotations say. If it is not your copy, replace your copy with it. */
  readonly publicKey: string;
  /**
   * True if a checkpoint was given and the export extends it. False on a first run, without one: the whole ledger could
   * then have been rewritten before.
   */
  readonly isConsistent: boolean;
  /**
   * How often the time of an entry is before that of its predecessor: the clock of the server was set back. The order
   * is that of the numbers; what a range of time leaves out is then not shown.
   */
  readonly clockFalls: number;
  /** How many entries come without the values that identify a person: erased, or left out of the file. */
  readonly closed: number;
  /** How many entries have the hash of what a visitor was shown: that text is in the file. */
  readonly shown: number;
  /** The entry that `recordId` names, with the words that the visitor saw if it has their hash; null if it is not there. */
  readonly record: { readonly entry: Readonly<Record<string, unknown>>; readonly words: ShownWords | null } | null;
  /**
   * How far the log of the installation covers the export, and who attested the log; null if the log had no checkpoint
   * of the ledger yet. Newer entries than `log.size` are covered by `checkpoint` only.
   */
  readonly log: VerifiedLogProof | null;
}

/**
 * Verifies an export that was fetched after a checkpoint was signed.
 * @param signedFirst the note of that checkpoint: the export must have grown out of it as well, or the server signs one
 *   history and hands out another.
 */
export async function verifyExportBetween(
  crypto: LedgerCrypto,
  chunks: Chunks,
  options: VerifyExportOptions,
  signedFirst: string | undefined,
): Promise<VerifiedExport> {
  readKey(crypto.sha256, options.publicKey);
  const { signal, onProgress } = options;
  let line = 1;
  try {
    signal?.throwIfAborted();
    let check: ExportCheck | null = null;
    let lacking: LedgerVerificationError | null = null;
    for await (const text of readLines(chunks, signal)) {
      if (check === null) {
        const opened = await openHeader(crypto, readHeader(text), options, signedFirst);
        lacking = opened.lacking;
        check = new ExportCheck(crypto.sha256, opened, options);
      } else if (text.startsWith(shownMark)) check.takeShown(readShownLine(text));
      else check.take(readLine(text), text);
      if (line % linesBetweenProgress === 0) onProgress?.(check.entries);
      line += 1;
    }
    if (check === null) fail('line_malformed', 'the file is empty');
    const verified = check.finish();
    // After all lines, so that it hides no change; the attestations are in the first one.
    line = 1;
    if (lacking !== null) throw lacking;
    onProgress?.(verified.entries);
    return verified;
  } catch (error) {
    if (LedgerVerificationError.isInstance(error))
      throw new LedgerVerificationError(error.code, error.message, { line, sequence: error.sequence });
    // A source that has the signal too fails with its own error.
    if (signal?.aborted && !AbortError.isInstance(error)) throw new AbortError(noCall, signal.reason);
    throw error;
  }
}

const linesBetweenProgress = 5000;
/** The key of the time at which an entry was appended. */
const timeKeys = { consent: 'recordedAt', audit: 'at' } as const;

/** An earlier checkpoint, and whether the entries were found to be those that it covers. */
interface Kept {
  readonly checkpoint: OpenedCheckpoint;
  readonly what: string;
  /** The proof that the export extends it, where it is not that of the header. */
  readonly hashes?: readonly string[];
  /** True if later entries must not be older than the checkpoint. */
  readonly isDated: boolean;
  isMet: boolean;
}

/** A header with its checkpoints, which are signed and belong to its ledger. */
interface Opened {
  readonly header: Header;
  readonly keys: Keys;
  readonly checkpoint: OpenedCheckpoint;
  readonly kept: readonly Kept[];
  readonly log: VerifiedLogProof | null;
  /** The error for an attestation that the caller requires and the log lacks. */
  readonly lacking: LedgerVerificationError | null;
}

async function openHeader(
  crypto: LedgerCrypto,
  header: Header,
  options: VerifyExportOptions,
  signedFirst: string | undefined,
): Promise<Opened> {
  const keys = await openKeys(crypto, options.publicKey, options.rotations, header.rotations);
  const origin = `${keys.current.name}/${header.tenantId}/${header.ledger}`;
  const what = 'the checkpoint of the export';
  const checkpoint = await requireCheckpoint(crypto, header.checkpoint, keys, origin, what);
  const kept: Kept[] = [];
  for (const [name, note] of [
    ['the earlier checkpoint', options.checkpoint],
    ['the checkpoint just signed', signedFirst],
  ] as const) {
    if (note === undefined) continue;
    const opened = await requireCheckpoint(crypto, tidyNote(note), keys, origin, name);
    kept.push({ checkpoint: opened, what: name, isDated: true, isMet: false });
  }
  const proof = header.log && (await openLogProof(crypto, header.log, keys));
  const { attestations, lacking } = await verifyAttestations(crypto, proof?.attested ?? null, options);
  if (proof === null) return { header, keys, checkpoint, kept, log: null, lacking };
  const logged = proof.checkpoint;
  const name = 'the checkpoint in the log';
  if (logged.origin !== origin) fail('checkpoint_foreign', `${name} belongs to another ledger: ${logged.origin}`);
  // Without an attestation, its time is only that of the server, whose clock may have been set back since.
  const isDated = attestations.timestampedAt !== null || attestations.cosignatures.length > 0;
  kept.push({ checkpoint: logged, what: name, hashes: header.log?.consistency ?? [], isDated, isMet: false });
  const { size, at } = logged;
  const log = { size, at, log: { size: proof.log.size, at: proof.log.at }, ...attestations };
  return { header, keys, checkpoint, kept, log, lacking };
}

class ExportCheck {
  readonly #sha256: Sha256;
  readonly #opened: Opened;
  readonly #options: VerifyExportOptions;
  readonly #tree: GrowingTree<Uint8Array>;
  #previous: Line | null = null;
  #time = '';
  #clockFalls = 0;
  #closed = 0;
  #shown = 0;
  /** The texts so far, by their hashes, and the one that the next entry must name. */
  readonly #texts = new Map<string, ShownNotice>();
  #nextShown: string | null = null;
  #record: VerifiedExport['record'] = null;

  constructor(sha256: Sha256, opened: Opened, options: VerifyExportOptions) {
    const { header, keys, checkpoint, kept } = opened;
    const { first, last } = header;
    const { size } = checkpoint;
    this.#sha256 = sha256;
    this.#opened = opened;
    this.#options = options;
    this.#tree = new GrowingTree(sha256);
    if (!includesKey(keys, header.verifierKey)) fail('header_invalid', 'the header names another key');
    if (!header.rotations.every((note) => keys.rotations.has(note)))
      fail('header_invalid', 'the header has a rotation that is not of this key');
    // Of a ledger with entries an export has at least one: the neighbors of an empty range.
    if (last > size || first > last + (size === 0 ? 1 : 0))
      fail('header_invalid', 'the header names entries that cannot be');
    for (const { checkpoint: earlier, what } of kept)
      if (earlier.size > size)
        fail('ledger_shrunk', `the export has ${size} entries, ${what} spoke of ${earlier.size}`);
    for (const name of ['tenantId', 'ledger', 'from', 'to'] as const)
      if (options[name] !== undefined && options[name] !== header[name])
        fail('export_foreign', `the file is about ${name} ${header[name]}, not ${options[name]}`);
    this.#addSubtrees(header.before, 0, first - 1);
    this.#compareKept();
  }

  get entries(): number {
    return this.#previous === null ? 0 : this.#previous.sequence - this.#opened.header.first + 1;
  }

  /** A text comes once, just before the first entry that names it. */
  takeShown(text: string): void {
    const notice = openShown(this.#sha256, text);
    const { hash } = notice;
    const sequence = (this.#previous?.sequence ?? this.#opened.header.first - 1) + 1;
    if (this.#nextShown !== null || this.#texts.has(hash))
      fail('entry_unexpected', `the text before entry ${sequence} is not the one that it names`, sequence);
    this.#nextShown = hash;
    this.#texts.set(hash, notice);
  }

  take(line: Line, text: string): void {
    const { first, last, ledger, tenantId } = this.#opened.header;
    const sequence = (this.#previous?.sequence ?? first - 1) + 1;
    const refuse = (code: LedgerFault, message: string) => fail(code, message, sequence);
    if (sequence > last)
      refuse('entry_unexpected', `there are entries after number ${last}, the last one that the header names`);
    if (line.sequence !== sequence)
      refuse('entry_missing', `entry ${sequence} is missing: here is number ${line.sequence}`);
    if (this.#previous !== null && line.prevHash !== this.#previous.hash)
      refuse('chain_broken', `entry ${sequence} names another predecessor`);
    if (sequence === 1 && line.prevHash !== null) refuse('chain_broken', 'the first entry names a predecessor');
    if (toHex(this.#sha256((line.prevHash ?? '') + line.canonical)) !== line.hash)
      refuse('hash_mismatch', `the hash of entry ${sequence} does not fit it`);
    // A key that occurs twice reads differently to different programs.
    if (writeLine(line) !== text) refuse('entry_malformed', `entry ${sequence} is not written as the server does`);
    if (line.entry.tenantId !== tenantId) refuse('entry_foreign', `entry ${sequence} belongs to another tenant`);
    if (verifyOpenings(this.#sha256, ledger, line)) this.#closed += 1;
    if (ledger === 'consent') this.#compareShown(line);
    const time = line.entry[timeKeys[ledger]];
    if (typeof time !== 'string') fail('entry_malformed', `entry ${sequence} has no time`, sequence);
    if (time < this.#time) this.#clockFalls += 1;
    this.#requirePlausible(sequence, time);
    this.#requireEdge(sequence, time);
    this.#tree.add(hashLeaf(this.#sha256, fromHex(line.hash)));
    this.#previous = line;
    this.#time = time;
    this.#compareKept();
  }

  finish(): VerifiedExport {
    const { first, last, from, to, after, newer, checkpoint: note } = this.#opened.header;
    const { keys, checkpoint, log } = this.#opened;
    const { size, rootHash, at } = checkpoint;
    const reached = this.#previous?.sequence ?? first - 1;
    if (reached < last)
      fail('entry_missing', `the file ends after entry ${reached}; the header names ${last} as the last one`);
    if (last < size && (to === null || this.#time < to))
      fail('entries_left_out', `entries are left out: nothing shows that entry ${last + 1} is later than the range`);
    if (this.#nextShown !== null) fail('entry_unexpected', 'the file ends with a text that no entry names');
    this.#addSubtrees(after, last, size);
    if (!isEqual(this.#tree.root(), rootHash))
      fail('root_mismatch', 'the entries are not those that the checkpoint speaks of');
    this.#compareKept();
    this.#requireConsistency();
    const until = to === null || at < to ? at : to;
    const range = { entries: this.entries, first, last, from, to, until, newer };
    const found = { clockFalls: this.#clockFalls, closed: this.#closed, shown: this.#shown, record: this.#record };
    const signed = { checkpoint, note, publicKey: writeKey(keys.current) };
    return { ...range, ...signed, isConsistent: this.#options.checkpoint !== undefined, ...found, log };
  }

  /** The text that a record names is in the file, and is about the same notice, version and language. */
  #compareShown({ sequence, entry }: Line): void {
    const hash = readShownHash(entry);
    if (this.#nextShown !== null && this.#nextShown !== hash)
      fail('entry_unexpected', `the text before entry ${sequence} is not the one that it names`, sequence);
    this.#nextShown = null;
    const notice = this.#texts.get(hash ?? '');
    if (notice !== undefined) requireShown(entry, notice, sequence);
    else if (hash !== null)
      fail('shown_missing', `the text that record ${sequence} says was shown is not in the file`, sequence);
    if (hash !== null) this.#shown += 1;
    if (this.#options.recordId !== undefined && entry.id === this.#options.recordId)
      this.#record = { entry, words: notice === undefined ? null : readWords(entry, notice) };
  }

  /** Rejects an entry that comes after a checkpoint and is older than it by more than the tolerance. */
  #requirePlausible(sequence: number, time: string): void {
    for (const { checkpoint, what, isDated } of this.#opened.kept) {
      if (!isDated || sequence <= checkpoint.size || Date.parse(time) + clockTolerance >= Date.parse(checkpoint.at))
        continue;
      const issue = `was not there when ${what} was signed at ${checkpoint.at}: one of the two times is wrong`;
      fail('time_implausible', `entry ${sequence} is of ${time}, but ${issue}`, sequence);
    }
  }

  /** An entry before the range must come first, unless the first of all does. */
  #requireEdge(sequence: number, time: string): void {
    const { first, from } = this.#opened.header;
    if (sequence !== first || first === 1 || (from !== null && time < from)) return;
    fail('entries_left_out', `entries are left out: nothing shows that entry ${first - 1} is earlier than the range`);
  }

  #addSubtrees(texts: readonly string[], start: number, end: number): void {
    const subtrees = splitRange({ start, end });
    const hashes = readHashes(texts);
    if (hashes?.length !== subtrees.length) fail('header_invalid', 'the header has too many or too few hashes');
    for (const [index, hash] of hashes.entries()) this.#tree.add(hash, subtrees[index]?.level);
  }

  /** Where the file has all entries of the kept checkpoint, its root shows whether they are the same. */
  #compareKept(): void {
    for (const kept of this.#opened.kept) {
      const { size, rootHash } = kept.checkpoint;
      if (this.#tree.size !== size) continue;
      if (!isEqual(this.#tree.root(), rootHash))
        fail('history_rewritten', `the first ${size} entries are not those that ${kept.what} spoke of`);
      kept.isMet = true;
    }
  }

  #requireConsistency(): void {
    const { consistency } = this.#opened.header;
    for (const { checkpoint, what, hashes, isMet } of this.#opened.kept) {
      if (isMet) continue;
      if (hashes === undefined && consistency?.from !== checkpoint.size) {
        const hint = `export it with since=${checkpoint.size}, or from the first entry on`;
        fail('consistency_missing', `nothing shows that the export grew out of ${what}: ${hint}`);
      }
      const proof = readHashes(hashes ?? consistency?.hashes ?? []) ?? [];
      if (!isGrown(this.#sha256, checkpoint, this.#opened.checkpoint, proof))
        fail('history_rewritten', `the ledger did not grow out of ${what}: its past was changed`);
    }
  }
}

async function requireCheckpoint(
  crypto: LedgerCrypto,
  note: string,
  keys: Keys,
  origin: string,
  what: string,
): Promise<OpenedCheckpoint> {
  const { checkpoint } = await openSigned(crypto, note, keys, what);
  if (checkpoint.origin !== origin)
    fail('checkpoint_foreign', `${what} belongs to another ledger: ${checkpoint.origin}`);
  return checkpoint;
}
