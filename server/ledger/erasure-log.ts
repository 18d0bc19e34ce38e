import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { appendToLog, flushToDisk, useLogFile } from '../storage/log-file.ts';
import type { RowSeal } from '../storage/secrets.ts';

// The log of erasures: one line each, `<HMAC> <tenant id> <number> <JSON>`, or `<HMAC> restored <JSON>` for a restore.

/** The file of the data folder that keeps outside the database what was erased, so that a restore erases it again. */
export const erasureFile = 'erasures.log';

/** An entry of a ledger: its number, and the first 32 characters of its hash, which another history does not have. */
export type EntryName = readonly [sequence: number, hash: string];

/** Names an entry. */
export function nameEntry({ sequence, hash }: { readonly sequence: number; readonly hash: string }): EntryName {
  return [sequence, hash.slice(0, 32)];
}

/** An erasure: the places of the erased values, never a value. */
export type Erased =
  /** Everything of the data subject of these consent records, and what is about these data-subject requests of theirs. */
  | { readonly kind: 'subject'; readonly records: readonly EntryName[]; readonly requests: readonly string[] }
  /** Everything of this member, present or former; null for an address that was only invited. The invitations name it. */
  | { readonly kind: 'user'; readonly userId: string | null; readonly invitations: readonly string[] }
  /** The texts and the file of an item of evidence, wherever they are. */
  | { readonly kind: 'evidence'; readonly id: string }
  /** The texts of these data-subject requests or breaches, wherever they are. */
  | { readonly kind: 'texts'; readonly table: string; readonly ids: readonly string[] }
  /** The value that has an opening at this path of each of these audit events. */
  | { readonly kind: 'openings'; readonly openings: readonly (readonly [...EntryName, path: string])[] };

/** A line of the log. `number` counts the erasures of a tenant from 1 without gaps. */
export interface ErasureLine {
  readonly tenantId: string;
  readonly number: number;
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly erased: Erased;
}

/** Writes the line of an erasure, without its line break. */
export function writeErasure(seal: RowSeal, { tenantId, number, ...rest }: ErasureLine): string {
  return sealLine(seal, `${tenantId} ${number} ${JSON.stringify(rest)}`);
}

function sealLine(seal: RowSeal, text: string): string {
  return `${macOf(seal, text)} ${text}`;
}

function macOf(seal: RowSeal, text: string): string {
  return seal.seal(`svc erasure 1\n${text}`);
}

/**
 * The line as a server with another secret writes it.
 * @returns null if no server with the former secret wrote it.
 */
export function resealErasure(seal: RowSeal, former: RowSeal, line: string): string | null {
  return readLine([former], line) === null ? null : sealLine(seal, line.slice(line.indexOf(' ') + 1));
}

/** Reads a line; null if no server of this installation wrote it. @param seals the first is that of new lines. */
function readLine(
  seals: readonly RowSeal[],
  line: string,
): { readonly name: string; readonly rest: string; readonly line: string } | null {
  const end = line.indexOf(' ');
  const [mac, text] = [line.slice(0, end), line.slice(end + 1)];
  const index = seals.findIndex((seal) => mac === macOf(seal, text));
  if (index === -1) return null;
  const space = text.indexOf(' ');
  const own = index === 0 ? line : sealLine(seals[0] as RowSeal, text);
  return { name: text.slice(0, space), rest: text.slice(space + 1), line: own };
}

/** Counts the erasures of each tenant: lines of several servers may be out of order and repeated. */
class Counter {
  #last = new Map<string, number>();
  readonly #ahead = new Map<string, Set<number>>();

  /** The number up to which there is no gap. */
  last(tenantId: string): number {
    return this.#last.get(tenantId) ?? 0;
  }

  has(tenantId: string, number: number): boolean {
    return number <= this.last(tenantId) || this.#ahead.get(tenantId)?.has(number) === true;
  }

  take(tenantId: string, number: number): void {
    let last = this.last(tenantId);
    if (number <= last) return;
    const ahead = this.#ahead.get(tenantId) ?? new Set();
    ahead.add(number);
    while (ahead.delete(last + 1)) last += 1;
    this.#last.set(tenantId, last);
    if (ahead.size > 0) this.#ahead.set(tenantId, ahead);
    else this.#ahead.delete(tenantId);
  }

