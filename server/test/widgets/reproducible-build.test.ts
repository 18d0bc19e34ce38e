import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { widgetKinds, widgetPlaces } from '../../widgets/catalogue.ts';
import { releaseWidget } from '../../widgets/release.ts';
import { buildCopy, readTree } from './build-copy.ts';

describe('the build of a widget', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-build-'));
  after(() => rmSync(folder, { recursive: true }));

  for (const { name, packageName } of widgetKinds) {
    test(`${name}: gives the same bytes wherever and however often it runs, and those of the release, if there is one`, async () => {
      const places = [join(folder, name), join(folder, 'a longer path', name, 'of another depth')];
      const copies = await Promise.all(places.map((place) => buildCopy(packageName, place)));
      const [one, other] = copies.map((copy) => readTree(join(copy, 'dist'))) as [
        ReadonlyMap<string, Buffer>,
        ReadonlyMap<string, Buffer>,
      ];
      assert.ok(one.has(`${name}.js`) && one.has('index.js') && one.has('integrity.json'));
      assert.deepEqual([...one.keys()], [...other.keys()]);
      const differing = [...one].filter(([path, bytes]) => !other.get(path)?.equals(bytes)).map(([path]) => path);
      assert.deepEqual(differing, []);
      for (const bytes of one.values()) assert.ok(!bytes.includes(folder), 'no path of this machine is in it');
      const copy = copies[0] as string;
      const releases = join(folder, 'releases', name);
      const { version } = releaseWidget(join(copy, 'dist'), releases);
      const released = readTree(join(widgetPlaces.releases, name));
      for (const [path, bytes] of readTree(releases)) {
        const known = released.get(path);
        assert.ok(known === undefined || known.equals(bytes), `${path}: raise the version, ${version} is released`);
      }
    });
  }
});
