import { z } from 'zod';
import type { ImportedDecision, PurposeMapping } from '../consent/import/decision.ts';
import {
  type ColumnNames,
  findFormat,
  type ImportFormat,
  importFields,
  importFormatNames,
  importFormats,
} from '../consent/import/formats.ts';
import { compareDecisions, type ImportTarget, importAll, importBatch } from '../consent/import/import.ts';
import { readDecisions } from '../consent/import/read-decisions.ts';
import { findState, findVersion } from '../consent/notice-store.ts';
import { Id } from '../http/schemas.ts';
import { openInstallation } from '../installation/installation.ts';
import { lockFolder } from '../storage/folder-lock.ts';
import type { Queries } from '../storage/queries.ts';
import { Spool } from '../storage/spool.ts';
import { type CommandContext, defineCommand, flag, texts, UsageError, withMessage } from './command.ts';
import { isFile } from './kept-note.ts';
import { requireDatabase } from './require.ts';

const formatHelp = Object.entries(importFormats).map(([name, { meaning }]) => `  ${name.padEnd(14)} ${meaning}`);

const Version = z
  .string()
  .regex(/^[1-9]\d{0,8}$/)
  .transform(Number);

export const importCommand = defineCommand({
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
    const formatName = options.format ?? findFormat(file);
    if (formatName === undefined) throw new UsageError(`--format: name one of ${importFormatNames.join(', ')}.`);
    const format: ImportFormat = importFormats[formatName];
    const pairs = (options.column ?? []).map((pair) => readPair('column', pair, importFields));
    const columns: ColumnNames = Object.fromEntries(pairs);
    if (!isFile(file)) throw new UsageError(`There is no file ${file}.`);
    requireDatabase(settings);
    using _ = lockFolder(settings.dataDir, 'shared');
    await using installation = await openInstallation(settings, context.clock, null);
    const { database } = installation;
    const target = await requireTarget(database.kysely, options.notice, options.version);
    const mapping = readMapping(target, options);
    using spool = new Spool<ImportedDecision>();
    const { clock, former } = installation;
    // The oldest, so that decisions that were imported before a rotation are recognized.
    const { hasher } = former.at(-1) ?? installation;
    let invalid = 0;
    const faults: { readonly line: number; readonly issues: readonly string[] }[] = [];
    const refuse = (line: number, issues: readonly string[]) => {
      invalid += 1;
      if (faults.length < mostFaults) faults.push({ line, issues });
      say(`Line ${line}: ${issues.join('; ')}`);
    };
    const reading = { file, format, columns, mapping, target, hasher, clock, spool, refuse, showProgress };
    const { lines, sha256, unknown, isOpen } = await readDecisions(reading);
    if (unknown.length > 0 && (format.isCsv || spool.size > 0))
      throw new UsageError(
        `The file has no ${format.isCsv ? 'column' : 'value'} ${unknown.join(', ')}. Nothing was written.`,
      );
    const decisions = spool.size;
    let present = 0;
    for (const batch of spool.readBatches(importBatch)) {
      const compared = await compareDecisions(database.kysely, target, batch);
      for (const { of, issue } of compared.faults) refuse(of.line, [issue]);
      for (const { key } of [...compared.present, ...compared.faults.map(({ of }) => of)]) spool.remove(key);
      present += compared.present.length;
      showProgress(`${lines} lines; compared with the records …`);
    }
    showProgress('');
    const total = spool.size;
    const report = { file, sha256, format: formatName, lines, decisions, present, invalid };
    // Without a decision it is another file, or one that cannot be read.
    const isRefused = decisions === 0 || isOpen || (invalid > 0 && options['skip-invalid'] !== true);
    const isDryRun = options['dry-run'] === true;
    let imported = { records: 0, withdrawals: 0 };
    let conflict: string | null = null;
    if (!isRefused && !isDryRun) {
      const progress = (done: number) => showProgress(`${done} of ${total} decisions imported …`);
      ({ imported, conflict } = await importAll(installation, target, spool, sha256, progress));
      showProgress('');
    }
    if (conflict !== null)
      say(
        `${conflict} It was recorded during the import, which stopped after ${imported.records} of ${total} decisions. Remove this line, or repeat the command with --skip-invalid.`,
      );
    else if (decisions === 0) say('The file has no decision that can be read. Nothing was written.');
    else if (isRefused) say(`${invalid} ${invalid === 1 ? 'line' : 'lines'} cannot be imported. Nothing was written.`);
    else if (isDryRun) say(`${total} decisions can be imported${describePresent(present)}. Nothing was written.`);
    else
      say(
        `Imported ${imported.records} decisions, ${imported.withdrawals} of them withdrawals${describePresent(present)}.`,
      );
    if (isOpen)
      say(
        'The lines after a quotation mark that is not closed may be part of its field: close it first; --skip-invalid does not skip it.',
      );
    result({ ...report, isDryRun, imported: imported.records, withdrawals: imported.withdrawals, conflict, faults });
    return conflict !== null || isRefused ? 1 : undefined;
  },
});

function describePresent(present: number): string {
  return present === 0 ? '' : `; ${present} were imported before`;
}

/** Faults that the result has with --json; all are printed. */
const mostFaults = 1000;

/** @throws {UsageError} if there is no such notice, or it has no such version. */
async function requireTarget(queries: Queries, noticeId: string, number: number): Promise<ImportTarget> {
  const notice = await findState(queries, noticeId);
  if (notice === undefined) throw new UsageError(`There is no notice ${noticeId}.`);
  const version = await findVersion(queries, notice.tenant_id, noticeId, number);
  if (version === undefined)
    throw new UsageError(`--version: the notice has no published version ${number}; its latest is ${notice.version}.`);
  return { tenantId: notice.tenant_id, noticeId, version };
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
