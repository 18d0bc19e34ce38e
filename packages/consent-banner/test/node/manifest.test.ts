import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { analyzeSources } from '../../../../tools/test/widget.ts';
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

interface Module {
  readonly declarations: readonly Declaration[];
  readonly exports: readonly Export[];
}

const widget = join(import.meta.dirname, '../..');

describe('the custom elements manifest', () => {
  const [described, ...others] = analyzeSources<Module>(widget);
  const { declarations, exports } = described as Module;
  const listExports = (kind: string) => exports.filter((one) => one.kind === kind).map(({ name }) => name);
  const listNames = (list: readonly Named[] = []) => list.map(({ name }) => name);

  test('describes each element of the package, its own first', () => {
    assert.equal(others.length, 0);
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
