import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { databaseFile, openInstallation } from '../../installation/installation.ts';
import { AnchorLog, anchorFile } from '../../ledger/anchor-log.ts';
import { nameOrigin, nameRestore, writeCheckpoint, writeRestoreStatement } from '../../ledger/checkpoint.ts';
import { stateRestore } from '../../ledger/checkpoint-store.ts';
import { hashEntry } from '../../ledger/entry.ts';
import { NoteSigner } from '../../ledger/signed-note.ts';
import { readSettings, type Settings } from '../../settings.ts';
import { type Database, type Dialect, openDatabase } from '../../storage/database.ts';
import { PrivateHasher } from '../../storage/secrets.ts';
import { createLocation, describeOnOneDatabase, TestClock, type TestLocation } from '../harness.ts';
import { addressOf } from '../migrated-database.ts';
import { appendManyRecords } from '../proofs/ledger-requests.ts';
import { signNow } from './exported.ts';
import { fillLedgers, runVerify } from './fixture.ts';
import { changeRow, insertRow, type LedgerRow, type Row, readLedger, readRows, tamper } from './tamper.ts';

/** A copy of an installation to attack. */
interface Scene {
  readonly settings: Settings;
  readonly folder: string;
  readonly database: Database;
  /** The attacked tenant, and another one. */
  readonly tenantId: string;
  readonly otherId: string;
  /** The database as it was before the latest records. */
  readonly earlier: string;
}

interface Attack {
  readonly run: (scene: Scene) => Promise<unknown> | unknown;
  /** The exit code, and what the output must contain. */
  readonly code: 1 | 3;
  readonly names: RegExp;
  /** If its statements differ between the databases, it runs on both. */
  readonly everywhere?: boolean;
  readonly only?: Dialect;
  /** Minutes between the latest checkpoint and the verification; negative with a clock that is behind. */
  readonly minutes?: number;
}

const noPlace = { records: 0, hash: Buffer.alloc(32).toString('base64') };
const stranger = new NoteSigner('the secret of another installation');
const change = (database: Database, text: string) => tamper(database, (queries) => sql.raw(text).execute(queries));
const recordsOf = async ({ database, tenantId }: Scene) =>
  (await readRows(database, 'consent_records')).filter((row) => row.tenant_id === tenantId);
const logOf = ({ folder }: Scene) => join(folder, anchorFile);
const rewriteLog = (scene: Scene, edit: (text: string) => string) => {
  const text = readFileSync(logOf(scene), 'utf8');
  const edited = edit(text);
  assert.notEqual(edited, text);
  writeFileSync(logOf(scene), edited);
};

/** Sets the head to the last row, as far as possible without the secret. */
async function fixHead(scene: Scene): Promise<void> {
  const last = (await recordsOf(scene)).at(-1) as Row;
  const at = last.recorded_at;
  await change(
    scene.database,
    `update chain_heads set sequence = ${last.sequence}, hash = '${last.hash}', at = '${at}' where tenant_id = '${scene.tenantId}' and ledger = 'consent'`,
  );
  await change(
    scene.database,
    `update consent_notices set record_count = (select count(*) from consent_records where notice_id = consent_notices.id)`,
  );
}

/** Recomputes every hash of the attacked ledger and deletes its tree. */
async function rehash(scene: Scene): Promise<void> {
  let prev: string | null = null;
  for (const row of await readLedger(scene.database, { tenantId: scene.tenantId, ledger: 'consent' })) {
    const hash = hashEntry(prev, row.entry);
    await change(
      scene.database,
      `update consent_records set hash = '${hash}' where tenant_id = '${scene.tenantId}' and sequence = ${row.sequence}`,
    );
    prev = hash;
  }
  await fixHead(scene);
  for (const table of ['merkle_trees', 'merkle_tiles'])
    await change(scene.database, `delete from ${table} where tenant_id = '${scene.tenantId}' and ledger = 'consent'`);
}

const ofTenant = ({ tenantId }: Scene) => `tenant_id = '${tenantId}'`;
const editEntry = `captured_at = '2020-02-20T20:20:20.020Z'`;

