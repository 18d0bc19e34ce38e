import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { rolldown } from 'rolldown';
import { compiler, packPackage, runNode } from './packed.ts';
import { now, secret, sign, text } from './vectors.ts';

/** In bytes, minified and compressed by gzip; the README has the figures. */
const budgets: Readonly<Record<string, number>> = {
  '/node on node': 2080,
  '/edge on workerd': 2240,
  ' on node': 2130,
  ' on workerd': 2240,
  '/asymmetric on node': 2700,
  '/asymmetric on workerd': 2720,
  '/lookup on node': 2530,
  '/express on node': 3560,
  '/koa on node': 3560,
  '/fastify on node': 3630,
  '/hono on node': 3450,
  '/fetch on node': 3440,
  '/next on node': 3750,
  '/lambda on node': 3550,
  '/replay on node': 1910,
  '/schemas on node': 1440,
};

const entries = ['express', 'koa', 'fastify', 'hono', 'next', 'fetch', 'lambda'];
const otherEntries = ['node', 'edge', 'asymmetric', 'lookup', 'replay', 'schemas', 'testing'];

const apiDocument = join(import.meta.dirname, '../../../../server/openapi.json');
const knownTypes: readonly string[] = JSON.parse(readFileSync(apiDocument, 'utf8')).components.schemas.WebhookEventType
  .enum;

