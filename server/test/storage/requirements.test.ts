import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import SQLite from 'better-sqlite3';
import pg from 'pg';
import { runSvc } from '../cli/run-svc.ts';
import { createLocation } from '../harness.ts';
import { addressOf } from '../migrated-database.ts';

const cluster = process.env.SVC_TEST_POSTGRES_URL ?? '';
const skip = cluster === '' ? 'no PostgreSQL' : false;

async function run(address: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('a PostgreSQL database that cannot be used', { skip }, () => {
  const made: string[] = [];
  after(async () => {
    for (const name of made) {
      await run(cluster, `drop database if exists ${name} with (force)`);
      await run(cluster, `drop role if exists ${name}`);
    }
  });

  /** An empty database with a role that may only connect to it. The administrator prepares it. */
  async function prepare(options = '', ...statements: readonly string[]) {
    const name = `svc_${randomUUID().replaceAll('-', '')}`;
    made.push(name);
    await run(cluster, `create role ${name} login`, `create database ${name} template template0 ${options}`);
    const own = addressOf(cluster, name);
    await run(own, ...statements.map((statement) => statement.replaceAll('$role', name)));
    const url = new URL(own);
    url.username = name;
    return { name, own, address: url.href };
  }

  /** Asserts that a server and a migration refuse to start with one sentence. */
  async function assertRefused(address: string, message: RegExp): Promise<void> {
    await using folder = await createLocation('sqlite');
    for (const words of [['serve'], ['migrate'], ['tenant', 'create', '--slug', 'acme', '--name', 'Acme']]) {
      const { code, stdout, stderr } = await runSvc(words, { ...folder.environment, DATABASE_URL: address });
      assert.deepEqual([code, stdout], [2, ''], stderr);
      assert.match(stderr, message);
      assert.match(stderr, /^svc: [^\n]+\n$/);
    }
  }

  for (const encoding of ['SQL_ASCII', 'LATIN1', 'EUC_JP'])
    test(`is refused with the encoding ${encoding}`, async () => {
      const { address } = await prepare(
        `encoding '${encoding}' lc_collate 'C' lc_ctype 'C'`,
        'grant create on schema public to $role',
      );
      await assertRefused(address, new RegExp(`has the encoding ${encoding}, .* ENCODING 'UTF8' TEMPLATE template0`));
    });

  test('is refused if the role may create no tables in the schema', async () => {
    const { address } = await prepare();
    await assertRefused(
      address,
      /may not create tables in the schema public\. Allow it: GRANT CREATE ON SCHEMA public TO /,
    );
  });

  test('is refused if no schema of the search path can be used', async () => {
    const missing = await prepare('', 'alter role $role set search_path = nowhere');
    await assertRefused(
      missing.address,
      /The search path \(nowhere\) has no schema that exists .* CREATE SCHEMA svc AUTHORIZATION/,
    );
    const closed = await prepare('', 'create schema closed', 'alter role $role set search_path = closed');
    await assertRefused(closed.address, /The search path \(closed\) has no schema .* that the role .* may use/);
  });

  test('is refused if the role is read-only', async () => {
    const { address } = await prepare(
      '',
      'grant create on schema public to $role',
      'alter role $role set default_transaction_read_only = on',
    );
    await assertRefused(address, /is read-only for the role .* SET default_transaction_read_only = off;/);
  });

  test('is refused if the triggers of the ledgers do not fire for the role', async () => {
    const { address } = await prepare(
      '',
      'grant create on schema public to $role',
      'alter role $role set session_replication_role = replica',
    );
    await assertRefused(address, /triggers which protect the ledgers do not fire\. Reset it: ALTER ROLE svc_\w+ RESET/);
  });

  test('is refused if the tables of Svc are in a later schema of the search path', async () => {
    const { own, address, name } = await prepare('', 'grant create on schema public to $role');
    await using folder = await createLocation('sqlite');
    assert.equal((await runSvc(['migrate'], { ...folder.environment, DATABASE_URL: address })).code, 0);
    await run(own, `create schema authorization ${name}`);
    await assertRefused(
      address,
      /The tables of Svc are in the schema public, but svc_\w+ comes before it .* SET search_path = public;/,
    );
  });

  test('is refused if another role owns the tables', async () => {
    const { own, address, name } = await prepare();
    await using folder = await createLocation('sqlite');
    assert.equal((await runSvc(['migrate'], { ...folder.environment, DATABASE_URL: own })).code, 0);
    const message = /may not read and write the table \w+\. Connect as the owner/;
    await assertRefused(address, message);
    await run(own, `grant select, insert, update on all tables in schema public to ${name}`);
    await assertRefused(address, message);
  });

  test('is used beside another program with Kysely, whose tables stay as they are', async () => {
    const others = [
      'create table public.kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
      'create table public.kysely_migration_lock (id varchar(255) primary key, is_locked int not null default 0)',
      "insert into public.kysely_migration values ('001-spine-of-another', '2026-01-01T00:00:00.000Z')",
      'create table public.tenants (id int)',
    ];
    const own = 'create schema "Svc" authorization $role';
    for (const path of ['"Svc"', '"Svc", public']) {
      const { address } = await prepare('', ...others, own, `alter role $role set search_path = ${path}`);
      await using folder = await createLocation('sqlite');
      const environment = { ...folder.environment, DATABASE_URL: address };
      const migrated = await runSvc(['migrate', '--json'], environment);
      assert.equal(migrated.code, 0, migrated.stderr);
      assert.ok(JSON.parse(migrated.stdout).migrations.length > 3);
      assert.equal((await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], environment)).code, 0);
      const { code, stdout } = await runSvc(['verify'], environment);
      assert.equal(code, 0, stdout);
    }
  });

  test('has no influence by settings of the role', async () => {
    const settings = [
      "default_transaction_isolation = 'serializable'",
      'quote_all_identifiers = on',
      'standard_conforming_strings = off',
      'synchronous_commit = off',
    ];
    const { address } = await prepare(
      '',
      'grant create on schema public to $role',
      ...settings.map((one) => `alter role $role set ${one}`),
    );
    await using folder = await createLocation('sqlite');
    const environment = { ...folder.environment, DATABASE_URL: address };
    const { code, stderr } = await runSvc(['tenant', 'create', '--slug', 'acme', '--name', "A\\'me"], environment);
    assert.equal(code, 0, stderr);
    const verified = await runSvc(['verify'], environment);
    assert.equal(verified.code, 0, verified.stdout);
  });
});

describe('a SQLite file that cannot be used', () => {
  for (const [what, place, message] of [
    [
      'is no database',
      (file: string) => writeFileSync(file, 'a text that is no database '.repeat(50)),
      /svc\.sqlite is not a SQLite database/,
    ],
    ['is a folder', (file: string) => mkdirSync(file), /svc\.sqlite is a folder/],
    [
      'belongs to another program',
      (file: string) => new SQLite(file).exec('create table notes (id integer)').close(),
      /svc\.sqlite has tables of another program: notes\. Name another folder with SVC_DATA_DIR/,
    ],
  ] as const)
    test(`is refused if it ${what}`, async () => {
      await using location = await createLocation('sqlite');
      place(join(location.environment.SVC_DATA_DIR as string, 'svc.sqlite'));
      for (const words of [['serve'], ['migrate']]) {
        const { code, stdout, stderr } = await runSvc(words, location.environment);
        assert.deepEqual([code, stdout], [2, ''], stderr);
        assert.match(stderr, message);
        assert.match(stderr, /^svc: [^\n]+\n$/);
      }
    });
});
