import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the documentation about hosting, by its file name. */
export function readPage(name: string): string {
  return readFileSync(join(import.meta.dirname, '../../../docs-site/pages/hosting', name), 'utf8');
}

/** The page with the configurations of reverse proxies. */
export const page = readPage('reverse-proxy.md');

/** The host name in the configurations. */
export const host = 'consent.example.com';

/** The block that a page shows under a title, such as the name of a file. */
export function readRecipe(title: string, from = page): string {
  const [, recipe] = from.split(`title="${title}"\n`)[1]?.match(/^([\s\S]*?)\n```/) ?? [];
  assert.ok(recipe !== undefined, title);
  return recipe;
}

/** Replaces every occurrence; the recipe must have one. */
export function replace(text: string, from: string | RegExp, to: string): string {
  const changed = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'gm'), () => to);
  assert.notEqual(changed, text, `the recipe does not have ${from}`);
  return changed;
}