  /** Starts again after a restore. */
  reset(numbers: Record<string, number>): void {
    this.#last = new Map(Object.entries(numbers));
    this.#ahead.clear();
  }

  /** The first erasure that is missing before others; null for none. */
  findGap(): string | null {
    const [tenantId] = this.#ahead.keys();
    return tenantId === undefined ? null : `erasure ${this.last(tenantId) + 1} of the tenant ${tenantId}`;
  }
}

/**
 * Keeps the erasures of an installation in an append-only file outside the database, where a restore does not reach them. A
 * line is on disk when `append` returns. Several processes may append to one file.
 *
 * Each line has an HMAC under the secret of the installation, so that a restore erases only what a server erased before.
 */
export class ErasureLog {
  readonly file: string;
  readonly #seal: RowSeal;
  readonly #former: readonly RowSeal[];
  /** Those whose lines count. */
  readonly #seals: readonly RowSeal[];
  #end = 0;
  #counter = new Counter();

  /**
   * @param former the seals of other secrets of the installation, for `reseal`.
   * @param allowsFormer also takes their lines otherwise, each as this installation writes it.
   */
  constructor(file: string, seal: RowSeal, former: readonly RowSeal[] = [], allowsFormer = false) {
    this.file = file;
    this.#seal = seal;
    this.#former = former;
    this.#seals = allowsFormer ? [seal, ...former] : [seal];
  }

  /** Creates the file if it is missing, and reads what was appended. */
  open(): void {
    this.#use(() => undefined);
  }

  /** The number up to which the log has the erasures of a tenant, as of the last read. */
  last(tenantId: string): number {
    return this.#counter.last(tenantId);
  }

  /** True if the log has an erasure, as of the last read. */
  has(tenantId: string, number: number): boolean {
    return this.#counter.has(tenantId, number);
  }

