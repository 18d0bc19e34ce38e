import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { describe, test } from 'node:test';
import express from 'express';
import { createExpressHandler } from '../../src/express.ts';
import { createFastifyPlugin } from '../../src/fastify.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import { createKoaMiddleware } from '../../src/koa.ts';
import { WebhookVerificationError } from '../../src/node.ts';
import { createReplayGuard } from '../../src/replay.ts';
import { createSignedRequest, createTestEvent, tamperings, tamperWithRequest } from '../../src/testing.ts';
import { type RunningServer, servers } from './servers.ts';
import { event, now, secret, time } from './vectors.ts';

const genuine = await createSignedRequest({ event, secrets: secret, now, deliveryId: 'delivery-1' });

/** The adapters that respond with a response of Node, whose connection they can close. */
const isNode = new Set(['Express', 'Koa', 'Fastify', 'Next.js pages router']);

interface Failure {
  readonly error: unknown;
  readonly status: number;
  readonly deliveryId: string | null;
}

/** A server that keeps the arguments of its handler and of `onError`. */
async function start(
  name: string,
  options: { readonly fail?: boolean; readonly isParsed?: boolean; readonly maxBytes?: number } = {},
) {
  const handled: { readonly event: unknown; readonly context: Readonly<Record<string, unknown>> }[] = [];
  const errors: Failure[] = [];
  const server = await (servers[name] as NonNullable<(typeof servers)[string]>)(
    {
      secrets: [{ name: 'main', secret }],
      now,
      ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
      handler: async (given, context) => {
        if (options.fail) throw Object.assign(new Error('the database is down'), { status: 410, statusCode: 410 });
        handled.push({ event: given, context: { ...context } });
      },
      onError: (error, details) => errors.push({ error, ...details }),
    },
    options.isParsed ?? false,
  );
  return { server, handled, errors };
}

async function post({ url }: Pick<RunningServer, 'url'>, request: RequestInit, path = '/hook') {
  const response = await fetch(url + path, request);
  return { status: response.status, type: response.headers.get('content-type'), answer: await response.json() };
}

/**
 * Waits for what the server does about a request that never ends, while it answers others: after a hundred of them it had
 * its time, on any machine, and does nothing.
 */
async function waitFor<Value>(server: Pick<RunningServer, 'url'>, what: string, read: () => Value | undefined) {
  for (let others = 0; others < 100 && read() === undefined; others += 1) await post(server, genuine);
  return read() ?? assert.fail(`${what} is still to come, after a hundred answers to other requests`);
}

/** Starts a request, and aborts it when the test ends. */
function begin({ url }: Pick<RunningServer, 'url'>, headers: Readonly<Record<string, string>>, body: string | Buffer) {
  const upload = send(url, { method: 'POST', headers });
  const seen: { response?: IncomingMessage; isClosed?: true } = {};
  upload.on('response', (response) => {
    seen.response = response.resume();
  });
  const close = () => {
    seen.isClosed = true;
  };
  upload.on('error', close).on('close', close).write(body);
  return { seen, [Symbol.dispose]: () => void upload.destroy() };
}

