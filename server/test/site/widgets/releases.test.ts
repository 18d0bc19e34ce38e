import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { checkFolder, ReleaseError, releaseWidget } from '../../../../tools/widgets/release.ts';
import { describeWidgets } from '../../../site/widgets/tags.ts';
import { findBuild, readWidget, readWidgets, widgetKinds, widgetPlaces } from '../../../site/widgets/widget.ts';
import { createPlaces, hashFile, writeBuild } from './places.ts';

const readTree = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));

/** The integrity of each released script, by `<name> <version>`: a release adds its own here. */
const releasedHashes: Readonly<Record<string, string>> = {};

describe('the released widgets', () => {
  for (const { name, packageName } of widgetKinds) {
    const releases = join(widgetPlaces.releases, name);
    const versions = existsSync(releases) ? readdirSync(releases) : [];

    test(`${name}: every file matches its integrity, and there are no other files`, () => {
      for (const version of versions) {
        const folder = join(widgetPlaces.releases, name, version);
        const found = checkFolder(folder);
        assert.equal(found.version, basename(folder));
        assert.deepEqual([...readTree(folder)].sort(), [...found.names].sort());
      }
    });

    test(`${name}: the current build matches the release, if its version was released`, () => {
      const build = findBuild(packageName);
      const { version, names } = checkFolder(build);
      if (!versions.includes(version)) return;
      for (const file of names) {
        const [built, released] = [build, join(widgetPlaces.releases, name, version)].map((folder) =>
          readFileSync(join(folder, file)),
        );
        assert.ok(built?.equals(released as Buffer), `${file} differs: raise the version in package.json`);
      }
    });
  }

  test('have the hashes that pages have pinned', () => {
    const pinned = Object.fromEntries(
      readWidgets().map(({ name, version, integrity }) => [`${name} ${version}`, integrity]),
    );
    assert.deepEqual({ ...pinned, ...releasedHashes }, pinned, 'pages have pinned these: restore the released files');
  });
});