  /** Appends the lines that a server of this installation wrote. */
  append(lines: readonly string[]): void {
    const own = lines.flatMap((line) => readLine(this.#seals, line)?.line ?? []);
    if (own.length > 0) this.#use((file) => this.#write(file, own));
  }

  /** Appends that a database was put in place. @param numbers of the last erasure of each tenant. */
  appendRestored(at: string, numbers: ReadonlyMap<string, number>): void {
    const restored = JSON.stringify({ at, numbers: Object.fromEntries(numbers) });
    this.append([sealLine(this.#seal, `${restoredName} ${restored}`)]);
  }

  /** True if it has lines of a former secret, which do not count before `reseal`. */
  hasFormer(): boolean {
    if (this.#former.length === 0 || !existsSync(this.file)) return false;
    const file = openSync(this.file, 'r');
    try {
      for (const { line } of readLines(file, 0)) if (readLine(this.#former, line) !== null) return true;
      return false;
    } finally {
      closeSync(file);
    }
  }

  /**
   * Writes the lines of former secrets as this installation writes them; other lines stay, also those that were changed.
   * Requires that no other process uses the folder.
   */
  reseal(): void {
    if (!this.hasFormer()) return;
    const draft = `${this.file}.draft`;
    rmSync(draft, { force: true });
    const [file, written] = [openSync(this.file, 'r'), openSync(draft, 'ax', 0o600)];
    try {
      for (const { line } of readLines(file, 0))
        appendFileSync(written, `${readLine([this.#seal, ...this.#former], line)?.line ?? line}\n`);
      fsyncSync(written);
      renameSync(draft, this.file);
    } finally {
      for (const one of [file, written]) closeSync(one);
      rmSync(draft, { force: true });
    }
    flushToDisk(dirname(this.file));
  }

  /** Opens a copy of this log in another file. */
  openCopy(file: string): ErasureLog {
    return new ErasureLog(file, this.#seal, this.#seals.slice(1), this.#seals.length > 1);
  }

  /**
   * Appends the lines of a copy that this log lacks. If both have lines of their own, as after a restore, the numbers of
   * tenants are counted again from the start of the copy.
   */
  merge(copy: ErasureLog, at: string): void {
    const [own, others] = [this.readNames(), copy.readNames()];
    if ([...others].every((name) => own.has(name))) return;
    const isEarlier = [...own].every((name) => others.has(name));
    if (!isEarlier) this.appendRestored(at, new Map());
    const file = openSync(copy.file, 'r');
    try {
      let lines: string[] = [];
      for (const { line } of readLines(file, 0)) {
        const read = readLine(this.#seals, line);
        if (read === null || (isEarlier && own.has(nameLine(read.line)))) continue;
        lines.push(read.line);
        if (lines.length < 100) continue;
        this.append(lines);
        lines = [];
      }
      this.append(lines);
    } finally {
      closeSync(file);
    }
  }

  /**
   * Reads every erasure up to now, in constant memory: erasing again while reading appends more.
   * @param refuse is called with the fault of a line; throws, or accepts that the line is skipped.
   * @param onRestored is called where a restore was recorded.
   */
  *read(refuse: (issue: string) => void, onRestored = () => {}): Generator<ErasureLine & { readonly line: string }> {
    if (!existsSync(this.file)) return;
    const file = openSync(this.file, 'r');
    const counter = new Counter();
    const checkGaps = () => {
      const gap = counter.findGap();
      if (gap !== null) refuse(`it lacks ${gap}`);
    };
    try {
      const { size } = fstatSync(file);
      let number = 0;
      for (const { line, end } of readLines(file, 0)) {
        if (end > size) break;
        number += 1;
        if (line.endsWith(cutMark)) continue;
        const found = readLine(this.#seals, line);
        if (found === null) {
          refuse(`line ${number} was not written by this installation, or was changed`);
          continue;
        }
        const { name: tenantId, rest } = found;
        if (tenantId === restoredName) {
          checkGaps();
          counter.reset(JSON.parse(rest).numbers);
          onRestored();
          continue;
        }
        const space = rest.indexOf(' ');
        const erasure = {
          line: found.line,
          tenantId,
          number: Number(rest.slice(0, space)),
          ...JSON.parse(rest.slice(space + 1)),
        };
        counter.take(tenantId, erasure.number);
        yield erasure;
      }
      checkGaps();
    } finally {
      closeSync(file);
    }
  }

  /** The HMACs of all unchanged lines: a set to compare with, where rows may be missing anywhere. */
  readNames(): ReadonlySet<string> {
    const names = new Set<string>();
    this.#use((file) => {
      for (const { line } of readLines(file, 0)) {
        const read = readLine(this.#seals, line);
        if (read !== null) names.add(nameLine(read.line));
      }
    });
    return names;
  }

  #use(step: (file: number) => void): void {
    useLogFile(this.file, (file) => {
      this.#read(file);
      step(file);
    });
  }

  #write(file: number, lines: readonly string[]): void {
    const isCut = fstatSync(file).size > this.#end;
    appendToLog(this.file, file, `${isCut ? `${cutMark}\n` : ''}${lines.join('\n')}\n`);
    this.#read(file);
  }

  /** Counts what was appended since the last read. */
  #read(file: number): void {
    if (fstatSync(file).size < this.#end) {
      this.#end = 0;
      this.#counter = new Counter();
    }
    for (const { line, end } of readLines(file, this.#end)) {
      this.#end = end;
      const { name, rest } = readLine(this.#seals, line) ?? {};
      if (name === undefined || rest === undefined) continue;
      if (name === restoredName) this.#counter.reset(JSON.parse(rest).numbers);
      else this.#counter.take(name, Number.parseInt(rest, 10));
    }
  }
}

const restoredName = 'restored';

/** Marks a line that a crash cut off, before the next one is appended. */
const cutMark = ' (cut off)';

/** A short name of a line. */
export function nameLine(line: string): string {
  return line.slice(0, line.indexOf(' '));
}

/** Reads the complete lines from an offset on, and where each ends. */
function* readLines(file: number, start: number): Generator<{ readonly line: string; readonly end: number }> {
  let chunk = Buffer.allocUnsafe(256 * 1024);
  let rest: Buffer = Buffer.alloc(0);
  let offset = start;
  for (let position = start; ; ) {
    const count = readSync(file, chunk, 0, chunk.length, position);
    if (count === 0) return;
    position += count;
    const bytes = Buffer.concat([rest, chunk.subarray(0, count)]);
    let from = 0;
    for (let at = bytes.indexOf('\n'); at !== -1; at = bytes.indexOf('\n', from)) {
      offset += at + 1 - from;
      yield { line: bytes.toString('utf8', from, at), end: offset };
      from = at + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
    // Doubles, so that a long line is copied only a few times.
    if (rest.length > chunk.length) chunk = Buffer.allocUnsafe(2 * chunk.length);
  }
}
