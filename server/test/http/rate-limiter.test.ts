import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../http/problem.ts';
import { ConcurrencyLimit, type LimitRule, RateLimiter } from '../../http/rate-limit.ts';

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
