import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { analyzeSources } from '../../../../tools/test/widget.ts';
import { fillReadme } from '../../../../tools/widgets/write-readme.ts';
import { attributes, choices } from '../../src/attributes.ts';

interface Named {
  readonly name: string;
  readonly default?: string;
  readonly attribute?: string;
  readonly type?: { readonly text: string };
}

interface Declaration extends Named {
  readonly kind: string;
  readonly tagName?: string;
  readonly attributes: readonly Named[];
  readonly members: readonly Named[];
  readonly cssParts: readonly Named[];
  readonly cssProperties: readonly Named[];
  readonly slots: readonly Named[];
}

interface Module {
  readonly path: string;
  readonly declarations: readonly Declaration[];
}

const widget = join(import.meta.dirname, '../..');
const package_ = JSON.parse(readFileSync(join(widget, 'package.json'), 'utf8'));

describe('the custom elements manifest', () => {
  const [described, ...others] = analyzeSources<Module>(widget);
  const { path, declarations } = described as Module;
  const element = declarations.find(({ tagName }) => tagName === 'svc-trust-badge') as Declaration;
  const names = (list: readonly Named[]): readonly string[] => list.map(({ name }) => name);

  test('lists only the public API of the package', () => {
    assert.equal(others.length, 0);
    assert.equal(`./${path}`, package_.exports['.'].default);
    assert.deepEqual(names(declarations), ['mountSvcTrustBadge', 'SvcTrustBadgeElement']);
    assert.equal(package_.customElements, 'dist/custom-elements.json');
  });

  test('lists the thirteen attributes with their properties, values and defaults', () => {
    assert.equal(attributes.length, 13);
    assert.deepEqual(names(element.attributes), attributes);
    assert.deepEqual(
      element.members.map(({ attribute }) => attribute),
      attributes,
    );
    for (const [name, values] of Object.entries(choices)) {
      const attribute = element.attributes.find((one) => one.name === name);
      assert.equal(attribute?.default, values[0]);
      assert.equal(attribute?.type?.text, values.map((value) => `"${value}"`).join('|'));
    }
  });

  test('lists the fourteen parts', () => {
    const parts = 'button card chip chips cta drawer float-button footer kicker live mark name root trigger';
    assert.deepEqual([...names(element.cssParts)].sort(), parts.split(' '));
  });

  test('lists the eight custom properties with their defaults', () => {
    assert.deepEqual(Object.fromEntries(element.cssProperties.map((one) => [one.name, one.default])), {
      '--svc-tb-accent': '#C58A2A',
      '--svc-tb-bg': '#ffffff',
      '--svc-tb-bg-2': '#f8fafc',
      '--svc-tb-text': '#101322',
      '--svc-tb-muted': '#647084',
      '--svc-tb-border': '#dfe4ee',
      '--svc-tb-radius': '22px',
      '--svc-tb-shadow': '0 22px 64px rgba(16,24,40,.14)',
    });
  });

  test('names the files that are published', () => {
    const targets = Object.values<string | Record<string, string>>(package_.exports);
    const paths = targets.flatMap((target) => (typeof target === 'string' ? [target] : Object.values(target)));
    const listed = paths.map((file) => file.split('/')[1] as string);
    for (const place of listed) assert.ok(place === 'package.json' || package_.files.includes(place), place);
  });

  test('has the attributes that the README lists', () => {
    const readme = readFileSync(join(widget, 'README.md'), 'utf8');
    assert.equal(fillReadme(readme, element.attributes), readme);
  });
});
