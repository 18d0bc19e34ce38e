import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { digest, secret } from './vectors.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code as string);
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'lib/tsc.js');

describe('the README', () => {
  // Inside the package, where its own name and the frameworks are found.
  mkdirSync(join(root, 'test/dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'test/dist/readme-'));
  after(() => rmSync(folder, { recursive: true }));
  const files = blocks.map((code, index) => {
    const file = join(folder, `block-${index + 1}.ts`);
    writeFileSync(file, `${code}export {};\n`);
    return file;
  });

  test('has code that compiles, blocks and all', () => {
    const config = {
      extends: '../../../../../tsconfig.json',
      include: ['*.ts'],
      exclude: [],
      compilerOptions: { noUnusedLocals: false },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    assert.ok(files.length >= 12);
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  for (const [index, file] of files.entries())
    test(`has code that runs: block ${index + 1}`, async (context) => {
      process.env.SVC_WEBHOOK_SECRET = secret;
      process.env.SVC_WEBHOOK_SECRET_OLD = 'whsec_old';
      const assertion = context.mock.method(console, 'assert');
      context.mock.method(console, 'log', () => undefined);
      await import(pathToFileURL(file).href);
      for (const call of assertion.mock.calls) assert.equal(call.arguments[0], true);
    });

  test('tells the digest of its vector', () => {
    assert.match(readme, new RegExp(`t=1767225600,v1=${digest('{}')}`));
  });

  test('has every code of an error in its table', () => {
    const codes = readFileSync(join(root, 'src/error.ts'), 'utf8').matchAll(/^ {2}\| '(\w+)'/gm);
    for (const [, code] of codes) assert.match(readme, new RegExp(`^\\|.*\`${code}\``, 'm'));
  });
});
