import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Svc } from '../../packages/node-sdk/src/client.ts';
import { readExamples } from '../../server/site/documentation/api-document.ts';
import { writeCurl } from '../reference/curl.ts';
import type { ApiDocument } from '../reference/document.ts';
import { createReference } from '../reference/reference.ts';
import { exampleOperations } from '../reference/request-examples.ts';
import { writeSdkCall } from '../reference/sdk-call.ts';
import { nameVariable } from '../reference/variables.ts';
import { openStage, type Stage } from './play-operation.ts';
import { checkTypes, createProgramFolder } from './program-blocks.ts';
import { readCall } from './settle-answer.ts';

const document: ApiDocument = JSON.parse(readFileSync(new URL('../../server/openapi.json', import.meta.url), 'utf8'));
const reference = createReference(document);
const examples = readExamples();

describe('the examples of every operation', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage[Symbol.asyncDispose]());

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

  test('run unchanged in the shell, and are answered as the reference shows', async (context) => {
    for (const operation of reference.operations)
      await context.test(operation.operationId, async () => {
        const played = await stage.play(operation);
        assert.equal(played.status, stage.findRoute(operation).status);
        const how = 'npm run examples records the examples again';
        assert.deepEqual(readCall(operation, played), examples.operations[operation.operationId], how);
      });
  });

  test('show answers of operations that there are, and no secret', () => {
    const known = reference.operations.map(({ operationId }) => operationId);
    for (const operationId of Object.keys(examples.operations)) assert.ok(known.includes(operationId), operationId);
    const text = JSON.stringify(examples);
    assert.doesNotMatch(text, /(svc_\w+|scim|whsec)_\w{5,}|secret=\w|127\.0\.0\.1/);
  });

  test('run unchanged with the SDK', async (context) => {
    for (const operation of reference.operations) {
      const code = writeSdkCall(operation);
      if (code === null) continue;
      await context.test(operation.operationId, async () => {
        const { variables, key, scimToken } = await stage.prepare(operation);
        await using svc = new Svc({
          baseUrl: stage.server.url,
          apiKey: key,
          scimToken: scimToken ?? undefined,
          retries: 0,
        });
        const values = Object.entries(variables).map(([name, value]) => [nameVariable(`$${name}`), value] as const);
        const names = values.map(([name]) => name);
        const quiet = { log: () => undefined };
        const call = new Function('svc', 'console', ...names, `return (async () => { ${code} })()`);
        await call(svc, quiet, ...values.map(([, value]) => value));
      });
    }
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
});
