import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import {
  ApiError,
  Audit,
  type ClientOptions,
  ConfigurationError,
  ConnectionError,
  Svc,
  SvcClient,
  SvcError,
} from '@svc/node-sdk';
import { Agent } from 'undici';
import { createClient, reading, sendError, sendJson, startScriptedServer, testKey } from './scripted-server.ts';
import { TestRuntime } from './test-runtime.ts';

const scimToken = 'scim_0123456789abcdefghijklmnopqrstuvwxyzABC';
const clientSecret = 'svc_test_ofTheClient0123456789';
const good = { baseUrl: 'https://svc.example.com', apiKey: testKey };

function refuse(options: ClientOptions, message: RegExp): void {
  assert.throws(
    () => new Svc(options),
    (error: unknown) => {
      assert.ok(ConfigurationError.isInstance(error));
      assert.match(error.message, message);
      const secrets = [options.apiKey, options.scimToken, options.oauth?.clientSecret].filter((text) => text);
      for (const secret of secrets) assert.ok(!inspect(error).includes((secret as string).trim()), 'no secret in it');
      return true;
    },
  );
}

describe('a client', () => {
  it('rejects an invalid API key, without including it in the message', () => {
    refuse({ ...good, apiKey: `${testKey}\n` }, /white space/);
    refuse({ ...good, apiKey: ` ${testKey}` }, /white space/);
    refuse({ ...good, apiKey: `${testKey}é` }, /characters/);
    refuse({ ...good, apiKey: scimToken }, /SCIM token.*scimToken/);
    refuse({ ...good, apiKey: 'sk_live_0123456789' }, /svc_live_/);
    refuse({ ...good, scimToken: testKey }, /API key/);
    refuse({ ...good, scimToken: `${scimToken}\t` }, /white space/);
    refuse({ ...good, oauth: { clientId: 'a', clientSecret: testKey } }, /not both/);
    refuse(
      { baseUrl: good.baseUrl, oauth: { clientId: 'a', clientSecret: 'x y' } },
      /oauth.clientSecret contains white/,
    );
    refuse({ baseUrl: good.baseUrl, oauth: { clientId: 'a', clientSecret: testKey, scope: 'a  b' } }, /oauth.scope/);
    assert.throws(() => new Svc({ ...good, apiKey: 7 as unknown as string }), /must be a string/);
  });

  it('rejects an invalid address, and one that would send keys unencrypted', () => {
    refuse({ ...good, baseUrl: 'svc.example.com' }, /https:/);
    refuse({ ...good, baseUrl: 'ftp://svc.example.com' }, /https:/);
    refuse({ ...good, baseUrl: 'https://svc.example.com\n' }, /https:/);
    refuse({ ...good, baseUrl: 'https://user:pass@svc.example.com' }, /user/);
    refuse({ ...good, baseUrl: 'https://svc.example.com/?a=b' }, /query/);
    refuse({ ...good, baseUrl: 'https://svc.example.com/#a' }, /fragment/);
    refuse({ ...good, baseUrl: 'http://svc.example.com' }, /unencrypted/);
    refuse({ ...good, baseUrl: 'http://127.0.0.1.example.com' }, /unencrypted/);
    for (const host of ['localhost:1', '127.0.0.1:1', '127.8.9.1', '[::1]:8787', 'svc.localhost'])
      assert.ok(new Svc({ ...good, baseUrl: `http://${host}` }));
    assert.ok(new Svc({ ...good, baseUrl: 'http://svc.internal', allowInsecure: true }));
  });

  it('rejects invalid limits, versions, headers and names', () => {
    for (const timeout of [0, -1, Number.NaN, 2 ** 31]) refuse({ ...good, timeout }, /timeout/);
    refuse({ ...good, deadline: 0 }, /deadline/);
    for (const retries of [-1, 1.5, Number.POSITIVE_INFINITY]) refuse({ ...good, retries }, /retries/);
    refuse({ ...good, maxResponseBytes: 0 }, /maxResponseBytes/);
    refuse({ ...good, retryBudget: { capacity: -1, refill: 0 } }, /retryBudget/);
    refuse({ ...good, version: 'latest' }, /version/);
    refuse({ ...good, tenant: 'a\r\nX-Evil: 1' }, /tenant/);
    refuse({ ...good, headers: { 'x-a': 'b\r\nc: d' } }, /that a header can carry/);
    refuse({ ...good, headers: { 'x a': 'b' } }, /not a header name/);
    refuse({ ...good, headers: { Authorization: 'Bearer x' } }, /apiKey/);
    for (const name of ['Content-Length', 'Accept']) refuse({ ...good, headers: { [name]: '1' } }, /cannot be set/);
    refuse({ ...good, appInfo: { name: 'two words' } }, /appInfo/);
    assert.ok(new Svc({ ...good, timeout: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }));
  });

  it('rejects unknown options, and options of another type', () => {
    const wrong: readonly (readonly [object | null, RegExp])[] = [
      [{ timout: 5 }, /unknown option "timout"\. Did you mean "timeout"\?/],
      [{ baseURL: good.baseUrl }, /Did you mean "baseUrl"\?/],
      [{ maxRetries: 5 }, /Did you mean "retries"\?/],
      [{ key: testKey }, /Did you mean "apiKey"\?/],
      [{ xyz: 5 }, /unknown option "xyz"\.$/],
      [{ connections: 0 }, /connections must be/],
      [{ connections: 1.5 }, /connections must be/],
      [{ hooks: { onRequest: 'log' } }, /hooks must have a function onRequest/],
      [{ hooks: { onReqest: () => undefined } }, /hooks: unknown option "onReqest"/],
      [{ hooks: null }, /hooks must be an object/],
      [{ dispatcher: {} }, /dispatcher must have a function dispatch/],
      [{ dispatcher: null }, /dispatcher must have a function dispatch/],
      [{ runtime: { now: () => 0 } }, /runtime must have a function wallClock/],
      [{ appInfo: null }, /appInfo must be an object/],
      [{ appInfo: { title: 'x' } }, /"title"/],
      [{ headers: null }, /headers must be an object/],
      [{ headers: 'x-a: b' }, /headers must be an object/],
      [{ retryBudget: 5 }, /retryBudget must be an object/],
      [{ retryBudget: { capacity: 1, refill: 1, extra: 1 } }, /"extra"/],
      [{ allowInsecure: 'no' }, /allowInsecure/],
      [{ apiKey: undefined, oauth: null }, /oauth must be an object/],
      [{ oauth: { id: 'x' }, apiKey: undefined }, /"id"/],
    ];
    for (const [options, message] of wrong) refuse({ ...good, ...options } as ClientOptions, message);
    for (const options of [null, 5, 'x'])
      assert.throws(() => new Svc(options as unknown as ClientOptions), ConfigurationError);
    const svc = new Svc(good);
    for (const options of [null, { timout: 5 }])
      assert.throws(() => svc.withOptions(options as unknown as ClientOptions), ConfigurationError);
    const everything: Required<ClientOptions> = {
      ...{ ...good, oauth: undefined, scimToken, allowInsecure: false, tenant: null, version: null, timeout: 1 },
      ...{
        deadline: 1,
        retries: 0,
        retryBudget: null,
        maxResponseBytes: 1,
        connections: 1,
        headers: {},
        hooks: { onError: undefined },
      },
      ...{ dispatcher: new Agent(), appInfo: { name: 'x' }, runtime: new TestRuntime() },
    };
    assert.ok(new Svc(everything));
  });

  it('can be created without environment variables, as in a build; its first call reads them, and names what is missing', async () => {
    const { SVC_API_KEY, SVC_BASE_URL } = process.env;
    delete process.env.SVC_API_KEY;
    delete process.env.SVC_BASE_URL;
    try {
      const { baseUrl, apiKey } = good;
      const oauth = { clientId: '', clientSecret: '' };
      for (const [options, message] of [
        [{}, /SVC_BASE_URL/],
        [{ apiKey }, /SVC_BASE_URL/],
        [{ apiKey, baseUrl: '' }, /SVC_BASE_URL/],
        [{ baseUrl }, /SVC_API_KEY/],
        [{ baseUrl, apiKey: '' }, /apiKey is empty/],
        [{ baseUrl, oauth }, /oauth.clientId is empty/],
        [{ baseUrl, apiKey, scimToken: '' }, /scimToken is empty/],
      ] as const) {
        const made = new Svc(options);
        assert.ok(inspect(made).startsWith('Svc {'));
        for (const svc of [made, made.withOptions({ tenant: 'second' })])
          for (const call of [svc.audit.list(), svc.consent.notices.publish('x'), svc.ledgers.audit.export()])
            await assert.rejects(
              Promise.resolve<unknown>(call),
              (error) => ConfigurationError.isInstance(error) && message.test(error.message) && error.attempts === 0,
            );
        await made.close();
      }
      await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
      await using svc = new Svc();
      // As when a program reads its variables from a file after it has imported the module.
      Object.assign(process.env, { SVC_BASE_URL: server.url, SVC_API_KEY: testKey });
      assert.equal(await svc.request(reading), 1);
      assert.equal(await svc.withOptions({ tenant: 'second' }).request(reading), 1);
      assert.equal(server.received[0]?.headers.authorization, `Bearer ${testKey}`);
      assert.equal(server.connections(), 1, 'which the second client shares');
    } finally {
      delete process.env.SVC_API_KEY;
      delete process.env.SVC_BASE_URL;
      Object.assign(process.env, SVC_API_KEY && { SVC_API_KEY }, SVC_BASE_URL && { SVC_BASE_URL });
    }
  });

  it('takes one parameter: the second is internal', () => assert.equal(Svc.length, 0));

  it('keeps options that withOptions leaves undefined; null removes the tenant and the version, also for one call', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
    await using svc = createClient(server, {
      tenant: 'first',
      version: '2026-12-01',
      retries: 0,
      headers: { 'x-a': 'b' },
    });
    const same = svc.withOptions({ tenant: undefined, version: undefined, headers: undefined, baseUrl: undefined });
    await same.request(reading);
    await svc.withOptions({ tenant: null, version: null }).request(reading);
    await svc.request(reading, { tenant: null, version: null });
    await svc.request(reading, { tenant: undefined, version: undefined });
    const sent = server.received.map(({ headers }) => [headers['svc-tenant'], headers['svc-version'], headers['x-a']]);
    const kept = ['first', '2026-12-01', 'b'];
    const taken = [undefined, undefined, 'b'];
    assert.deepEqual(sent, [kept, taken, taken, kept]);
  });

  it('needs a credential only for calls that require one', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
    await using svc = new Svc({ baseUrl: server.url });
    assert.equal(await svc.request({ ...reading, credential: 'none' }), 1);
    await assert.rejects(
      svc.request(reading),
      (error) =>
        ConfigurationError.isInstance(error) &&
        error.operation === 'read' &&
        /read needs a credential: set apiKey/.test(error.message),
    );
    await assert.rejects(svc.request({ ...reading, credential: 'scim' }), /scimToken/);
    await assert.rejects(svc.request({ ...reading, credential: 'client' }), /oauth/);
    assert.equal(server.received.length, 1);
    assert.equal(server.received[0]?.headers.authorization, undefined);
  });

  it('never shows its keys: when printed, as JSON, in errors, their causes and the arguments of hooks', async () => {
    const notes: unknown[] = [];
    const note = (value: unknown) => notes.push(value);
    await using server = await startScriptedServer((response) =>
      sendError(response, 503, 'busy', { 'set-cookie': 'a=b' }),
    );
    const secrets = { apiKey: testKey, scimToken, headers: { 'x-gateway-key': 'gateway-secret' } };
    const hooks = { onRequest: note, onResponse: note, onRetry: note, onError: note };
    await using svc = createClient(server, { ...secrets, hooks, retries: 0 });
    const failed: unknown = await svc.request(reading).catch((error: unknown) => error);
    assert.ok(ApiError.isInstance(failed));
    await using nowhere = createClient({ url: 'http://127.0.0.1:9' }, { ...secrets, retries: 0 });
    const unconnected: unknown = await nowhere.request(reading).catch((error: unknown) => error);
    assert.ok(ConnectionError.isInstance(unconnected));
    for (const value of [
      svc,
      svc.withOptions({}),
      svc.consent,
      svc.scim,
      failed,
      unconnected,
      notes,
      svc.request(reading).catch(() => 0),
    ]) {
      const texts = [
        inspect(value, { depth: 20, showHidden: true, getters: true }),
        JSON.stringify(value),
        String(value),
      ];
      for (const secret of [testKey, scimToken, 'gateway-secret', Buffer.from(testKey).toString('base64')])
        for (const text of texts) assert.ok(!text?.includes(secret), `${secret} is in ${text}`);
    }
    assert.match(inspect(svc), /^Svc \{\s+baseUrl/);
  });

  it('never shows its keys if a proxy echoes the request, nor the cookies of a response', async () => {
    const notes: unknown[] = [];
    const note = (value: unknown) => notes.push(value);
    const hooks = { onRequest: note, onResponse: note, onRetry: note, onError: note };
    let status = 502;
    let isHtml = true;
    await using server = await startScriptedServer((response, { headers }) => {
      const [scheme, sent = ''] = String(headers.authorization).split(' ');
      const pair = scheme === 'Basic' ? Buffer.from(sent, 'base64').toString() : '';
      const echo = `Authorization: ${headers.authorization} (${pair})`;
      const type = isHtml ? 'text/html' : 'application/json';
      response.writeHead(status, { 'x-echo': echo, 'set-cookie': 'session=cookie', 'content-type': type });
      response.end(
        isHtml ? `<html>${echo}` : JSON.stringify({ data: {}, error: { code: 'x', message: echo, echo, details: [] } }),
      );
    });
    await using svc = createClient(server, { hooks, scimToken, retries: 0 });
    const oauth = { clientId: 'key', clientSecret };
    await using other = new Svc({ baseUrl: server.url, oauth, hooks, retries: 0 });
    const scim = { ...reading, credential: 'scim' } as const;
    for (status of [200, 302, 404, 502])
      for (isHtml of [true, false])
        for (const call of [
          () => svc.request(reading),
          () => svc.request(scim),
          () => other.request(reading),
          () => svc.stream(reading),
        ]) {
          const error: unknown = await call().then(
            () => null,
            (reason: unknown) => reason,
          );
          assert.ok(SvcError.isInstance(error) || status === 200);
          notes.push(error);
        }
    [status, isHtml] = [200, false];
    const { response } = await svc.request(reading).withResponse();
    const cookies = { response, raw: await svc.request(reading).asResponse() };
    for (const secret of ['session=cookie', 'set-cookie'])
      assert.ok(!inspect(cookies, { depth: 20, showHidden: true }).includes(secret));
    const basic = Buffer.from(`key:${clientSecret}`).toString('base64');
    for (const value of notes)
      for (const text of [inspect(value, { depth: 20, showHidden: true }), JSON.stringify(value), String(value)])
        for (const secret of [testKey, scimToken, clientSecret, basic, 'session=cookie'])
          assert.ok(!text.includes(secret), `${secret} is in ${text}`);
    assert.match(inspect(notes, { depth: 20, maxArrayLength: null }), /Bearer \[redacted\]/);
  });

  it('has its own settings beside another client, and shares its connections', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: 1 }));
    await using svc = createClient(server);
    const other = svc.withOptions({ tenant: 'second', headers: { 'x-a': 'b' } });
    await svc.request(reading);
    await other.request(reading);
    assert.deepEqual(
      server.received.slice(0, 2).map(({ headers }) => headers['svc-tenant']),
      [undefined, 'second'],
    );
    for (let call = 0; call < 10; call += 1) await (call % 2 === 0 ? svc : other).request(reading);
    // A connection is idle for a turn of the event loop after a response, so consecutive calls alternate.
    assert.ok(server.connections() <= 2);
    await other.close();
    await assert.rejects(svc.request(reading), /client is closed/);
    assert.equal(server.received.length, 12);
  });

  it('has its resources also as separate imports, over a client without them', async () => {
    await using server = await startScriptedServer((response) => sendJson(response, 200, { data: { items: [] } }));
    await using client = new SvcClient({ baseUrl: server.url, apiKey: testKey });
    await using second = client.withOptions({ tenant: 'second' });
    assert.ok(!(second instanceof Svc));
    await new Audit(client).list();
    await new Audit(second).list();
    assert.deepEqual(
      server.received.map(({ path, headers }) => [path, headers['svc-tenant']]),
      [
        ['/v1/audit', undefined],
        ['/v1/audit', 'second'],
      ],
    );
  });

  it('can be closed before it was used, and twice', async () => {
    const svc = new Svc(good);
    await svc.close();
    await svc.close();
    await assert.rejects(svc.request(reading), ConfigurationError);
  });

  it('waits for responses in progress before it closes', async () => {
    const arrived = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    await using server = await startScriptedServer(async (response) => {
      arrived.resolve();
      await leave.promise;
      sendJson(response, 200, { data: 'whole' });
    });
    const svc = createClient(server);
    const answer = svc.request(reading);
    await arrived.promise;
    const closed = svc.close();
    leave.resolve();
    assert.equal(await answer, 'whole');
    await closed;
  });
});

