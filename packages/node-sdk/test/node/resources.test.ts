import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Route } from '../../../../server/http/route.ts';
import { noticeContent, startTestServer, type TestServer } from '../../../../server/test/harness.ts';
import { acceptedCall, addQuery } from '../../../../server/test/http/route-samples.ts';
import { createScene } from '../../../../server/test/http/scene.ts';
import { readAllRows } from '../../../../server/test/http/stored-rows.ts';
import { Svc } from '../../src/client.ts';
import type { ClientOptions } from '../../src/client-options.ts';
import { ConnectionError } from '../../src/errors.ts';
import { systemRuntime } from '../../src/runtime.ts';
import type { ByteStream, Page } from '../../src/transport.ts';
import { callOperation } from '../operations/calls.ts';
import { type Recorded, type RecordingRelay, startRelay } from '../operations/recording-relay.ts';

describe('every operation of the server', () => {
  let server: TestServer;
  let relay: RecordingRelay;
  before(async () => {
    server = await startTestServer('sqlite');
    relay = await startRelay(server.url);
  });
  after(async () => {
    await relay[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  test('has a method of its own, unless only a session or a client without an account calls it', () => {
    const methods = server.app.routes.flatMap(({ sdkMethod = [] }) => sdkMethod);
    assert.equal(new Set(methods).size, methods.length);
    for (const { operationId, auth, sdkMethod } of server.app.routes)
      if (sdkMethod === undefined) assert.ok(['session', 'platform', 'anonymous'].includes(auth), operationId);
  });

  test('is sent as its route expects, and its response is returned unchanged', async (context) => {
    for (const route of listCalled()) {
      await context.test(route.operationId, async () => {
        const { path, body, call } = await prepareCall(route, { retries: 0 });
        const whole = await call();
        const [recorded, ...more] = relay.take();
        assert.ok(recorded !== undefined && more.length === 0, `${more.length + 1} requests`);
        assertSent(route, recorded, path, body);
        assert.equal(recorded.answer.status, route.status, recorded.answer.body);
        assertSame(route, whole, recorded.answer.body);
      });
    }
  });

  test('is retried if it changes something and its response was lost, and is executed once', async (context) => {
    for (const route of listCalled().filter(isRepeatableChange)) {
      await context.test(route.operationId, async () => {
        const { call } = await prepareCall(route, { retries: 1, runtime: { ...systemRuntime, random: () => 0 } });
        const { database } = server.installation;
        let rows = '';
        relay.loseNext(async () => {
          rows = await readAllRows(database);
        });
        const whole = await call();
        assert.equal(await readAllRows(database), rows);
        const [first, second, ...more] = relay.take();
        assert.ok(first !== undefined && second !== undefined && more.length === 0, `${more.length + 2} requests`);
        const { answer, ...sent } = first;
        const { answer: repeated, ...sentAgain } = second;
        assert.deepEqual(sentAgain, sent);
        assert.deepEqual([repeated.status, repeated.body], [answer.status, answer.body]);
        assertSame(route, whole, answer.body);
      });
    }
  });

  test('is not retried if its response was lost and it could be executed twice', async () => {
    for (const operationId of ['createScimUser', 'capturePublicConsentRecord']) {
      const route = server.app.routes.find((one) => one.operationId === operationId) as Route;
      const { call } = await prepareCall(route, { retries: 1 });
      relay.loseNext(async () => undefined);
      await assert.rejects(call, (error) => ConnectionError.isInstance(error) && error.attempts === 1);
      assert.equal(relay.take().length, 1);
    }
  });

  test('is not retried if it would add another review of a control', async () => {
    const scene = await createScene(server);
    const controlId = await scene.control();
    await using svc = new Svc({ baseUrl: relay.url, apiKey: scene.tenant.key, retries: 1 });
    relay.take();
    relay.loseNext(async () => undefined);
    const call = svc.controls.update(controlId, { status: 'implemented' });
    await assert.rejects(call, (error) => ConnectionError.isInstance(error));
    assert.equal(relay.take().length, 1);
  });

  function listCalled(): readonly Route[] {
    return server.app.routes.filter(({ sdkMethod }) => sdkMethod !== undefined);
  }

  /** A call in a separate tenant. */
  async function prepareCall(route: Route, options: ClientOptions) {
    const scene = await createScene(server);
    const { path: accepted, request } = await acceptedCall(route, scene);
    const path = addQuery(accepted, furtherQuery(route));
    const origin = `https://${noticeContent.domain}`;
    const headers = { 'X-Sample': route.operationId };
    const sample = { ...readPath(route, path), body: request.body ?? request.rawBody, origin, options: { headers } };
    // Creating a token revokes the previous one, which a sample may need.
    const scimToken = route.auth === 'scim' ? await scene.scimToken() : undefined;
    const client = { baseUrl: relay.url, apiKey: scene.tenant.key, scimToken, ...options };
    return {
      path,
      body: request.body ?? request.rawBody,
      async call(): Promise<unknown> {
        relay.take();
        await using svc = new Svc(client);
        return await readWhole(await callOperation(svc, route.operationId, sample));
      },
    };
  }
});

/**
 * True if a repeated change is a no-op with the same response. A second DELETE may return 404, and the server stores no
 * responses of POSTs without an Idempotency-Key.
 */
function isRepeatableChange({ method, operationId, idempotencyKey }: Route): boolean {
  // SCIM logs to the audit log every request that goes beyond its letter.
  if (method === 'GET' || method === 'DELETE' || operationId === 'replaceScimUser') return false;
  return method !== 'POST' || idempotencyKey !== 'none' || operationId === 'createScimGroup';
}

/** The query that most operations with a query accept. */
function furtherQuery({ operationId, query, status }: Route): string {
  const takes = (name: string) => query !== null && Object.hasOwn(query.shape, name);
  // The pages there are those of a subject's records, which are unrelated to the method for notices.
  if (operationId === 'getConsent') return '';
  if (takes('limit')) return 'limit=2';
  return takes('attributes') && status !== 204 ? 'attributes=id' : '';
}

/** The parameters and the query of a path. */
function readPath({ path: template }: Route, path: string) {
  const [target = '', query = ''] = path.split('?');
  const names = [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
  const values = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(target)?.slice(1) ?? [];
  return {
    path: Object.fromEntries(names.map((name, index) => [name, values[index] as string])),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** Reads a stream to its end; everything else is complete already. */
async function readWhole(result: unknown): Promise<unknown> {
  if (typeof result !== 'object' || result === null || !('lines' in result)) return result;
  const chunks: Uint8Array[] = [];
  for await (const chunk of result as ByteStream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const credentials: Readonly<Record<Route['auth'], RegExp | null>> = {
  scope: /^Bearer svc_test_/,
  session: null,
  platform: null,
  scim: /^Bearer scim_/,
  anonymous: null,
  public: null,
};

function assertSent(route: Route, { method, path, headers, body }: Recorded, wanted: string, sample: unknown): void {
  const [target, query = ''] = path.split('?');
  const [wantedTarget, wantedQuery = ''] = wanted.split('?');
  assert.deepEqual([method, decodeURIComponent(target as string)], [route.method, wantedTarget]);
  assert.deepEqual([...new URLSearchParams(query)], [...new URLSearchParams(wantedQuery)]);
  assert.equal(headers['x-sample'], route.operationId);
  const credential = credentials[route.auth];
  if (credential === null) assert.equal(headers.authorization, undefined);
  else assert.match(String(headers.authorization), credential);
  assert.equal(headers['idempotency-key'] !== undefined, route.idempotencyKey !== 'none');
  if (route.body === null) assert.equal(body, '');
  else if (route.bodyType !== undefined) assert.deepEqual([body, headers['content-type']], [sample, route.bodyType]);
  else {
    assert.deepEqual(JSON.parse(body), sample);
    assert.equal(headers['content-type'], route.surface.bodyTypes[0]);
  }
}

/** Compares what a method resolved to with the body that was received. */
function assertSame(route: Route, result: unknown, body: string): void {
  if (!isPage(result)) {
    assert.deepEqual(result, readPayload(route, body));
    return;
  }
  // biome-ignore lint/suspicious/noExplicitAny: the three forms that pages have
  const payload = readPayload(route, body) as any;
  assert.deepEqual(result.items, payload.Resources ?? payload.data ?? payload.items);
  assert.equal(result.total, payload.totalResults ?? payload.page?.total ?? null);
  assert.equal(result.nextCursor, payload.nextCursor ?? payload.page?.nextCursor ?? null);
}

/** A body without its envelope. */
function readPayload({ status, surface, isBare, answerType }: Route, body: string): unknown {
  if (status === 204) return undefined;
  if (answerType !== undefined && answerType !== 'application/ld+json') return body;
  const whole = JSON.parse(body);
  return surface.base === '/v1' && isBare !== true ? whole.data : whole;
}

function isPage(result: unknown): result is Page<unknown> {
  return typeof result === 'object' && result !== null && 'hasNextPage' in result;
}