for (const name of Object.keys(servers))
  describe(name, () => {
    test('passes a genuine event to the handler and responds with 200', async () => {
      const { server, handled, errors } = await start(name);
      await using _ = server;
      const { status, type, answer } = await post(server, genuine);
      assert.deepEqual({ status, answer }, { status: 200, answer: { received: true } });
      assert.match(type ?? '', /^application\/json/);
      assert.deepEqual(errors, []);
      const { request, ...context } = handled[0]?.context ?? {};
      assert.deepEqual(handled[0]?.event, event);
      assert.deepEqual(context, { secretIndex: 0, secretName: 'main', timestamp: time, deliveryId: 'delivery-1' });
      assert.equal(typeof request, 'object');
    });

    test('rejects a tampered delivery with 400 and the code, and does not call the handler', async () => {
      const { server, handled, errors } = await start(name);
      await using _ = server;
      for (const [tampering, code] of Object.entries(tamperings)) {
        const { status, answer } = await post(server, tamperWithRequest(genuine, tampering as keyof typeof tamperings));
        assert.deepEqual([status, answer.error.code], [400, code], tampering);
        assert.equal(errors.at(-1)?.status, 400);
        assert.equal(errors.at(-1)?.deliveryId, 'delivery-1');
      }
      const old = await createSignedRequest({ event, secrets: secret, now: () => now() - 301_000 });
      assert.match((await post(server, old)).answer.error.message, /^Signed 301 seconds ago/);
      assert.deepEqual(handled, []);
    });

    test('accepts bytes in several chunks and of any content type', async () => {
      const { server, handled } = await start(name);
      await using _ = server;
      const long = createTestEvent({ type: 'webhook.test', data: { webhookId: '🙂é'.repeat(50_000) } });
      const request = await createSignedRequest({ event: long, secrets: secret, now });
      for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'application/x-other'])
        assert.equal(
          (await post(server, { ...request, headers: { ...request.headers, 'content-type': type } })).status,
          200,
        );
      assert.deepEqual(handled[3]?.event, long);
    });

    test('rejects a body that is too large with 413, with or without Content-Length', async () => {
      const { server, errors } = await start(name, { maxBytes: 1000 });
      await using _ = server;
      const padded = (length: number) => `${JSON.stringify(event)}${' '.repeat(length - JSON.stringify(event).length)}`;
      const request = async (length: number) => createSignedRequest({ event: padded(length), secrets: secret, now });
      assert.equal((await post(server, await request(1000))).status, 200);
      const large = await request(1001);
      const stream = { ...large, body: new Blob([large.body]).stream(), duplex: 'half' } as RequestInit;
      for (const one of [large, stream]) {
        const { status, answer } = await post(server, one);
        assert.deepEqual([status, answer.error.code], [413, 'body_too_large']);
      }
      assert.equal(errors.length, 2);
    });

    test('closes the connection of a body that is too large, and stops reading', async () => {
      const { server } = await start(name, { maxBytes: 1000 });
      await using _ = server;
      const { headers } = await createSignedRequest({ event, secrets: secret, now });
      // It never ends by itself.
      using upload = begin({ url: `${server.url}/hook` }, headers, Buffer.alloc(2000));
      const response = await waitFor(server, 'the answer', () => upload.seen.response);
      assert.equal(response.statusCode, 413);
      if (isNode.has(name)) {
        assert.equal(response.headers.connection, 'close');
        await waitFor(server, 'the end of the connection', () => upload.seen.isClosed);
      }
    });

    test('rejects a missing or malformed header before the body has arrived', async () => {
      const { server } = await start(name);
      await using _ = server;
      for (const headers of [{}, { 'svc-signature': 'x' }] as readonly Readonly<Record<string, string>>[]) {
        using upload = begin({ url: `${server.url}/hook` }, { ...headers, 'content-length': '5000' }, '{');
        const response = await waitFor(server, 'the answer', () => upload.seen.response);
        assert.equal(response.statusCode, 400);
      }
    });

    test('responds with 500 when the handler throws, whatever status the error has, without details', async () => {
      const { server, errors } = await start(name, { fail: true });
      await using _ = server;
      const { status, answer } = await post(server, genuine);
      assert.deepEqual([status, answer.error.code], [500, 'receiver_failed']);
      assert.doesNotMatch(JSON.stringify(answer), /database/);
      assert.match(String(errors[0]?.error), /the database is down/);
    });

    test('describes how to get the raw body if it was parsed before', async () => {
      const { server, errors, handled } = await start(name, { isParsed: true });
      await using _ = server;
      const { status, answer } = await post(server, genuine);
      assert.deepEqual([status, answer.error.code], [500, 'body_not_bytes']);
      assert.ok(WebhookVerificationError.isInstance(errors[0]?.error));
      assert.match(String(errors[0]?.error), /express\.raw|Fastify: |arrayBuffer/);
      assert.deepEqual(handled, []);
    });

    test('survives a sender that disconnects halfway', async () => {
      const { server, handled } = await start(name);
      await using _ = server;
      const cut = send(`${server.url}/hook`, {
        method: 'POST',
        headers: { ...genuine.headers, 'content-length': 5000 },
      });
      cut.on('error', () => undefined);
      cut.write('{');
      await new Promise((resolve) => setImmediate(resolve));
      cut.destroy();
      assert.equal((await post(server, genuine)).status, 200);
      assert.equal(handled.length, 1);
    });
  });

