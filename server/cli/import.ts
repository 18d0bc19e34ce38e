import { statSync } from 'node:fs';
import { z } from 'zod';
import { checkDecision, type ImportedDecision, type PurposeMapping, readJson } from '../consent/import/decision.ts';
import {
  type ColumnNames,
  findFormat,
  type ImportFormat,
  importFields,
  importFormatNames,
  importFormats,
  UnreadableLine,
} from '../consent/import/formats.ts';
import {
  compareDecisions,
  ImportConflict,
  type ImportTarget,
  importDecisions,
  nameRecord,
} from '../consent/import/import.ts';
import { isBlank, LineReader, readCsv } from '../consent/import/lines.ts';
import { findStates, findVersion } from '../consent/notice-store.ts';
import { Id } from '../http/schemas.ts';
import { type Installation, openInstallation } from '../installation/installation.ts';
import { insertTransfer } from '../installation/transfer-store.ts';
import { blamesRow, inTransaction, type Queries, runUnitOfWork, systemClock } from '../storage/database.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import { Spool } from '../storage/spool.ts';
import {
  type CommandContext,
  defineCommand,
  flag,
  requireDatabase,
  texts,
  UsageError,
  withMessage,
} from './command.ts';

const formatHelp = Object.entries(importFormats).map(([name, { meaning }]) => `  ${name.padEnd(14)} ${meaning}`);

const Version = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);

export const importCommand = defineCommand({
  name: 'import',
  summary: 'import decisions that were made with another consent tool',
  description: `Each decision becomes a record of the source "import" with its original time. Reads and checks the whole file first: if a
line cannot be imported, it is reported, and nothing is written. May run while the server runs, and may be repeated: what was
imported before is recognized by its id, and skipped. If it is interrupted, run it again.

Formats:
${formatHelp.join('\n')}

Fields: ${importFields.join(', ')}. The first three are required; id is that of the decision in the other tool, of which only
a keyed hash is kept. Times need an offset, or are seconds or milliseconds since 1970.`,
  options: {
    notice: { schema: withMessage(Id, ': must be the id of a notice'), meaning: 'id of the notice', value: 'id' },
    version: {
      schema: withMessage(Version, ': must be the number of a published version'),
      meaning: 'the published version that was decided on',
      value: 'number',
    },
    file: { schema: z.string(), meaning: 'the file with the decisions, UTF-8' },
    format: {
      schema: z.enum(importFormatNames, { error: `: must be one of ${importFormatNames.join(', ')}` }).optional(),
      meaning: `${importFormatNames.join(', ')}; default: by the end of the file name`,
    },
    column: {
      schema: texts,
      meaning: 'the column of a field, such as subjectId=visitor or subjectId=user.id; repeatable',
      value: 'field=name',
    },
    purpose: {
      schema: texts,
      meaning: 'what the file calls a purpose, such as analytics=Statistics; repeatable',
      value: 'key=name',
    },
    ignore: {
      schema: texts,
      meaning: 'a purpose of the file that the notice does not have; repeatable',
      value: 'name',
    },
    'add-required': { schema: flag, meaning: 'grant required purposes that a line does not name' },
    'skip-invalid': { schema: flag, meaning: 'import the other lines although some are reported' },
    'dry-run': { schema: flag, meaning: 'only check and report; write nothing' },
  },
  async run(context) {
    const { settings, options, say, showProgress, result } = context;
    const { file } = options;
    const format = findFormatOf(options.format, file);
    const columns = readColumns(options.column ?? []);
    requireFile(file);
    requireDatabase(settings);
    using _ = lockFolder(settings.dataDir, 'shared');
    await using installation = await openInstallation(settings, systemClock, null);
    const { database } = installation;
    const target = await requireTarget(database.kysely, options.notice, options.version);
    const mapping = readMapping(target, options);
    using spool = new Spool<ImportedDecision>();
    const faults = new LineFaults(say);

    const { lines, sha256 } = await readFile(context, {
      format,
      columns,
      mapping,
      target,
      spool,
      faults,
      installation,
    });
    const decisions = spool.size;
    let present = 0;
    for (const batch of spool.readBatches(batchSize)) {
      const compared = await compareDecisions(database.kysely, target, batch);
      for (const { of, issue } of compared.faults) faults.add(of.line, [issue]);
      for (const { key } of [...compared.present, ...compared.faults.map(({ of }) => of)]) spool.remove(key);
      present += compared.present.length;
      showProgress(`${lines} lines; compared with the records …`);
    }
    showProgress('');
    const total = spool.size;
    const report = { file, sha256, format: format.name, lines, decisions, present, invalid: faults.count };
    // Without a decision it is another file, or one that cannot be read.
    const isRefused = decisions === 0 || (faults.count > 0 && options['skip-invalid'] !== true);
    const isDryRun = options['dry-run'] === true;
    let imported = { records: 0, withdrawals: 0 };
    let conflict: string | null = null;
    if (!isRefused && !isDryRun) ({ imported, conflict } = await write(context, installation, target, spool, sha256));
    if (conflict !== null)
      say(`${conflict} The ${imported.records} decisions before it were imported. Run the command again.`);
    else if (decisions === 0) say('The file has no decision that can be read. Nothing was written.');
    else if (isRefused) say(`${faults.count} lines cannot be imported. Nothing was written.`);
    else if (isDryRun) say(`${total} decisions can be imported${describePresent(present)}. Nothing was written.`);
    else
      say(
        `Imported ${imported.records} decisions, ${imported.withdrawals} of them withdrawals${describePresent(present)}.`,
      );
    result({
      ...report,
      isDryRun,
      imported: imported.records,
      withdrawals: imported.withdrawals,
      conflict,
      faults: faults.first,
    });
    return conflict !== null || isRefused ? 1 : undefined;
  },
});

