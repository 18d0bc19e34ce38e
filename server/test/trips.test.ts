import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';

/** The most files of the server and the packages that one warm request may run. Lower a number with the code. */
const mostFiles = {
  'public-capture': 29,
  'keyed-capture': 33,
  'breach-patch': 26,
  'scim-patch': 28,
  'public-notice': 16,
  'webhook-delivery': 12,
};

describe('the files that one warm request runs', () => {
  let trips: Readonly<Record<string, object>>;
  before(async () => {
    // In a process of its own: coverage counts everything that runs in a process.
    const script = join(import.meta.dirname, '../../tools/trips.ts');
    const { stdout } = await promisify(execFile)(process.execPath, ['-C', '@svc/source', script, '--json']);
    trips = JSON.parse(stdout);
  });

  test('are measured for each operation', () => {
    assert.deepEqual(Object.keys(trips).sort(), Object.keys(mostFiles).sort());
  });

  for (const [operation, most] of Object.entries(mostFiles))
    test(`${operation} runs at most ${most}`, () => {
      const files = Object.keys(trips[operation] ?? {});
      const isWithin = files.length > 0 && files.length <= most;
      const message = `${operation} runs ${files.length} files; call fewer, or merge files that belong together:`;
      assert.ok(isWithin, [message, ...files].join('\n  '));
    });
});