test('Fastify still parses the bodies of other routes', async () => {
  const { server } = await start('Fastify');
  await using _ = server;
  const headers = { 'content-type': 'application/json' };
  assert.deepEqual((await post(server, { method: 'POST', headers, body: '{"a":1}' }, '/parsed')).answer, { a: 1 });
});

test('raw bytes that a framework has kept are used: express.raw, rawBody of NestJS and of cloud functions', async () => {
  const kept = [
    express().use(express.raw({ type: '*/*' })),
    express().use(
      express.json({
        verify: (request, _response, bytes) => {
          Object.assign(request, { rawBody: bytes });
        },
      }),
    ),
    express().use(express.text({ type: '*/*' })),
  ];
  for (const app of kept) {
    app.post('/hook', createExpressHandler({ secrets: secret, now, handler: () => undefined }));
    const server = app.listen(0);
    const { port } = server.address() as { readonly port: number };
    assert.equal((await post({ url: `http://127.0.0.1:${port}` }, genuine)).status, 200);
    server.close();
    server.closeAllConnections();
  }
});

test('with a guard, a delivery is handled once; concurrent ones are asked to retry', async () => {
  let finish: (error?: Error) => void = () => undefined;
  let calls = 0;
  const started: (() => void)[] = [];
  const server = await (servers.Express as NonNullable<(typeof servers)[string]>)(
    {
      secrets: secret,
      now,
      replay: createReplayGuard({ now }),
      onError: () => undefined,
      handler: () =>
        new Promise<void>((resolve, reject) => {
          calls += 1;
          finish = (error) => (error ? reject(error) : resolve());
          started.shift()?.();
        }),
    },
    false,
  );
  await using _ = server;
  const open = (request: RequestInit) => {
    const runs = new Promise<void>((resolve) => started.push(resolve));
    return { runs, answer: post(server, request) };
  };
  const first = open(genuine);
  await first.runs;
  const second = await post(server, genuine);
  assert.deepEqual([second.status, second.answer.error.code], [409, 'delivery_in_progress']);
  finish(new Error('failed'));
  assert.equal((await first.answer).status, 500);
  const again = open(genuine);
  await again.runs;
  finish();
  assert.equal((await again.answer).status, 200);
  const repeated = await post(server, genuine);
  assert.deepEqual([repeated.status, repeated.answer], [200, { received: true, duplicate: true }]);
  assert.equal(calls, 2);
});

test('an adapter rejects invalid options immediately', () => {
  const handler = () => undefined;
  assert.throws(() => createExpressHandler({ secrets: 'MfKQ', handler }), { code: 'secret_invalid' });
  assert.throws(() => createExpressHandler({ secrets: secret, handler: 1 as never }), { code: 'options_invalid' });
  assert.throws(() => createExpressHandler({ secrets: secret, handler, maxBytes: 0 }), { code: 'options_invalid' });
});

