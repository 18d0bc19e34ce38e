import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import * as gpp from '../../src/add-ons/gpp/index.ts';
import * as signals from '../../src/add-ons/signals/index.ts';
import { buildScripts } from './build-scripts.ts';

describe('the add-ons signals and gpp', () => {
  const folder = buildScripts();

  for (const [name, most] of [
    ['signals', 2_400],
    ['gpp', 5_200],
  ] as const) {
    const file = `svc-consent-${name}.js`;
    const script = readFileSync(join(folder, file));

    test(`${name} is within its size budget, with no white space of its styles, and without a copy of Lit`, () => {
      const { length } = brotliCompressSync(script);
      assert.ok(length <= most, `${file} is ${length}`);
      assert.doesNotMatch(script.toString(), /lit\$|innerHTML|\n\s/);
    });

    test(`${name} is in the manifest, with the hash that its tag pins`, () => {
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
