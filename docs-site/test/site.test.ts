import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { problemKinds } from '../../server/http/problem.ts';
import { buildSite } from '../site/build-site.ts';
import { inputs } from '../site/fingerprint.ts';
import { pagesFolder } from '../site/read-pages.ts';
import { searchOptions } from '../site/search-options.ts';
import { findLinks } from './find-links.ts';

const site = await buildSite();
const documents = new Map(
  [...site.files].filter(([path]) => path.endsWith('.html')).map(([path, content]) => [path, String(content)]),
);
const ids = new Map(
  [...documents].map(([path, text]) => [path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))]),
);
const all = [...documents.values()].join('\n');

describe('the documentation', () => {
  test('has no mistake in any page', () => assert.deepEqual(site.mistakes, []));

  test('is the same whenever it is built from the same', async () => {
    const again = await buildSite();
    assert.deepEqual([...again.files.keys()], [...site.files.keys()]);
    for (const [path, content] of again.files)
      assert.ok(Buffer.from(content).equals(Buffer.from(site.files.get(path) ?? '')), path);
  });

  test('is built again after a change of files that exist', () => {
    const expand = (pattern: string): readonly string[] => {
      const [, before, choices, after] = /^(.*?)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
      return choices === undefined ? [pattern] : choices.split(',').flatMap((one) => expand(before + one + after));
    };
    const cwd = join(import.meta.dirname, '../..');
    // A folder without files of one of the types is fine, one that has moved is not.
    const places = inputs.flatMap(expand).map((pattern) => pattern.replace(/\/\*\*.*/, ''));
    assert.deepEqual(
      places.filter((place) => globSync(place, { cwd }).length === 0),
      [],
    );
  });

  for (const base of ['/', '/docs/'])
    test(`has only links that lead somewhere, from ${base}`, () => {
      let checked = 0;
      for (const [path, text] of documents)
        for (const link of findLinks(text)) {
          if (/^(https:|http:\/\/localhost:8787)/.test(link)) continue;
          const url = new URL(link, `http://site.example${base}${path.replace(/index\.html$/, '')}`);
          assert.ok(url.pathname.startsWith(base), `${path}: ${link} leads out of the site`);
          const target = url.pathname.slice(base.length);
          const file = target === '' || target.endsWith('/') ? `${target}index.html` : target;
          assert.ok(site.files.has(file), `${path}: ${link}`);
          if (url.hash !== '') assert.ok(ids.get(file)?.has(decodeURIComponent(url.hash.slice(1))), `${path}: ${link}`);
          checked += 1;
        }
      assert.ok(checked > 1000);
    });

  test('links elsewhere only to the addresses of its list, and to all of them', () => {
    const list = readFileSync(join(pagesFolder, 'external-links.txt'), 'utf8').split('\n').filter(Boolean);
    assert.deepEqual(list, [...list].sort(), 'the list is sorted');
    const used = new Set(site.pages.flatMap(({ outerLinks }) => outerLinks));
    assert.deepEqual(list, [...used].sort());
    for (const address of list) assert.equal(new URL(address).protocol, 'https:');
  });

  test('has nothing inline that a strict policy would refuse', () => {
    for (const [path, text] of documents) {
      assert.doesNotMatch(text, /<script(?![^>]* src=)/, path);
      assert.doesNotMatch(text, /<style|<[^>]+ style=|<[^>]+ on[a-z]+=/, path);
      assert.match(text, /http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;/, path);
    }
  });

  test('has one title a page, which no other page has', () => {
    const titles = [...documents.values()].map((text) => /<title>(.*?)<\/title>/.exec(text)?.[1]);
    assert.equal(new Set(titles).size, titles.length);
    for (const [path, text] of documents) assert.equal((text.match(/<h1[ >]/g) ?? []).length, 1, path);
  });

  test('names every operation, schema and error code in a place of its own', () => {
    const document = JSON.parse(String(site.files.get('reference/openapi.json')));
    const operations = Object.values<Record<string, { readonly operationId: string }>>(document.paths).flatMap(
      (methods) => Object.values(methods),
    );
    assert.ok(operations.length > 100);
    for (const { operationId } of operations) assert.equal(countId(operationId), 1, operationId);
    const schemas = Object.keys(document.components.schemas).filter((name) => !name.startsWith('__'));
    for (const name of schemas) assert.ok(ids.get('reference/schemas/index.html')?.has(name), name);
    for (const code of Object.keys(problemKinds)) assert.ok(ids.get('reference/errors/index.html')?.has(code), code);
  });

  test('says of every parameter, body and status of every operation', () => {
    for (const { path, content } of site.pages
      .filter(({ kind }) => kind === 'reference')
      .map((page) => ({ path: page.address, content: page.content })))
      assert.doesNotMatch(content, /\bundefined\b|\[object Object\]/, path);
    const document = JSON.parse(String(site.files.get('reference/openapi.json')));
    for (const methods of Object.values<Record<string, Operation>>(document.paths))
      for (const { operationId, parameters, responses } of Object.values(methods)) {
        const section = sectionOf(operationId);
        for (const { name, in: place } of parameters.flatMap((one) => ('$ref' in one ? [] : [one])))
          if (place !== 'header') assert.ok(section.includes(`<code>${name}</code>`), `${operationId}: ${name}`);
        for (const status of Object.keys(responses)) assert.ok(section.includes(status), `${operationId}: ${status}`);
      }
  });

  test('names the type of a value that may be null, with its format or its items', () => {
    const schemas = String(documents.get('reference/schemas/index.html'));
    const typeOf = (schema: string, field: string) => {
      const section = schemas.slice(schemas.indexOf(`<h2 id="${schema}">`));
      const [, type = ''] = new RegExp(`<code>${field}</code> <span class="type">(.*?)</span>`).exec(section) ?? [];
      return type.replace(/<[^>]*>/g, '');
    };
    assert.equal(typeOf('Notice', 'publishedAt'), 'string (date-time) or null');
    assert.equal(typeOf('Webhook', 'eventTypes'), 'array of WebhookEventType or null');
    assert.match(typeOf('Control', 'latestResultStatus'), /&quot;pass&quot; or null|"pass" or null/);
  });

  test('finds a question as it is asked, and the names of the API that are words of grammar', () => {
    const [[, text = ''] = []] = [...site.files].filter(([path]) => /^assets\/search-.*\.json$/.test(path));
    const index = MiniSearch.loadJSON(String(text), searchOptions);
    assert.match(index.search('how is the signature of a webhook verified')[0]?.place, /^webhooks\//);
    for (const name of ['from', 'to', 'at', 'by']) assert.notEqual(index.search(name).length, 0, name);
  });

  test('keeps its sizes: a page 60 kB of gzip at most and 12 usually, its scripts 10 kB of brotli, the search 140 kB', () => {
    const sizes = [...documents.values()].map((text) => gzipSync(text).length).sort((one, other) => one - other);
    assert.ok((sizes.at(-1) ?? 0) <= 60_000, String(sizes.at(-1)));
    assert.ok((sizes[sizes.length >> 1] ?? 0) <= 12_000);
    const scripts = [...site.files].filter(([path]) => /assets\/(main|theme)-.*\.js$/.test(path));
    const bytes = scripts.reduce((sum, [, code]) => sum + brotliCompressSync(code).length, 0);
    assert.ok(bytes <= 10_000, String(bytes));
    const [index] = [...site.files].filter(([path]) => path.startsWith('assets/search-') && path.endsWith('.json'));
    assert.ok(index !== undefined && brotliCompressSync(index[1]).length <= 140_000);
  });
});

interface Operation {
  readonly operationId: string;
  /** Those of the components are headers. */
  readonly parameters: readonly ({ readonly name: string; readonly in: string } | { readonly $ref: string })[];
  readonly responses: Readonly<Record<string, unknown>>;
}

function countId(id: string): number {
  return all.split(` id="${id}"`).length - 1;
}

function sectionOf(operationId: string): string {
  const start = all.indexOf(`<section class="operation" aria-labelledby="${operationId}">`);
  return all.slice(start, all.indexOf('</section>', start));
}
