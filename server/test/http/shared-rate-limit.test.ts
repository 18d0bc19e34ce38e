import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RateLimiter } from '../../http/rate-limit.ts';
import type { Installation } from '../../installation/installation.ts';
import { describeOnEachDatabase, openTestInstallation, TestClock } from '../harness.ts';

describeOnEachDatabase('rate limits of servers that share a database', (dialect) => {
  let installation: Installation;
  before(async () => {
    installation = await openTestInstallation(dialect);
  });
  after(() => installation[Symbol.asyncDispose]());

  const share = (limiter: RateLimiter) => limiter.exchange(installation.database.kysely, installation.hasher);
  const storedCounts = () => installation.database.kysely.selectFrom('rate_limits').selectAll().execute();

  function take(limiter: RateLimiter, bucket: string, limit: number): boolean {
    try {
      limiter.take([{ policy: 'test', bucket, limit }]);
      return true;
    } catch {
      return false;
    }
  }

  test('add up', async () => {
    const clock = new TestClock();
    const [one, other] = [new RateLimiter(clock.milliseconds), new RateLimiter(clock.milliseconds)];
    for (let request = 0; request < 6; request += 1) assert.ok(take(one, 'adds up', 10));
    assert.ok(take(other, 'adds up', 10));
    await share(one);
    await share(other);
    for (let request = 0; request < 3; request += 1) assert.ok(take(other, 'adds up', 10));
    assert.ok(!take(other, 'adds up', 10));
    clock.advance(60_000);
    assert.ok(take(other, 'adds up', 1));
  });

  test('are exceeded by no more than what two servers admit between two exchanges', async () => {
    const clock = new TestClock();
    const limiters = [1, 2, 3].map(() => new RateLimiter(clock.milliseconds));
    let admitted = 0;
    for (let round = 0; round < 30; round += 1) {
      for (const limiter of limiters) {
        if (take(limiter, 'bounded', 20)) admitted += 1;
        await share(limiter);
      }
    }
    assert.ok(admitted >= 20 && admitted < 20 + limiters.length, `${admitted} were admitted`);
  });

  test('count a request once, however often they are exchanged', async () => {
    const clock = new TestClock();
    const [one, other] = [new RateLimiter(clock.milliseconds), new RateLimiter(clock.milliseconds)];
    take(one, 'once', 5);
    for (let time = 0; time < 10; time += 1) await share(one);
    take(other, 'once', 5);
    await share(other);
    for (let request = 0; request < 3; request += 1) assert.ok(take(other, 'once', 5));
    assert.ok(!take(other, 'once', 5));
  });

  test('reset every minute, and leave no old counts behind', async () => {
    const clock = new TestClock();
    const limiter = new RateLimiter(clock.milliseconds);
    take(limiter, 'old', 1);
    await share(limiter);
    for (let bucket = 0; bucket < 1000; bucket += 1) take(limiter, `never shared ${bucket}`, 1);
    clock.advance(60_000);
    assert.ok(take(limiter, 'new', 1));
    await share(limiter);
    const minutes = (await storedCounts()).map(({ minute }) => minute);
    assert.deepEqual(minutes, [clock.milliseconds() / 60_000]);
  });

  test('store no address of a client', async () => {
    const limiter = new RateLimiter(new TestClock().milliseconds);
    take(limiter, 'client 203.0.113.77', 5);
    await share(limiter);
    assert.ok(!JSON.stringify(await storedCounts()).includes('203.0.113'));
  });

  test('stay on the server that counted where a rule says so', async () => {
    const limiter = new RateLimiter(new TestClock().milliseconds);
    const before = await storedCounts();
    limiter.take([{ policy: 'test', bucket: 'local', limit: 5, isLocal: true }]);
    await share(limiter);
    assert.deepEqual(await storedCounts(), before);
  });

  test('are exchanged concurrently by two servers that counted in opposite orders', async () => {
    const clock = new TestClock();
    const [one, other] = [new RateLimiter(clock.milliseconds), new RateLimiter(clock.milliseconds)];
    const buckets = Array.from({ length: 500 }, (_, index) => `crossed ${index}`);
    for (let round = 0; round < 20; round += 1) {
      for (const bucket of buckets) take(one, bucket, 1000);
      for (const bucket of buckets.toReversed()) take(other, bucket, 1000);
      await Promise.all([share(one), share(other)]);
    }
    const counts = (await storedCounts()).filter(({ requests }) => requests === 40);
    assert.equal(counts.length, buckets.length);
  });

  test('apply to more buckets than one statement carries', async () => {
    const clock = new TestClock();
    const [one, other] = [new RateLimiter(clock.milliseconds), new RateLimiter(clock.milliseconds)];
    const buckets = Array.from({ length: 1201 }, (_, index) => `many ${index}`);
    for (const bucket of buckets) take(one, bucket, 2);
    await share(one);
    for (const bucket of buckets) take(other, bucket, 2);
    await share(other);
    assert.ok(buckets.every((bucket) => !take(other, bucket, 2)));
  });
});