describe('the published package', () => {
  const packed = packPackage();
  after(() => packed[Symbol.dispose]());
  const { project, installed, tarball } = packed;
  const write = (name: string, code: string) => {
    writeFileSync(join(project, name), code);
    return join(project, name);
  };
  const bundle = async (code: string, conditionNames: readonly string[]) => {
    const build = await rolldown({
      input: write('entry.mjs', code),
      platform: 'neutral',
      external: [/^node:/],
      resolve: { conditionNames: ['import', ...conditionNames] },
    });
    const { output } = await build.generate({ format: 'esm', minify: true });
    assert.equal(output.length, 1);
    return output[0].code;
  };

  test('has no finding of publint or attw', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest)),
      [],
    );
    const attw = join(
      dirname(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json')),
      'dist/index.js',
    );
    const { isFine, output } = runNode([attw, tarball, '--profile', 'esm-only', '--format', 'ascii'], project);
    assert.ok(isFine, output);
  });

  test('has no dependencies, and the documented folders', () => {
    const { dependencies, peerDependencies, scripts } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    );
    assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
    assert.deepEqual(Object.keys(scripts), ['build']);
    assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
  });

  test('is within its size budgets: the core, each adapter, and all that runs', async () => {
    const size = async (code: string, ...conditions: readonly string[]) =>
      gzipSync(await bundle(code, conditions), { level: 9 }).length;
    const found: Record<string, number> = {};
    for (const name of Object.keys(budgets)) {
      const [entry, ...conditions] = name.split(' on ') as [string, ...string[]];
      found[name] = await size(`export * from '@svc/webhook-verify${entry}';`, ...conditions);
    }
    const over = Object.entries(found).filter(([name, bytes]) => bytes > (budgets[name] as number));
    assert.deepEqual(over, [], JSON.stringify(found));
    const scripts = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'));
    const bytes = scripts.reduce((sum, name) => sum + readFileSync(join(installed, 'dist', name)).length, 0);
    assert.ok(bytes <= 72_000, `${bytes}`);
  });

  test('keeps optional features out of the core', async () => {
    for (const code of [
      `export * from '@svc/webhook-verify';`,
      `export * from '@svc/webhook-verify/node';`,
      `export * from '@svc/webhook-verify/fetch';`,
    ])
      assert.doesNotMatch(await bundle(code, ['node']), /Ed25519|noticeVersion|webhook-id|delivery_id_unsigned/);
  });

  test('uses node:crypto in Node and Bun, and WebCrypto elsewhere', async () => {
    const core = `export { createWebhookVerifier } from '@svc/webhook-verify';`;
    const asymmetric = `export * from '@svc/webhook-verify/asymmetric';`;
    const adapter = `export * from '@svc/webhook-verify/fetch';`;
    for (const code of [core, adapter, asymmetric]) {
      for (const conditions of [['node'], ['bun', 'node']]) assert.match(await bundle(code, conditions), /node:crypto/);
      for (const conditions of [
        ['workerd', 'worker', 'browser', 'node'],
        ['edge-light', 'worker', 'node'],
        ['browser'],
        ['deno', 'node'],
        [],
      ])
        assert.doesNotMatch(await bundle(code, conditions), /node:/);
    }
  });

  test('works in Node as ES modules and by require', () => {
    const use = `const { event } = await constructEvent({ body: ${JSON.stringify(text)}, signature: '${sign(text)}', secrets: '${secret}', now: () => ${now()} });
      if (event.type !== 'dsr.completed') throw new Error('no event');`;
    const all = [...entries, ...otherEntries].map((entry) => `@svc/webhook-verify/${entry}`);
    const module = write(
      'use.mjs',
      `import { constructEvent } from '@svc/webhook-verify';\n${all.map((name) => `import '${name}';`).join('\n')}\n${use}`,
    );
    const script = write(
      'use.cjs',
      `const { constructEvent } = require('@svc/webhook-verify');\n${all.map((name) => `require('${name}');`).join('\n')}\n(async () => { ${use} })();`,
    );
    for (const file of [module, script]) assert.deepEqual(runNode([file], project), { isFine: true, output: '' });
  });

  test('has a command', () => {
    const { bin } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    const file = join(installed, bin['svc-webhook-verify']);
    assert.match(readFileSync(file, 'utf8'), /^#!\/usr\/bin\/env node\n/);
    assert.match(runNode([file, '--help'], project).output, /--request/);
  });

  test('works on platforms with WebCrypto and fetch, without Node', async () => {
    const code = await bundle(
      `import { createFetchHandler } from '@svc/webhook-verify/fetch';
       globalThis.result = createFetchHandler({ secrets: '${secret}', now: () => ${now()}, handler: (event) => { globalThis.type = event.type; } })
         (new Request('https://example.com', { method: 'POST', headers: { 'svc-signature': '${sign(text)}' }, body: ${JSON.stringify(text)} }));`,
      ['workerd', 'worker', 'browser'],
    );
    const context = vm.createContext({ crypto, TextEncoder, TextDecoder, Request, Response, Blob });
    vm.runInContext(code, context);
    assert.equal((await context.result).status, 200);
    assert.equal(context.type, 'dsr.completed');
  });

  test('has types that compile in a CommonJS project of TypeScript', () => {
    for (const module of ['nodenext', 'node20']) {
      write(
        'commonjs.cts',
        `import { createExpressHandler } from '@svc/webhook-verify/express';
        import { constructEvent } from '@svc/webhook-verify';
        if (typeof createExpressHandler !== 'function' || typeof constructEvent !== 'function') throw new Error();`,
      );
      const compilerOptions = { strict: true, target: 'es2023', module, types: [], outDir: 'out' };
      const config = write('tsconfig.json', JSON.stringify({ include: ['commonjs.cts'], compilerOptions }));
      for (const args of [[compiler, '-p', config], [join(project, 'out/commonjs.cjs')]])
        assert.deepEqual(runNode(args, project), { isFine: true, output: '' });
    }
  });

  test('has types that need neither those of Node nor of the DOM, and narrow events', () => {
    const consumer = `
      import { constructEvent, type EventOf, type UnknownEvent, type WebhookEvent } from '@svc/webhook-verify';
      ${entries.map((entry) => `export * as ${entry} from '@svc/webhook-verify/${entry}';`).join('\n')}
      import * as asymmetric from '@svc/webhook-verify/asymmetric';
      export { asymmetric };
      export * as lookup from '@svc/webhook-verify/lookup';
      export * as replay from '@svc/webhook-verify/replay';
      export * as testing from '@svc/webhook-verify/testing';
      import { createFetchHandler } from '@svc/webhook-verify/fetch';
      import { checkEventData, findEventDataIssues } from '@svc/webhook-verify/schemas';
      import * as edge from '@svc/webhook-verify/edge';
      import * as node from '@svc/webhook-verify/node';
      const delivery = { body: new Uint8Array(), signature: undefined, secrets: 'whsec_x' };
      export const later: Promise<edge.VerifiedEvent> = edge.constructEvent(delivery);
      export const atOnce: node.VerifiedEvent = node.constructEvent(delivery);
      export const here: Promise<node.VerifiedEvent> = constructEvent(delivery);
      const handler = (event: WebhookEvent) => event.id;
      export const checked = node.createWebhookVerifier({ secrets: 'whsec_x', validate: checkEventData });
      createFetchHandler({ handler, secrets: async ({ header }) => header('x-tenant') ?? null });
      createFetchHandler({ handler, verifier: asymmetric.createAsymmetricVerifier({ publicKeys: 'whpk_x' }) });
      // @ts-expect-error: a function that only finds issues rejects nothing
      createFetchHandler({ handler, secrets: 'whsec_x', validate: findEventDataIssues });
      // @ts-expect-error: no secret
      createFetchHandler({ handler });
      export function describeEvent(event: WebhookEvent): string {
        if (event.type === 'dsr.completed') {
          const completed: EventOf<'dsr.completed'> = event;
          return completed.data.dsrId + event.data.outcome;
        }
        if (event.type === 'consent.withdrawn') return \`\${event.data.sequence + 1}\`;
        if (event.type === 'webhook.endpoint_disabled') return event.data.failingSince ?? event.data.host;
        // @ts-expect-error: the data of another event
        event.data.dsrId.length;
        // @ts-expect-error: no event has this type
        if (event.type === 'dsr.complete') return '';
        return event.id;
      }
      export function exhaust(event: WebhookEvent): UnknownEvent | string {
        switch (event.type) {
          ${knownTypes.map((type) => `case '${type}':`).join('\n')}
            return event.tenantId;
          default: {
            const text: string = event.type;
            const value: unknown = event.data['anything'];
            return value === text ? text : event;
          }
        }
      }`;
    const options = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      lib: ['es2024'],
      types: [],
      skipLibCheck: false,
    };
    for (const [module, moduleResolution] of [
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ] as const) {
      write('types.mts', consumer);
      const config = { include: ['types.mts'], compilerOptions: { ...options, module, moduleResolution } };
      const { isFine, output } = runNode([compiler, '-p', write('tsconfig.json', JSON.stringify(config))], project);
      assert.ok(isFine, `${moduleResolution}\n${output}`);
    }
  });
});
