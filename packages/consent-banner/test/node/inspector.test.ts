import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import * as z from 'zod';
import { catalogue, findTrackerByHost, findTrackerByName } from '../../src/add-ons/catalogue.ts';
import { inspectPage, startInspector } from '../../src/add-ons/inspector/index.ts';

const rows = Object.entries(catalogue).flatMap(([purpose, list]) => list.map((row) => ({ purpose, row })));
const list = (text: string): readonly string[] => (text ? text.split(' ') : []);

const words = (pattern: RegExp) => z.string().refine((text) => list(text).every((word) => pattern.test(word)));
const rowSchema = z
  .tuple([
    z.string().min(1).max(40),
    z.string().max(40),
    words(/^([a-z\d-]+\.)+[a-z]{2,}$/),
    // Names that `clear-cookies` can contain: an asterisk only at the end, and long enough to identify a tracker.
    words(/^[^\s:;*=]{2,}((?<=..)\*|::\*)?$|^\w+::\*$/),
  ])
  .refine(([name, owner]) => name !== owner, 'an owner of the same name is left empty')
  .refine(([, , hosts, names]) => hosts !== '' || names !== '', 'a tracker is known by something');

describe('the catalog of trackers', () => {
  test('has at least 60 valid entries without duplicates', () => {
    z.array(z.object({ purpose: z.enum(['necessary', 'preferences', 'statistics', 'marketing']), row: rowSchema }))
      .min(60)
      .parse(rows);
    for (const column of [2, 3] as const) {
      const all = rows.flatMap(({ row }) => list(row[column]));
      assert.deepEqual(all, [...new Set(all)]);
    }
    const names = rows.map(({ row: [name, owner] }) => `${name} of ${owner}`);
    assert.deepEqual(names, [...new Set(names)]);
  });

  test('matches a tracker by each of its hosts and their subdomains, and by no other host', () => {
    const entries = rows.flatMap(({ row: [name, , hosts] }) => list(hosts).map((host) => ({ name, host })));
    const label = fc.stringMatching(/^[a-z][a-z\d]{0,8}$/);
    fc.assert(
      fc.property(fc.constantFrom(...entries), label, ({ name, host }, before) => {
        assert.equal(findTrackerByHost(host)?.name, name);
        assert.equal(findTrackerByHost(`no.${before}.${host}`)?.name, name);
        assert.equal(findTrackerByHost(`${host}.${before}.example`), null);
        assert.notEqual(findTrackerByHost(`x-${host}`)?.pattern, host);
      }),
    );
  });

  test('matches a tracker by each of its names, and by the prefix of those with a variable end', () => {
    const entries = rows.flatMap(({ row: [name, , , names] }) => list(names).map((pattern) => ({ name, pattern })));
    fc.assert(
      fc.property(fc.constantFrom(...entries), fc.stringMatching(/^\d{1,9}$/), ({ name, pattern }, end) => {
        const found = findTrackerByName(pattern.replace('*', end));
        assert.equal(found?.name, name);
        if (!pattern.endsWith('*')) assert.equal(found?.pattern, pattern);
      }),
    );
    assert.equal(findTrackerByName('home_made'), null);
    assert.equal(findTrackerByName(''), null);
  });

  test('prefers the longest match', () => {
    assert.equal(findTrackerByName('_ga_ABC')?.pattern, '_ga_*');
    assert.equal(findTrackerByName('_gac_1')?.name, 'Google Ads');
    assert.equal(findTrackerByHost('cdnjs.cloudflare.com')?.name, 'cdnjs');
  });
});

test('the inspector does nothing without a DOM', async () => {
  startInspector({ isOpen: true })();
  await assert.rejects(inspectPage(), { message: 'inspectPage() needs a page. Call it in a browser.' });
});