describe('an error', () => {
  it('is recognized by another copy of the package', async () => {
    const copy: typeof import('@svc/node-sdk') = await import(`${import.meta.resolve('@svc/node-sdk')}?copy`);
    const errors: typeof import('../../src/errors.ts') = await import(
      `${import.meta.resolve('../../src/errors.ts')}?copy`
    );
    const other = new errors.ConfigurationError('from the copy');
    assert.ok(!(other instanceof ConfigurationError));
    assert.ok(ConfigurationError.isInstance(other));
    assert.ok(SvcError.isInstance(other));
    assert.ok(copy.SvcError.isInstance(other));
    assert.ok(!ApiError.isInstance(other));
    for (const value of [null, undefined, 'x', {}, new Error('x'), []]) assert.ok(!SvcError.isInstance(value));
  });

  it('keeps its kind in a subclass', () => {
    class Own extends ConfigurationError {}
    assert.ok(ConfigurationError.isInstance(new Own('x')));
    assert.equal(new Own('x').name, 'ConfigurationError');
  });

  it('has the calling function in its stack, also on a later page of a list', async () => {
    await using server = await startScriptedServer((response, _, number) => {
      if (number % 2 === 1) sendJson(response, 200, { data: { items: [1], nextCursor: 'next' } });
      else sendError(response, 403, 'forbidden');
    });
    await using svc = createClient(server);
    async function theFunctionThatCalled(): Promise<void> {
      await svc.request(reading);
      await svc.request(reading);
    }
    async function theFunctionThatIterated(): Promise<void> {
      for await (const _ of svc.list({ ...reading, page: 'items' }));
    }
    for (const call of [theFunctionThatCalled, theFunctionThatIterated]) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      assert.ok(ApiError.isInstance(error));
      assert.match(String(error.stack), new RegExp(call.name));
    }
  });
});