function describePresent(present: number): string {
  return present === 0 ? '' : `; ${present} were imported before`;
}

/** Decisions of one unit of work, which holds its locks for some tenths of a second. */
const batchSize = 500;

/** Between two units of work: as long as a server waits between two attempts to get the lock of SQLite. */
const pause = 50;

/** Faults of lines: all are printed, and the first are kept for --json. */
class LineFaults {
  readonly #say: (line: string) => void;
  readonly first: { readonly line: number; readonly issues: readonly string[] }[] = [];
  count = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  add(line: number, issues: readonly string[]): void {
    this.count += 1;
    if (this.first.length < mostFaults) this.first.push({ line, issues });
    this.#say(`Line ${line}: ${issues.join('; ')}`);
  }
}

const mostFaults = 1000;

interface Reading {
  readonly format: ImportFormat;
  readonly columns: ColumnNames;
  readonly mapping: PurposeMapping;
  readonly target: ImportTarget;
  readonly spool: Spool<ImportedDecision>;
  readonly faults: LineFaults;
  readonly installation: Installation;
}

/** Reads the file into the spool, and reports what cannot be read. */
async function readFile(
  { options: { file }, showProgress }: CommandContext<typeof importCommand.options>,
  reading: Reading,
) {
  const { format, columns, mapping, target, spool, faults, installation } = reading;
  const { hasher, clock } = installation;
  const reader = new LineReader(file);
  const named = [...mapping.keys.keys(), ...mapping.ignored];
  let lines = 0;
  const take = (line: number, read: () => Readonly<Record<string, unknown>>) => {
    lines += 1;
    if (lines % 1000 === 0) showProgress(`${lines} lines …`);
    try {
      const decision = checkDecision(format.read(read(), columns, named), target.version, mapping, clock());
      if ('issues' in decision) return faults.add(line, decision.issues);
      const key = nameRecord(hasher, target, decision.id);
      const earlier = spool.add({ key, order: decision.capturedAt, line, item: decision });
      if (earlier !== null) faults.add(line, [`id: is that of line ${earlier}, too`]);
    } catch (error) {
      if (!(error instanceof UnreadableLine)) throw error;
      faults.add(line, [error.message]);
    }
  };
  const fail = (fault: string): never => {
    throw new UnreadableLine(fault);
  };
  if (format.isCsv)
    for await (const { number, fields, fault } of readCsv(reader.read())) {
      if (fault === null) requireColumns(fields, [...named, ...Object.values(columns)]);
      take(number, () => (fault === null ? fields : fail(fault)));
    }
  else
    for await (const { number, text, fault } of reader.read())
      if (!isBlank({ text, fault })) take(number, () => (fault === null ? readJson(text) : fail(fault)));
  showProgress('');
  return { lines, sha256: reader.digest() };
}

type Batch = Parameters<typeof importDecisions>[3];

