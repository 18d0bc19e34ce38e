import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keyCreate, tenantCreate } from '../../cli/administer.ts';
import { readOptions, UsageError } from '../../cli/command.ts';
import { verify } from '../../cli/verify.ts';

/** A refusal of wrong words that says all of these. */
function refusal(...hints: readonly string[]) {
  return (error: unknown) => error instanceof UsageError && hints.every((hint) => error.message.includes(hint));
}

describe('the options of a command', () => {
  test('are read as given', () => {
    const values = readOptions(tenantCreate, ['--slug', 'acme', '--name=Acme Ltd', '--json']);
    assert.deepEqual({ ...values }, { slug: 'acme', name: 'Acme Ltd', json: true });
    assert.deepEqual({ ...readOptions(verify, []) }, {});
  });

  test('need not be complete with --help', () => {
    assert.equal(readOptions(keyCreate, ['--help']), null);
  });

  test('are rejected by name if they are unknown, incomplete or missing', () => {
    assert.throws(() => readOptions(verify, ['--nonsense']), refusal('--nonsense'));
    assert.throws(() => readOptions(verify, ['--tenant']), refusal('--tenant'));
    assert.throws(() => readOptions(verify, ['--json=yes']), refusal('--json'));
    assert.throws(() => readOptions(verify, ['-x']), refusal('-x'));
    assert.throws(() => readOptions(verify, ['word']), refusal('word'));
    assert.throws(() => readOptions(tenantCreate, []), refusal('--slug', '--name'));
    assert.throws(() => readOptions(tenantCreate, ['--slug', 'acme']), refusal('--name'));
  });
});

describe('the values of a new key', () => {
  const given = { tenant: 'acme', name: 'site', scopes: 'all' };
  const read = (options: Readonly<Record<string, string>>) => () =>
    readOptions(
      keyCreate,
      Object.entries({ ...given, ...options }).map(([name, value]) => `--${name}=${value}`),
    );

  test('are rejected by name if they are invalid', () => {
    for (const name of ['', '   ', 'x'.repeat(201)]) assert.throws(read({ name }), refusal('--name'));
    assert.throws(read({ scopes: 'audit:read,audit:write' }), refusal('--scopes', 'audit:write', 'consent:read'));
    for (const scopes of ['', ',', 'ALL', 'audit:read,']) assert.throws(read({ scopes }), refusal('--scopes'));
    for (const environment of ['', 'prod', 'LIVE']) {
      assert.throws(read({ environment }), refusal('--environment', 'live', 'test'));
    }
    for (const expires of ['', 'tomorrow', '2027-01-31', '2027-02-30T00:00:00Z']) {
      assert.throws(read({ expires }), refusal('--expires', '2027-01-31T00:00:00Z'));
    }
    for (const expires of ['2020-01-31T00:00:00Z', new Date().toISOString()]) {
      assert.throws(read({ expires }), refusal('--expires', 'in the future'));
    }
  });
});
