import { ConfigurationError } from '../errors.ts';
import { splitLines } from '../split-lines.ts';
import { readDigest } from './bytes.ts';
import { canonicalizeIfValid } from './canonical.ts';
import { isTime } from './checkpoint.ts';
import { fail, LedgerVerificationError } from './error.ts';
import type { LogProof } from './log-proof.ts';
import { readHash } from './merkle.ts';
import type { Opening } from './openings.ts';

/** The source of an export: bytes or text, whole or in chunks of any size, as files, sockets and responses provide them. */
export type Chunks = Uint8Array | string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/**
 * Splits an export into lines.
 * @throws {LedgerVerificationError} `line_malformed` for invalid UTF-8, and for an overlong line.
 * @throws {ConfigurationError} for a source that is neither bytes nor text.
 */
export function readLines(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<string, void> {
  return splitLines(toBytes(chunks, signal), malformed);
}

async function* toBytes(chunks: Chunks, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  let half = '';
  for await (const chunk of readPieces(chunks)) {
    signal?.throwIfAborted();
    if (chunk instanceof Uint8Array) yield chunk;
    else if (typeof chunk !== 'string') throw new ConfigurationError('The export must come as bytes or text.');
    else {
      // A chunk of text may end in the middle of a surrogate pair.
      const text = half + chunk;
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      const whole = half === '' ? text : text.slice(0, -1);
      if (!whole.isWellFormed()) throw malformed('The line is not UTF-8.');
      yield new TextEncoder().encode(whole);
    }
  }
  if (half !== '') throw malformed('The line is not UTF-8.');
}

/** A whole export is one chunk: iterating over it would give single numbers or characters. */
function readPieces(chunks: Chunks): AsyncIterable<unknown> | Iterable<unknown> {
  if (chunks instanceof Uint8Array || typeof chunks === 'string') return [chunks];
  const isIterable =
    typeof chunks === 'object' && chunks !== null && (Symbol.asyncIterator in chunks || Symbol.iterator in chunks);
  if (!isIterable) throw new ConfigurationError('The export must be bytes, text, or an iterable of them: a stream.');
  return chunks;
}

/** The format name in the first line of every export. */
export const exportFormat = 'svc-ledger-export/1';

/** The first line of an export: describes the lines after it and links them to the signed checkpoint. */
export interface Header {
  readonly format: typeof exportFormat;
  readonly tenantId: string;
  readonly ledger: 'audit' | 'consent';
  /** Entries at this time or later; null for all from the first. */
  readonly from: string | null;
  /** Entries before this time; null for all up to the checkpoint. */
  readonly to: string | null;
  /** The number of the first entry in the file; `last` is one less where there is none. */
  readonly first: number;
  readonly last: number;
  /** How many entries are newer than the checkpoint, and therefore not in the file. */
  readonly newer: number;
  /** The key of the server when it wrote the file. */
  readonly verifierKey: string;
  /** The rotations of the key (signed notes): those of the ledger, and of the log of the installation. */
  readonly rotations: readonly string[];
  /** The signed note. */
  readonly checkpoint: string;
  /** Base64 hashes of the largest complete subtrees left of `first` and right of `last`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The proof that the checkpoint extends an earlier size. */
  readonly consistency: { readonly from: number; readonly hashes: readonly string[] } | null;
  /** The proof that the log of the installation contains a checkpoint of the ledger; null if it contains none yet. */
  readonly log: LogProof | null;
}

/** A line of an entry. */
export interface Line {
  readonly sequence: number;
  readonly prevHash: string | null;
  readonly hash: string;
  readonly entry: Readonly<Record<string, unknown>>;
  /** The openings of the entry's commitments, as far as they are in the file. */
  readonly openings: readonly Opening[];
  /** The text that was hashed. */
  readonly canonical: string;
}

type Unread = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isHashes = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => readHash(text) !== null);
const isChainHash = (value: unknown): value is string => readDigest(value) !== null;
const isNullOr = (isValue: (value: unknown) => boolean) => (value: unknown) => value === null || isValue(value);
const isConsistency = (value: unknown): boolean => isObject(value) && isCount(value.from) && isHashes(value.hashes);

