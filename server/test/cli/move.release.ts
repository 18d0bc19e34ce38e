import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { type InclusionProofInput, verifyInclusion } from '../../../packages/node-sdk/src/ledger/index.ts';
import { findMemoryFolder } from '../../../tools/test/memory-folder.ts';
import { databaseFile, openInstallation } from '../../installation/installation.ts';
import { listTransfers } from '../../installation/transfer-store.ts';
import { readSettings } from '../../settings.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import { lockFolder } from '../../storage/folder-lock.ts';
import { migrationTable } from '../../storage/migrate.ts';
import { ControlClient } from '../controls/helpers.ts';
import { evidenceItem } from '../controls/samples.ts';
import { createLocation, startTestServer, type TestServer } from '../harness.ts';
import {
  appendManyRecords,
  fetchPublicKey,
  readChain,
  requestCheckpoint,
  type ShownCheckpoint,
} from '../proofs/ledger-requests.ts';
import { assertUsageError, type Environment, runSvc, spawnSvc, startSvc } from './run-svc.ts';

const skip = process.env.SVC_TEST_POSTGRES_URL === undefined ? 'no PostgreSQL' : false;

describe('svc move', { skip }, () => {
  let folder: string;
  /** A data folder with rows in many tables; each test copies it. */
  let seed: string;
  let key: string;
  let noticeId: string;
  let publicKey: string;
  let checkpoint: ShownCheckpoint;
  /** A record and its proof. */
  let proven: { readonly id: string; readonly proof: InclusionProofInput };
  let made = 0;
  const inFolder = () => {
    made += 1;
    return join(folder, `${made}`);
  };
  before(async () => {
    folder = mkdtempSync(join(findMemoryFolder(), 'svc-move-'));
    seed = inFolder();
    await using server = await startTestServer('sqlite');
    ({ key } = server.tenant);
    noticeId = await seedRows(server);
    publicKey = await fetchPublicKey(server);
    checkpoint = await requestCheckpoint(server, server.tenant, 'consent');
    const [record] = await readChain(server, server.tenant.id, 'consent');
    assert.ok(record);
    const proof = await server.request('GET', `/v1/ledgers/consent/inclusion-proof?sequence=${record.sequence}`);
    assert.equal(proof.status, 200, proof.text);
    proven = { id: record.id, proof: proof.body.data };
    // Beyond the checkpoint.
    await appendManyRecords(server, server.tenant.id, 1);
    const { dataDir } = server.installation.settings;
    const copied = await runSvc(['backup', '--to', seed], { SVC_DATA_DIR: dataDir });
    assert.equal(copied.code, 0, copied.stderr);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const copySeed = (): Environment => {
    const to = inFolder();
    cpSync(seed, to, { recursive: true });
    return { SVC_DATA_DIR: to };
  };
  const verify = async (environment: Environment) => {
    const file = join(folder, 'checkpoint');
    writeFileSync(file, checkpoint.note);
    const { code, stdout, stderr } = await runSvc(['verify', '--json', '--checkpoint', file], environment);
    assert.equal(code, 0, stdout + stderr);
    return JSON.parse(stdout);
  };
  /** Captures a record, and verifies the old proof with the hash that the server has. */
  const capture = async (url: string) => {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    };
    const found = await fetch(`${url}/v1/consent/${noticeId}/records/${proven.id}`, { headers });
    const { ledgerHash: hash } = (await found.json()).data;
    await verifyInclusion({ hash, proof: proven.proof, publicKey, checkpoint: checkpoint.note });
    const body = JSON.stringify({ subjectId: 'subject after the move', purposes: { analytics: true } });
    const response = await fetch(`${url}/v1/consent/${noticeId}/records`, { method: 'POST', headers, body });
    assert.equal(response.status, 201);
    return (await response.json()).data;
  };
  /** Starts a server, appends a record and stops it. @returns the sequence of the record. */
  const append = async (environment: Environment): Promise<number> => {
    await using server = await startSvc(['serve'], environment);
    assert.equal(await (await fetch(`${server.url}/.well-known/svc-ledger-key`)).text(), publicKey);
    const { sequence } = await capture(server.url);
    assert.equal((await server.stop()).code, 0);
    return sequence;
  };
  test('keeps every row, proof and checkpoint from SQLite to PostgreSQL and back', async () => {
    const source = copySeed();
    await using location = await createLocation('postgres');
    const target = { ...source, DATABASE_URL: location.environment.DATABASE_URL as string };
    const verified = await verify(source);
    const rows = await readEverything(source);

    const moved = await runSvc(['move', '--to', target.DATABASE_URL], source);
    assert.deepEqual([moved.code, moved.stderr], [0, '']);
    assert.match(moved.stdout, /\nconsent_records: 5001 rows\n.*\nVerifying the copy …\nEverything is in postgres:/s);
    assert.doesNotMatch(moved.stdout, /svc@/);
    assert.deepEqual(await readEverything(target), rows);
    assert.deepEqual(await verify(target), verified);

    const refused = await runSvc(['serve'], source);
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /^svc: The data of this database was moved to postgres:\/\/127\.0\.0\.1:\d+\/svc_\w+ at 20.*Z\. Use it there: set DATABASE_URL\.\n$/,
    );
    const { database: faults } = await verify(source);
    assert.deepEqual(faults, []);
    const again = await runSvc(['move', '--to', target.DATABASE_URL], source);
    assert.deepEqual([again.code, /was moved to/.test(again.stderr)], [2, true]);

    assert.equal(await append(target), 5002);
    const grown = await verify(target);
    const newRows = await readEverything(target);
    const home = inFolder();
    const back = await runSvc(['move', '--to', `sqlite:${home}`, '--json'], target);
    assert.deepEqual([back.code, back.stderr], [0, '']);
    const { from, to, dataDir, verified: result } = JSON.parse(back.stdout);
    assert.match(from, /^postgres:\/\/127\.0\.0\.1/);
    assert.deepEqual([to, dataDir, result.exitCode], [`sqlite:${home}`, home, 0]);
    assert.deepEqual(readdirSync(home).sort(), [
      'checkpoints.log',
      'erasures.log',
      'secret.key',
      'svc.lock',
      'svc.sqlite',
    ]);
    assert.deepEqual(await readEverything({ SVC_DATA_DIR: home }), newRows);
    assert.deepEqual((await verify({ SVC_DATA_DIR: home })).tenants, grown.tenants);
    const closed = await runSvc(['serve'], target);
    assert.equal(closed.code, 2);
    assert.ok(closed.stderr.endsWith(`Use it there: set SVC_DATA_DIR=${home}.\n`), closed.stderr);
    assert.deepEqual((await verify(target)).database, []);
    assert.equal(await append({ SVC_DATA_DIR: home }), 5003);
    await verify({ SVC_DATA_DIR: home });
    await using database = open({ SVC_DATA_DIR: home });
    const transfers = await listTransfers(database.kysely, 20);
    assert.deepEqual(
      transfers.map(({ kind, source }) => `${kind} ${source.replace(/:\d+\/svc_\w+/, '')}`),
      ['move postgres://127.0.0.1', `move sqlite:${source.SVC_DATA_DIR}`],
    );
    assert.ok(transfers.every(({ row_count }) => Number(row_count) > 5000));
  });

  test('refuses a source that a server uses, and lets no server start on it meanwhile', async () => {
    const source = copySeed();
    await using location = await createLocation('postgres');
    const target = { ...source, DATABASE_URL: location.environment.DATABASE_URL as string };
    const place = source.SVC_DATA_DIR as string;
    {
      await using _ = await startSvc(['serve'], source);
      await assertRefused(
        ['--to', target.DATABASE_URL],
        source,
        `A server or another command uses ${place}. Stop it first.`,
      );
    }
    {
      using _ = lockFolder(place, 'exclusive');
      const started = await runSvc(['serve'], source);
      assert.deepEqual(
        [started.code, /svc move or svc secret rotate is running in/.test(started.stderr)],
        [2, true],
        started.stderr,
      );
    }
    assert.equal((await runSvc(['move', '--to', target.DATABASE_URL], source)).code, 0);
    const home = inFolder();
    // A server on another machine, of which only the database knows.
    const other = {
      ...target,
      SVC_DATA_DIR: inFolder(),
      SVC_SECRET: readFileSync(join(place, 'secret.key'), 'utf8').trim(),
    };
    {
      await using _ = await startSvc(['serve'], other);
      await assertRefused(['--to', `sqlite:${home}`], target, 'A server or another command uses postgres://');
      assert.ok(!existsSync(home));
    }
    // As the command holds it while it runs.
    const client = new pg.Client({ connectionString: target.DATABASE_URL });
    await client.connect();
    await client.query('select pg_advisory_lock(7368996)');
    const started = await runSvc(['serve'], other);
    assert.deepEqual(
      [started.code, started.stderr],
      [1, 'svc: The database cannot be used: svc move or svc secret rotate is using it alone\n'],
    );
    await client.end();
    assert.equal((await runSvc(['move', '--to', `sqlite:${home}`], target)).code, 0);
  });

  test('lets no process that was connected before append to the source', async () => {
    const source = copySeed();
    await using location = await createLocation('postgres');
    const target = { ...source, DATABASE_URL: location.environment.DATABASE_URL as string };
    const append = (database: Database) => sql`update chain_heads set sequence = sequence + 1`.execute(database.kysely);
    {
      await using before = open(source);
      await before.kysely.selectFrom('tenants').selectAll().execute();
      assert.equal((await runSvc(['move', '--to', target.DATABASE_URL], source)).code, 0);
      await assert.rejects(append(before), /chain_heads is closed: svc move took the data elsewhere/);
    }
    // As a connection that lost its lock with its session.
    await using before = openDatabase({ url: target.DATABASE_URL, file: '', holds: false });
    await before.kysely.selectFrom('tenants').selectAll().execute();
    const home = `sqlite:${source.SVC_DATA_DIR}`;
    await assertRefused(['--to', home], target, / is not empty: it is the database whose data was moved to postgres:/);
    rmSync(databaseFile(source.SVC_DATA_DIR as string));
    assert.equal((await runSvc(['move', '--to', home], target)).code, 0);
    await assert.rejects(append(before), /chain_heads is append-only/);
    await verify(source);
  });

  test('refuses a target that is not empty', async () => {
    const source = copySeed();
    await using used = await createLocation('postgres');
    const to = used.environment.DATABASE_URL as string;
    const refuse = (hint: RegExp | string) => assertRefused(['--to', to], source, hint);
    await using database = openDatabase({ url: to, file: '', holds: false });
    const run = (statement: string) => sql.raw(statement).execute(database.kysely);
    await run('create table invoices (id text primary key)');
    await refuse(/ is not empty: it has tables that this version of Svc does not make: invoices\. /);
    await run('drop table invoices');
    assert.equal((await runSvc(['migrate'], used.environment)).code, 0);
    await run(`insert into rate_limits values ('b', 1, 1)`);
    await refuse(/ is not empty: there are rows in rate_limits\. /);
    await run('delete from rate_limits');
    await run(`update svc_migrations set name = '006-other' where name = '006-webhooks'`);
    await refuse(/ is not empty: it has another schema version than this one \(006-webhooks\)\. /);
    await run(`update svc_migrations set name = '006-webhooks' where name = '006-other'`);
    const row = `insert into installation (id, secret_hash, created_at, moving_from) values`;
    await run(`${row} (1, 'another', '2026-01-01T00:00:00.000Z', null)`);
    await refuse(/ is not empty: an installation uses it\. /);
    await run(`update installation set moving_from = 'sqlite:/elsewhere'`);
    await refuse(/ is not empty: a move from sqlite:\/elsewhere was interrupted there\. /);
    await run('delete from installation');
    // A migrated database without rows will do.
    assert.equal((await runSvc(['move', '--to', to], source)).code, 0);

    const back = { ...source, DATABASE_URL: to };
    const home = inFolder();
    mkdirSync(home);
    for (const name of ['svc.sqlite', 'svc.sqlite-wal', 'checkpoints.log', 'erasures.log', 'secret.key']) {
      const kept =
        name === 'svc.sqlite'
          ? readFileSync(join(seed, name))
          : Buffer.from('a secret of another installation that is kept here');
      writeFileSync(join(home, name), kept);
      const hint = {
        'svc.sqlite': / is not empty: an installation uses it\. /,
        'secret.key': /secret\.key has another secret/,
      }[name];
      await assertRefused(['--to', `sqlite:${home}`], back, hint ?? join(home, name));
      assert.deepEqual(readFileSync(join(home, name)), kept);
      for (const left of readdirSync(home)) rmSync(join(home, left));
    }
    writeFileSync(join(home, 'svc.sqlite'), 'a file of another program');
    await assertRefused(['--to', `sqlite:${home}`], back, / is not empty: .*svc\.sqlite is not a database\. /);
    rmSync(join(home, 'svc.sqlite'));
    assert.equal((await runSvc(['move', '--to', `sqlite:${home}`], back)).code, 0);
  });

  test('refuses other arguments, a missing secret, and what cannot be moved', async () => {
    const source = copySeed();
    const place = source.SVC_DATA_DIR as string;
    await assertRefused([], source, 'Missing: --to');
    for (const to of ['', 'sqlite:', 'mysql://localhost/svc', 'postgres', 'C:\\data'])
      await assertRefused(['--to', to], source, '--to: must be postgres://… or sqlite:<folder>');
    await assertRefused(['--to', `sqlite:${inFolder()}`], source, 'svc backup and svc restore');
    const postgres = 'postgres://svc:hidden@localhost:1/none';
    await assertRefused(['--to', postgres], { ...source, DATABASE_URL: postgres }, 'pg_dump and pg_restore');
    await assertRefused(['--to', postgres], source, 'Cannot reach the database at localhost:1');
    await assertRefused(['--to', postgres], { SVC_DATA_DIR: inFolder() }, 'There is no database in');
    const empty = { SVC_DATA_DIR: inFolder() };
    await runSvc(['migrate'], empty);
    await assertRefused(['--to', postgres], empty, 'There is nothing to move');
    rmSync(join(place, 'secret.key'));
    await assertRefused(
      ['--to', postgres],
      source,
      /The secret of this database is not here\. Put its secret\.key into /,
    );
    assert.equal(
      (await verifyWith({ ...source, SVC_SECRET: readFileSync(join(seed, 'secret.key'), 'utf8').trim() })).code,
      0,
    );
  });

  test('moves nothing if svc verify finds a change, and names it', async () => {
    const source = copySeed();
    await using location = await createLocation('postgres');
    {
      await using database = open(source);
      await database.kysely.updateTable('tenants').set({ name: 'Another' }).execute();
    }
    const { code, stdout, stderr } = await runSvc(
      ['move', '--to', location.environment.DATABASE_URL as string],
      source,
    );
    assert.equal(code, 1);
    assert.match(stdout, /✗ first: tenants /);
    assert.match(stderr, /^svc: The copy is as the source is, but svc verify found the above\. Nothing was moved\.\n$/);
    await using database = open(source);
    const row = await database.kysely.selectFrom('installation').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([row.moved_to, row.moving_from], [null, null]);
  });

  for (const dialect of ['postgres', 'sqlite'] as const) {
    test(`starts over after it was killed, and no server starts on what it left (to ${dialect})`, async () => {
      await using location = await createLocation('postgres');
      const database = location.environment.DATABASE_URL as string;
      let source = copySeed();
      const there = { ...source, DATABASE_URL: database };
      let target: Environment = there;
      if (dialect === 'sqlite') {
        assert.equal((await runSvc(['move', '--to', database], source)).code, 0);
        [source, target] = [there, { SVC_DATA_DIR: inFolder() }];
      }
      const words = ['move', '--to', dialect === 'sqlite' ? `sqlite:${target.SVC_DATA_DIR}` : database];
      const rows = await readEverything(source);
      if (dialect === 'postgres') {
        // Between the batches of a table.
        await using watcher = openDatabase({ url: database, file: '', holds: false });
        await killAt(words, source, () => hasRecords(watcher));
      }
      const places = [
        'tenants',
        'chain_heads',
        'audit_events',
        'merkle_tiles',
        'consent_notices',
        'consent_records',
        'control_evidence_chunks',
        'users',
        'Comparing',
        'Verifying',
      ];
      for (const place of places) {
        await killAt(words, source, place);
        await assert.rejects(openInstallation(readSettings(target)), {
          name: 'SettingsError',
          message: / is an incomplete copy of (sqlite|postgres):.*: run svc move again, there\.$/,
        });
      }
      assert.equal((await runSvc(['serve'], target)).code, 2);
      const incomplete = await verifyWith(target);
      assert.match(incomplete.stdout, /is an incomplete copy of/);
      assert.notEqual(incomplete.code, 0);
      const moved = await runSvc(words, source);
      assert.deepEqual([moved.code, moved.stderr], [0, '']);
      assert.deepEqual(await readEverything(target), rows);
      await verify(target);

      // As it is when the process ends between its last two steps.
      const from = dialect === 'sqlite' ? database.replace('svc@', '') : `sqlite:${source.SVC_DATA_DIR}`;
      {
        await using copy = open(target);
        await copy.kysely.updateTable('installation').set({ moving_from: from }).execute();
      }
      for (const environment of [source, target])
        await assert.rejects(openInstallation(readSettings(environment)), { name: 'SettingsError' });
      const completed = await runSvc(words, source);
      assert.deepEqual([completed.code, completed.stderr], [0, '']);
      assert.equal(await append(target), 5002);
    });
  }

  const verifyWith = (environment: Environment) => runSvc(['verify'], environment);
  const assertRefused = async (words: readonly string[], environment: Environment, hint: string | RegExp) => {
    const refused = await runSvc(['move', ...words], environment);
    assertUsageError(refused, hint);
    assert.doesNotMatch(refused.stderr, /hidden/);
  };
});

