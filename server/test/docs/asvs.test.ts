import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const document = readFileSync(new URL('../../docs/asvs.md', import.meta.url), 'utf8');

/** The requirements of ASVS 5.0.0, by section: the level of each, in order. */
const levels: Readonly<Record<string, string>> = {
  '3.3': '12223',
  '3.5': '11122333',
  '6.1': '122',
  '6.2': '111111112222',
  '6.3': '11223333',
  '6.4': '112233',
  '6.5': '22222333',
  '6.6': '2223',
  '6.7': '33',
  '6.8': '2222',
  '7.1': '222',
  '7.2': '1111',
  '7.3': '22',
  '7.4': '11222',
  '7.5': '223',
  '7.6': '22',
};

const states = ['met', 'partly', 'not met', 'does not apply'];

const rows = document
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [id = '', level = '', requirement = '', state = '', how = '', tests = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { id, level, requirement, state, how, tests: tests === '' ? [] : tests.split('<br>') };
  });

/** Anchors of the headings, as links contain them. */
const anchors = new Set(
  [...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  ),
);

describe('the ASVS table', () => {
  test('has every requirement of its sections once, in order, with its level', () => {
    const wanted = Object.entries(levels).flatMap(([section, each]) =>
      [...each].map((level, index) => `${section}.${index + 1} ${level}`),
    );
    assert.deepEqual(
      rows.map(({ id, level }) => `${id} ${level}`),
      wanted,
    );
  });

  test('says of each where it stands, and of what is not met why', () => {
    for (const { id, requirement, state, how, tests } of rows) {
      assert.ok(states.includes(state), `${id}: ${state}`);
      assert.notEqual(requirement, '', id);
      if (state !== 'met') assert.notEqual(how, '', id);
      else assert.ok(tests.length > 0 || how !== '', `${id} is met by nothing`);
    }
  });

  test('names tests that there are', () => {
    const files = new Map<string, string>();
    for (const { id, tests } of rows)
      for (const text of tests) {
        const [, file = '', name = ''] = /^`([\w/.-]+\.test\.ts)`: (.+)$/.exec(text) ?? [];
        assert.notEqual(name, '', `${id}: ${text}`);
        const source = files.get(file) ?? readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
        files.set(file, source);
        assert.ok(
          ['test(', 'testOnNewServer(', 'testOnNewServer(dialect, ', "testOnNewServer('sqlite', "].some((call) =>
            source.includes(`${call}'${name}'`),
          ),
          `${id}: ${file} has no test "${name}"`,
        );
      }
    assert.ok(files.size > 10);
  });

  test('links to parts of itself that there are', () => {
    const links = [...document.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    assert.ok(links.length > 0);
    for (const anchor of links) assert.ok(anchors.has(anchor), anchor);
  });

  test('names settings that there are', () => {
    const settings = readFileSync(new URL('../../settings.ts', import.meta.url), 'utf8');
    for (const [name] of document.matchAll(/\bSVC_[A-Z_]+/g)) assert.ok(settings.includes(`${name}:`), name);
  });
});