/** The keys of a proof, in the order in which the server writes them. */
const logRules = {
  checkpoint: isText,
  consistency: isHashes,
  index: isCount,
  hashes: isHashes,
  note: isText,
  timestamp: isNullOr(isText),
} satisfies Record<keyof LogProof, unknown>;

const isLog = (value: unknown): boolean =>
  isObject(value) && Object.entries(logRules).every(([name, isValid]) => isValid(value[name]));

/** The keys of a header, in the order in which the server writes them. */
const headerRules = {
  format: (value: unknown) => value === exportFormat,
  tenantId: isText,
  ledger: (value: unknown) => value === 'audit' || value === 'consent',
  from: isNullOr(isTime),
  to: isNullOr(isTime),
  first: (value: unknown) => isCount(value) && value > 0,
  last: isCount,
  newer: isCount,
  verifierKey: isText,
  rotations: (value: unknown) => Array.isArray(value) && value.every(isText),
  checkpoint: isText,
  before: isHashes,
  after: isHashes,
  consistency: isNullOr(isConsistency),
  log: isNullOr(isLog),
};

/** @throws {LedgerVerificationError} `line_malformed`, `header_invalid`. */
export function readHeader(text: string): Header {
  const value = readObject(text);
  const names = Object.keys(headerRules) as (keyof typeof headerRules)[];
  for (const name of names)
    if (!headerRules[name](value[name])) throw malformed(`the header has no ${name} as the server writes it`);
  const header = Object.fromEntries(names.map((name) => [name, value[name]]));
  const { consistency, log } = header as unknown as Header;
  // Serialised again, so that duplicate or extra keys show.
  const rewritten = {
    ...header,
    consistency: consistency && { from: consistency.from, hashes: consistency.hashes },
    log: log && Object.fromEntries(Object.keys(logRules).map((name) => [name, log[name as keyof LogProof]])),
  };
  if (JSON.stringify(rewritten) !== text) fail('header_invalid', 'the header is not written as the server does');
  return header as unknown as Header;
}

/** @throws {LedgerVerificationError} `line_malformed`. */
export function readLine(text: string): Line {
  const { sequence, prevHash, hash, entry, openings } = readObject(text);
  if (!isCount(sequence) || sequence === 0) throw malformed('the line has no sequence');
  if (!isNullOr(isChainHash)(prevHash) || !isChainHash(hash)) throw malformed('the line lacks a hash');
  if (!isObject(entry)) throw malformed('the line has no entry');
  if (!Array.isArray(openings) || !openings.every(isOpening)) throw malformed('the line has no openings');
  const canonical = canonicalizeIfValid(entry);
  if (canonical === null) throw malformed('the entry has no canonical form');
  return { sequence, prevHash: prevHash as string | null, hash, entry, openings, canonical };
}

/** The start of a line with a text that the next entry names: what the visitor was shown. */
export const shownMark = '{"shown":';

/** @returns the text. @throws {LedgerVerificationError} `line_malformed`. */
export function readShownLine(line: string): string {
  const { shown } = readObject(line);
  if (!isText(shown) || writeShownLine(shown) !== line) throw malformed('the line is not written as the server does');
  return shown;
}

/** A line with a text as the server writes it. */
export function writeShownLine(shown: string): string {
  return JSON.stringify({ shown });
}

function isOpening(value: unknown): value is Opening {
  return isObject(value) && isText(value.path) && isText(value.salt) && isText(value.value);
}

/** A line as the server writes it. */
export function writeLine({ sequence, prevHash, hash, canonical, openings }: Omit<Line, 'entry'>): string {
  const opened = openings.map(({ path, salt, value }) => JSON.stringify({ path, salt, value }));
  return `{"sequence":${sequence},"prevHash":${JSON.stringify(prevHash)},"hash":"${hash}","entry":${canonical},"openings":[${opened}]}`;
}

function readObject(text: string): Unread {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('the line is no JSON');
  }
  if (!isObject(value)) throw malformed('the line is no object');
  return value;
}

/** True for a JSON object, so neither null nor an array. */
export function isObject(value: unknown): value is Unread {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(message: string): LedgerVerificationError {
  return new LedgerVerificationError('line_malformed', message);
}
