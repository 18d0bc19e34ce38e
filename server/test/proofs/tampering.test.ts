import assert from 'node:assert/strict';
import { hash, randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { rotateScimToken } from '../../accounts/keys/scim-token.ts';
import { addMember } from '../../accounts/members/membership.ts';
import { NoticeContent } from '../../consent/notice.ts';
import { createNotice, deleteNotice, editNotice, publishNotice } from '../../consent/notice-changes.ts';
import { findVersion } from '../../consent/notice-store.ts';
import type { RecordDraft } from '../../consent/record.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { databaseFile, type Installation, openInstallation } from '../../installation/installation.ts';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { nameOrigin, nameRestore, writeCheckpoint, writeRestoreStatement } from '../../ledger/checkpoint.ts';
import { stateRestore } from '../../ledger/checkpoint-store.ts';
import { hashEntry, type LedgerName, ledgerNames, ledgerTables } from '../../ledger/entry.ts';
import { erasureFile } from '../../ledger/erasure-log.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { eraseSubject } from '../../privacy/erasure/erase.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { type Database, type Dialect, openDatabase, runTransaction, type Transaction } from '../../storage/database.ts';
import { PrivateHasher } from '../../storage/secrets.ts';
import { createLocation, describeOnOneDatabase, noticeContent, TestClock, type TestLocation } from '../harness.ts';
import { signNow } from '../ledger/exported.ts';
import { draftRecord, type FilledTenant, fillLedgers, runVerify } from '../ledger/fixture.ts';
import {
  type CheckedTable,
  changeRow,
  insertRow,
  type LedgerRow,
  type Row,
  readLedger,
  readRows,
  tamper,
} from '../ledger/tamper.ts';
import { addressOf } from '../migrated-database.ts';
import { appendManyRecords } from './ledger-requests.ts';

/** A copy of an installation to attack. */
interface Scene {
  readonly settings: Settings;
  readonly folder: string;
  readonly database: Database;
  /** What `{name}` stands for in statements and findings: ids, and the newest number of each ledger. */
  readonly names: Readonly<Record<string, string | number>>;
  /** Rows as they were at an earlier time. */
  readonly earlierNotice: Row;
  readonly deletedNotice: Row;
  /** The SQLite file as it was before the latest records. */
  readonly earlierFile: string;
}

/** A change of a copy, and all findings: each fits one of these, in which `*` stands for any text. */
interface Tampering {
  readonly title: string;
  readonly change: (scene: Scene) => unknown;
  readonly finds: readonly string[];
  readonly on?: Dialect | undefined;
  /** Minutes between the latest checkpoint and the verification; negative with a clock that is behind. */
  readonly minutes?: number | undefined;
}

type Case = readonly [
  title: string,
  change: Tampering['change'],
  finds: string | readonly string[],
  options?: Pick<Tampering, 'on' | 'minutes'>,
];

const stranger = new NoteSigner('the secret of another installation');
const otherSecret = 'another secret of more than enough letters';
const first = "tenant_id = '{first}'";
const firstConsent = `${first} and ledger = 'consent'`;

const fill = (text: string, { names }: Scene) =>
  text.replace(/\{(\w+)([+-]\d+)?\}/g, (place, name: string, offset?: string) => {
    const value = names[name];
    if (value === undefined) return place;
    return String(offset === undefined ? value : Number(value) + Number(offset));
  });
/** Runs statements with triggers and references disabled, unless they change the schema. */
const run = async (scene: Scene, ...statements: readonly string[]) => {
  for (const text of statements) {
    const statement = sql.raw(fill(text, scene));
    if (/^(alter|create|drop) /.test(text)) await statement.execute(scene.database.kysely);
    else await tamper(scene.database, (queries) => statement.execute(queries));
  }
};

/**
 * Reads entries that are separated by empty lines: the title, with the database if it concerns only one, the statements, and
 * the findings. Statements after `-` are tried one by one.
 */
function read(text: string): readonly Tampering[] {
  return text
    .trim()
    .split('\n\n')
    .flatMap((entry) => {
      const [titled = '', ...lines] = entry.split('\n').map((line) => line.trimStart());
      const [, title = '', on] = /^(.*?)(?: \[(sqlite|postgres)\])?$/.exec(titled) ?? [];
      const finds = lines.filter((line) => /^[✗?*]/.test(line));
      const statements = lines.slice(0, lines.length - finds.length);
      const make = (name: string, made: readonly string[]): Tampering => ({
        ...{ title: name, finds, on: on as Dialect | undefined },
        change: (scene) => run(scene, ...made),
      });
      if (statements[0]?.startsWith('- ') !== true) return [make(title, statements)];
      return statements.map((line) => make(`${title}: ${line.slice(2)}`, [line.slice(2)]));
    });
}
const list = (...cases: readonly Case[]): readonly Tampering[] =>
  cases.map(([title, change, finds, options]) => ({ title, change, finds: [finds].flat(), ...options }));

const find = async ({ database, names }: Scene, table: string, fits: Row = {}): Promise<readonly Row[]> => {
  const wanted = Object.entries({ tenant_id: names.first, ...fits });
  return (await readRows(database, table)).filter((row) => wanted.every(([column, value]) => row[column] === value));
};
/** Inserts a copy of the first row that fits, with other values. */
const copy = (table: CheckedTable, fits: Row, values: Row) => async (scene: Scene) => {
  const [row] = await find(scene, table, fits);
  assert.ok(row, table);
  const filled = Object.entries(values).map(([name, value]) => [name, fill(String(value), scene)]);
  await insertRow(scene.database, table, { ...row, ...Object.fromEntries(filled) });
};
/** Changes each row that fits by a function. */
const edit = (table: CheckedTable, fits: Row, values: (row: Row) => Row) => async (scene: Scene) => {
  const rows = await find(scene, table, fits);
  assert.ok(rows.length > 0);
  for (const row of rows) await changeRow(scene.database, table, row, values(row));
};

const logOf = ({ folder }: Scene) => join(folder, anchorFile);
const rewriteLog = (change: (text: string) => string) => (scene: Scene) => {
  const text = readFileSync(logOf(scene), 'utf8');
  assert.notEqual(change(text), text);
  writeFileSync(logOf(scene), change(text));
};
const rollBack = async ({ database, folder, earlierFile }: Scene) => {
  await database.close();
  for (const end of ['-wal', '-shm']) rmSync(databaseFile(folder) + end, { force: true });
  cpSync(earlierFile, databaseFile(folder));
};
const signForeign = ({ names }: Scene, size: number, rootHash: string, at = '2026-11-21T12:00:00.000Z') =>
  stranger.sign(
    writeCheckpoint({ origin: nameOrigin(stranger.verifier.name, `${names.first}`, 'consent'), size, rootHash, at }),
  );

/** Sets the head to the last row, as far as possible without the secret. */
async function fixHead(scene: Scene): Promise<void> {
  const last = (await find(scene, 'consent_records')).at(-1) as Row;
  await run(
    scene,
    `update chain_heads set sequence = ${last.sequence}, hash = '${last.hash}', at = '${last.recorded_at}' where ${firstConsent}`,
    'update consent_notices set record_count = (select count(*) from consent_records where notice_id = consent_notices.id)',
  );
}

const readAll = ({ database, names }: Scene, ledger: LedgerName) =>
  readLedger(database, { tenantId: String(names.first), ledger });

/** Appends a row whose hash fits to the last one. */
async function appendValid(scene: Scene, ledger: LedgerName): Promise<void> {
  const { entry, ...row } = (await readAll(scene, ledger)).at(-1) as LedgerRow;
  const [id, sequence] = [randomUUID(), row.sequence + 1];
  const text = entry.replace(`"id":"${row.id}"`, `"id":"${id}"`).replace(/"sequence":\d+/, `"sequence":${sequence}`);
  const forged = { ...row, id, sequence, hash: hashEntry(row.hash, text), ...(ledger === 'audit' && { entry: text }) };
  await insertRow(scene.database, ledgerTables[ledger], forged);
}

/** Recomputes every hash of the attacked ledger and deletes its tree. */
async function rehash(scene: Scene): Promise<void> {
  let prev: string | null = null;
  for (const row of await readAll(scene, 'consent')) {
    prev = hashEntry(prev, row.entry);
    await run(scene, `update consent_records set hash = '${prev}' where ${first} and sequence = ${row.sequence}`);
  }
  await fixHead(scene);
  await run(scene, ...['merkle_trees', 'merkle_tiles'].map((table) => `delete from ${table} where ${firstConsent}`));
}

const later = '2026-11-22T12:00:00.000Z';
const newestRecord = `${first} and sequence = {consent}`;
const opening = `${first} and sequence = {opened} and path = '{path}'`;
const editRecord = "captured_at = '2020-02-20T20:20:20.020Z'";
const editTemplate = `update record_templates set parts = replace(parts, '"method":null', '"method":"fake"') where ${first}`;

/** Changes of the rows of one ledger. */
function ofChain(ledger: LedgerName): readonly Tampering[] {
  const table = ledgerTables[ledger];
  const place = `✗ first: ${ledger} chain`;
  const rows = `from ${table} where ${first}`;
  const [last, before, next] = [`{${ledger}}`, `{${ledger}-1}`, `{${ledger}+1}`];
  const set =
    ledger === 'consent' ? editRecord : `entry = replace(entry, '"actorEmail":null', '"actorEmail":"changed"')`;
  const head = `where ${first} and ledger = '${ledger}'`;
  const move = (from: number, to: string) => `update ${table} set ${to} where ${first} and sequence = ${from}`;
  /** Changes an entry, and gives it the hash that fits. */
  const editWithHash = (sequence: string) => async (scene: Scene) => {
    await run(scene, `update ${table} set ${set} where ${first} and sequence = ${sequence}`);
    const rows = (await readAll(scene, ledger)).slice(Number(fill(sequence, scene)) - 2);
    const hash = hashEntry(String(rows[0]?.hash), String(rows[1]?.entry));
    await run(scene, `update ${table} set hash = '${hash}' where ${first} and sequence = ${sequence}`);
  };
  return [
    ...read(`
      ${ledger}: the first row deleted
      delete ${rows} and sequence = 1
      ${place}, row 1 (missing): *
      *

      ${ledger}: a row deleted
      delete ${rows} and sequence = 5
      ${place}, row 5 (missing): the row is missing
      *

      ${ledger}: the last row deleted
      delete ${rows} and sequence = ${last}
      ${place}, row ${last} (missing): *
      *

      ${ledger}: the last rows deleted
      delete ${rows} and sequence >= ${before}
      ${place}, row ${before} (missing): the rows ${before} to ${last} are missing
      *

      ${ledger}: the last row deleted and the number of the head set back
      delete ${rows} and sequence = ${last}
      update chain_heads set sequence = ${before} ${head}
      ${place}, row ${before} (*-*): *
      *

      ${ledger}: every row deleted
      delete ${rows}
      ${place}, row 1 (missing): *
      *

      ${ledger}: every row deleted with the head
      delete ${rows}
      delete from chain_heads ${head}
      ${place}, row 1 (missing): the head of the chain is missing
      *

      ${ledger}: the head deleted
      delete from chain_heads ${head}
      ${place}, row 1 (missing): the head of the chain is missing
      *

      ${ledger}: the head of an empty chain
      update chain_heads set sequence = 0, hash = null, at = '' ${head}
      ${place}, row 1 (*-*): *
      *

      ${ledger}: the seal of the head edited
      update chain_heads set mac = '${'A'.repeat(43)}' ${head}
      ${place}, head, after ${last} rows: the seal of the head does not fit: something other than Svc wrote it, *

      ${ledger}: two rows exchanged
      ${move(4, 'sequence = 1000')}
      ${move(5, 'sequence = 4')}
      ${move(1000, 'sequence = 5')}
      ${place}, row 4 (*-*): the hash does not match the entry
      *

      ${ledger}: rows of two tenants exchanged
      ${move(4, "tenant_id = 'unknown'")}
      update ${table} set ${first} where tenant_id = '{second}' and sequence = 4
      update ${table} set tenant_id = '{second}' where tenant_id = 'unknown'
      ${place}, row 4 (*-*): the hash does not match the entry
      *

      ${ledger}: the rows of another tenant in its place
      delete ${rows} or (tenant_id = '{second}' and sequence > ${last})
      update ${table} set ${first} where tenant_id = '{second}'
      ${place}, row 1 (*): *
      *

      ${ledger}: an edited entry
      update ${table} set ${set} where ${first} and sequence = 3
      ${place}, row 3 (*-*): the hash does not match the entry
      *
    `),
    ...list(
      [
        `${ledger}: an entry edited with its own hash`,
        editWithHash('3'),
        [`${place}, row 4 (*-*): the hash does *`, '*'],
      ],
      [
        `${ledger}: the last entry edited with its own hash`,
        editWithHash(last),
        [`${place}, row ${last} (*-*): *`, '*'],
      ],
      [
        `${ledger}: a valid row after the head`,
        (scene) => appendValid(scene, ledger),
        [`${place}, row ${next} (*-*): *`, '*'],
      ],
      ...[next, 0, -7].map(
        (sequence): Case => [
          `${ledger}: a copy of a row with the number ${sequence}`,
          copy(table, { sequence: 1 }, { id: 'copied', sequence }),
          [`${place}, row ${sequence} (copied): *`, '*'],
        ],
      ),
    ),
  ];
}

/** Changes of records and their templates, of what was erased in them, and of whole ledgers. */
const ofRecords: readonly Tampering[] = [
  ...read(`
    an edited template
    ${editTemplate}
    ✗ first: consent chain, row 1 *: the template of the entry was modified
    *

    a removed template
    delete from record_templates where ${first}
    ✗ first: consent chain, row 1 *: the template of the entry is missing
    *

    another subject in the row
    update consent_records set subject_id = 'another' where ${first} and sequence = 5
    ✗ first: consent chain, row 5 (*-*): the column subject_id differs from the entry

    what identifies a person changed or cleared
    - update consent_records set subject_id = 'another' where ${newestRecord}
    - update consent_records set ua_hash = '${'f'.repeat(64)}' where ${newestRecord}
    - update consent_records set ip_hash = null where ${newestRecord}
    - update consent_records set salt = null where ${newestRecord}
    - update consent_records set salt = '${'B'.repeat(22)}' where ${newestRecord}
    - update consent_records set erased_at = '${later}' where ${newestRecord}
    - update consent_records set subject_id = null, ip_hash = null, ua_hash = null, salt = null where ${newestRecord}
    - update consent_records set subject_id = null, ip_hash = null, ua_hash = null, salt = null, erased_at = '${later}' where ${newestRecord}
    ✗ first: consent chain, row {consent}*

    a value that identifies a person in an event cleared or deleted
    - update audit_openings set salt = null, value = null where ${opening}
    - delete from audit_openings where ${opening}
    ✗ first: audit chain, row {opened}: the value of {path} is missing, and no event says that it was erased

    a value that identifies a person in an event changed or moved
    - update audit_openings set value = value || 'x' where ${opening}
    - update audit_openings set value = '\uFFFD' || substr(value, 2) where ${opening}
    - update audit_openings set salt = 'AAAAAAAAAAAAAAAAAAAAAA' where ${opening}
    - update audit_openings set salt = null where ${opening}
    - update audit_openings set value = null where ${opening}
    - update audit_openings set path = 'other' where ${opening}
    - update audit_openings set sequence = {opened+1000} where ${opening}
    - update audit_openings set sequence = 0 where ${opening}
    - update audit_openings set tenant_id = '{third}' where ${opening}
    - update audit_openings set tenant_id = 'nobody' where ${opening}
    ✗ *
    *

    the row of a tenant deleted
    delete from tenants where slug = 'empty'
    ✗ database: there are rows of the tenant *, but no such tenant
    *

    text that is not UTF-8 and reads as the same text [sqlite]
    update consent_records set subject_id = replace(subject_id, '\uFFFD', cast(x'f0bfbd' as text)) where ${first} and sequence = 4
    ✗ first: consent chain, row 4 *: the text is not Unicode
    *

    bytes in place of text [sqlite]
    update consent_records set captured_at = cast(captured_at as blob) where ${first} and sequence = 4
    ✗ first: consent chain, row 4 *: a value is not text
    *

    values of another type [sqlite]
    - update audit_events set hash = x'00' where ${first} and sequence = 2
    - update audit_events set id = 1.5 where ${first} and sequence = 2
    - update audit_events set sequence = 'x' where ${first} and sequence = 2
    - update audit_events set sequence = x'02' where ${first} and sequence = 2
    - update audit_events set sequence = 2.5 where ${first} and sequence = 2
    ✗ first: audit chain, row *
    *
  `),
  ...list(
    [
      'a template edited with its own hash',
      async (scene) => {
        await run(scene, editTemplate);
        await edit('record_templates', {}, ({ parts }) => ({ hash: hash('sha256', String(parts)) }))(scene);
      },
      ['✗ first: consent chain, row 1 *: the hash does not match the entry', '*'],
    ],
    [
      'a column changed, with a template that has its value and its place at a purpose of the same name',
      async (scene) => {
        const time = String((await find(scene, 'consent_records'))[0]?.captured_at);
        await edit('record_templates', {}, (template) => {
          const parts = String(template.parts)
            .replace('"capturedAt":"\t"', `"capturedAt":"${time}"`)
            .replace('"capturedAt":"consent"', '"capturedAt":"\t"');
          return { parts, hash: hash('sha256', parts) };
        })(scene);
        await run(scene, `update consent_records set captured_at = 'consent' where ${first}`);
      },
      ['✗ first: consent chain, row 1 *: the template of the entry was modified', '*'],
    ],
    [
      'a template of no record',
      copy('record_templates', {}, { number: 7 }),
      '✗ first: consent chain, row 7 *: a template belongs to no record',
    ],
    [
      'a template of a tenant that does not exist',
      copy('record_templates', {}, { tenant_id: 'unknown' }),
      ['✗ unknown: consent chain, row 1 (missing): the head of the chain is missing', '*'],
    ],
    [
      'a tail cut after the last checkpoint, with the head fixed',
      async (scene) => {
        await run(scene, `delete from consent_records where ${first} and sequence > 21`);
        await fixHead(scene);
      },
      ['✗ first: consent chain, head, after 21 rows: the seal of the head does not fit: *', '*'],
    ],
    [
      'a tail cut before the last checkpoint, with the head fixed',
      async (scene) => {
        await run(scene, `delete from consent_records where ${first} and sequence > 15`);
        await fixHead(scene);
      },
      ['✗ first: consent checkpoint of 20 entries: covers 20 entries, the ledger has 15', '*'],
    ],
    [
      'a tail cut before the last checkpoint, with the old head and its seal put back and checkpoints dropped',
      async (scene) => {
        const older = openDatabase({ url: null, file: scene.earlierFile, reads: true });
        const [head] = await find({ ...scene, database: older }, 'chain_heads', { ledger: 'consent' });
        await older.close();
        await run(scene, `delete from consent_records where ${first} and sequence > ${head?.sequence}`);
        await fixHead(scene);
        await run(
          scene,
          `update chain_heads set mac = '${head?.mac}' where ${firstConsent}`,
          `delete from checkpoints where ${firstConsent} and size > 12`,
          `delete from merkle_trees where ${firstConsent}`,
          `delete from merkle_tiles where ${firstConsent}`,
        );
      },
      ['✗ first: consent checkpoint of 20 entries *: the ledger has 12 entries: the newest were removed*', '*'],
      { on: 'sqlite' },
    ],
    [
      'a rewritten history, with hashes and head recomputed and checkpoints dropped',
      async (scene) => {
        await run(scene, `update consent_records set ${editRecord} where ${first} and sequence = 3`);
        await rehash(scene);
        await run(scene, `delete from checkpoints where ${first}`);
      },
      ['✗ first: consent checkpoint of 12 entries *: the entries are not those that it was signed for*', '*'],
    ],
    [
      'a row inserted at the end, with the head fixed',
      async (scene) => {
        await appendValid(scene, 'consent');
        await fixHead(scene);
      },
      ['✗ first: consent chain, head, after 23 rows: the seal of the head does not fit: *', '*'],
    ],
    [
      'the whole file rolled back',
      rollBack,
      [
        '✗ first: consent checkpoint of 20 entries *: the ledger has 12 entries: the newest were removed, or an older *',
        '*',
      ],
      { on: 'sqlite' },
    ],
    [
      'a tenant removed with all its rows',
      async (scene) => {
        const tables = await scene.database.kysely.introspection.getTables();
        const owned = tables.filter(({ columns }) => columns.some(({ name }) => name === 'tenant_id'));
        await run(scene, ...owned.map(({ name }) => `delete from ${name} where ${first}`));
        await run(scene, "delete from tenants where id = '{first}'");
      },
      ['✗ checkpoints.log line *: the ledger {first}/audit is missing: the tenant was removed, *', '*'],
    ],
  ),
];

/** Changes of the schema, and of the row and the secret of the installation. */
const ofDatabase: readonly Tampering[] = [
  ...read(`
    a dropped trigger [sqlite]
    drop trigger consent_records_refuse_update
    ✗ database: the trigger consent_records_refuse_update is missing: rows of consent_records could be changed*

    a weakened trigger [sqlite]
    drop trigger audit_events_refuse_delete
    create trigger audit_events_refuse_delete before delete on audit_events when old.sequence > 9 begin select raise(abort, 'audit_events is append-only'); end
    ✗ database: the trigger audit_events_refuse_delete is not the one that Svc made*

    a trigger that swallows events [sqlite]
    create trigger hide before insert on audit_events begin select raise(ignore); end
    ✗ database: the trigger hide on audit_events was not made by Svc*

    a dropped trigger [postgres]
    drop trigger checkpoints_refuse_change on checkpoints
    ✗ database: the trigger checkpoints_refuse_change is missing*

    a trigger that is switched off [postgres]
    alter table audit_events disable trigger audit_events_refuse_change
    ✗ database: the trigger audit_events_refuse_change is switched off*

    a trigger for another event [postgres]
    drop trigger audit_events_refuse_change on audit_events
    create trigger audit_events_refuse_change before delete on audit_events for each row execute function refuse_change()
    ✗ database: the trigger audit_events_refuse_change is not the one that Svc made*

    a trigger that has the name of one on another table [postgres]
    create trigger audit_events_refuse_change before insert on api_keys for each row execute function suppress_redundant_updates_trigger()
    ✗ database: the trigger audit_events_refuse_change on api_keys was not made by Svc*

    a weakened function [postgres]
    create or replace function refuse_change() returns trigger language plpgsql as $$ begin return coalesce(new, old); end $$
    ✗ database: the function refuse_change is not the one that Svc made*

    a rule that swallows records [postgres]
    create rule hide as on insert to consent_records do instead nothing
    ✗ database: the rule hide on consent_records was not made by Svc*

    row security [postgres]
    alter table consent_records enable row level security
    ✗ database: row security is on for the table consent_records: it can hide rows*

    a view in place of a table, which hides a key
    alter table api_keys rename to hidden_keys
    create view api_keys as select * from hidden_keys
    ✗ database: the table api_keys that Svc made is now a view: it can show other rows than there are*
    *

    a table without its rules [sqlite]
    create table copy as select * from rate_limits
    drop table rate_limits
    alter table copy rename to rate_limits
    ✗ database: the table rate_limits that Svc made is another one*
    *

    another fingerprint of the secret
    update installation set secret_hash = 'f'
    ✗ installation.secret_hash was changed*
    *

    no row of the installation
    delete from installation
    ✗ The row of the table installation was removed*
    *
  `),
  ...list(
    [
      'another secret.key',
      ({ folder }) => writeFileSync(join(folder, 'secret.key'), `${otherSecret}\n`),
      ['? The secret is not the one of this database: the signatures * not checked*', '? *'],
    ],
    [
      'another secret.key with its fingerprint',
      async (scene) => {
        writeFileSync(join(scene.folder, 'secret.key'), `${otherSecret}\n`);
        await run(scene, `update installation set secret_hash = '${new PrivateHasher(otherSecret).fingerprint}'`);
      },
      ['✗ *: the seal of the head does not fit: *', '*'],
    ],
    [
      'no secret.key',
      ({ folder }) => rmSync(join(folder, 'secret.key')),
      ['? The secret of this installation is missing: the signatures of checkpoints and the seals *', '? *'],
    ],
    [
      'a damaged secret.key',
      ({ folder }) => writeFileSync(join(folder, 'secret.key'), 'short\n'),
      ['? *secret.key is damaged*', '? *'],
    ],
  ),
];

const base64 =
  (change: (hashes: Buffer) => Buffer) =>
  ({ hashes }: Row) => ({ hashes: change(Buffer.from(String(hashes), 'base64')).toString('base64') });
const swap = (hashes: Buffer) => Buffer.concat([hashes.subarray(32, 64), hashes.subarray(0, 32), hashes.subarray(64)]);
const wrongTiles: Readonly<Record<string, (row: Row) => Row>> = {
  'with two hashes exchanged': base64(swap),
  'without the last hash': base64((hashes) => hashes.subarray(0, -32)),
  'without the last byte': base64((hashes) => hashes.subarray(0, -1)),
  'without any hash': base64(() => Buffer.alloc(0)),
  'with more bytes': base64((hashes) => Buffer.concat([hashes, Buffer.alloc(5)])),
  'that are not base64': () => ({ hashes: 'x' }),
  'with a space': ({ hashes }) => ({ hashes: ` ${hashes}` }),
  'with a line break': ({ hashes }) => ({ hashes: `${hashes}\n` }),
};
const ofCheckpoint = `${firstConsent} and size = 20`;
const unsigned = '✗ first: consent checkpoint of 20 entries: the signature is not of this installation';

/** Changes of checkpoints and trees, of the log of the installation, and of the logs outside of the database. */
const ofCheckpoints: readonly Tampering[] = [
  ...read(`
    the latest checkpoint deleted
    delete from checkpoints where ${ofCheckpoint}
    ✗ first: consent checkpoint of 20 entries *: the checkpoint was removed from the database*
    *

    all checkpoints deleted
    delete from checkpoints
    ✗ second: audit checkpoint of * entries *: the checkpoint was removed from the database*
    *

    a checkpoint with the note of another
    update checkpoints set note = (select note from checkpoints where ${ofCheckpoint}) where ${firstConsent} and size = 6
    ✗ first: consent checkpoint of 6 entries: the row differs from the signed note
    *

    the time of a checkpoint edited
    update checkpoints set at = '2026-11-20T00:00:00.000Z' where ${ofCheckpoint}
    ✗ first: consent checkpoint of 20 entries: the row differs from the signed note

    tiles of a tree deleted
    delete from merkle_tiles where tenant_id = '{second}' and ledger = 'consent'
    ✗ second: consent proofs: tile 0/0 is missing
    ✗ second: consent proofs: tile 0/1 is missing
    ✗ second: consent proofs: tile 1/0 is missing

    a tree that claims more entries than its ledger
    update merkle_trees set size = 23 where ${firstConsent}
    ✗ first: consent proofs: the tree has 23 entries, the ledger 22
    *

    the log of the installation changed
    - update log_leaves set hash = replace(hash, substr(hash, 1, 1), 'g') where sequence = 2
    - update log_leaves set size = 99 where sequence = 2
    - update log_leaves set tenant_id = 'x' where sequence = 3
    - update log_leaves set ledger = 'other' where sequence = 1
    - update log_leaves set sequence = 7 where sequence = 3
    - delete from log_leaves where sequence = 1
    - delete from log_leaves where sequence = (select max(sequence) from log_leaves)
    - delete from log_leaves
    - update checkpoints set root_hash = 'x' where tenant_id = 'installation'
    - update checkpoints set at = 'x' where tenant_id = 'installation'
    - update checkpoints set size = 2 where tenant_id = 'installation'
    - update checkpoints set ledger = 'audit' where tenant_id = 'installation'
    - update checkpoints set note = (select note from checkpoints where ${ofCheckpoint}) where tenant_id = 'installation'
    - update merkle_tiles set hashes = '' where tenant_id = 'installation'
    - delete from merkle_tiles where tenant_id = 'installation'
    ✗ log of the installation: *
    *
  `),
  ...Object.entries(wrongTiles).map(([title, values]) => ({
    title: `tiles of a tree ${title}`,
    change: (scene: Scene) =>
      edit('merkle_tiles', { tenant_id: scene.names.second as string, ledger: 'consent' }, values)(scene),
    // The highest tile has only one hash.
    finds: ['0/0', '0/1', ...(title === 'with two hashes exchanged' ? [] : ['1/0'])].map(
      (name) => `✗ second: consent proofs: tile ${name} differs from the entries, so proofs *`,
    ),
  })),
  ...list(
    [
      'a forged checkpoint, with another fingerprint of the secret',
      async (scene) => {
        const rootHash = Buffer.alloc(32, 7).toString('base64');
        await run(
          scene,
          `update checkpoints set note = '${signForeign(scene, 6, rootHash)}', root_hash = '${rootHash}' where ${firstConsent} and size = 6`,
          `update installation set secret_hash = '${new PrivateHasher('x').fingerprint}'`,
        );
      },
      ['✗ first: consent checkpoint of 6 entries: the signature is not of this installation', '*'],
    ],
    [
      'a checkpoint that another key signed',
      (scene) =>
        edit('checkpoints', { ledger: 'consent', size: 20 }, ({ root_hash, at }) => ({
          note: signForeign(scene, 20, String(root_hash), String(at)),
        }))(scene),
      [unsigned, '*'],
    ],
    [
      'the signature of a checkpoint edited',
      edit('checkpoints', { ledger: 'consent', size: 20 }, ({ note }) => ({ note: `${note}`.replace(/.\n$/, '~\n') })),
      [unsigned, '*'],
    ],
    [
      'the root of a checkpoint edited, without the secret',
      async (scene) => {
        rmSync(join(scene.folder, 'secret.key'));
        await run(scene, `update checkpoints set root_hash = '~' || substr(root_hash, 2) where ${ofCheckpoint}`);
      },
      ['✗ first: consent checkpoint of 20 entries: the entries are not those that it was signed for', '? *'],
    ],
    [
      'a checkpoint of a ledger that does not exist',
      copy('checkpoints', { ledger: 'consent' }, { tenant_id: 'unknown' }),
      '✗ database: checkpoints has rows of the ledger consent of unknown, which does not exist',
    ],
    [
      'no checkpoints.log',
      (scene) => rmSync(logOf(scene)),
      ['? checkpoints.log is missing in *: a roll-back of the database * cannot be detected*', '? *'],
    ],
    [
      'a checkpoints.log that was emptied',
      (scene) => truncateSync(logOf(scene)),
      ['? first: consent checkpoints of 6, 12, 20 entries are not in checkpoints.log*', '? *'],
    ],
    [
      'an edited anchor',
      rewriteLog((text) => text.replace('\n20\n', '\n19\n')),
      ['✗ checkpoints.log line *: the record is not signed by this installation*', '*'],
    ],
    ...[60, -60].map(
      (minutes): Case => [
        `the last anchor cut off${minutes < 0 ? ', where the clock is behind' : ''}`,
        rewriteLog((text) => text.slice(0, text.lastIndexOf('\n\nsvc-') + 2)),
        ['? first: consent checkpoints of 20 entries are not in checkpoints.log*', '? *'],
        { minutes },
      ],
    ),
    [
      'an anchor taken out of the middle',
      rewriteLog((text) => text.slice(text.indexOf('\n\nsvc-') + 2)),
      ['? first: * checkpoints of * entries are not in checkpoints.log*', '? *'],
    ],
    [
      'a forged anchor',
      (scene) => appendFileSync(logOf(scene), `${signForeign(scene, 5, Buffer.alloc(32).toString('base64'))}\n`),
      ['✗ checkpoints.log line *: the record is not signed by this installation*', '*'],
    ],
    [
      'a forged restore statement that hides a roll-back',
      async (scene) => {
        await rollBack(scene);
        const after = { records: 0, hash: Buffer.alloc(32).toString('base64') };
        const origin = nameRestore(stranger.verifier.name);
        const text = writeRestoreStatement({ origin, at: later, after, states: [] });
        appendFileSync(logOf(scene), `${stranger.sign(text)}\n`);
      },
      ['✗ first: consent checkpoint of 20 entries *: the ledger has 12 entries*', '*'],
      { on: 'sqlite' },
    ],
    [
      'a genuine restore statement that is copied to the end to hide a roll-back',
      async (scene) => {
        await rollBack(scene);
        const signer = new NoteSigner(readFileSync(join(scene.folder, 'secret.key'), 'utf8').trim());
        const log = new AnchorLog(join(scene.folder, 'earlier.log'), signer.verifier);
        await using database = openDatabase({ url: null, file: databaseFile(scene.folder) });
        await stateRestore(database, { signer, anchors: log }, later);
        const text = readFileSync(log.file, 'utf8');
        appendFileSync(logOf(scene), text.slice(text.lastIndexOf(`${nameRestore(signer.verifier.name)}\n`)));
        const anchors = new AnchorLog(logOf(scene), signer.verifier);
        anchors.open();
        const latest = anchors.latest({ tenantId: String(scene.names.first), ledger: 'consent' });
        assert.equal(latest?.size, 20, 'the server does not accept it either');
      },
      ['✗ checkpoints.log line *: the restore statement was made for another position in the log: it was copied*', '*'],
      { on: 'sqlite' },
    ],
    [
      'no erasures.log',
      ({ folder }) => rmSync(join(folder, erasureFile)),
      '? erasures.log is missing in *: a restore of an older backup would erase nothing again*',
    ],
  ),
];

const version = (number: number) => `${first} and notice_id = '{notice}' and version = ${number}`;
const firstText = `hash = (select substr(shown, 8, 64) from consent_notice_versions where ${version(1)})`;

/** Changes of the versions of notices and their texts. */
const ofNotices: readonly Tampering[] = [
  ...read(`
    a version deleted together with the head of the audit log
    delete from consent_notice_versions where ${version(2)}
    delete from chain_heads where ${first} and ledger = 'audit'
    ✗ first: audit chain, row 1 (missing): the head of the chain is missing
    ✗ first: notice {notice} version 2: the version is missing
    *

    the first of two versions deleted
    delete from consent_notice_versions where ${version(1)}
    ✗ first: notice {notice} version 1: the version is missing
    *

    the last of two versions deleted
    delete from consent_notice_versions where ${version(2)}
    ✗ first: notice {notice} version 2: the version is missing
    *

    a version with other content
    update consent_notice_versions set content = replace(content, 'Example Ltd', 'Another Ltd') where ${version(1)}
    ✗ first: notice {notice} version 1: *

    a version with another version since which it asks
    update consent_notice_versions set asks_since = 1 where ${version(2)}
    ✗ first: notice {notice} version 2: the audit log has another version since which it asks

    a version with other texts
    update consent_notice_versions set shown = '{}' where ${version(2)}
    ✗ first: notice {notice} version 2: the audit log has other hashes of its texts
    *

    a text changed
    update consent_notice_texts set body = '{}' where ${firstText}
    ✗ first: notice {notice} version 1: the text in the language en does not fit its hash

    a text deleted
    delete from consent_notice_texts where ${firstText}
    ✗ first: notice {notice} version 1: the text in the language en is missing

    two versions exchanged
    update consent_notice_versions set version = 9 where ${version(1)}
    update consent_notice_versions set version = 1 where ${version(2)}
    update consent_notice_versions set version = 2 where ${version(9)}
    ✗ first: notice {notice} version 1: *
    ✗ first: notice {notice} version 2: *
    *

    a notice with an earlier version than its latest
    update consent_notices set version = 1 where id = '{notice}'
    ✗ first: notice {notice} version 1: the latest version is 2
    ✗ first: consent_notices {notice}: the row differs from the audit log

    a notice whose counter does not match the ledger
    update consent_notices set record_count = 7 where id = '{notice}'
    ✗ first: notice {notice} version 2: the notice counts 7 records, the ledger has *

    a notice deleted, with versions and records left [sqlite]
    delete from consent_notices where id = '{notice}'
    ✗ first: notice {notice} version 1: its notice is missing
    ✗ first: notice {notice} version 2: its notice is missing
    ✗ first: consent_notices {notice}: the row is missing
    ✗ database: a row of consent_notice_texts refers to a row of consent_notices that is missing
    ✗ database: a row of consent_notice_versions refers to a row of consent_notices that is missing
    ✗ database: a row of consent_records refers to a row of consent_notices that is missing

    content that is not UTF-8 and reads as the same text [sqlite]
    update consent_notice_versions set content = replace(content, '\uFFFD', cast(x'f0bfbd' as text))
    ✗ second: notice {shop} version 2: the text is not Unicode

    a text that is not UTF-8 and reads as the same text [sqlite]
    update consent_notice_texts set body = replace(body, '\uFFFD', cast(x'f0bfbd' as text))
    ✗ second: notice {shop} version 2: the text in the language en does not fit its hash
  `),
  ...list(
    [
      'a version whose content and hash were both changed',
      edit('consent_notice_versions', { version: 1 }, (row) => {
        const content = String(row.content).replace('Example', 'Changed');
        return { content, content_hash: hash('sha256', content) };
      }),
      [
        '✗ first: notice {notice} version 1: the audit log has another hash',
        '✗ first: notice * version 1: the audit *',
      ],
    ],
    [
      'a text inserted',
      copy('consent_notice_texts', {}, { hash: hash('sha256', '{}'), body: '{}' }),
      '✗ first: notice * version 0: a text belongs to no version',
    ],
    [
      'a text of a tenant that does not exist',
      copy('consent_notice_texts', {}, { tenant_id: 'unknown', hash: 'f'.repeat(64) }),
      ['✗ unknown: notice * version 0: a text belongs to no version', '*'],
    ],
    [
      'a version inserted',
      async (scene) => {
        await copy('consent_notice_versions', { version: 2 }, { version: 3 })(scene);
        await run(scene, "update consent_notices set version = 3 where id = '{notice}'");
      },
      [
        '✗ first: notice {notice} version 3: the audit log does not have its publication',
        '✗ first: consent_notices {notice}: the row differs from the audit log',
      ],
    ],
    [
      'records that name a text which their version of the notice does not have',
      async ({ settings, names }) => {
        await using installation = await openInstallation(settings, () => later);
        await appendShown(installation, String(names.second), [String(names.shop), String(names.website)], 'wrong');
      },
      [1, 2, 3, 4, 5, 6].map(
        (number) =>
          `✗ second: notice {shop} version ${number === 6 ? 3 : 1}: row {secondConsent+${number}} of the consent chain names a text that this version does not have`,
      ),
    ],
  ),
];

/** Changes of rows that the audit log has the state of. */
const ofRows: readonly Tampering[] = [
  ...read(`
    a key deleted
    delete from api_keys where ${first} and expires_at is not null
    ✗ first: api_keys *: the row is missing

    a key changed
    - update api_keys set expires_at = null where ${first} and expires_at is not null
    - update api_keys set scopes = 'everything' where ${first} and expires_at is not null
    ✗ first: api_keys *: the row differs from the audit log
    ✗ first: api_keys *: the seal does not hold: *

    the name of a key that is not UTF-8 and reads as the same text [sqlite]
    update api_keys set name = replace(name, '\uFFFD', cast(x'f0bfbd' as text)) where ${first}
    ✗ first: api_keys *: the text is not Unicode
    ✗ first: api_keys *: the seal does not hold: *

    a tenant with another name and slug
    update tenants set name = 'Renamed', slug = 'renamed' where id = '{first}'
    ✗ renamed: tenants {first}: the row differs from the audit log
    ✗ renamed: tenants {first}: the seal does not hold: *

    another password, in every tenant of the person
    update users set password_hash = '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHRzYWx0$dGFndGFndGFn' where id = '{member}'
    ✗ first: users {member}: the row differs from the audit log
    ✗ second: users {member}: the row differs from the audit log
    ✗ *: users {member}: the seal does not hold: *

    another address of a person
    update users set email = 'attacker@example.com' where id = '{stranger}'
    ✗ second: users {stranger}: the row differs from the audit log
    ✗ second: users {stranger}: the seal does not hold: *

    a membership changed
    - update memberships set role = 'admin' where ${first} and user_id = '{member}'
    - update memberships set accepted_at = null where ${first} and user_id = '{member}'
    - update memberships set user_name = 'other@example.com' where ${first} and user_id = '{member}'
    - update memberships set external_id = 'x' where ${first} and user_id = '{member}'
    - update memberships set deactivated_at = '${later}' where ${first} and user_id = '{member}'
    - update memberships set deleted_at = '${later}' where ${first} and user_id = '{member}'
    ✗ first: memberships {member}: the row differs from the audit log
    ✗ *: memberships *: the seal does not hold: *

    a membership deleted
    delete from memberships where ${first} and user_id = '{member}'
    ✗ first: memberships {member}: the row is missing
    *

    a second factor changed
    - update second_factors set state = 'disabled' where user_id = '{member}'
    - update second_factors set secret = 'sealed elsewhere' where user_id = '{member}'
    - update second_factors set codes_salt = 'x' where user_id = '{member}'
    ✗ first: second_factors {member}: the row differs from the audit log
    ✗ second: second_factors {member}: the row differs from the audit log
    ✗ *: second_factors {member}: the seal does not hold: *

    a second factor deleted
    delete from second_factors where user_id = '{member}'
    ✗ first: second_factors {member}: the row is missing
    ✗ second: second_factors {member}: the row is missing
    ✗ *: second_factors {member}: the row is missing, so the user cannot sign in

    a SCIM token replaced
    update scim_tokens set hash = '${'f'.repeat(64)}' where ${first} and revoked_at is null
    ✗ first: scim_tokens *: the row differs from the audit log
    ✗ first: scim_tokens *: the seal does not hold: *

    a revoked SCIM token moved to another tenant and reactivated
    update scim_tokens set tenant_id = '{third}', revoked_at = null where ${first} and revoked_at is not null
    ✗ first: scim_tokens *: the row is missing
    ✗ empty: scim_tokens *: the audit log has no event of the row
    ✗ empty: scim_tokens *: the seal does not hold: *

    an invitation changed
    - update invitations set role = 'admin' where ${first}
    - update invitations set email = 'attacker@example.com' where ${first}
    - update invitations set token_hash = '${'f'.repeat(64)}' where ${first}
    - update invitations set expires_at = '2036-11-21T12:00:00.000Z' where ${first}
    ✗ first: invitations *: the row differs from the audit log
    ✗ first: invitations *: the seal does not hold: *

    an invitation deleted
    delete from invitations where ${first}
    ✗ first: invitations *: the row is missing
  `),
  ...list(
    ...['{first}', 'unknown'].map(
      (tenant_id): Case => [
        `a key inserted, of the tenant ${tenant_id}`,
        copy('api_keys', {}, { id: 'inserted', hash: 'f'.repeat(64), tenant_id }),
        [
          `✗ ${tenant_id === 'unknown' ? tenant_id : 'first'}: api_keys inserted: the audit log has no event of the row`,
          '*',
        ],
      ],
    ),
    [
      'a notice set back to an earlier state',
      ({ database, earlierNotice: { record_count: _, ...row } }) => changeRow(database, 'consent_notices', row, row),
      '✗ second: consent_notices {website}: the row differs from the audit log',
    ],
    [
      'a notice that was deleted and is back',
      ({ database, deletedNotice }) => insertRow(database, 'consent_notices', deletedNotice),
      '✗ second: consent_notices *: the audit log has no event of the row',
    ],
    [
      'an administrator inserted',
      copy('memberships', {}, { user_id: '{stranger}', role: 'admin' }),
      ['✗ first: memberships {stranger}: the audit log has no event of the row', '*'],
    ],
    [
      'an administrator inserted with an account',
      async (scene) => {
        const person = { id: 'ghost', email: 'ghost@example.com', salt: 'salt', created_at: later };
        await insertRow(scene.database, 'users', person);
        await copy('memberships', {}, { user_id: person.id, role: 'admin' })(scene);
      },
      [
        '✗ first: memberships ghost: the audit log has no event of the row',
        '✗ first: users ghost: the audit log has no event of the row',
        '*',
      ],
    ],
  ),
];

const all = [...ledgerNames.flatMap(ofChain), ...ofRecords, ...ofDatabase, ...ofCheckpoints, ...ofNotices, ...ofRows];

/** Appends records that name texts of these notices, all of them right or all wrong. */
async function appendShown(
  { database }: Installation,
  tenantId: string,
  [noticeId, otherNotice]: readonly [string, string],
  which: 'right' | 'wrong',
): Promise<void> {
  const hashOf = async (id: string, version: number) =>
    (await findVersion(database.kysely, tenantId, id, version))?.shown.en as string;
  const [one, two] = [await hashOf(noticeId, 1), await hashOf(noticeId, 2)];
  const other = await hashOf(otherNotice, 1);
  const drafts: readonly Partial<RecordDraft>[] =
    which === 'right'
      ? [
          { shownHash: one },
          { shownHash: two, noticeVersion: 2 },
          { shownHash: other, noticeId: otherNotice },
          { shownHash: 'unverified' },
        ]
      : [
          { shownHash: 'f'.repeat(64) },
          { shownHash: two },
          // The template of this record is that of the record of the other notice, where it is right.
          { shownHash: other },
          { shownHash: one, language: 'de' },
          { shownHash: one, language: 'toString' },
          { shownHash: one, noticeVersion: 3 },
        ];
  for (const draft of drafts) {
    const visit = { ...draftRecord(tenantId, noticeId, 'visitor'), source: 'public', space: 'public', language: 'en' };
    await runTransaction(database, '2026-11-21T13:00:00.000Z', (tx) =>
      appendRecords(tx, [{ ...visit, ...draft } as RecordDraft]),
    );
  }
}

describeOnOneDatabase('svc verify finds', (dialect) => {
  const clock = new TestClock();
  let location: TestLocation;
  let original: Omit<Scene, 'folder' | 'database'>;
  let copies = 0;
  before(async () => {
    location = await createLocation(dialect);
    const settings = readSettings(location.environment);
    await using installation = await openInstallation(settings, clock.now);
    installation.erasures.open();
    const tenants = (await fillLedgers(installation)) as [FilledTenant, FilledTenant];
    original = { settings, ...(await fillMore(installation, tenants)) };
  });
  after(() => location[Symbol.asyncDispose]());

  /** Adds the rows that entries need beside those of `fillLedgers`. */
  async function fillMore(installation: Installation, [one, other]: readonly [FilledTenant, FilledTenant]) {
    const { database, settings } = installation;
    const change = <Result>(step: (tx: Transaction) => Promise<Result>) => runTransaction(database, clock.now(), step);
    const sign = (tenantId: string, ledger: LedgerName) => signNow(installation, { tenantId, ledger }, clock.now());
    const [source, [website, shop]] = [systemSource(other.id), other.notices as [string, string]];
    const users = await readRows(database, 'users');
    const third = (await readRows(database, 'tenants')).find(({ slug }) => slug === 'empty');
    const findUser = (slug: string) => users.find(({ email }) => email === `member@${slug}.example.com`)?.id as string;
    const joins = { email: 'member@first.example.com', role: 'dpo', isActivated: true, isAccepted: true } as const;
    await change((tx) => addMember(tx, source, joins, 'test'));
    await change((tx) => rotateScimToken(tx, systemSource(one.id)));
    const readNotice = async (id: string) =>
      (await readRows(database, 'consent_notices')).find((row) => row.id === id) as Row;
    const draft = await change((tx) => createNotice(tx, source, NoticeContent.parse(noticeContent)));
    const deletedNotice = await readNotice(draft.id);
    await change((tx) => deleteNotice(tx, source, draft.id));
    const earlierNotice = await readNotice(website);
    await change((tx) => editNotice(tx, source, website, { name: 'Another' }));
    await change(async (tx) => {
      await editNotice(tx, source, shop, { name: 'Shop \uFFFD' });
      await publishNotice(tx, source, shop);
    });
    await appendShown(installation, other.id, [shop, website], 'right');
    await appendManyRecords({ installation, clock }, other.id, 300);
    await change((tx) => appendRecords(tx, [draftRecord(other.id, shop, 'erased')]));
    await change((tx) => eraseSubject(tx, source, 'erased', 'Asked for it'));
    await sign(other.id, 'consent');
    await new LogKeeper(installation).step(clock.now());
    const earlierFile = join(settings.dataDir, 'earlier.sqlite');
    if (dialect === 'sqlite') await sql`vacuum into ${earlierFile}`.execute(database.kysely);
    clock.advance(60_000);
    await appendManyRecords({ installation, clock }, one.id, 8);
    await sign(one.id, 'consent');
    await appendManyRecords({ installation, clock }, one.id, 1);
    const described = { ipHash: 'a'.repeat(64), uaHash: 'b'.repeat(64) };
    const [notice] = one.notices as [string];
    await change((tx) => appendRecords(tx, [{ ...draftRecord(one.id, notice, 'described'), ...described }]));
    const newest = async (tenantId: string, ledger: LedgerName) =>
      (await readLedger(database, { tenantId, ledger })).length;
    const [opening] = (await readRows(database, 'audit_openings')).filter((row) => row.tenant_id === one.id);
    const names = {
      ...{ opened: opening?.sequence as number, path: opening?.path as string },
      ...{ first: one.id, second: other.id, member: findUser('first'), stranger: findUser('second') },
      ...{ third: third?.id as string, notice, website, shop },
      ...{ consent: await newest(one.id, 'consent'), audit: await newest(one.id, 'audit') },
      secondConsent: await newest(other.id, 'consent'),
    };
    return { names, earlierNotice, deletedNotice, earlierFile };
  }

  /** A copy of the installation, opened; the original is closed. */
  async function open(): Promise<Scene & AsyncDisposable> {
    copies += 1;
    const { settings } = original;
    const folder = mkdtempSync(join(settings.dataDir, 'copy-'));
    for (const name of ['secret.key', anchorFile, erasureFile, ...(dialect === 'sqlite' ? ['svc.sqlite'] : [])])
      cpSync(join(settings.dataDir, name), join(folder, name));
    const url = settings.databaseUrl === null ? null : await copyDatabase(settings.databaseUrl, copies);
    const database = openDatabase({ url, file: databaseFile(folder) });
    return {
      ...original,
      settings: { ...settings, dataDir: folder, databaseUrl: url },
      ...{ folder, database },
      [Symbol.asyncDispose]: async () => {
        await database.close().catch(() => undefined);
        if (url !== null) await onCluster((client, name) => client.query(`drop database ${name} with (force)`), url);
        rmSync(folder, { recursive: true });
      },
    };
  }

  test('nothing in an unchanged copy', async () => {
    await using scene = await open();
    const { code, lines } = await runVerify(scene);
    assert.equal(code, 0, lines.join('\n'));
  });

  for (const { title, change, finds, on = dialect, minutes = 60 } of all)
    if (on === dialect)
      test(title, async () => {
        await using scene = await open();
        await change(scene);
        const expected = finds.map((text) => fill(text, scene));
        const at = new Date(clock.milliseconds() + minutes * 60_000).toISOString();
        const { code, lines, report } = await runVerify(scene, {}, () => at);
        const found = report.findings.map(({ kind, message }) => `${kind === 'unchecked' ? '?' : '✗'} ${message}`);
        const expectedCode = expected[0]?.startsWith('?') ? 3 : 1;
        assert.deepEqual([code, report.exitCode, report.intact], [expectedCode, expectedCode, false], lines.join('\n'));
        for (const text of found) assert.ok(lines.includes(text), text);
        const missed = expected.filter((pattern) => !found.some((text) => fits(text, pattern)));
        const unexpected = found.filter((text) => !expected.some((pattern) => fits(text, pattern)));
        assert.deepEqual({ missed, unexpected }, { missed: [], unexpected: [] }, found.join('\n'));
      });
});

/** Compares a text with a pattern in which `*` stands for any text. */
function fits(text: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*');
  let rest = text.startsWith(start) ? text.slice(start.length) : null;
  for (const part of parts.slice(0, -1)) {
    const at: number = rest?.indexOf(part) ?? -1;
    rest = at < 0 ? null : (rest as string).slice(at + part.length);
  }
  return parts.length === 0 ? rest === '' : rest?.endsWith(parts.at(-1) as string) === true;
}

async function copyDatabase(url: string, number: number): Promise<string> {
  const copy = `${new URL(url).pathname.slice(1)}_${number}`;
  await onCluster((client, name) => client.query(`create database ${copy} template ${name}`), url);
  return addressOf(url, copy);
}

async function onCluster(run: (client: pg.Client, name: string) => Promise<unknown>, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: addressOf(url, 'postgres') });
  await client.connect();
  try {
    await run(client, new URL(url).pathname.slice(1));
  } finally {
    await client.end();
  }
}