describe('releasing a widget', () => {
  let places: ReturnType<typeof createPlaces>;
  let build: string;
  let releases: string;
  beforeEach(() => {
    places = createPlaces();
    build = findBuild('consent-banner', places);
    releases = join(places.releases, 'svc-consent');
    writeBuild(build, '1.0.0', { 'svc-consent.js': 'one', 'svc-consent-panel.js': 'two', 'words/de.json': '{}' });
  });
  afterEach(() => places[Symbol.dispose]());

  test('copies only its files, in their folders', () => {
    writeFileSync(join(build, 'index.d.ts'), '');
    assert.deepEqual(releaseWidget(build, releases), { version: '1.0.0', isNew: true });
    assert.deepEqual([...readTree(join(releases, '1.0.0'))].sort(), [
      'integrity.json',
      'svc-consent-panel.js',
      'svc-consent.js',
      'words/de.json',
    ]);
    checkFolder(join(releases, '1.0.0'));
  });

  test('changes nothing if the same bytes were released before', () => {
    releaseWidget(build, releases);
    assert.deepEqual(releaseWidget(build, releases), { version: '1.0.0', isNew: false });
  });

  test('rejects a version with other bytes, and changes nothing', () => {
    releaseWidget(build, releases);
    for (const name of ['svc-consent.js', 'words/de.json']) {
      const before = readFileSync(join(releases, '1.0.0', name), 'utf8');
      writeBuild(build, '1.0.0', {
        'svc-consent.js': 'one',
        'svc-consent-panel.js': 'two',
        'words/de.json': '{}',
        [name]: 'other',
      });
      assert.throws(() => releaseWidget(build, releases), /1\.0\.0 was released with other bytes/);
      assert.equal(readFileSync(join(releases, '1.0.0', name), 'utf8'), before);
    }
    writeBuild(build, '1.0.0', { 'svc-consent.js': 'one' });
    assert.throws(() => releaseWidget(build, releases), ReleaseError);
  });

  test('rejects a build that does not match its manifest', () => {
    writeFileSync(join(build, 'words/de.json'), '{ }');
    assert.throws(() => releaseWidget(build, releases), /words\/de\.json does not match integrity\.json/);
    rmSync(join(build, 'words/de.json'));
    assert.throws(() => releaseWidget(build, releases), ReleaseError);
    rmSync(join(build, 'integrity.json'));
    assert.throws(() => releaseWidget(build, releases), /There is no build/);
    assert.ok(!existsSync(releases));
  });

  test('rejects a build with files outside its folder', () => {
    for (const name of ['../x.js', '/x.js', 'a/b/c.js', 'a/../x.js', 'x.html', '.js', 'a\\b.js']) {
      const file = { file: name, bytes: 0, integrity: `sha384-${'A'.repeat(64)}` };
      writeFileSync(join(build, 'integrity.json'), JSON.stringify({ ...file, version: '1.0.0', files: [] }));
      assert.throws(() => releaseWidget(build, releases), { name: 'ZodError' }, name);
    }
  });

  test('completes an interrupted earlier attempt', () => {
    releaseWidget(build, releases);
    for (const name of ['integrity.json', 'words/de.json']) rmSync(join(releases, '1.0.0', name));
    assert.deepEqual(readWidgets({ ...places, packages: '/nowhere' }), []);
    assert.equal(releaseWidget(build, releases).isNew, true);
    checkFolder(join(releases, '1.0.0'));
  });

  test('keeps the earlier versions, which are listed newest first', () => {
    for (const version of ['1.2.0', '1.10.0-rc.2', '1.10.0', '1.10.0-rc.10', '0.9.9']) {
      writeBuild(build, version, { 'svc-consent.js': version });
      releaseWidget(build, releases);
    }
    writeBuild(build, '1.10.1', { 'svc-consent.js': 'new' });
    assert.deepEqual(
      readWidgets(places).map(({ version, isReleased }) => [version, isReleased]),
      [
        ['1.10.1', false],
        ['1.10.0', true],
        ['1.10.0-rc.10', true],
        ['1.10.0-rc.2', true],
        ['1.2.0', true],
        ['0.9.9', true],
      ],
    );
    assert.equal(readWidget('consent-banner', places)?.version, '1.10.1');
    rmSync(build, { recursive: true });
    assert.equal(readWidget('consent-banner', places)?.version, '1.10.0', 'without a build it is the latest release');
    assert.equal(readWidget('trust-badge', places), undefined);
  });

  test('fixes the bytes that are served, even if the build changes', () => {
    releaseWidget(build, releases);
    writeBuild(build, '1.0.0', { 'svc-consent.js': 'changed' });
    const widget = readWidget('consent-banner', places);
    assert.equal(widget?.isReleased, true);
    assert.equal(widget?.files.get('svc-consent.js')?.bytes.toString(), 'one');
  });
});

describe('the add-ons of a version', () => {
  test('are those whose files it has', () => {
    using places = createPlaces();
    writeBuild(findBuild('consent-banner', places), '2.0.0', {
      'svc-consent.js': 'stub',
      'svc-consent-gpp.js': 'gpp',
      'svc-consent-panel.js': 'panel',
      'svc-consent-signals.js': 'signals',
    });
    writeBuild(join(places.releases, 'svc-consent/1.0.0'), '1.0.0', { 'svc-consent.js': 'all in one' });
    const [banner] = describeWidgets(readWidgets(places), 'https://privacy.example').widgets;
    assert.deepEqual(
      banner?.versions.map(({ version, addOns }) => [version, addOns.map(({ file }) => file)]),
      [
        ['2.0.0', ['svc-consent-gpp.js', 'svc-consent-signals.js']],
        ['1.0.0', []],
      ],
    );
    assert.equal(
      banner?.versions[0]?.addOns[1]?.tag,
      `<script src="https://privacy.example/widgets/svc-consent/2.0.0/svc-consent-signals.js" integrity="${hashFile('signals')}" crossorigin="anonymous" data-signals="statistics: matomo; marketing: meta"></script>`,
    );
  });
});
