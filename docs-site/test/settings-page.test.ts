import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { describeSettings, readSettings, SettingsError } from '../../server/settings.ts';

const page = readFileSync(join(import.meta.dirname, '../pages/hosting/settings.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', fallback = '', range = '']) => ({ name: name.replaceAll('`', ''), fallback, range }));

const accepts = (name: string, value: string): boolean => {
  try {
    readSettings({ [name]: value });
    return true;
  } catch (error) {
    if (error instanceof SettingsError) return false;
    throw error;
  }
};

// Operators configure their servers by this page.
describe('the table of settings', () => {
  test('has every setting, in the order of the server', () =>
    assert.deepEqual(
      rows.map(({ name }) => name),
      describeSettings().map(({ name }) => name),
    ));

  test('has the defaults of the server', () => {
    for (const { name, meaning } of describeSettings()) {
      const [, shown] = /\(default (.*)\)$/.exec(meaning) ?? [];
      const { fallback } = rows.find((row) => row.name === name) ?? {};
      if (shown === undefined) assert.match(String(fallback), /^none/, name);
      else assert.equal(fallback, shown, name);
    }
  });

  test('has the ranges of the server', () => {
    for (const { name, range } of rows) {
      const [, least, most] = /^(\d+) to (\d+)$/.exec(range) ?? [];
      if (least === undefined || most === undefined) continue;
      const tried = [Number(least) - 1, Number(least), Number(most), Number(most) + 1];
      assert.deepEqual(
        tried.map((value) => accepts(name, String(value))),
        [false, true, true, false],
        name,
      );
    }
  });

  test('has the words that a setting may be', () => {
    const words = (name: string) => rows.find((row) => row.name === name)?.range.split(', ') ?? [];
    for (const name of ['SVC_LOG_LEVEL', 'SVC_WEBHOOK_ALLOW_PRIVATE'])
      for (const word of words(name)) assert.ok(accepts(name, word), `${name}=${word}`);
    assert.equal(accepts('SVC_LOG_LEVEL', 'trace'), false);
    assert.equal(accepts('SVC_SECRET', 'x'.repeat(31)), false);
    assert.equal(accepts('SVC_SECRET', 'x'.repeat(32)), true);
  });
});