/** Runs `svc` until it prints a word, or until it did something, and kills it there. */
async function killAt(
  words: readonly string[],
  environment: Environment,
  place: string | (() => Promise<boolean>),
): Promise<void> {
  const child = spawnSvc(words, environment);
  const ended = once(child, 'close');
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (typeof place === 'string' && output.includes(place)) child.kill('SIGKILL');
  });
  if (typeof place !== 'string') {
    while (child.exitCode === null && !(await place()));
    child.kill('SIGKILL');
  }
  const [, signal] = await ended;
  assert.equal(signal, 'SIGKILL', output);
}

/** True if the first of several batches of consent records was committed. */
async function hasRecords({ kysely }: Database): Promise<boolean> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regclass('consent_records')::text as name`.execute(kysely);
  if (rows[0]?.name === null) return false;
  const found = await kysely.selectFrom('consent_records').select('id').limit(1).execute();
  return found.length > 0;
}

function open({ SVC_DATA_DIR = '', DATABASE_URL }: Environment): Database {
  return openDatabase({ url: DATABASE_URL ?? null, file: databaseFile(SVC_DATA_DIR) });
}

/** Fills a server with rows of many tables. @returns the id of its notice. */
async function seedRows(server: TestServer): Promise<string> {
  const noticeId = await server.createNotice();
  await appendManyRecords(server, server.tenant.id, 5000);
  const controlId = await new ControlClient(server, server.tenant).create();
  const about = new URLSearchParams({ ...evidenceItem, name: 'visitors.txt' });
  const path = `/v1/control-framework/controls/${controlId}/evidence/files?${about}`;
  const file = Buffer.alloc(600_000, 'The visitors of October\0\xff');
  assert.equal((await server.request('POST', path, { rawBody: file })).status, 201);
  await server.createMember();
  await server.createScimToken();
  return noticeId;
}

/** Every row of every table, by its name, without the marks of a move. */
async function readEverything(environment: Environment) {
  await using database = open(environment);
  const tables: Record<string, readonly string[]> = {};
  for (const { name } of await database.kysely.introspection.getTables()) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(database.kysely);
    // Each move adds to what was moved.
    if (['transfers', migrationTable].includes(name)) continue;
    if (name === 'installation')
      for (const row of rows) Object.assign(row, { moving_from: null, moved_to: null, moved_at: null });
    tables[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return tables;
}
