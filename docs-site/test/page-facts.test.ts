import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { languages } from '../../server/consent/words/languages.ts';
import { catalogue } from '../../server/controls/catalogue/catalogue.ts';
import { transitions } from '../../server/controls/status.ts';
import { knownVersions } from '../../server/http/answer.ts';
import { problemKinds } from '../../server/http/problem.ts';
import { attemptOffsets } from '../../server/webhooks/sender/schedule.ts';
import { pagesFolder } from '../site/read-pages.ts';

const read = (page: string): string => readFileSync(join(pagesFolder, `${page}.md`), 'utf8');

/** The rows of a table that begins with this head, as lists of the code in each cell. */
function readCodes(text: string, head: string): readonly (readonly string[][])[] {
  const [, rest = ''] = text.split(`${head}\n`);
  const rows = rest.split('\n').slice(1);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)));
}

// What pages say in numbers and lists is what the server does.
describe('what pages say about the server', () => {
  test('no command that npx would fetch from a package of another publisher', () => {
    const packages = ['consent-banner', 'node-sdk', 'trust-badge', 'webhook-verify'].map((name) => `packages/${name}`);
    const root = join(import.meta.dirname, '../..');
    const files = ['README.md', ...packages.map((folder) => `${folder}/README.md`)].map((name) => join(root, name));
    const pages = readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.md'),
    );
    const texts = [...files, ...pages.map((page) => join(pagesFolder, page))].map((file) => readFileSync(file, 'utf8'));
    // Tools of a checkout; the page of the command line warns of `npx svc`.
    const known = /^npx (?:@svc\/|biome|wtr|node|-c|asks|canceled)|never run `npx svc`/;
    const named = texts.flatMap((text) =>
      [...text.matchAll(/(?:never run `)?\bnpx (?=[@a-z-])[^\s`]+`?/g)].map(([call]) => call),
    );
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((call) => !known.test(call)),
      [],
    );
  });

  test('every status of a control and where it may go', () => {
    const rows = readCodes(read('guides/controls'), '| From | To |').map(([, from, to]) => [from?.[0], to]);
    assert.deepEqual(Object.fromEntries(rows), transitions);
  });

  test('when a webhook is tried again', () => {
    const [, schedule = ''] =
      /retried ([^\n]*) after the first attempt, with a jitter/.exec(read('webhooks/failures')) ?? [];
    const units = { s: 1000, min: 60_000, h: 3_600_000 };
    const times = [...schedule.matchAll(/([\d.]+) (s|min|h)\b/g)].map(
      ([, count, unit]) => Number(count) * units[unit as keyof typeof units],
    );
    assert.deepEqual([0, ...times], attemptOffsets);
  });

  test('how many controls there are, and how many languages', () => {
    assert.equal(catalogue.controls.length, 90);
    assert.match(read('guides/controls'), /ninety controls/);
    for (const page of ['widgets/banner-guide', 'guides/notices', 'assurance/accessibility'])
      assert.match(read(page), new RegExp(`\\b${languages.length} languages`), page);
  });

  test('the dated versions', () => {
    assert.deepEqual(knownVersions, ['2026-11-01']);
    assert.match(read('assurance/versioning'), /there is one dated version, `2026-11-01`/);
  });

  test('codes that there are', () => {
    const codes = [...read('api/errors').matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, code = '']) => code);
    for (const code of codes.filter((one) => !['error_description'].includes(one)))
      assert.ok(Object.hasOwn(problemKinds, code), code);
  });
});
