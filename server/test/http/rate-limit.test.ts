import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../http/problem.ts';
import { ConcurrencyLimit, type LimitRule, RateLimiter } from '../../http/rate-limit.ts';
import { scopes } from '../../http/roles.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { readAllRows } from './stored-rows.ts';

const limits = { SVC_LIMIT_API_KEY: '5', SVC_LIMIT_CAPTURE_NOTICE: '3', SVC_LIMIT_CAPTURE_CLIENT: '4' };

describe('the rate limits', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer('sqlite', limits);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  const list = (key: string) => server.request('GET', '/v1/audit', { key });
  const visit = (notice: string, headers = {}) =>
    server.request('POST', `/v1/public/consent/${notice}/records`, {
      key: null,
      headers: { Origin: 'https://example.com', ...headers },
      body: { subjectId: 'visitor', purposes: { necessary: true, analytics: true, marketing: true } },
    });

  test('are in the headers of every response to a key', async () => {
    const ok = await list(server.tenant.key);
    assert.equal(ok.headers.get('ratelimit-policy'), '"api_key";q=5;w=60, "tenant";q=1000000;w=60');
    assert.equal(ok.headers.get('ratelimit'), '"api_key";r=4;t=60, "tenant";r=999999;t=60');
    server.clock.advance(20_000);
    const refused = await server.request('GET', '/v1/audit?limit=0');
    assertProblem(refused, 'validation_failed');
    assert.equal(refused.headers.get('ratelimit'), '"api_key";r=3;t=40, "tenant";r=999998;t=40');
  });

  test('reject further requests until the minute is over', async () => {
    for (let request = 0; request < 5; request += 1) assert.equal((await list(server.tenant.key)).status, 200);
    server.clock.advance(12_000);
    const refused = await list(server.tenant.key);
    assertProblem(refused, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '48');
    assert.equal(refused.headers.get('ratelimit'), '"api_key";r=0;t=48, "tenant";r=999995;t=48');
    assert.equal(refused.headers.get('ratelimit-policy'), '"api_key";q=5;w=60, "tenant";q=1000000;w=60');
    server.clock.advance(47_999);
    assertProblem(await list(server.tenant.key), 'rate_limited');
    server.clock.advance(1);
    assert.equal((await list(server.tenant.key)).status, 200);
  });

  test('are counted for each key separately', async () => {
    const other = await server.createKey(server.tenant.id, scopes);
    for (let request = 0; request < 6; request += 1) await list(server.tenant.key);
    assertProblem(await list(server.tenant.key), 'rate_limited');
    assert.match((await list(other)).headers.get('ratelimit') ?? '', /^"api_key";r=4;t=60,/);
  });

  test('cannot be used up by a client without the key', async () => {
    const mistyped = server.tenant.key.slice(0, -1);
    for (let request = 0; request < 10; request += 1) await list(mistyped);
    assert.match((await list(server.tenant.key)).headers.get('ratelimit') ?? '', /^"api_key";r=4;t=60,/);
  });

  test('reject requests before they write anything', async () => {
    for (let request = 0; request < 5; request += 1) await list(server.tenant.key);
    const before = await readAllRows(server.installation.database);
    const options = { headers: { 'Idempotency-Key': 'refused-by-limit' }, body: {} };
    assertProblem(await server.request('POST', '/v1/consent/notices', options), 'rate_limited');
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('count visitors for each notice and for each client', async () => {
    const [one, other] = [await server.createNotice(), await server.createNotice()];
    const first = await visit(one);
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('ratelimit-policy'), '"client";q=4;w=60, "notice";q=3;w=60');
    assert.equal(first.headers.get('ratelimit'), '"client";r=3;t=60, "notice";r=2;t=60');
    await visit(one);
    await visit(one);
    const ofNotice = await visit(one);
    assertProblem(ofNotice, 'rate_limited');
    assert.equal(ofNotice.headers.get('ratelimit'), '"client";r=0;t=60, "notice";r=0;t=60');
    const ofClient = await visit(other, { 'X-Forwarded-For': '203.0.113.9' });
    assertProblem(ofClient, 'rate_limited');
    assert.equal(ofClient.headers.get('access-control-allow-origin'), '*');
    server.clock.advance(60_000);
    assert.equal((await visit(one)).status, 201);
  });

  test('do not apply to reading a public notice', async () => {
    const notice = await server.createNotice();
    for (let request = 0; request < 20; request += 1) {
      const read = await server.request('GET', `/v1/public/consent/${notice}`, { key: null });
      assert.equal(read.status, 200);
      assert.equal(read.headers.get('ratelimit'), null);
    }
  });
});

