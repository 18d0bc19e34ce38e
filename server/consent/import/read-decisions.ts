import { createHash } from 'node:crypto';
import type { Clock } from '../../storage/clock.ts';
import type { PrivateHasher } from '../../storage/secrets.ts';
import type { Spool } from '../../storage/spool.ts';
import { checkDecision, type ImportedDecision, type PurposeMapping, readJson } from './decision.ts';
import { type ColumnNames, type ImportFormat, UnreadableLine } from './formats.ts';
import { type ImportTarget, nameRecord } from './import.ts';
import { isBlank, readCsv, readLines } from './lines.ts';

export interface Reading {
  readonly file: string;
  readonly format: ImportFormat;
  readonly columns: ColumnNames;
  readonly mapping: PurposeMapping;
  readonly target: ImportTarget;
  readonly hasher: PrivateHasher;
  readonly clock: Clock;
  /** Gets the decisions; the key of each is the id of its record. */
  readonly spool: Spool<ImportedDecision>;
  /** Is called with why a line cannot be imported. */
  refuse(line: number, issues: readonly string[]): void;
  showProgress(text: string): void;
}

export interface ReadFile {
  readonly lines: number;
  /** Hex. */
  readonly sha256: string;
  /** Names of the mapping that it does not have; CSV is not read further then. */
  readonly unknown: readonly string[];
  /** True if a line leaves a quoted field open, so that it is not certain which lines after it are records. */
  readonly isOpen: boolean;
}

/** Reads the decisions of a file, and checks each by itself. */
export async function readDecisions(reading: Reading): Promise<ReadFile> {
  const { file, format, columns, mapping, target, hasher, clock, spool, refuse, showProgress } = reading;
  const hash = createHash('sha256');
  const source = readLines(file, hash);
  const named = [...mapping.keys.keys(), ...mapping.ignored];
  // A misspelt name would otherwise be a value that every line lacks.
  const unknown = new Set([...named, ...Object.values(columns)]);
  let lines = 0;
  let isOpen = false;
  const take = (line: number, fault: string | null, read: () => Readonly<Record<string, unknown>>) => {
    lines += 1;
    if (lines % 1000 === 0) showProgress(`${lines} lines …`);
    try {
      if (fault !== null) throw new UnreadableLine(fault);
      const raw = format.read(read(), columns, named);
      if (unknown.size > 0) {
        for (const [name] of raw.choices) unknown.delete(name);
        for (const [field, name] of Object.entries(columns))
          if ((raw[field as keyof ColumnNames] ?? null) !== null) unknown.delete(name);
      }
      const decision = checkDecision(raw, target.version, mapping, clock());
      if ('issues' in decision) return refuse(line, decision.issues);
      const key = nameRecord(hasher, target, decision.id);
      const earlier = spool.add({ key, order: decision.capturedAt, line, item: decision });
      if (earlier !== null) refuse(line, [`id: is already used in line ${earlier}`]);
    } catch (error) {
      if (!(error instanceof UnreadableLine)) throw error;
      refuse(line, [error.message]);
    }
  };
  if (format.isCsv)
    for await (const { number, fields, fault, isOpen: staysOpen } of readCsv(source)) {
      isOpen ||= staysOpen;
      if (fault === null)
        for (const name of unknown) if (name in fields || `purposes.${name}` in fields) unknown.delete(name);
      if (fault === null && unknown.size > 0) break;
      take(number, fault, () => fields);
    }
  else
    for await (const { number, text, fault } of source)
      if (!isBlank({ text, fault })) take(number, fault, () => readJson(text));
  showProgress('');
  return { lines, sha256: hash.digest('hex'), unknown: [...unknown], isOpen };
}
