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

/** The test that causes each message, in the file that contains it. */
const causedBy: Readonly<Record<string, readonly string[]>> = {
  'server/test/cli/log-output.test.ts': [
    ...['schema migrated', 'started', 'created a setup link', 'stopping', 'stopped'],
    ...['sign-in refused', 'limit reached'],
  ],
  'server/test/cli/server-process.test.ts': ['created the demo tenant', 'did not stop in time: exiting'],
  'server/test/cli/health.test.ts': ['waiting for the database'],
  'server/test/cli/demo-remove.test.ts': [
    'something other than Svc changed this tenant: none of its credentials work: run svc verify',
  ],
  'server/test/storage/read-replica.release.ts': [
    ...['the read replica is used', 'the read replica is not used: the primary answers its reads'],
    'the verification of the read replica found something: verifying the primary',
  ],
  'server/test/http/unavailable.test.ts': ['database unavailable', 'database available again'],
  'server/test/http/log.test.ts': ['request'],
  'server/test/http/housekeeping.test.ts': ['housekeeping'],
  'server/test/http/log-messages.test.ts': [
    ...['request failed', 'slow request', 'housekeeping (…) failed', 'checking the setup link failed'],
    ...['backup made', 'backup failed', 'old backups remain', 'restore rehearsed', 'rehearsal of a restore failed'],
    ...['erasures.log copied', 'erasures.log not copied', 'copying erasures.log failed'],
    ...['the last writes failed', 'verification failed', 'verification found something'],
    'connections are refused: raise SVC_MAX_CONNECTIONS',
    'connections of an address are refused: behind a proxy, set SVC_TRUSTED_PROXIES',
    ...['sending failed', 'an attempt broke off', 'looking for deliveries failed', 'redelivering failed'],
    ...['the sender started badly', 'the sender stopped badly'],
    'removed what was left of erased values',
  ],
  'server/test/webhooks/send-counter.test.ts': ['sent webhooks'],
  'server/test/webhooks/sending.test.ts': ['deleted deliveries whose event is missing'],
  'server/test/ledger/clock-change.test.ts': [
    'The clock is behind the newest entry of a ledger: it was set back, or was ahead before. Times of entries follow the clock; their order is their sequence.',
  ],
  'server/test/proofs/verify-honest.test.ts': [
    'The log of checkpoints was missing or empty, although the database has checkpoints. A new log was started, which cannot detect an earlier roll-back of the database. Restore the log from a copy, unless this server is new.',
  ],
  'server/test/proofs/log-anchors.test.ts': ['a ledger was rewritten: run svc verify'],
};

// Operators filter and alert by these messages.
describe('the table of log messages', () => {
  const messages = listMessages();

  test('has every message of the server, and no other', () => {
    assert.ok(messages.size > 20);
    assert.deepEqual(rows.map(({ message }) => message).toSorted(), [...messages.keys()].toSorted());
  });

  test('has only messages that a test causes', () => {
    assert.deepEqual(Object.values(causedBy).flat().toSorted(), rows.map(({ message }) => message).toSorted());
    for (const [file, caused] of Object.entries(causedBy)) {
      const [source = ''] = read(file);
      // A long message is found by its first sentence, the message of any task by its end.
      for (const message of caused) {
        const [text = ''] = message.split('…)').at(-1)?.split(/[.:] /) ?? [];
        assert.ok(source.includes(text), `${file}: ${text}`);
      }
    }
  });

  test('has their levels', () => {
    for (const { message, level } of rows) assert.ok(level.startsWith(messages.get(message) ?? '?'), message);
  });
});
