import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { isNativeError } from 'node:util/types';
import { AbortError, AuthenticationError, DeadlineError, ResponseError, Svc } from '@svc/node-sdk';
import { reading, type Script, sendJson, startScriptedServer, testKey, writing } from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

const oauth = { clientId: 'key:id+%', clientSecret: testKey, scope: 'consent:read audit:read' };

/** Issues tokens that last an hour, and accepts those that match `isGood`. */
function issueTokens(isGood: (token: string) => boolean = () => true): Script {
  let issued = 0;
  return (response, { path, headers }) => {
    if (path === '/oauth/revoke') return sendJson(response, 200, {});
    if (path === '/oauth/token') {
      issued += 1;
      return sendJson(response, 200, {
        access_token: `svc_at_${issued}`,
        token_type: 'Bearer',
        expires_in: 3600,
        scope: 'x',
      });
    }
    const token = String(headers.authorization).replace('Bearer ', '');
    if (isGood(token)) return sendJson(response, 200, { data: token });
    sendJson(response, 401, { error: { code: 'unauthenticated', message: 'No.' } });
  };
}

const asked = (received: readonly { readonly path: string }[]) =>
  received.filter(({ path }) => path === '/oauth/token').length;

describe('a client with OAuth credentials', () => {
  it('requests one access token for any number of concurrent calls, and shares it with derived clients', async () => {
    await using server = await startScriptedServer(issueTokens());
    await using svc = new Svc({ baseUrl: server.url, oauth });
    const other = svc.withOptions({ tenant: 'second' });
    const answers = await Promise.all([
      svc.request(reading),
      svc.request(writing),
      other.request(reading),
      svc.request(reading),
    ]);
    assert.deepEqual(answers, ['svc_at_1', 'svc_at_1', 'svc_at_1', 'svc_at_1']);
    assert.equal(asked(server.received), 1);
    const [request] = server.received;
    assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.equal(request?.body, 'grant_type=client_credentials&scope=consent%3Aread+audit%3Aread');
    const [scheme, encoded = ''] = String(request?.headers.authorization).split(' ');
    assert.equal(scheme, 'Basic');
    assert.equal(Buffer.from(encoded, 'base64').toString(), `key%3Aid%2B%25:${testKey}`);
    assert.equal(request?.headers['idempotency-key'], undefined);
    assert.ok(
      server.received.every(({ headers }) => headers.authorization !== `Bearer ${testKey}`),
      'the key itself is not sent',
    );
  });

  it('renews the token before it expires', async () => {
    const runtime = new TestRuntime();
    await using server = await startScriptedServer(issueTokens());
    await using svc = new Svc({ baseUrl: server.url, oauth, runtime });
    assert.equal(await svc.request(reading), 'svc_at_1');
    runtime.advance(3_539_000);
    assert.equal(await svc.request(reading), 'svc_at_1');
    runtime.advance(2000);
    assert.equal(await svc.request(reading), 'svc_at_2');
  });

  it('requests another token, once, if the server rejects one', async () => {
    await using server = await startScriptedServer(issueTokens((token) => token !== 'svc_at_1'));
    await using svc = new Svc({ baseUrl: server.url, oauth });
    const answers = await Promise.all([
      svc.request(writing, { retries: 0 }),
      svc.request(reading),
      svc.request(reading),
    ]);
    assert.deepEqual(answers, ['svc_at_2', 'svc_at_2', 'svc_at_2']);
    assert.equal(asked(server.received), 2);
    await using refused = await startScriptedServer(issueTokens(() => false));
    await using none = new Svc({ baseUrl: refused.url, oauth });
    await assert.rejects(
      none.request(reading),
      (error) => AuthenticationError.isInstance(error) && error.attempts === 2,
    );
    assert.equal(asked(refused.received), 2);
  });

  it('reports why there is no token, and requests one again the next time', async () => {
    let isDown = true;
    const tokens = issueTokens();
    await using server = await startScriptedServer((response, request, number) => {
      if (isDown) sendJson(response, 401, { error: 'invalid_client', error_description: 'Unknown.' });
      else return tokens(response, request, number);
    });
    await using svc = new Svc({ baseUrl: server.url, oauth });
    const failed = await Promise.all(
      [reading, writing].map((operation) => svc.request(operation).catch((error: unknown) => error)),
    );
    assert.equal(asked(server.received), 1);
    const [first, second] = failed;
    assert.ok(AuthenticationError.isInstance(first) && AuthenticationError.isInstance(second));
    assert.ok(first instanceof AuthenticationError && isNativeError(first));
    assert.deepEqual([first.name, first.code, first.status], ['AuthenticationError', 'invalid_client', 401]);
    assert.deepEqual([first.operation, first.idempotencyKey, first.attempts], ['read', null, 0]);
    assert.equal(second.operation, 'write');
    assert.equal(typeof second.idempotencyKey, 'string');
    assert.notEqual(first, second);
    assert.match(first.message, /no access token: Unknown/);
    assert.match(String(first.stack), /oauth\.test/);
    assert.ok(AuthenticationError.isInstance(first.cause) && first.cause.operation === 'issueAccessToken');
    isDown = false;
    assert.equal(await svc.request(reading), 'svc_at_1');
  });

  it('rejects an invalid token with the reason, and no part of the response', async () => {
    const answers = [
      {},
      null,
      [],
      { access_token: '', token_type: 'Bearer' },
      { access_token: 7, token_type: 'Bearer' },
      { access_token: 'svc_at_secret\r\nx-evil: 1', token_type: 'Bearer' },
      { access_token: 'svc_at_secret', token_type: 'mac' },
      { access_token: 'svc_at_secret', token_type: 7 },
    ];
    for (const answer of answers) {
      await using server = await startScriptedServer((response) => sendJson(response, 200, answer));
      await using svc = new Svc({ baseUrl: server.url, oauth });
      const error: unknown = await svc.request(reading).catch((reason: unknown) => reason);
      assert.ok(ResponseError.isInstance(error), JSON.stringify(answer));
      assert.deepEqual([error.operation, error.status], ['read', 200]);
      assert.ok(!inspect(error, { showHidden: true, depth: 9 }).includes('secret'));
      assert.equal(server.received.length, 1, 'the token was asked for once, and nothing was sent with it');
    }
  });

  it('keeps a token of unknown lifetime for five minutes', async () => {
    for (const lifetime of [undefined, '3600', 0, -1, null]) {
      const runtime = new TestRuntime();
      let issued = 0;
      await using server = await startScriptedServer((response, { path, headers }) => {
        if (path !== '/oauth/token') return sendJson(response, 200, { data: headers.authorization });
        issued += 1;
        sendJson(response, 200, { access_token: `svc_at_${issued}`, token_type: 'bearer', expires_in: lifetime });
      });
      await using svc = new Svc({ baseUrl: server.url, oauth, runtime });
      assert.equal(await svc.request(reading), 'Bearer svc_at_1');
      runtime.advance(269_000);
      assert.equal(await svc.request(reading), 'Bearer svc_at_1');
      runtime.advance(2000);
      assert.equal(await svc.request(reading), 'Bearer svc_at_2');
    }
  });

  it('waits for a token no longer than the call may take, without ending the wait of the others', async () => {
    const runtime = new TestRuntime();
    const arrived = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    const tokens = issueTokens();
    await using server = await startScriptedServer(async (response, request, number) => {
      arrived.resolve();
      if (request.path === '/oauth/token') await leave.promise;
      await tokens(response, request, number);
    });
    await using svc = new Svc({ baseUrl: server.url, oauth, runtime });
    const controller = new AbortController();
    const patient = svc.request(reading);
    const hasty = assert.rejects(svc.request(reading, { deadline: 1000 }), DeadlineError);
    const aborted = assert.rejects(svc.request(reading, { signal: controller.signal }), AbortError);
    await arrived.promise;
    controller.abort();
    await aborted;
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    runtime.advance(1000);
    await hasty;
    leave.resolve();
    assert.equal(await patient, 'svc_at_1');
    assert.equal(runtime.pending, 0);
  });

  it('can revoke its token', async () => {
    await using server = await startScriptedServer(issueTokens());
    await using svc = new Svc({ baseUrl: server.url, oauth });
    await svc.revokeAccessToken();
    assert.equal(server.received.length, 0);
    await svc.request(reading);
    await svc.revokeAccessToken();
    assert.equal(server.received.at(-1)?.body, 'token=svc_at_1');
    assert.match(String(server.received.at(-1)?.headers.authorization), /^Basic /);
    assert.equal(await svc.request(reading), 'svc_at_2');
  });

  it('accepts another credential in its place', async () => {
    await using server = await startScriptedServer(issueTokens());
    await using svc = new Svc({ baseUrl: server.url, oauth });
    assert.equal(await svc.withOptions({ apiKey: testKey }).request(reading), testKey);
    assert.equal(await svc.withOptions({ apiKey: testKey }).withOptions({ oauth }).request(reading), 'svc_at_1');
  });
});
