import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import * as gpp from '../../src/add-ons/gpp/index.ts';
import * as signals from '../../src/add-ons/signals/index.ts';

const widget = join(import.meta.dirname, '../..');
const vite = join(dirname(createRequire(import.meta.url).resolve('vite/package.json')), 'bin/vite.js');

describe('the add-ons signals, gpp and tcf', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-add-ons-'));
  after(() => rmSync(folder, { recursive: true }));
  const args = [vite, 'build', '--config', '../../vite.config.ts', '--outDir', folder, '--logLevel', 'error'];
  execFileSync(process.execPath, args, { cwd: widget });

  for (const [name, most] of [
    ['signals', 2_400],
    ['gpp', 5_200],
    ['tcf', 15_500],
  ] as const) {
    const file = `svc-consent-${name}.js`;
    const script = readFileSync(join(folder, file));

    test(`${name} stays within its size, with no white space of its styles, and has no copy of Lit in it`, () => {
      const { length } = brotliCompressSync(script);
      assert.ok(length <= most, `${file} is ${length}`);
      assert.doesNotMatch(script.toString(), /lit\$|innerHTML|\n\s/);
    });

    test(`${name} stands in the manifest, with the hash that its tag pins`, () => {
      const { files } = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8'));
      const found = files.find((one: { file: string }) => one.file === file);
      assert.equal(found?.bytes, script.length);
      assert.match(found?.integrity, /^sha384-/);
    });
  }

  test('do nothing on a server', () => {
    assert.deepEqual([Object.keys(signals), Object.keys(gpp)], [['sendConsentSignals'], ['provideGpp']]);
    const before = Object.keys(globalThis);
    signals.sendConsentSignals({ signals: 'statistics: matomo' })();
    gpp.provideGpp({ sections: 'usnat' });
    assert.deepEqual(Object.keys(globalThis), before);
  });
});
