import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '../../storage/migrations');

test('no released migration has changed: databases that ran it would differ from new ones', () => {
  const released: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(folder, 'released.json'), 'utf8'));
  for (const [name, sha256] of Object.entries(released))
    assert.equal(hash('sha256', readFileSync(join(folder, name)), 'hex'), sha256, `${name}: write another migration`);
});