const rule = (bucket: string, limit: number): LimitRule => ({ policy: 'test', bucket, limit });

/** The headers of an admitted request, or the problem of a rejected one. */
function take(limiter: RateLimiter, ...rules: readonly LimitRule[]): Record<string, string> | Problem {
  try {
    limiter.take(rules);
    return limiter.describe(rules);
  } catch (error) {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, 'rate_limited');
    return error;
  }
}
const admitted = (answer: Record<string, string> | Problem) => !(answer instanceof Problem);

describe('a rate limiter', () => {
  test('admits exactly the limit in a minute of the clock, whatever the order and the times', () => {
    const step = fc.record({ bucket: fc.constantFrom('a', 'b', 'c'), wait: fc.nat(20_000) });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(1e6),
        (steps, limit, start) => {
          let now = start;
          const limiter = new RateLimiter(() => now);
          const counts = new Map<string, number>();
          for (const { bucket, wait } of steps) {
            now += wait;
            const window = `${bucket} ${Math.floor(now / 60_000)}`;
            const before = counts.get(window) ?? 0;
            assert.equal(admitted(take(limiter, rule(bucket, limit))), before < limit);
            counts.set(window, before + 1);
          }
        },
      ),
    );
  });

  test('reports the limit, the rest and the seconds to the next minute', () => {
    let now = 12 * 60_000 + 15_500;
    const limiter = new RateLimiter(() => now);
    assert.deepEqual(take(limiter, rule('a', 2)), {
      'RateLimit-Policy': '"test";q=2;w=60',
      RateLimit: '"test";r=1;t=45',
    });
    now += 44_499;
    assert.deepEqual(take(limiter, rule('a', 2)), {
      'RateLimit-Policy': '"test";q=2;w=60',
      RateLimit: '"test";r=0;t=1',
    });
    const refused = take(limiter, rule('a', 2)) as Problem;
    assert.deepEqual(refused.options.headers, {
      'RateLimit-Policy': '"test";q=2;w=60',
      RateLimit: '"test";r=0;t=1',
      'Retry-After': '1',
    });
    now += 1;
    assert.deepEqual((take(limiter, rule('a', 2)) as Record<string, string>).RateLimit, '"test";r=1;t=60');
  });

  test('names a time to retry at which it admits again', () => {
    fc.assert(
      fc.property(fc.nat(1e9), (start) => {
        let now = start;
        const limiter = new RateLimiter(() => now);
        take(limiter, rule('a', 1));
        const refused = take(limiter, rule('a', 1)) as Problem;
        now += Number(refused.options.headers?.['Retry-After']) * 1000;
        assert.ok(admitted(take(limiter, rule('a', 1))));
      }),
    );
  });

  test('counts nothing more once one of several limits is used up', () => {
    const limiter = new RateLimiter(() => 0);
    const [narrow, wide] = [rule('narrow', 1), rule('wide', 3)];
    assert.ok(admitted(take(limiter, narrow, wide)));
    for (let attempt = 0; attempt < 5; attempt += 1) assert.ok(!admitted(take(limiter, narrow, wide)));
    assert.ok(admitted(take(limiter, wide)));
    assert.ok(admitted(take(limiter, wide)));
    assert.ok(!admitted(take(limiter, wide)));
  });
});

describe('the limit of streamed responses', () => {
  test('frees the slot of a client that has left', () => {
    const limit = new ConcurrencyLimit(1, 'exports');
    const answer = () => new ServerResponse(new IncomingMessage(new Socket().destroy()));
    limit.take('tenant', answer());
    limit.take('tenant', answer());
  });
});
