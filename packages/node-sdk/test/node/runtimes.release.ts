import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { programPath } from '../../../../tools/test/npm-programs.ts';
import { findRuntime, type Runtime, runtimes } from '../../../../tools/test/runtimes.ts';
import { packageVersion } from '../../src/version.ts';
import { startScenarioServer } from '../runtimes/server.ts';

const root = join(import.meta.dirname, '../..');
const scenario = join(import.meta.dirname, '../runtimes/scenario.js');

const onNode: Runtime = { name: 'this Node', packages: [], file: '' };

describe('in every runtime, a list, a capture and each way to fail', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-runtimes-'));
  after(() => rmSync(folder, { recursive: true }));

  before(() => {
    const installed = join(folder, 'node_modules/@svc/node-sdk');
    mkdirSync(installed, { recursive: true });
    for (const name of ['dist', 'package.json']) cpSync(join(root, name), join(installed, name), { recursive: true });
    // As npm installs it, also for the runtimes that do not load it.
    const undici = dirname(fileURLToPath(import.meta.resolve('undici/package.json')));
    cpSync(undici, join(folder, 'node_modules/undici'), { recursive: true });
    cpSync(scenario, join(folder, 'scenario.js'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'run.js'),
      `import { play } from './scenario.js';
       const [baseUrl, closedUrl] = globalThis.Deno?.args ?? process.argv.slice(2);
       console.log(JSON.stringify(await play(baseUrl, closedUrl)));`,
    );
  });

  /** Plays the scenario in a program. @returns what it printed, and the Idempotency-Keys that came. */
  const play = async (program: string, args: readonly string[]) => {
    const { server, keys } = await startScenarioServer();
    await using _ = server;
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const closedUrl = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    closed.close();
    await once(closed, 'close');
    const { stdout } = await promisify(execFile)(program, [...args, server.url, closedUrl], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 120_000,
    });
    assert.equal(keys.length, 2);
    assert.ok(keys[0] !== undefined && keys[0] === keys[1]);
    return JSON.parse(stdout.slice(stdout.indexOf('{')));
  };

  const failed = (name: string, code: string, rest: object = {}) => ({
    ...{ name, code, attempts: 1, status: null, requestId: null, leaks: false },
    ...rest,
  });
  const expected = {
    list: [1, 2, 3],
    notices: ['status=draft'],
    capture: { data: { subjectId: 'ada', purposes: { analytics: true } }, attempts: 2, status: 201, cookies: false },
    deadline: failed('DeadlineError', 'deadline'),
    timeout: failed('TimeoutError', 'timeout'),
    notFound: failed('NotFoundError', 'not_found', { status: 404, requestId: 'r' }),
    echo: failed('ServerError', 'Bearer [redacted]', { status: 500, requestId: 'r' }),
    html: failed('ServerError', 'unreadable_error', { status: 502 }),
    redirect: failed('RedirectError', 'redirected', { status: 302 }),
    large: failed('ResponseError', 'unreadable_response', { status: 200 }),
    invalid: failed('ResponseError', 'unreadable_response', { status: 200 }),
    gzip: 'unpacked',
    broken: failed('ResponseError', 'unreadable_response', { status: 200 }),
    reset: failed('ConnectionError', 'connection_failed'),
    refused: failed('ConnectionError', 'connection_failed'),
    abort: failed('AbortError', 'aborted'),
    lines: 3,
    cancelled: true,
    interrupted: failed('ConnectionError', 'connection_failed'),
    uploads: ['text é', 'bytes', 'blob', 'one two'].map((body) => ['text/plain', body]),
    oauth: 'Bearer svc_at_1',
    agent: `svc-node/${packageVersion}`,
    closed: failed('ConfigurationError', 'invalid_argument', { attempts: 0 }),
  };

  for (const runtime of [onNode, runtimes.node22, runtimes.node26])
    it(`on ${runtime.name}`, async () => {
      const program = runtime === onNode ? process.execPath : findRuntime(runtime);
      assert.deepEqual(await play(program, ['run.js']), expected);
    });

  it('on Bun', async () => {
    assert.deepEqual(await play(findRuntime(runtimes.bun), ['run.js']), expected);
  });

  it('on Deno, also without the permission to read the environment', async () => {
    const options = ['run', '--no-lock', '--no-prompt', '--node-modules-dir=manual', '--allow-net', '--allow-read'];
    assert.deepEqual(await play(findRuntime(runtimes.deno), [...options, 'run.js']), expected);
  });

  const bundle = async (name: string, code: string, conditions: readonly string[]): Promise<string> => {
    writeFileSync(join(folder, `${name}.js`), code);
    await build({
      configFile: false,
      root: folder,
      logLevel: 'error',
      resolve: { conditions: [...conditions] },
      build: {
        target: 'es2024',
        outDir: join(folder, 'out'),
        emptyOutDir: false,
        lib: { entry: join(folder, `${name}.js`), formats: ['es'], fileName: () => `${name}.mjs` },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    });
    return join(folder, 'out', `${name}.mjs`);
  };

  // The first has the functions that the client needs; older dates lack some of them.
  for (const date of ['2024-09-23', '2026-07-01'])
    it(`on workerd with the compatibility date ${date}`, async () => {
      findRuntime(runtimes.miniflare);
      const worker = await bundle(
        'worker',
        `import { play } from './scenario.js';
         export default {
           async fetch(request) {
             const { searchParams } = new URL(request.url);
             return Response.json(await play(searchParams.get('base'), searchParams.get('closed')));
           },
         };`,
        ['workerd', 'worker', 'browser'],
      );
      const module = pathToFileURL(programPath('miniflare', 'miniflare/dist/src/index.js')).href;
      const host = `
        import { readFileSync } from 'node:fs';
        import { Miniflare } from ${JSON.stringify(module)};
        const script = readFileSync(${JSON.stringify(worker)}, 'utf8');
        const worker = new Miniflare({ modules: true, script, compatibilityDate: '${date}', cf: false });
        const [base, closed] = process.argv.slice(2);
        const response = await worker.dispatchFetch('http://worker/?' + new URLSearchParams({ base, closed }));
        console.log(await response.text());
        await worker.dispose();`;
      writeFileSync(join(folder, 'host.js'), host);
      assert.deepEqual(await play(process.execPath, ['host.js']), expected);
    });

  for (const condition of ['edge-light', 'worker', 'browser'])
    it(`bundled under the condition ${condition}`, async () => {
      const program = await bundle(
        `program-${condition}`,
        `import { play } from './scenario.js';
         const [baseUrl, closedUrl] = process.argv.slice(2);
         console.log(JSON.stringify(await play(baseUrl, closedUrl)));`,
        [condition],
      );
      assert.deepEqual(await play(process.execPath, [program]), expected);
    });

  it('in a browser refuses secrets, and calls public operations', async () => {
    const program = await bundle(
      'page',
      `import { Public, SvcClient } from '@svc/node-sdk';
       for (const options of [{ apiKey: 'svc_test_0123456789' }, { scimToken: 'scim_0123456789' }])
         try { new SvcClient({ baseUrl: 'https://svc.example.com', ...options }); } catch (error) { console.log(error.message); }
       console.log(typeof new Public(new SvcClient({ baseUrl: 'https://svc.example.com' })).consent);`,
      ['browser'],
    );
    const output = execFileSync(
      process.execPath,
      ['--import', 'data:text/javascript,globalThis.document={}', program],
      { encoding: 'utf8' },
    );
    const refusal = 'A browser would show credentials to its user. Call the API from a server.\n';
    assert.equal(output, `${refusal}${refusal}object\n`);
  });

  it('on Node 20 names the version that is needed', async () => {
    const program = findRuntime(runtimes.node20);
    for (const entry of ['@svc/node-sdk', '@svc/node-sdk/ledger']) {
      const { stderr } = await promisify(execFile)(program, ['--input-type=module', '-e', `import '${entry}'`], {
        cwd: folder,
      }).catch((error) => error);
      assert.match(stderr, /Error: @svc\/node-sdk needs Node 22\.19 or later, not 20\.19\.5\./, entry);
    }
  });
});
