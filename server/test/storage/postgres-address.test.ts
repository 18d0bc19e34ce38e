import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readSettings } from '../../settings.ts';
import { findAddressIssue, readAddress } from '../../storage/postgres-address.ts';

/** The first server and the credentials of an address. */
function read(text: string) {
  const { routes, client } = readAddress(text);
  const { user = '', password = '', database = '' } = client;
  return [routes[0].host, routes[0].port, user, password, database];
}

/** The kinds of encryption that an address allows, in order. */
function readTls(text: string): readonly string[] {
  return readAddress(text).routes.map(({ ssl }) => {
    if (ssl === false) return 'plain';
    if (ssl.rejectUnauthorized === false) return 'encrypted';
    return ssl.checkServerIdentity === undefined ? 'host verified' : 'authority verified';
  });
}

describe('a PostgreSQL address', () => {
  test('has its host, port and socket where libpq has them', () => {
    const expected = ['/run/postgresql', 5432, 'svc', '', 'db'];
    for (const text of [
      'postgres://svc@/db?host=/run/postgresql&port=5432',
      'postgres://svc@/db?host=%2Frun%2Fpostgresql',
      'postgresql://svc@%2Frun%2Fpostgresql/db',
      'postgres://svc@%2frun%2fpostgresql:5432/db',
      'postgres:///db?host=/run/postgresql&user=svc',
      'postgres://?host=/run/postgresql&user=svc&dbname=db',
      'postgres://svc@localhost/db?host=/run/postgresql',
    ])
      assert.deepEqual(read(text), expected, text);
    assert.deepEqual(read('postgres://svc:p@[::1]:5433/db'), ['::1', 5433, 'svc', 'p', 'db']);
    assert.deepEqual(read('\tpostgres://db.internal\r\n'), ['db.internal', 5432, '', '', '']);
    assert.deepEqual(read('postgres://db.internal'), ['db.internal', 5432, '', '', '']);
    assert.deepEqual(read('postgres:///db'), ['localhost', 5432, '', '', 'db']);
    assert.deepEqual(read('postgres://svc@host/d%20b%2F1'), ['host', 5432, 'svc', '', 'd b/1']);
  });

  test('has each server of a list, whose database must be the one that can be written to', () => {
    const { routes, hasReplicas, place } = readAddress('postgres://svc@one:5433,two,[::1]:5434/db?sslmode=disable');
    assert.deepEqual(
      routes.map(({ host, port }) => `${host} ${port}`),
      ['one 5433', 'two 5432', '::1 5434'],
    );
    assert.deepEqual([hasReplicas, place], [true, 'one:5433']);
    const lists = readAddress('postgres:///db?host=one,/run/two&port=5433,5434&sslmode=disable').routes;
    assert.deepEqual(
      lists.map(({ host, port }) => `${host} ${port}`),
      ['one 5433', '/run/two 5434'],
    );
  });

  test('has a password of any characters, encoded or as libpq and the driver read them', () => {
    for (const [written, password] of [
      ['p%40ss%2Fw%3Ard%23%3F%25', 'p@ss/w:rd#?%'],
      ['a@b', 'a@b'],
      ['a:b:c', 'a:b:c'],
      ['a#b', 'a#b'],
      ['a?b', 'a?b'],
      ['a@b?c#d', 'a@b?c#d'],
      ['100%', '100%'],
      ['a b+c', 'a b+c'],
    ] as const)
      assert.deepEqual(read(`postgres://svc:${written}@host:5433/db`), ['host', 5433, 'svc', password, 'db'], written);
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (password) => {
        const address = `postgres://svc:${encodeURIComponent(password)}@host/db`;
        assert.deepEqual(read(address), ['host', 5432, 'svc', password, 'db']);
      }),
    );
  });

  test('is refused without any part of it, if it can be read in two ways', () => {
    for (const address of [
      'postgres://svc:sec/ret@host/db',
      'postgres://svc:5432/ret@host/db',
      'postgres://svc:sec@ret/tail@host/db',
      'postgres://svc:se c:ret',
      'postgres://svc:secret',
      'postgres://svc:secret@ho st/db',
      'postgres://svc:secret@host:port/db',
      'postgres://svc:secret@host:99999/db',
      'postgres://svc:secret@host/db?sslmod=verify-full',
      'postgres://svc:secret@host/db?sslmode=secret',
      'postgres://svc:secret@host/db?ssl=secret',
      'postgres://svc:%ffsecret@host/db',
      'mysql://svc:secret@host/db',
      'host=host password=secret',
    ]) {
      const issue = findAddressIssue(address);
      assert.ok(issue !== null, address);
      assert.doesNotMatch(issue, /sec|ret\b|tail/, address);
      assert.throws(
        () => readSettings({ DATABASE_URL: address }),
        ({ message }: Error) => message.includes(`DATABASE_URL: ${issue}`),
      );
    }
    assert.match(findAddressIssue('postgres://svc:sec/ret@host/db') ?? '', /Percent-encode .*@ as %40/);
    fc.assert(
      fc.property(fc.stringMatching(/^[@:/?#%[\]{} zq]{1,12}$/), (password) => {
        const issue = findAddressIssue(`postgres://svc:${password}zq7@host/db`);
        assert.ok(issue === null || !/z|q|7@/.test(issue), issue ?? '');
      }),
    );
  });

  test('is encrypted as libpq defines each sslmode, by default where the server offers it', () => {
    const root = `sslrootcert=${encodeURIComponent(import.meta.filename)}`;
    for (const [parameters, expected] of Object.entries({
      '': ['encrypted', 'plain'],
      'sslmode=disable': ['plain'],
      'sslmode=allow': ['plain', 'encrypted'],
      'sslmode=prefer': ['encrypted', 'plain'],
      'sslmode=require': ['encrypted'],
      [`sslmode=require&${root}`]: ['authority verified'],
      [`sslmode=verify-ca&${root}`]: ['authority verified'],
      'sslmode=verify-full': ['host verified'],
      [`sslmode=verify-full&${root}`]: ['host verified'],
      'sslmode=verify-full&sslrootcert=system': ['host verified'],
      'ssl=true': ['host verified'],
      'ssl=On': ['host verified'],
      'ssl=require': ['encrypted'],
      'ssl=no': ['plain'],
    }))
      assert.deepEqual(readTls(`postgres://svc@host/db?${parameters}`), expected, parameters);
    for (const mode of ['require', 'verify-full'])
      assert.deepEqual(readTls(`postgres://svc@/db?host=/run/postgresql&sslmode=${mode}`), ['plain']);
    const { ssl } = readAddress(`postgres://host/db?sslmode=verify-full&${root}`).routes[0];
    assert.equal(ssl === false ? null : ssl.ca, readFileSync(import.meta.filename, 'utf8'));
    assert.match(findAddressIssue('postgres://host/db?sslmode=verify-ca') ?? '', /needs sslrootcert/);
    assert.match(
      findAddressIssue('postgres://host/db?sslmode=require&sslrootcert=/nowhere') ?? '',
      /sslrootcert .*ENOENT/,
    );
  });
});