const editFrame = `parts = replace(parts, '"method":null', '"method":"fake"')`;

const attacks: Readonly<Record<string, Attack>> = {
  'an edited entry': {
    run: (scene) =>
      change(scene.database, `update consent_records set ${editEntry} where ${ofTenant(scene)} and sequence = 3`),
    code: 1,
    names: /✗ first: consent chain, row 3 .*: the hash does not match the entry/,
    everywhere: true,
  },
  'an entry edited with its own hash': {
    async run(scene) {
      await change(scene.database, `update consent_records set ${editEntry} where ${ofTenant(scene)} and sequence = 3`);
      const [, before, row] = await readLedger(scene.database, { tenantId: scene.tenantId, ledger: 'consent' });
      const hash = hashEntry(String(before?.hash), String(row?.entry));
      await change(
        scene.database,
        `update consent_records set hash = '${hash}' where ${ofTenant(scene)} and sequence = 3`,
      );
    },
    code: 1,
    names: /✗ first: consent chain, row 4 .*: the hash does not match the entry/,
  },
  'an edited frame': {
    run: (scene) => change(scene.database, `update consent_frames set ${editFrame} where ${ofTenant(scene)}`),
    code: 1,
    names: /✗ first: consent chain, row 1 .*: the frame of the entry was modified/,
  },
  'a frame edited with its own hash': {
    async run(scene) {
      await change(scene.database, `update consent_frames set ${editFrame} where ${ofTenant(scene)}`);
      for (const frame of await readRows(scene.database, 'consent_frames')) {
        const hash = createHash('sha256').update(String(frame.parts)).digest('hex');
        await changeRow(scene.database, 'consent_frames', frame, { hash });
      }
    },
    code: 1,
    names: /✗ first: consent chain, row 1 .*: the hash does not match the entry/,
  },
  'a column changed, with a frame that has its value and its place at a purpose of the same name': {
    async run(scene) {
      const frames = await readRows(scene.database, 'consent_frames');
      const time = String((await recordsOf(scene))[0]?.captured_at);
      for (const frame of frames.filter(({ tenant_id }) => tenant_id === scene.tenantId)) {
        const parts = String(frame.parts)
          .replace('"capturedAt":"\t"', `"capturedAt":"${time}"`)
          .replace('"capturedAt":"consent"', '"capturedAt":"\t"');
        const hash = createHash('sha256').update(parts).digest('hex');
        await changeRow(scene.database, 'consent_frames', frame, { parts, hash });
      }
      await change(scene.database, `update consent_records set captured_at = 'consent' where ${ofTenant(scene)}`);
    },
    code: 1,
    names: /✗ first: consent chain, row 1 .*: the frame of the entry was modified/,
  },
  'a removed frame': {
    run: (scene) => change(scene.database, `delete from consent_frames where ${ofTenant(scene)}`),
    code: 1,
    names: /✗ first: consent chain, row 1 .*: the frame of the entry is missing/,
  },
  'a frame of no record': {
    async run(scene) {
      const [frame] = (await readRows(scene.database, 'consent_frames')).filter(
        ({ tenant_id }) => tenant_id === scene.tenantId,
      ) as [Row];
      await insertRow(scene.database, 'consent_frames', { ...frame, number: 7 });
    },
    code: 1,
    names: /✗ first: consent chain, row 7 .*: a frame belongs to no record/,
  },
  'a frame of a tenant that does not exist': {
    async run(scene) {
      const [frame] = (await readRows(scene.database, 'consent_frames')) as [Row];
      await insertRow(scene.database, 'consent_frames', { ...frame, tenant_id: 'unknown' });
    },
    code: 1,
    names: /✗ unknown: consent chain, row 1 \(missing\): the head of the chain is missing/,
  },
  'a text of a tenant that does not exist': {
    async run(scene) {
      const [text] = (await readRows(scene.database, 'consent_notice_texts')) as [Row];
      await insertRow(scene.database, 'consent_notice_texts', { ...text, tenant_id: 'unknown', hash: 'f'.repeat(64) });
    },
    code: 1,
    names: /✗ unknown: notice .* version 0: a text belongs to no version/,
  },
  'a deleted row': {
    run: (scene) => change(scene.database, `delete from consent_records where ${ofTenant(scene)} and sequence = 5`),
    code: 1,
    names: /✗ first: consent chain, row 5 \(missing\): the row is missing/,
    everywhere: true,
  },
  'a cut tail': {
    run: (scene) => change(scene.database, `delete from consent_records where ${ofTenant(scene)} and sequence > 20`),
    code: 1,
    names: /✗ first: consent chain, row 21 \(missing\): the rows 21 to 22 are missing/,
  },
  'a tail cut after the last checkpoint, with the head fixed': {
    async run(scene) {
      await change(scene.database, `delete from consent_records where ${ofTenant(scene)} and sequence > 21`);
      await fixHead(scene);
    },
    code: 1,
    names: /✗ first: consent chain, head, after 21 rows: the seal of the head does not fit/,
    everywhere: true,
  },
  'a tail cut before the last checkpoint, with the old head and its seal put back and checkpoints dropped': {
    async run(scene) {
      const older = openDatabase({ url: null, file: scene.earlier, reads: true });
      const heads = await readRows(older, 'chain_heads');
      await older.close();
      const head = heads.find((row) => row.tenant_id === scene.tenantId && row.ledger === 'consent') as Row;
      await change(
        scene.database,
        `delete from consent_records where ${ofTenant(scene)} and sequence > ${head.sequence}`,
      );
      await fixHead(scene);
      await change(
        scene.database,
        `update chain_heads set mac = '${head.mac}' where ${ofTenant(scene)} and ledger = 'consent'`,
      );
      await change(
        scene.database,
        `delete from checkpoints where ${ofTenant(scene)} and ledger = 'consent' and size > 12`,
      );
      await change(scene.database, `delete from merkle_trees where ${ofTenant(scene)} and ledger = 'consent'`);
      await change(scene.database, `delete from merkle_tiles where ${ofTenant(scene)} and ledger = 'consent'`);
    },
    code: 1,
    names: /✗ first: consent checkpoint of 20 entries .*: the ledger has 12 entries: the newest were removed/,
    only: 'sqlite',
  },
  'a rewritten history, with hashes and head recomputed and checkpoints dropped': {
    async run(scene) {
      await change(scene.database, `update consent_records set ${editEntry} where ${ofTenant(scene)} and sequence = 3`);
      await rehash(scene);
      await change(scene.database, `delete from checkpoints where ${ofTenant(scene)}`);
    },
    code: 1,
    names: /✗ first: consent checkpoint of 12 entries .*: the entries are not those that it was signed for/,
    everywhere: true,
  },
  'rows of two tenants exchanged': {
    async run({ database, tenantId, otherId }) {
      const set = (from: string, to: string) =>
        change(database, `update consent_records set tenant_id = '${to}' where tenant_id = '${from}' and sequence = 4`);
      await set(tenantId, 'unknown');
      await set(otherId, tenantId);
      await set('unknown', otherId);
    },
    code: 1,
    names: /✗ first: consent chain, row 4 .*: the hash does not match the entry/,
  },
  'two rows exchanged': {
    async run(scene) {
      const set = (from: number, to: number) =>
        change(
          scene.database,
          `update consent_records set sequence = ${to} where ${ofTenant(scene)} and sequence = ${from}`,
        );
      await set(4, 1000);
      await set(5, 4);
      await set(1000, 5);
    },
    code: 1,
    names: /✗ first: consent chain, row 4 .*: the hash does not match the entry/,
  },
  'a row inserted at the end, with the head fixed': {
    async run(scene) {
      const rows = await readLedger(scene.database, { tenantId: scene.tenantId, ledger: 'consent' });
      const { entry, ...last } = rows.at(-1) as LedgerRow;
      const id = randomUUID();
      const changed = entry.replace(String(last.id), id).replace('"sequence":22', '"sequence":23');
      const row: Row = { ...last, id, hash: hashEntry(String(last.hash), changed), sequence: 23 };
      await tamper(scene.database, (queries) =>
        queries
          .insertInto('consent_records')
          .values(row as never)
          .execute(),
      );
      await fixHead(scene);
    },
    code: 1,
    names: /✗ first: consent chain, head, after 23 rows: the seal of the head does not fit/,
  },
  'the whole file rolled back': {
    async run(scene) {
      await scene.database.close();
      for (const end of ['-wal', '-shm']) rmSync(databaseFile(scene.folder) + end, { force: true });
      cpSync(scene.earlier, databaseFile(scene.folder));
    },
    code: 1,
    names:
      /✗ first: consent checkpoint of 20 entries .*: the ledger has 12 entries: the newest were removed, or an older database was put in its place/,
    only: 'sqlite',
  },
  'a tenant removed with all its rows': {
    async run({ database, tenantId }) {
      const tables = await database.kysely.introspection.getTables();
      for (const { name, columns } of tables) {
        if (columns.some((column) => column.name === 'tenant_id'))
          await change(database, `delete from ${name} where tenant_id = '${tenantId}'`);
      }
      await change(database, `delete from tenants where id = '${tenantId}'`);
    },
    code: 1,
    names: /✗ checkpoints\.log line \d+: the ledger .*\/(consent|audit) is missing/,
  },
  'a dropped trigger': {
    run: ({ database }) => sql.raw('drop trigger consent_records_refuse_update').execute(database.kysely),
    code: 1,
    names: /✗ database: the trigger consent_records_refuse_update is missing: rows of consent_records could be changed/,
    only: 'sqlite',
  },
  'a weakened trigger': {
    async run({ database }) {
      await sql.raw('drop trigger audit_events_refuse_delete').execute(database.kysely);
      const text = `create trigger audit_events_refuse_delete before delete on audit_events when old.sequence > 9 begin select raise(abort, 'audit_events is append-only'); end`;
      await sql.raw(text).execute(database.kysely);
    },
    code: 1,
    names: /✗ database: the trigger audit_events_refuse_delete is not the one that Svc made/,
    only: 'sqlite',
  },
  'a trigger that swallows events': {
    run: ({ database }) =>
      sql
        .raw('create trigger hide before insert on audit_events begin select raise(ignore); end')
        .execute(database.kysely),
    code: 1,
    names: /✗ database: the trigger hide on audit_events was not made by Svc/,
    only: 'sqlite',
  },
  'a dropped trigger of PostgreSQL': {
    run: ({ database }) => sql.raw('drop trigger checkpoints_refuse_change on checkpoints').execute(database.kysely),
    code: 1,
    names: /✗ database: the trigger checkpoints_refuse_change is missing/,
    only: 'postgres',
  },
  'a trigger of PostgreSQL that is switched off': {
    run: ({ database }) =>
      sql.raw('alter table audit_events disable trigger audit_events_refuse_change').execute(database.kysely),
    code: 1,
    names: /✗ database: the trigger audit_events_refuse_change is switched off/,
    only: 'postgres',
  },
  'a trigger of PostgreSQL for another event': {
    async run({ database }) {
      await sql.raw('drop trigger audit_events_refuse_change on audit_events').execute(database.kysely);
      const text =
        'create trigger audit_events_refuse_change before delete on audit_events for each row execute function refuse_change()';
      await sql.raw(text).execute(database.kysely);
    },
    code: 1,
    names: /✗ database: the trigger audit_events_refuse_change is not the one that Svc made/,
    only: 'postgres',
  },
  'a trigger of PostgreSQL that has the name of one on another table': {
    run: ({ database }) =>
      sql
        .raw(
          'create trigger audit_events_refuse_change before insert on api_keys for each row execute function suppress_redundant_updates_trigger()',
        )
        .execute(database.kysely),
    code: 1,
    names: /✗ database: the trigger audit_events_refuse_change on api_keys was not made by Svc/,
    only: 'postgres',
  },
  'a weakened function of PostgreSQL': {
    run: ({ database }) =>
      sql
        .raw(
          'create or replace function refuse_change() returns trigger language plpgsql as $$ begin return coalesce(new, old); end $$',
        )
        .execute(database.kysely),
    code: 1,
    names: /✗ database: the function refuse_change is not the one that Svc made/,
    only: 'postgres',
  },
  'a rule of PostgreSQL that swallows records': {
    run: ({ database }) =>
      sql.raw('create rule hide as on insert to consent_records do instead nothing').execute(database.kysely),
    code: 1,
    names: /✗ database: the rule hide on consent_records was not made by Svc/,
    only: 'postgres',
  },
  'a view in place of a table, which hides a key': {
    async run({ database }) {
      await sql.raw('alter table api_keys rename to hidden_keys').execute(database.kysely);
      await sql.raw('create view api_keys as select * from hidden_keys').execute(database.kysely);
    },
    code: 1,
    names: /✗ database: the table api_keys that Svc made is now a view: it can show other rows than there are/,
    everywhere: true,
  },
  'a table without its rules': {
    async run({ database }) {
      await sql.raw('create table copy as select * from rate_limits').execute(database.kysely);
      await sql.raw('drop table rate_limits').execute(database.kysely);
      await sql.raw('alter table copy rename to rate_limits').execute(database.kysely);
    },
    code: 1,
    names: /✗ database: the table rate_limits that Svc made is another one/,
    only: 'sqlite',
  },
  'row security of PostgreSQL': {
    run: ({ database }) => sql.raw('alter table consent_records enable row level security').execute(database.kysely),
    code: 1,
    names: /✗ database: row security is on for the table consent_records: it can hide rows/,
    only: 'postgres',
  },
  'another fingerprint of the secret': {
    run: ({ database }) => change(database, `update installation set secret_hash = 'f'`),
    code: 1,
    names: /✗ installation\.secret_hash was changed/,
    everywhere: true,
  },
  'no row of the installation': {
    run: ({ database }) => change(database, 'delete from installation'),
    code: 1,
    names: /✗ The row of the table installation was removed/,
  },
  'another secret.key': {
    run: ({ folder }) => writeFileSync(join(folder, 'secret.key'), 'another secret of more than enough letters\n'),
    code: 3,
    names: /\? The secret is not the one of this database: the signatures .* not checked/,
  },
  'another secret.key with its fingerprint': {
    async run({ folder, database }) {
      const secret = 'another secret of more than enough letters';
      writeFileSync(join(folder, 'secret.key'), `${secret}\n`);
      await change(database, `update installation set secret_hash = '${new PrivateHasher(secret).fingerprint}'`);
    },
    code: 1,
    names: /the seal of the head does not fit/,
  },
  'no secret.key': {
    run: ({ folder }) => rmSync(join(folder, 'secret.key')),
    code: 3,
    names: /\? The secret of this installation is missing: the signatures of checkpoints and the seals/,
  },
  'a damaged secret.key': {
    run: ({ folder }) => writeFileSync(join(folder, 'secret.key'), 'short\n'),
    code: 3,
    names: /\? .*secret\.key is damaged/,
  },
  'the latest checkpoint deleted': {
    run: (scene) =>
      change(scene.database, `delete from checkpoints where ${ofTenant(scene)} and ledger = 'consent' and size = 20`),
    code: 1,
    names: /✗ first: consent checkpoint of 20 entries .*: the checkpoint was removed from the database/,
    everywhere: true,
  },
  'all checkpoints deleted': {
    run: ({ database }) => change(database, 'delete from checkpoints'),
    code: 1,
    names: /✗ second: audit checkpoint of \d+ entries .*: the checkpoint was removed from the database/,
  },
  'a forged checkpoint, with another fingerprint of the secret': {
    async run(scene) {
      const [row] = (await readRows(scene.database, 'checkpoints')).filter(
        ({ tenant_id, ledger }) => tenant_id === scene.tenantId && ledger === 'consent',
      ) as [Row];
      const origin = nameOrigin(stranger.verifier.name, scene.tenantId, 'consent');
      const rootHash = Buffer.alloc(32, 7).toString('base64');
      const note = stranger.sign(writeCheckpoint({ origin, size: Number(row.size), rootHash, at: String(row.at) }));
      const set = `note = '${note}', root_hash = '${rootHash}'`;
      await change(
        scene.database,
        `update checkpoints set ${set} where ${ofTenant(scene)} and ledger = 'consent' and size = ${row.size}`,
      );
      await change(scene.database, `update installation set secret_hash = '${new PrivateHasher('x').fingerprint}'`);
    },
    code: 1,
    names: /✗ first: consent checkpoint of 6 entries: the signature is not of this installation/,
  },
  'the time of a checkpoint edited': {
    run: (scene) =>
      change(
        scene.database,
        `update checkpoints set at = '2026-11-20T00:00:00.000Z' where ${ofTenant(scene)} and size = 20`,
      ),
    code: 1,
    names: /✗ first: consent checkpoint of 20 entries: the row differs from the signed note/,
  },
  'no checkpoints.log': {
    run: (scene) => rmSync(logOf(scene)),
    code: 3,
    names: /\? checkpoints\.log is missing in .*: a roll-back of the database .* cannot be detected/,
    everywhere: true,
  },
  'a checkpoints.log that was emptied': {
    run: (scene) => truncateSync(logOf(scene)),
    code: 3,
    names: /\? first: consent checkpoints of 6, 12, 20 entries are not in checkpoints\.log/,
  },
  'an edited anchor': {
    run: (scene) => rewriteLog(scene, (text) => text.replace('\n20\n', '\n19\n')),
    code: 1,
    names: /✗ checkpoints\.log line \d+: the record is not signed by this installation/,
    everywhere: true,
  },
  'the last anchors cut off': {
    run: (scene) => rewriteLog(scene, (text) => text.slice(0, text.lastIndexOf('\n\nsvc-') + 2)),
    code: 3,
    names: /\? first: consent checkpoints of 20 entries are not in checkpoints\.log/,
  },
  'the last anchors cut off, where the clock is behind': {
    run: (scene) => rewriteLog(scene, (text) => text.slice(0, text.lastIndexOf('\n\nsvc-') + 2)),
    code: 3,
    names: /\? first: consent checkpoints of 20 entries are not in checkpoints\.log/,
    minutes: -60,
  },
  'an anchor taken out of the middle': {
    run: (scene) => rewriteLog(scene, (text) => text.slice(text.indexOf('\n\nsvc-') + 2)),
    code: 3,
    names: /\? first: .* checkpoints of \d+ entries are not in checkpoints\.log/,
  },
  'a forged anchor': {
    run: (scene) => {
      const origin = nameOrigin(stranger.verifier.name, scene.tenantId, 'consent');
      const note = stranger.sign(
        writeCheckpoint({
          origin,
          size: 5,
          rootHash: Buffer.alloc(32).toString('base64'),
          at: '2026-11-21T12:00:00.000Z',
        }),
      );
      appendFileSync(logOf(scene), `${note}\n`);
    },
    code: 1,
    names: /✗ checkpoints\.log line \d+: the record is not signed by this installation/,
  },
  'a forged restore statement that hides a roll-back': {
    async run(scene) {
      await (attacks['the whole file rolled back'] as Attack).run(scene);
      const origin = nameRestore(stranger.verifier.name);
      const text = writeRestoreStatement({ origin, at: '2026-11-21T13:00:00.000Z', after: noPlace, states: [] });
      appendFileSync(logOf(scene), `${stranger.sign(text)}\n`);
    },
    code: 1,
    names: /✗ first: consent checkpoint of 20 entries .*: the ledger has 12 entries/,
    only: 'sqlite',
  },
  'a genuine restore statement that is copied to the end to hide a roll-back': {
    async run(scene) {
      await (attacks['the whole file rolled back'] as Attack).run(scene);
      const signer = new NoteSigner(readFileSync(join(scene.folder, 'secret.key'), 'utf8').trim());
      const log = new AnchorLog(join(scene.folder, 'earlier.log'), signer.verifier);
      await using database = openDatabase({ url: null, file: databaseFile(scene.folder) });
      await stateRestore(database, { signer, anchors: log }, '2026-11-21T13:00:00.000Z');
      const text = readFileSync(log.file, 'utf8');
      const statement = text.slice(text.lastIndexOf(`${nameRestore(signer.verifier.name)}\n`));
      appendFileSync(logOf(scene), statement);
      const anchors = new AnchorLog(logOf(scene), signer.verifier);
      anchors.open();
      assert.equal(anchors.latest({ tenantId: scene.tenantId, ledger: 'consent' })?.size, 20, 'nor does a server');
    },
    code: 1,
    names: /✗ checkpoints\.log line \d+: the restore statement was made for another position in the log: it was copied/,
    only: 'sqlite',
  },
  'the seal of a head edited': {
    run: (scene) =>
      change(
        scene.database,
        `update chain_heads set mac = '${'A'.repeat(43)}' where ${ofTenant(scene)} and ledger = 'audit'`,
      ),
    code: 1,
    names:
      /✗ first: audit chain, head, after \d+ rows: the seal of the head does not fit: something other than Svc wrote it/,
    everywhere: true,
  },
  'a published notice with other words': {
    run: (scene) =>
      change(
        scene.database,
        `update consent_notice_versions set content = replace(content, 'Example Ltd', 'Another Ltd') where ${ofTenant(scene)}`,
      ),
    code: 1,
    names: /✗ first: notice .* version 1: /,
  },
  'a key with more scopes': {
    run: (scene) => change(scene.database, `update api_keys set scopes = 'everything' where ${ofTenant(scene)}`),
    code: 1,
    names: /✗ first: api_keys .*: the row differs from the audit log/,
  },
  'a tile of a tree edited': {
    run: (scene) => change(scene.database, `update merkle_tiles set hashes = '' where ${ofTenant(scene)}`),
    code: 1,
    names: /✗ first: consent proofs: tile 0\/0 differs from the entries/,
  },
};

