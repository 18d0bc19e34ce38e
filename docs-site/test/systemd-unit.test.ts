import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

const unit = readFileSync(join(import.meta.dirname, '../../server/deploy/svc.service'), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the systemd unit', { skip: !hasSystemd && 'no systemd-analyze' }, () => {
  const analyze = (...args: readonly string[]) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'svc-unit-'));
    const file = join(folder.path, 'svc.service');
    // The programs of the page are not on this machine.
    writeFileSync(file, unit.replace(/^ExecStart=.*/m, 'ExecStart=/bin/true'));
    return spawnSync('systemd-analyze', [...args, file], { encoding: 'utf8' });
  };

  test('has no line that systemd does not know', () => {
    const { status, stderr } = analyze('verify', '--man=no');
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('is exposed at most as far as the page says', () => {
    const { status, stdout } = analyze('security', '--offline=true', '--threshold=15');
    assert.equal(status, 0, stdout);
  });
});