/** Writes what is in the spool, oldest first, one unit of work for each batch. */
async function write(
  { showProgress }: CommandContext,
  { database, hasher, clock }: Installation,
  target: ImportTarget,
  spool: Spool<ImportedDecision>,
  sha256: string,
) {
  const imported = { records: 0, withdrawals: 0 };
  const total = spool.size;
  let done = 0;
  const append = (batch: Batch) =>
    runUnitOfWork(database, clock(), (work) =>
      importDecisions(work, hasher, target, batch, { file: sha256, remaining: total - done }),
    );
  /** Appends those of a batch that no other process imports meanwhile. */
  const appendRest = async (batch: Batch, error: unknown): Promise<Awaited<ReturnType<typeof append>>> => {
    if (!blamesRow(error) && !(error instanceof ImportConflict)) throw error;
    const { fresh, faults } = await compareDecisions(database.kysely, target, batch);
    if (faults[0] !== undefined) throw new ImportConflict(faults[0]);
    if (fresh.length === batch.length) throw error;
    return fresh.length === 0
      ? { records: 0, withdrawals: 0 }
      : append(fresh).catch((next: unknown) => appendRest(fresh, next));
  };
  for (const batch of spool.readBatches(batchSize)) {
    // PostgreSQL hands its locks to those that wait.
    if (done > 0 && database.dialect === 'sqlite') await new Promise((resolve) => setTimeout(resolve, pause));
    done += batch.length;
    try {
      const { records, withdrawals } = await append(batch).catch((error: unknown) => appendRest(batch, error));
      imported.records += records;
      imported.withdrawals += withdrawals;
    } catch (error) {
      if (!(error instanceof ImportConflict)) throw error;
      showProgress('');
      return { imported, conflict: error.message };
    }
    showProgress(`${done} of ${total} decisions imported …`);
  }
  showProgress('');
  if (imported.records > 0)
    await inTransaction(database, (transaction) =>
      insertTransfer(transaction, {
        kind: 'import',
        at: clock(),
        source: sha256,
        tenant_id: target.tenantId,
        notice_id: target.noticeId,
        row_count: imported.records,
      }),
    );
  return { imported, conflict: null };
}

/** @throws {UsageError} */
function findFormatOf(
  given: keyof typeof importFormats | undefined,
  file: string,
): ImportFormat & { readonly name: string } {
  const name = given ?? findFormat(file);
  if (name === undefined) throw new UsageError(`--format: name one of ${importFormatNames.join(', ')}.`);
  return { name, ...importFormats[name] };
}

/** A misspelt column would otherwise be a value that every line lacks. @throws {UsageError} */
function requireColumns(fields: Readonly<Record<string, string>>, names: readonly string[]): void {
  const missing = names.filter((name) => !(name in fields || `purposes.${name}` in fields));
  if (missing.length > 0) throw new UsageError(`The file has no column ${missing.join(', ')}. Nothing was written.`);
}

/** @throws {UsageError} */
function requireFile(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) throw new UsageError(`There is no file ${file}.`);
}

/** @throws {UsageError} if there is no such notice, or it has no such version. */
async function requireTarget(queries: Queries, noticeId: string, number: number): Promise<ImportTarget> {
  const [notice] = await findStates(queries, [noticeId]);
  if (notice === undefined) throw new UsageError(`There is no notice ${noticeId}.`);
  const version = await findVersion(queries, noticeId, number);
  if (version === undefined)
    throw new UsageError(`--version: the notice has no published version ${number}; its latest is ${notice.version}.`);
  return { tenantId: notice.tenant_id, noticeId, version };
}

function readColumns(pairs: readonly string[]): ColumnNames {
  return Object.fromEntries(pairs.map((pair) => readPair('column', pair, importFields)));
}

function readMapping(
  { version }: ImportTarget,
  options: CommandContext<typeof importCommand.options>['options'],
): PurposeMapping {
  const keys = version.purposes.map(({ key }) => key);
  const pairs = (options.purpose ?? []).map((pair) => readPair('purpose', pair, keys));
  return {
    keys: new Map(pairs.map(([key, name]) => [name, key])),
    ignored: new Set(options.ignore),
    addsRequired: options['add-required'] === true,
  };
}

/** Reads `key=name`. @throws {UsageError} */
function readPair(option: string, pair: string, known: readonly string[]): readonly [key: string, name: string] {
  const at = pair.indexOf('=');
  const key = pair.slice(0, Math.max(at, 0));
  if (known.includes(key) && at < pair.length - 1) return [key, pair.slice(at + 1)];
  throw new UsageError(`--${option}: must be one of ${known.join(', ')}, an equals sign and the name in the file.`);
}