describeOnOneDatabase('svc verify finds', (dialect) => {
  const clock = new TestClock();
  let location: TestLocation;
  let settings: Settings;
  let earlier: string;
  let tenants: readonly string[];
  let copies = 0;
  before(async () => {
    location = await createLocation(dialect);
    settings = readSettings(location.environment);
    earlier = join(settings.dataDir, 'earlier.sqlite');
    await using installation = await openInstallation(settings, clock.now);
    const { database } = installation;
    tenants = (await fillLedgers(installation)).map(({ id }) => id);
    const [tenantId] = tenants as [string];
    if (dialect === 'sqlite') await sql`vacuum into ${earlier}`.execute(database.kysely);
    clock.advance(60_000);
    await appendManyRecords({ installation, clock }, tenantId, 8);
    await signNow(installation, { tenantId, ledger: 'consent' }, clock.now());
    await appendManyRecords({ installation, clock }, tenantId, 2);
  });
  after(() => location[Symbol.asyncDispose]());

  /** A copy of the installation, opened; the original is closed. */
  async function open(): Promise<Scene & AsyncDisposable> {
    copies += 1;
    const folder = mkdtempSync(join(settings.dataDir, 'copy-'));
    for (const name of ['secret.key', anchorFile, ...(dialect === 'sqlite' ? ['svc.sqlite'] : [])])
      cpSync(join(settings.dataDir, name), join(folder, name));
    const url = settings.databaseUrl === null ? null : await copyDatabase(settings.databaseUrl, copies);
    const database = openDatabase({ url, file: databaseFile(folder) });
    const [tenantId, otherId] = tenants as [string, string];
    return {
      settings: { ...settings, dataDir: folder, databaseUrl: url },
      ...{ folder, database, tenantId, otherId, earlier },
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

  for (const [name, { run, code, names, everywhere = false, only, minutes = 60 }] of Object.entries(attacks)) {
    if (only === undefined ? dialect === 'postgres' && !everywhere : only !== dialect) continue;
    test(name, async () => {
      await using scene = await open();
      await run(scene);
      const at = new Date(Date.parse(clock.now()) + minutes * 60_000).toISOString();
      const verified = await runVerify(scene, {}, () => at);
      assert.deepEqual([verified.code, verified.report.exitCode, verified.report.intact], [code, code, false]);
      assert.match(verified.lines.join('\n'), names);
      const messages = verified.report.findings.map(
        ({ kind, message }) => `${kind === 'unchecked' ? '?' : '✗'} ${message}`,
      );
      assert.match(messages.join('\n'), names);
    });
  }
});

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
