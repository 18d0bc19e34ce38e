import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Svc } from '../../packages/node-sdk/src/client.ts';
import { leftOutOperations } from '../../packages/node-sdk/test/operations/left-out-operations.ts';
import type { Route } from '../../server/http/route.ts';
import { createQuickHasher, startTestServer, type TestServer } from '../../server/test/harness.ts';
import { writeCurl } from '../reference/curl.ts';
import type { ApiDocument } from '../reference/document.ts';
import { makeExample } from '../reference/example-values.ts';
import { createReference, type Operation } from '../reference/reference.ts';
import { exampleOperations } from '../reference/request-examples.ts';
import { writeSdkCall } from '../reference/sdk-call.ts';
import { nameVariable } from '../reference/variables.ts';
import { createOperationScene } from './operation-scene.ts';
import { checkTypes, createProgramFolder } from './program-blocks.ts';

const run = promisify(execFile);
const document: ApiDocument = JSON.parse(readFileSync(new URL('../../server/openapi.json', import.meta.url), 'utf8'));
const reference = createReference(document);

describe('the examples of every operation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-operations-'));
  let server: TestServer;
  before(async () => {
    // A mistake of an example shows as an exit code.
    writeFileSync(join(folder, '.curlrc'), 'fail-with-body\nsilent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
    server = await startTestServer('sqlite', {}, { passwords: createQuickHasher() });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const findRoute = ({ operationId }: Operation) =>
    server.app.routes.find((route) => route.operationId === operationId) as Route;

  test('belong to operations that there are', () => {
    const known = new Set(reference.operations.map(({ operationId }) => operationId));
    for (const operationId of exampleOperations) assert.ok(known.has(operationId), operationId);
  });

  test('need no option that older versions of curl do not know', () => {
    for (const operation of reference.operations) {
      const call = writeCurl(operation);
      assert.doesNotMatch(call, /--json|--url-query|--fail-with-body/, operation.operationId);
      const [type] = Object.keys(operation.requestBody?.content ?? {});
      const isForm = type === 'application/x-www-form-urlencoded';
      if (call.includes(' -d ') && !isForm) assert.ok(call.includes(`-H 'Content-Type: ${type}' -d `), call);
    }
  });

  test('run as they stand in the shell', async (context) => {
    for (const operation of reference.operations)
      await context.test(operation.operationId, async () => {
        const route = findRoute(operation);
        const { variables, key, scimToken } = await createOperationScene(route, operation, server, folder);
        const env = {
          PATH: process.env.PATH,
          HOME: folder,
          BASE: server.url,
          KEY: key,
          SCIM_TOKEN: scimToken ?? '',
          ...variables,
        };
        const script = writeCurl(operation);
        const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env }).catch(
          (error) => {
            throw new Error(`${script}\n${error.stdout}${error.stderr}`);
          },
        );
        assert.equal(stdout.split('\n').at(-1), String(route.status));
      });
  });

  test('run as they stand with the SDK', async (context) => {
    for (const operation of reference.operations) {
      const code = writeSdkCall(operation);
      if (code === null) continue;
      await context.test(operation.operationId, async () => {
        const { variables, key, scimToken } = await createOperationScene(
          findRoute(operation),
          operation,
          server,
          folder,
        );
        await using svc = new Svc({ baseUrl: server.url, apiKey: key, scimToken: scimToken ?? undefined, retries: 0 });
        const values = Object.entries(variables).map(([name, value]) => [nameVariable(`$${name}`), value] as const);
        const names = values.map(([name]) => name);
        const quiet = { log: () => undefined };
        const call = new Function('svc', 'console', ...names, `return (async () => { ${code} })()`);
        await call(svc, quiet, ...values.map(([, value]) => value));
      });
    }
  });

  test('are there for the SDK but where it leaves an operation out', () => {
    for (const operation of reference.operations)
      assert.equal(
        writeSdkCall(operation) === null,
        Object.hasOwn(leftOutOperations, operation.operationId),
        operation.operationId,
      );
  });

  test('compile', () => {
    const programs = createProgramFolder();
    try {
      const blocks = reference.operations.map((operation) => {
        const code = writeSdkCall(operation) ?? '';
        const names = new Set(
          [...writeCurl(operation).matchAll(/"?\$([A-Z_]+)/g)].map(([, name]) => nameVariable(`$${name}`)),
        );
        return `export async function ${operation.operationId}(${[...names].map((name) => `${name}: string`).join(', ')}) { ${code} }`;
      });
      writeFileSync(
        join(programs, 'all.ts'),
        `import { Svc } from '@svc/node-sdk';\nconst svc = new Svc();\n${blocks.join('\n')}\n`,
      );
      assert.equal(checkTypes(programs), '');
    } finally {
      rmSync(programs, { recursive: true });
    }
  });

  test('show answers that the schema of the operation takes', () => {
    for (const operation of reference.operations) {
      const route = findRoute(operation);
      const content = Object.entries(operation.responses[String(route.status)]?.content ?? {});
      const [type, schema] = [content[0]?.[0], content[0]?.[1].schema];
      if (schema === undefined || type?.endsWith('json') !== true) continue;
      // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
      const example = makeExample(schema, reference) as any;
      const parsed = route.result?.safeParse(
        example.data !== undefined && route.surface.base === '/v1' && route.isBare !== true ? example.data : example,
      );
      assert.equal(parsed?.error?.message, undefined, `${operation.operationId}: ${JSON.stringify(example)}`);
    }
  });
});
