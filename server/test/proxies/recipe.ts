import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The page of the documentation with the configurations of reverse proxies. */
export const page = readFileSync(
  join(import.meta.dirname, '../../../docs-site/pages/hosting/reverse-proxy.md'),
  'utf8',
);

/** The host name in the configurations. */
export const host = 'consent.example.com';

/** The configuration that the page shows under a file name. */
export function readRecipe(title: string): string {
  const [, recipe] = page.split(`title="${title}"\n`)[1]?.match(/^([\s\S]*?)\n```/) ?? [];
  assert.ok(recipe !== undefined, title);
  return recipe;
}

/** Replaces every occurrence; the recipe must have one. */
export function replace(text: string, from: string | RegExp, to: string): string {
  const changed = text.replaceAll(typeof from === 'string' ? from : new RegExp(from, 'gm'), () => to);
  assert.notEqual(changed, text, `the recipe does not have ${from}`);
  return changed;
}
