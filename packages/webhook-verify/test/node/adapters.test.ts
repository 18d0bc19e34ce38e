import assert from 'node:assert/strict';
import { request as send } from 'node:http';
import { describe, test } from 'node:test';
import express from 'express';
import { createExpressHandler } from '../../src/express.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import { WebhookVerificationError } from '../../src/node.ts';
import { createReplayGuard } from '../../src/replay.ts';
import { createSignedRequest, createTestEvent, tamperings, tamperWithRequest } from '../../src/testing.ts';
import { type RunningServer, servers } from './servers.ts';
import { event, now, secret, time } from './vectors.ts';

const genuine = await createSignedRequest({ event, secrets: secret, now, deliveryId: 'delivery-1' });

interface Told {
  readonly error: unknown;
  readonly status: number;
  readonly deliveryId: string | null;
}

/** A server that keeps what its handler and `onError` were given. */
async function start(
  name: string,
  options: { readonly fail?: boolean; readonly isParsed?: boolean; readonly maxBytes?: number } = {},
) {
  const handled: { readonly event: unknown; readonly context: Readonly<Record<string, unknown>> }[] = [];
  const errors: Told[] = [];
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

async function post({ url }: RunningServer, request: RequestInit, path = '/hook') {
  const response = await fetch(url + path, request);
  return { status: response.status, type: response.headers.get('content-type'), answer: await response.json() };
}

for (const name of Object.keys(servers))
  describe(name, () => {
    test('gives a genuine event to the handler and answers 200', async () => {
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

    test('refuses what was tampered with, with 400 and the code, and calls no handler', async () => {
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

    test('takes the bytes as they are, in several pieces and of any content type', async () => {
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

    test('refuses a body that is too large with 413, whether it says so or not', async () => {
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

    test('answers 500 when the handler throws, whatever status the error carries, and tells nothing of it', async () => {
      const { server, errors } = await start(name, { fail: true });
      await using _ = server;
      const { status, answer } = await post(server, genuine);
      assert.deepEqual([status, answer.error.code], [500, 'receiver_failed']);
      assert.doesNotMatch(JSON.stringify(answer), /database/);
      assert.match(String(errors[0]?.error), /the database is down/);
    });

    test('says how to get at the raw body when it was parsed before', async () => {
      const { server, errors, handled } = await start(name, { isParsed: true });
      await using _ = server;
      const { status, answer } = await post(server, genuine);
      assert.deepEqual([status, answer.error.code], [500, 'body_not_bytes']);
      assert.ok(WebhookVerificationError.isInstance(errors[0]?.error));
      assert.match(String(errors[0]?.error), /express\.raw|Fastify: |arrayBuffer/);
      assert.deepEqual(handled, []);
    });

    test('survives a sender that goes away in the middle', async () => {
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

test('Fastify goes on parsing the bodies of other routes', async () => {
  const { server } = await start('Fastify');
  await using _ = server;
  const headers = { 'content-type': 'application/json' };
  assert.deepEqual((await post(server, { method: 'POST', headers, body: '{"a":1}' }, '/parsed')).answer, { a: 1 });
});

test('raw bytes that something has kept are taken: express.raw, rawBody of NestJS and of cloud functions', async () => {
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
    assert.equal((await post({ url: `http://127.0.0.1:${port}` } as RunningServer, genuine)).status, 200);
    server.close();
    server.closeAllConnections();
  }
});

test('with a guard, an event is handled once; while that lasts others are told to come again', async () => {
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
  // The header with the delivery is not signed: another one makes no other event.
  const replayed = { ...genuine, headers: { ...genuine.headers, 'svc-delivery': 'delivery-2' } };
  for (const one of [genuine, replayed]) assert.equal((await post(server, one)).status, 200);
  assert.equal(calls, 2);
});

test('an adapter says at once what is wrong with its options', () => {
  const handler = () => undefined;
  assert.throws(() => createExpressHandler({ secrets: '', handler }), { code: 'secret_invalid' });
  assert.throws(() => createExpressHandler({ secrets: secret, handler: 1 as never }), { code: 'options_invalid' });
  assert.throws(() => createExpressHandler({ secrets: secret, handler, maxBytes: 0 }), { code: 'options_invalid' });
});

test('an error of the handler is a failure here, even one of this package', async () => {
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
