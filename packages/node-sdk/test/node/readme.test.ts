import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Svc } from '@svc/node-sdk';
import { createApiKey } from '../../../../server/accounts/keys/api-key-store.ts';
import { scopes } from '../../../../server/http/roles.ts';
import { runTransaction } from '../../../../server/storage/database.ts';
import { startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { Resource } from '../../src/resources/resource.ts';

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code as string);
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'lib/tsc.js');
const names = [
  'SVC_BASE_URL',
  'SVC_API_KEY',
  'SVC_SCIM_TOKEN',
  'SVC_KEY_ID',
  'SVC_KEY',
  'NOTICE_ID',
  'TMPDIR',
] as const;

describe('the README', () => {
  // Inside the package, where its own name is found.
  mkdirSync(join(root, 'test/dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'test/dist/readme-'));
  const shared = blocks.find((code) => code.includes('NOTICE_ID')) as string;
  const files = blocks.map((code, index) => {
    const file = join(folder, `block-${index + 1}.ts`);
    writeFileSync(file, code.includes('new Svc(') ? `${code}export {};\n` : `${shared}${code}export {};\n`);
    return file;
  });
  const kept = Object.fromEntries(names.map((name) => [name, process.env[name]]));
  const temporary = mkdtempSync(join(tmpdir(), 'svc-readme-'));
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
    const { tenant, installation, clock } = server;
    const second = await server.createTenant('second');
    const wanted = { tenantId: tenant.id, name: 'README', environment: 'test', scopes, expiresAt: null } as const;
    const { row, key } = await runTransaction(installation.database, clock.now(), (tx) =>
      createApiKey(tx, { ...wanted, otherTenantIds: [second.id] }),
    );
    const values = {
      SVC_BASE_URL: server.url,
      SVC_API_KEY: key,
      SVC_SCIM_TOKEN: await server.createScimToken(),
      SVC_KEY_ID: row.id,
      SVC_KEY: key,
      NOTICE_ID: await server.createNotice({
        content: { purposes: [{ key: 'analytics', label: 'Analytics', description: '', required: false }] },
      }),
    };
    Object.assign(process.env, values, { TMPDIR: temporary });
  });

  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
    rmSync(temporary, { recursive: true });
    for (const [name, value] of Object.entries(kept))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });

  it('has code that compiles', () => {
    const config = {
      extends: '../../../../../tsconfig.json',
      include: ['*.ts'],
      exclude: [],
      compilerOptions: { noUnusedLocals: false },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    assert.ok(files.length >= 14);
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  });

  it('has a client that a build can load, where no variable is set', () => {
    const modules = blocks
      .flatMap((code) => /^const svc = new Svc\([\s\S]*?\);$/m.exec(code)?.[0] ?? [])
      .filter((code) => !code.includes('server.'));
    assert.ok(modules.length >= 5);
    const code = `import { Svc } from '@svc/node-sdk';\n${modules.map((text) => `{ ${text} }`).join('\n')}`;
    // Inside the package, where its own name is found.
    writeFileSync(join(folder, 'built.ts'), code);
    const options = ['-C', '@svc/source', join(folder, 'built.ts')];
    const { status, stderr } = spawnSync(process.execPath, options, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
    assert.equal(status, 0, stderr);
  });

  for (const [index, file] of files.entries())
    it(`has code that does what it says: block ${index + 1}`, async (context) => {
      const assertion = context.mock.method(console, 'assert');
      context.mock.method(console, 'log', () => undefined);
      await import(pathToFileURL(file).href);
      for (const call of assertion.mock.calls) assert.equal(call.arguments[0], true);
    });

  it('has code that leaves nothing behind', () => assert.deepEqual(readdirSync(temporary), []));

  it('has code that Node 22 can read: without declarations that dispose', () => {
    for (const code of blocks) assert.doesNotMatch(code, /\busing\s+\w+\s*=/);
  });

  it('has a first program of twenty lines', () => {
    const lines = (blocks[0] as string).split('\n').filter((line) => line.trim() !== '');
    assert.ok(lines.length <= 20, `${lines.length} lines`);
  });

  it('lists every method of the client', () => {
    const rows = new Map(
      Array.from(readme.matchAll(/^\| `(svc\.[\w.]+)` \| (.*) \|$/gm), ([, path, names]) => [path, names?.split(', ')]),
    );
    let count = 0;
    const list = (value: object, path: string): void => {
      const own = listMethods(value).map((name) => `\`${name}\``);
      if (own.length > 0 && path !== 'svc') {
        assert.deepEqual(rows.get(path)?.sort(), own.sort(), path);
        count += 1;
      }
      for (const [name, inner] of Object.entries(value)) list(inner, `${path}.${name}`);
    };
    list(new Svc(), 'svc');
    assert.ok(count > 25);
    assert.equal(rows.size, count);
  });

  it('names every error class and every option', () => {
    const classes = [...readFileSync(join(root, 'src/index.ts'), 'utf8').matchAll(/^ {2}(\w+Error),$/gm)];
    const options = [...readFileSync(join(root, 'src/client-options.ts'), 'utf8').matchAll(/^ {2}readonly (\w+)\?:/gm)];
    assert.ok(classes.length >= 17);
    for (const [, name] of classes) assert.match(readme, new RegExp(`\\b${name}\\b`));
    for (const [, name] of options.filter(([, option]) => option !== 'runtime'))
      assert.match(readme, new RegExp(`\\b${name}\\b`));
  });
});

/** The methods of a resource, whose class may extend a generated one. */
function listMethods(resource: object): readonly string[] {
  const prototype = Object.getPrototypeOf(resource);
  if (prototype === Resource.prototype || prototype === null) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...listMethods(prototype), ...own];
}
