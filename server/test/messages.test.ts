import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

const server = join(import.meta.dirname, '..');
const folders = globSync(['{consent,privacy,site/trust}/messages/en.json', 'dashboard/src/words/**/en.json'], {
  cwd: server,
})
  .map(dirname)
  .sort();

/** The texts of a language by their path: `roles.names.admin`. */
function readTexts(folder: string, language: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const add = (value: unknown, path: string): void => {
    if (typeof value === 'string') texts.set(path, value);
    else
      for (const [name, inner] of Object.entries(value as object)) add(inner, path === '' ? name : `${path}.${name}`);
  };
  add(JSON.parse(readFileSync(join(server, folder, `${language}.json`), 'utf8')), '');
  return texts;
}

const listPlaceholders = (text: string): readonly string[] => (text.match(/\{\w*\}?|\}/g) ?? []).sort();

test('messages are found in every folder that has some', () => {
  assert.deepEqual(folders, [
    'consent/messages',
    'dashboard/src/words',
    'dashboard/src/words/pages',
    'dashboard/src/words/setup',
    'privacy/messages',
    'site/trust/messages',
  ]);
});

for (const folder of folders)
  describe(folder, () => {
    const english = readTexts(folder, 'en');
    const others = readdirSync(join(server, folder))
      .filter((name) => name.endsWith('.json') && name !== 'en.json')
      .map((name) => name.slice(0, -'.json'.length));
    // In English the dashboard shows the message of the server, which says at least as much.
    const errors = [...readTexts(folder, others[0] as string)].filter(([path]) => path.startsWith('errors.'));
    const model = new Map([...english, ...errors]);
    for (const language of others)
      test(`has in ${language} the keys and the placeholders of English`, () => {
        const texts = readTexts(folder, language);
        assert.deepEqual([...texts.keys()].sort(), [...model.keys()].sort());
        for (const [path, text] of texts) {
          assert.deepEqual(listPlaceholders(text), listPlaceholders(model.get(path) as string), path);
          assert.notEqual(text.trim(), '', path);
        }
      });
  });
