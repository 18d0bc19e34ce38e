import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLambdaHandler, type LambdaEvent } from '../../src/lambda.ts';
import { createReplayGuard } from '../../src/replay.ts';
import { createSignedRequest, type SignedRequest, tamperings, tamperWithRequest } from '../../src/testing.ts';
import { event, now, secret, time } from './vectors.ts';

const genuine = await createSignedRequest({ event, secrets: secret, now, deliveryId: 'delivery-1' });

type Shape = (request: SignedRequest, isBase64Encoded: boolean) => LambdaEvent;

/** As HTTP/1.1 clients write names. */
const capitalize = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
const rename = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [capitalize(name), value as string]));
const multiply = (headers: object) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value as string]]));
const encode = (body: Uint8Array, isBase64Encoded: boolean) =>
  Buffer.from(body).toString(isBase64Encoded ? 'base64' : 'utf8');
const http = { method: 'POST', path: '/webhooks/svc', protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'Svc' };
const targetGroup = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/svc/0123456789abcdef';

/** The argument of the function for one request, of each service. */
const shapes: Readonly<Record<string, Shape>> = {
  'a REST API': ({ headers, body }, isBase64Encoded) => ({
    resource: '/webhooks/{source}',
    path: '/webhooks/svc',
    httpMethod: 'POST',
    headers: rename(headers),
    multiValueHeaders: multiply(rename(headers)),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { source: 'svc' },
    stageVariables: null,
    requestContext: { stage: 'prod', httpMethod: 'POST', protocol: 'HTTP/1.1', identity: { sourceIp: '192.0.2.1' } },
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
  'an HTTP API, payload 1.0': ({ headers, body }, isBase64Encoded) => ({
    version: '1.0',
    resource: '/webhooks/svc',
    path: '/webhooks/svc',
    httpMethod: 'POST',
    headers,
    multiValueHeaders: multiply(headers),
    queryStringParameters: null,
    requestContext: { stage: '$default', httpMethod: 'POST' },
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
  'an HTTP API, payload 2.0': ({ headers, body }, isBase64Encoded) => ({
    version: '2.0',
    routeKey: 'POST /webhooks/svc',
    rawPath: '/webhooks/svc',
    rawQueryString: '',
    headers,
    requestContext: { apiId: 'api', http, stage: '$default', timeEpoch: time * 1000 },
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
  'a function URL': ({ headers, body }, isBase64Encoded) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: { ...headers, host: 'abc.lambda-url.eu-west-1.on.aws' },
    requestContext: { apiId: 'abc', domainName: 'abc.lambda-url.eu-west-1.on.aws', http, stage: '$default' },
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
  'a load balancer': ({ headers, body }, isBase64Encoded) => ({
    requestContext: { elb: { targetGroupArn: targetGroup } },
    httpMethod: 'POST',
    path: '/webhooks/svc',
    queryStringParameters: {},
    headers,
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
  'a load balancer with multi-value headers': ({ headers, body }, isBase64Encoded) => ({
    requestContext: { elb: { targetGroupArn: targetGroup } },
    httpMethod: 'POST',
    path: '/webhooks/svc',
    multiValueQueryStringParameters: {},
    multiValueHeaders: multiply(headers),
    body: encode(body, isBase64Encoded),
    isBase64Encoded,
  }),
};

function receive(options: { readonly fail?: boolean; readonly maxBytes?: number; readonly isGuarded?: boolean } = {}) {
  const handled: { readonly event: unknown; readonly context: object }[] = [];
  const errors: string[] = [];
  const handle = createLambdaHandler({
    secrets: [{ name: 'main', secret }],
    now,
    ...(options.maxBytes !== undefined && { maxBytes: options.maxBytes }),
    ...(options.isGuarded && { replay: createReplayGuard({ now }) }),
    handler: (given, context) => {
      if (options.fail) throw new Error('the database is down');
      handled.push({ event: given, context });
    },
    onError: (error) => errors.push(String(error)),
  });
  const post = async (request: LambdaEvent) => {
    const { statusCode, body } = await handle(request);
    return { status: statusCode, answer: JSON.parse(body) };
  };
  return { handle, post, handled, errors };
}

for (const [name, shape] of Object.entries(shapes))
  describe(`Lambda behind ${name}`, () => {
    test('passes a genuine event to the handler, whether its body is encoded or not', async () => {
      const { post, handled } = receive();
      for (const isEncoded of [false, true]) {
        const given = shape(genuine, isEncoded);
        assert.deepEqual(await post(given), { status: 200, answer: { received: true } });
        const { request, ...context } = { ...handled.at(-1)?.context } as Record<string, unknown>;
        assert.deepEqual(handled.at(-1)?.event, event);
        assert.deepEqual(context, { secretIndex: 0, secretName: 'main', timestamp: time, deliveryId: 'delivery-1' });
        assert.equal(request, given);
      }
    });

    test('rejects a tampered delivery, and does not call the handler', async () => {
      const { post, handled } = receive();
      for (const [tampering, code] of Object.entries(tamperings))
        for (const isEncoded of [false, true]) {
          const changed = tamperWithRequest(genuine, tampering as keyof typeof tamperings);
          const { status, answer } = await post(shape(changed, isEncoded));
          assert.deepEqual([status, answer.error.code], [400, code], tampering);
        }
      assert.deepEqual(handled, []);
    });

    test('rejects a body over the limit, in bytes rather than characters', async () => {
      const { post } = receive({ maxBytes: 1000 });
      const padded = async (length: number) => {
        const text = JSON.stringify({ ...event, data: { ...event.data, note: '' } });
        const note = 'é'.repeat((length - text.length) >> 1);
        const whole = JSON.stringify({ ...event, data: { ...event.data, note } });
        return createSignedRequest({
          event: whole.padEnd(whole.length + ((length - text.length) & 1)),
          secrets: secret,
          now,
        });
      };
      for (const isEncoded of [false, true]) {
        assert.equal((await post(shape(await padded(1000), isEncoded))).status, 200);
        const { status, answer } = await post(shape(await padded(1001), isEncoded));
        assert.deepEqual([status, answer.error.code], [413, 'body_too_large']);
      }
    });

    test('responds with 500 when the handler throws, without details', async () => {
      const { post, errors } = receive({ fail: true });
      const { status, answer } = await post(shape(genuine, false));
      assert.deepEqual([status, answer.error.code], [500, 'receiver_failed']);
      assert.match(errors.join(), /the database is down/);
    });

    test('handles a delivery once with a guard', async () => {
      const { post, handled } = receive({ isGuarded: true });
      assert.equal((await post(shape(genuine, true))).status, 200);
      assert.equal((await post(shape(genuine, false))).answer.duplicate, true);
      assert.equal(handled.length, 1);
    });
  });

test('Lambda responds in the format that its caller reads', async () => {
  const { handle } = receive();
  const headers = { 'content-type': 'application/json' };
  const plain = { statusCode: 200, headers, body: '{"received":true}', isBase64Encoded: false };
  for (const [name, shape] of Object.entries(shapes))
    assert.deepEqual(
      await handle(shape(genuine, false)),
      name.endsWith('multi-value headers')
        ? { ...plain, multiValueHeaders: { 'content-type': ['application/json'] } }
        : plain,
      name,
    );
});

test('an empty object of headers, in either format, counts as no headers', async () => {
  const { handle } = receive();
  const { headers } = genuine;
  const body = encode(genuine.body, false);
  const plain = await handle({ headers, multiValueHeaders: {}, body });
  assert.deepEqual(plain, {
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"received":true}',
    isBase64Encoded: false,
  });
  assert.equal((await handle({ multiValueHeaders: {}, body })).multiValueHeaders, undefined);
  const multiplied = await handle({ headers: {}, multiValueHeaders: multiply(headers), body });
  assert.deepEqual(multiplied, { ...plain, multiValueHeaders: { 'content-type': ['application/json'] } });
});

test('a repeated header is rejected, in either format of Lambda', async () => {
  const { post } = receive();
  const signature = genuine.headers['svc-signature'];
  const body = encode(genuine.body, false);
  for (const twice of [
    { headers: { ...genuine.headers, 'Svc-Signature': signature } },
    { headers: { ...genuine.headers, 'svc-signature': `${signature},${signature}` } },
    { headers: genuine.headers, multiValueHeaders: { 'Svc-Signature': [signature, signature] } },
    { multiValueHeaders: { 'Svc-Signature': [signature], 'svc-signature': [signature] } },
  ]) {
    const { status, answer } = await post({ ...twice, body });
    assert.deepEqual([status, answer.error.code], [400, 'signature_malformed']);
  }
});

test('an event of Lambda that is no webhook is rejected without an exception', async () => {
  const { post } = receive();
  const { headers } = genuine;
  for (const [wrong, status, code] of [
    [{}, 400, 'signature_missing'],
    [null, 400, 'signature_missing'],
    [undefined, 400, 'signature_missing'],
    ['event', 400, 'signature_missing'],
    [{ headers: null, multiValueHeaders: null, body: null }, 400, 'signature_missing'],
    [{ headers: {}, multiValueHeaders: {}, body: null }, 400, 'signature_missing'],
    [{ headers: { 'svc-signature': undefined }, body: '' }, 400, 'signature_missing'],
    [{ multiValueHeaders: { 'svc-signature': [] }, body: '' }, 400, 'signature_missing'],
    [{ headers, body: null }, 400, 'signature_mismatch'],
    [{ headers }, 400, 'signature_mismatch'],
    [{ headers, body: '***', isBase64Encoded: true }, 400, 'signature_mismatch'],
    [{ headers, body: encode(genuine.body, true) }, 400, 'signature_mismatch'],
    [{ headers, body: event }, 500, 'body_not_bytes'],
    [{ headers, body: 1 }, 500, 'body_not_bytes'],
  ] as const) {
    const found = await post(wrong as never);
    assert.deepEqual([found.status, found.answer.error.code], [status, code], JSON.stringify(wrong));
  }
});
