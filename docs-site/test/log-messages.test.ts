import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = (pattern: string) =>
  globSync(pattern, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
const sources = read(
  'server/{accounts,cli,consent,controls,http,installation,privacy,proofs,scim,site,storage,webhooks}/**/*.ts',
);
const tests = read('server/test/**/*.ts').join('\n');

/** Each message that the server logs, with its level. */
function listMessages(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const source of sources) {
    const calls = /\b(?:log\.(fatal|error|warn|info|debug)|logTask)\((?:[^;]*?[ (])?'([^';]+)',?\s*\)/g;
    for (const [, level = 'error', message = ''] of source.matchAll(calls)) found.set(message, level);
    for (const [, level = '', name = ''] of source.matchAll(/\blog\.(\w+)\(\w+, (\w+)\)/g))
      found.set(new RegExp(`const ${name} =\\s*'([^']+)'`).exec(source)?.[1] ?? name, level);
    for (const [, task = ''] of source.matchAll(/\btask: ['`]([^'`]+)['`]/g))
      found.set(`${task.replace(/\$\{.*?\}/, '…')} failed`, 'error');
  }
  return found;
}

const page = readFileSync(join(root, 'docs-site/pages/hosting/monitoring.md'), 'utf8');
const table = page.slice(page.indexOf('| `msg` |'));
const rows = table
  .slice(0, table.indexOf('\n\n'))
  .split('\n')
  .slice(2)
  .flatMap((line) => {
    const [, messages = '', level = ''] = line.split('|').map((cell) => cell.trim());
    return [...messages.matchAll(/`([^`]+)`/g)].map(([, message = '']) => ({ message, level }));
  });

/** Messages that no test looks for by their text. Take one out with the test that causes it. */
const uncaused = new Set([
  'slow request',
  'connections are refused: raise SVC_MAX_CONNECTIONS',
  'connections of an address are refused: behind a proxy, set SVC_TRUSTED_PROXIES',
  'verification found something',
  'The clock is behind the newest entry of a ledger: it was set back, or was ahead before. Times of entries follow the clock; their order is their sequence.',
  'writing the database file again after erasures',
  'the database file could not be written again after erasures',
  'the last writes failed',
  'the sender started badly',
  'the sender stopped badly',
  'sending failed',
  'an attempt broke off',
  'looking for deliveries failed',
  'redelivering failed',
  'counting deliveries failed',
  'verification failed',
  'checking the setup link failed',
  'housekeeping (…) failed',
]);

// Operators filter and alert by these messages.
describe('the table of log messages', () => {
  const messages = listMessages();

  test('has every message of the server, and no other', () => {
    assert.ok(messages.size > 20);
    assert.deepEqual(rows.map(({ message }) => message).toSorted(), [...messages.keys()].toSorted());
  });

  test('has their levels', () => {
    for (const { message, level } of rows) assert.ok(level.startsWith(messages.get(message) ?? '?'), message);
  });

  test('has messages that tests cause, except the listed ones', () => {
    const unnamed = rows.map(({ message }) => message).filter((message) => !tests.includes(message.slice(0, 40)));
    assert.deepEqual(
      unnamed.filter((message) => !uncaused.has(message)),
      [],
    );
  });
});
