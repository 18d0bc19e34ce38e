import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readOptions, UsageError } from '../../cli/command.ts';
import { keyCreate } from '../../cli/key-create.ts';
import { tenantCreate } from '../../cli/tenant-create.ts';
import { verify } from '../../cli/verify.ts';
import { readSettings } from '../../settings.ts';
import { systemClock } from '../../storage/clock.ts';

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
    assert.equal(readOptions(keyCreate, ['--help']).help, true);
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
  // Refused before the settings are looked at, so no database is needed.
  const create = (options: Readonly<Record<string, string>>) =>
    keyCreate.run({
      settings: readSettings({ SVC_DATA_DIR: '/nowhere/at/all' }),
      options: { ...given, ...options },
      clock: systemClock,
      json: false,
      say: () => assert.fail('nothing is made'),
      result: () => assert.fail('nothing is made'),
    });

  test('are rejected by name if they are invalid', async () => {
    for (const name of ['', '   ', 'x'.repeat(201)]) await assert.rejects(create({ name }), refusal('--name'));
    await assert.rejects(
      create({ scopes: 'audit:read,audit:write' }),
      refusal('--scopes', 'audit:write', 'consent:read'),
    );
    for (const scopes of ['', ',', 'ALL', 'audit:read,']) await assert.rejects(create({ scopes }), refusal('--scopes'));
    for (const environment of ['', 'prod', 'LIVE']) {
      await assert.rejects(create({ environment }), refusal('--environment', 'live', 'test'));
    }
    for (const expires of ['', 'tomorrow', '2027-01-31', '2027-02-30T00:00:00Z']) {
      await assert.rejects(create({ expires }), refusal('--expires', '2027-01-31T00:00:00Z'));
    }
    for (const expires of ['2020-01-31T00:00:00Z', new Date().toISOString()]) {
      await assert.rejects(create({ expires }), refusal('--expires', 'in the future'));
    }
  });
});