test('an adapter rejects unknown options, and accepts every documented one', () => {
  const handler = () => undefined;
  const makers = [createExpressHandler, createFetchHandler, createKoaMiddleware, createFastifyPlugin];
  for (const make of makers as ((options: never) => unknown)[])
    for (const wrong of [{ replayGuard: createReplayGuard() }, { tolerance: 5 }, { onerror: handler }])
      assert.throws(() => make({ path: '/', secrets: secret, handler, ...wrong } as never), {
        code: 'options_invalid',
        message: /There is no option \w+\. Known: .*replay/,
      });
  const limits = { toleranceSeconds: 5, now, validate: () => undefined, maxBytes: 5 };
  const listeners = { onError: handler, onDuplicate: handler };
  createFastifyPlugin({ path: '/', secrets: secret, handler, replay: createReplayGuard(), ...limits, ...listeners });
});

test('an adapter without a secret responds with 500 and the reason; a build can load it', async () => {
  for (const secrets of ['', [], [{ name: 'new', secret: '' }], undefined]) {
    const errors: unknown[] = [];
    const replay = createReplayGuard();
    const onError = (error: unknown) => errors.push(error);
    const options = { secrets: secrets as string, now, handler: () => assert.fail('handled'), onError, replay };
    const response = await createFetchHandler(options)(new Request('https://example.com', genuine));
    assert.deepEqual([response.status, (await response.json()).error.code], [500, 'secret_invalid']);
    assert.match(String(errors[0]), /Is its variable set\?/);
  }
});

test('an error of the handler is a failure of the receiver, even one of this package', async () => {
  const handle = createFetchHandler({
    secrets: secret,
    now,
    onError: () => undefined,
    handler: () => {
      throw new WebhookVerificationError('signature_mismatch', 'of a webhook inside');
    },
  });
  const response = await handle(new Request('https://example.com', genuine));
  assert.deepEqual([response.status, (await response.json()).error.code], [500, 'receiver_failed']);
});

test('an adapter checks its functions immediately, and that it has options', () => {
  const handler = () => undefined;
  for (const wrong of [{ onError: 1 }, { onDuplicate: 'x' }, { replay: {} }, { replay: null }, { now: 'x' }])
    assert.throws(() => createExpressHandler({ secrets: secret, handler, ...(wrong as object) }), {
      code: 'options_invalid',
    });
  for (const make of [createExpressHandler, createFetchHandler, createKoaMiddleware, createFastifyPlugin] as ((
    options: never,
  ) => unknown)[])
    for (const options of [undefined, null, secret, 1])
      assert.throws(() => make(options as never), { code: 'options_invalid' });
});

test('an onError that throws or rejects changes no response, and does not crash the process', async (context) => {
  const printed = context.mock.method(console, 'error', () => undefined);
  for (const onError of [
    () => {
      throw new Error('of the log');
    },
    async () => Promise.reject(new Error('of the log')),
    () => new Promise(() => undefined),
  ]) {
    const handle = createFetchHandler({ secrets: secret, now, handler: () => undefined, onError });
    const response = await handle(new Request('https://example.com', tamperWithRequest(genuine, 'body')));
    assert.equal(response.status, 400);
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(printed.mock.callCount(), 2);
});

test('a failing clock is a failure of the receiver: the sender retries', async () => {
  const lost = { secrets: secret, now: () => Number.NaN, handler: () => undefined, onError: () => undefined };
  const response = await createFetchHandler(lost)(new Request('https://example.com', genuine));
  assert.deepEqual([response.status, (await response.json()).error.code], [500, 'options_invalid']);
});

test('reading stops when the body is too large', async () => {
  const handle = createExpressHandler({ secrets: secret, now, maxBytes: 1000, onError: () => 1, handler: () => 1 });
  let isPaused: boolean | undefined;
  const server = createServer(async (request, response) => {
    await handle(request, response);
    if (response.statusCode === 413) isPaused = request.isPaused();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { readonly port: number };
  const url = `http://127.0.0.1:${port}`;
  using upload = begin({ url }, genuine.headers, Buffer.alloc(2000));
  try {
    await waitFor({ url }, 'the answer', () => upload.seen.response);
  } finally {
    server.close();
    server.closeAllConnections();
  }
  assert.equal(isPaused, true);
});
