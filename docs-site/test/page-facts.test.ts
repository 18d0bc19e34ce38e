import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { commands } from '../../server/cli/commands.ts';
import { languages } from '../../server/consent/messages/messages.ts';
import { catalogue } from '../../server/controls/catalogue/catalogue.ts';
import { transitions } from '../../server/controls/status.ts';
import { knownVersions } from '../../server/http/answer.ts';
import { problemKinds } from '../../server/http/problem.ts';
import { receiverPort } from '../../server/site/demo/seed.ts';
import { attemptOffsets } from '../../server/webhooks/sender/attempt.ts';
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

/** Every page, and the files for readers of the repository and of its packages. */
function readTexts(): readonly { readonly name: string; readonly text: string }[] {
  const root = join(import.meta.dirname, '../..');
  const packages = ['consent-banner', 'node-sdk', 'trust-badge', 'webhook-verify'].map((name) => `packages/${name}`);
  const files = ['.', 'server', ...packages].map((folder) => join(root, folder, 'README.md'));
  const pages = readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((page) => join(pagesFolder, page));
  return [...files, ...pages].map((name) => ({ name, text: readFileSync(name, 'utf8') }));
}

// Numbers and lists on the pages must match the server.
describe('what pages say about the server', () => {
  test('no command that npx would fetch from a package of another publisher', () => {
    // Tools of a checkout; the page of the command line warns of `npx svc`.
    const known = /^npx (?:@svc\/|biome|wtr|node|-c|asks|canceled)|never run `npx svc`/;
    // In a project that has the package, `npx svc` is its command.
    const texts = readTexts().filter(({ name }) => !name.endsWith('server/README.md'));
    const named = texts.flatMap(({ text }) =>
      [...text.matchAll(/(?:never run `)?\bnpx (?=[@a-z-])[^\s`]+`?/g)].map(([call]) => call),
    );
    assert.ok(named.length > 50);
    assert.deepEqual(
      named.filter((call) => !known.test(call)),
      [],
    );
  });

  test('only commands that there are', () => {
    const named = readTexts().flatMap(({ name, text }) =>
      [
        ...text.matchAll(
          /(?:^|`|sudo |exec |=\S+ |[/.]bin\/|sbin\/|&& |\()(?:npx @svc\/server|svc) +([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm,
        ),
      ].map(([call, first = '', second = '']) => ({ name, call, words: [first, `${first} ${second}`] })),
    );
    assert.ok(named.length > 100);
    const known = new Set(commands.map(({ name }) => name));
    assert.deepEqual(
      named.filter(({ words }) => !words.some((word) => known.has(word))),
      [],
    );
  });

  test('no step that reports success after one that may have failed', () => {
    const unchained = readTexts().flatMap(({ name, text }) =>
      [...text.matchAll(/^```sh[^\n]*\n(.*?)^```/gms)].flatMap(([, block = '']) => {
        if (/^set -e/m.test(block)) return [];
        // A line that ends with && or a backslash goes on in the next one.
        const steps = block
          .replaceAll(/(?:&&|\\)\n/g, '')
          .trim()
          .split('\n');
        const risky = steps.findIndex((step) =>
          /\b(?:svc|@svc\/server) (?:restore|move|migrate|backup)\b|pg_restore/.test(step),
        );
        const later = steps.slice(risky + 1).filter((step) => /\bverify\b|systemctl start/.test(step));
        return risky === -1 ? [] : later.map((step) => ({ name, step }));
      }),
    );
    assert.deepEqual(unchained, []);
  });

  test('the port of the receiver of the demo', () => {
    for (const page of ['webhooks/start', 'webhooks/endpoints', 'start/developer'])
      assert.match(read(page), new RegExp(`\\b${receiverPort}\\b`), page);
    const ports = ['webhooks/start', 'start/developer'].flatMap((page) =>
      [...read(page).matchAll(/listen\((\d+)/g)].map(([, port]) => Number(port)),
    );
    assert.deepEqual([...new Set(ports)], [receiverPort]);
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
