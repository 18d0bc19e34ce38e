import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fillReadme } from '../../../../tools/widgets/write-readme.ts';
import { attributes } from '../../src/page/attributes.ts';

interface Named {
  readonly name: string;
  readonly description?: string;
  readonly default?: string;
  readonly type?: { readonly text: string };
}

interface Declaration extends Named {
  readonly tagName?: string;
  readonly attributes: readonly Named[];
  readonly slots?: readonly Named[];
  readonly cssParts?: readonly Named[];
  readonly cssProperties?: readonly Named[];
  readonly events?: readonly Named[];
}

interface Export extends Named {
  readonly kind: string;
}

const widget = join(import.meta.dirname, '../..');

function analyzeSources(): { readonly declarations: readonly Declaration[]; readonly exports: readonly Export[] } {
  const outDir = mkdtempSync(join(tmpdir(), 'svc-consent-'));
  const analyzer = createRequire(import.meta.url).resolve('@custom-elements-manifest/analyzer/cem.js');
  const options = ['--quiet', '--config', '../../tools/widgets/custom-elements-manifest.config.mjs'];
  execFileSync(process.execPath, [analyzer, 'analyze', ...options, '--outdir', relative(widget, outDir)], {
    cwd: widget,
  });
  const { modules } = JSON.parse(readFileSync(join(outDir, 'custom-elements.json'), 'utf8'));
  rmSync(outDir, { recursive: true });
  assert.equal(modules.length, 1);
  return modules[0];
}

describe('the custom elements manifest', () => {
  const { declarations, exports } = analyzeSources();
  const listExports = (kind: string) => exports.filter((one) => one.kind === kind).map(({ name }) => name);
  const listNames = (list: readonly Named[] = []) => list.map(({ name }) => name);

  test('describes each element of the package, its own first', () => {
    const tags = ['svc-consent', 'svc-privacy-choices', 'svc-cookie-list'];
    assert.deepEqual(
      declarations.map(({ tagName }) => tagName),
      tags,
    );
    assert.deepEqual(listExports('custom-element-definition'), tags);
    for (const {
      description,
      attributes: own,
      slots = [],
      cssParts = [],
      cssProperties = [],
      events = [],
    } of declarations) {
      assert.ok(description);
      for (const one of [...own, ...slots, ...cssParts, ...cssProperties, ...events])
        assert.ok(one.description, one.name);
    }
  });

  test('lists the attributes of the element with their types and defaults', () => {
    const types = declarations[0]?.attributes.map(({ name, type, default: usual }) => [name, type?.text, usual]);
    assert.deepEqual(
      types?.filter(([, type, usual]) => type !== 'string' || usual),
      [
        ['scheme', '"page"|"light"|"dark"', undefined],
        ['layout', '"card"|"bar"|"center"', undefined],
        ['position', '"bottom-end"|"bottom-start"|"bottom"|"top"', undefined],
        ['trigger', '"none"|"bottom-left"|"bottom-right"', 'none'],
        ['max-age', 'number', '365'],
        ['refusal-max-age', 'number', undefined],
        ['reload-on-withdrawal', 'boolean', 'false'],
      ],
    );
    assert.deepEqual(
      types?.map(([name]) => name),
      Object.keys(attributes),
    );
  });

  test('has the slots and parts of the further elements', () => {
    const [, choices, list] = declarations;
    assert.deepEqual([listNames(choices?.slots), listNames(choices?.cssParts)], [[''], ['button', 'status']]);
    assert.deepEqual(listNames(list?.cssParts), ['purpose', 'title', 'text', 'trackers']);
  });

  test('lists as exports only what the module has when it runs', () => {
    assert.deepEqual(listExports('js'), ['SvcConsentElement', 'SvcPrivacyChoicesElement']);
  });

  test('has the attributes that the README lists', () => {
    const readme = readFileSync(join(widget, 'README.md'), 'utf8');
    assert.equal(fillReadme(readme, declarations[0]?.attributes ?? []), readme);
  });
});
