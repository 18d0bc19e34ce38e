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
});
