import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { BuiltSite } from '../../../site/documentation/built-site.ts';
import type { WidgetPlaces } from '../../../site/widgets/widget.ts';
import { createPlaces, writeBuild } from '../widgets/places.ts';

const forGood = 'public, max-age=31536000, immutable';

describe('a built site', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-site-'));
    write('index.html', 'first');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('stays as it was when it was opened, whatever a later build does to the folder', () => {
    write('guides/one/index.html', 'one');
    write('404.html', 'nothing');
    const site = open();
    rmSync(folder, { recursive: true });
    write('index.html', 'second');
    write('new.html', 'new');
    assert.equal(read(site, ''), 'first');
    assert.equal(read(site, 'guides/one/'), 'one');
    assert.equal(site.find('guides/one'), undefined);
    assert.equal(site.find('new.html'), undefined);
    assert.equal(site.writeMissing('new.html').bytes.toString(), 'nothing');
  });

  test('is none without a first page', () => {
    rmSync(join(folder, 'index.html'));
    write('404.html', 'nothing');
    assert.equal(BuiltSite.open(folder), null);
    assert.equal(BuiltSite.open(join(folder, 'nowhere')), null);
  });

  test('does not give out what the build notes for itself', () => {
    write('built-from', 'a hash');
    assert.equal(open().find('built-from'), undefined);
  });

  test('keeps for good what has a hash in its name, and of widgets only what was released as it is', () => {
    write('assets/main-1a2b3c4d.js', 'code');
    write('live/server.json', '{}');
    write('live/svc-consent/99.0.0/svc-consent.js', 'still being worked on');
    using places = createPlaces();
    for (const name of ['svc-consent', 'svc-trust-badge'])
      writeBuild(join(places.releases, name, '0.1.0'), '0.1.0', { [`${name}.js`]: 'as released' });
    write('live/svc-trust-badge/0.1.0/svc-trust-badge.js', 'not what was released');
    write('live/svc-consent/0.1.0/svc-consent.js', 'as released');
    const site = open(places);
    assert.deepEqual(
      [
        'index.html',
        'assets/main-1a2b3c4d.js',
        'live/server.json',
        'live/svc-consent/99.0.0/svc-consent.js',
        'live/svc-trust-badge/0.1.0/svc-trust-badge.js',
        'live/svc-consent/0.1.0/svc-consent.js',
      ].map((path) => cachingOf(site, path)),
      ['no-cache', forGood, 'no-cache', 'no-cache', 'no-cache', forGood],
    );
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  function open(places?: WidgetPlaces): BuiltSite {
    const site = BuiltSite.open(folder, places);
    assert.ok(site !== null);
    return site;
  }
});

function read(site: BuiltSite, path: string): string {
  return String(site.find(path)?.bytes);
}

function cachingOf(site: BuiltSite, path: string): string {
  return String(site.find(path)?.caching);
}
