import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allGranted,
  assertNothingWritten,
  assertProblem,
  capture,
  describeServerOnEachDatabase,
  payload,
  visit,
} from './helpers.ts';

const perNotice = 6;
const perClient = 4;
let clients = 0;
const newAddress = () => {
  clients += 1;
  return `203.0.113.${clients}`;
};

describeServerOnEachDatabase(
  'rate limits of the public capture',
  (server) => {
    const visitFrom = (address: string, notice: string, body: object = {}) =>
      visit(server, notice, body, { 'X-Forwarded-For': address });
    const visitTimes = async (count: number, address: () => string, notice: string) => {
      for (let time = 0; time < count; time += 1) payload(await visitFrom(address(), notice));
    };
    const startMinute = () => server.clock.advance(60_000 - (server.clock.milliseconds() % 60_000));

    test('are in the headers of every response', async () => {
      startMinute();
      const notice = await server.createNotice();
      const address = newAddress();
      for (const left of [1, 2]) {
        const { headers } = await visitFrom(address, notice);
        assert.equal(headers.get('ratelimit-policy'), `"client";q=${perClient};w=60, "notice";q=${perNotice};w=60`);
        assert.equal(
          headers.get('ratelimit'),
          `"client";r=${perClient - left};t=60, "notice";r=${perNotice - left};t=60`,
        );
      }
      server.clock.advance(45_000);
      assert.match((await visitFrom(address, notice)).headers.get('ratelimit') ?? '', /"notice";r=3;t=15$/);
    });

    test('limit one client, not others, and reset after a minute', async () => {
      startMinute();
      const [notice, other] = [await server.createNotice(), await server.createNotice()];
      const address = newAddress();
      await visitTimes(perClient, () => address, notice);
      server.clock.advance(59_999);
      await assertNothingWritten(server, async () => {
        const refused = await visitFrom(address, notice);
        assertProblem(refused, '429 rate_limited');
        assert.equal(refused.headers.get('retry-after'), '1');
        assert.match(refused.headers.get('ratelimit') ?? '', /^"client";r=0;t=1/);
        assert.equal(refused.headers.get('access-control-allow-origin'), '*');
        assert.match(refused.headers.get('access-control-expose-headers') ?? '', /Retry-After, RateLimit/);
        assertProblem(await visitFrom(address, other), '429 rate_limited');
      });
      payload(await visitFrom(newAddress(), notice));
      server.clock.advance(1);
      payload(await visitFrom(address, notice));
    });

    test('limit one notice for all clients, not other notices, and reset after a minute', async () => {
      startMinute();
      const [notice, other] = [await server.createNotice(), await server.createNotice()];
      await visitTimes(perNotice, newAddress, notice);
      server.clock.advance(30_000);
      await assertNothingWritten(server, async () => {
        const refused = await visitFrom(newAddress(), notice);
        assertProblem(refused, '429 rate_limited');
        assert.equal(refused.headers.get('retry-after'), '30');
        assert.match(refused.headers.get('ratelimit') ?? '', /"notice";r=0;t=30$/);
      });
      payload(await visitFrom(newAddress(), other));
      server.clock.advance(30_000);
      payload(await visitFrom(newAddress(), notice));
    });

    test('of a notice keep a part for networks that used little of it', async () => {
      const fill = async (addresses: readonly string[]) => {
        startMinute();
        const notice = await server.createNotice();
        const statuses: number[] = [];
        for (const address of addresses) statuses.push((await visitFrom(address, notice)).status);
        return statuses;
      };
      const site = Array.from({ length: 6 }, (_, network) => `2001:db8:7:${network}::1`);
      assert.deepEqual(await fill([...site, newAddress()]), [201, 201, 201, 201, 201, 429, 201]);
      const [one, other] = [newAddress(), newAddress()];
      const repeated = [one, one, one, other, other, other, one, newAddress(), newAddress()];
      assert.deepEqual(await fill(repeated), [201, 201, 201, 201, 201, 429, 429, 201, 429]);
    });

    test('count a notice once, in any case of its id', async () => {
      startMinute();
      const notice = await server.createNotice();
      await visitTimes(perNotice, newAddress, notice);
      assertProblem(await visitFrom(newAddress(), notice.toUpperCase()), '429 rate_limited');
    });

    test('of a notice count only appended records', async () => {
      startMinute();
      const notice = await server.createNotice();
      const decision = { capturedAt: server.clock.now() };
      payload(await visitFrom(newAddress(), notice, decision));
      const worthless: readonly [body: object, origin: string, status: number][] = [
        [{}, 'https://example.org', 403],
        [{ purposes: {} }, 'https://example.com', 422],
        [{ purposes: { ...allGranted, telemetry: true } }, 'https://example.com', 422],
        [{ subjectId: '' }, 'https://example.com', 422],
        [{ noticeVersion: 2 }, 'https://example.com', 422],
        [{ capturedAt: '2999-01-01T00:00:00Z' }, 'https://example.com', 422],
        [decision, 'https://example.com', 201],
      ];
      for (const [body, Origin, status] of worthless) {
        for (let time = 0; time < perNotice; time += 1) {
          const headers = { 'X-Forwarded-For': newAddress(), Origin };
          const answer = await visit(server, notice, body, headers);
          assert.equal(answer.status, status, answer.text);
          assert.equal(answer.headers.get('ratelimit-policy'), `"client";q=${perClient};w=60`);
          assert.equal(answer.headers.get('ratelimit'), `"client";r=${perClient - 1};t=60`);
        }
      }
      for (let left = perNotice - 2; left >= 0; left -= 1) {
        const { headers } = await visitFrom(newAddress(), notice);
        assert.match(headers.get('ratelimit') ?? '', new RegExp(`"notice";r=${left};t=60$`));
      }
      assertProblem(await visitFrom(newAddress(), notice), '429 rate_limited');
      payload(await visitFrom(newAddress(), notice, decision));
    });

    test('of a notice count concurrent records', async () => {
      startMinute();
      const notice = await server.createNotice();
      const answers = await Promise.all(
        Array.from({ length: 2 * perNotice }, () => visitFrom(newAddress(), notice, { subjectId: 'one of many' })),
      );
      assert.equal(answers.filter(({ status }) => status === 201).length, perNotice);
      for (const answer of answers.filter(({ status }) => status !== 201)) assertProblem(answer, '429 rate_limited');
    });

    test('of a client count rejected requests too', async () => {
      startMinute();
      const notice = await server.createNotice();
      const address = newAddress();
      for (let time = 0; time < perClient; time += 1) {
        assertProblem(await visitFrom(address, notice, { purposes: {} }), '422 validation_failed');
      }
      assertProblem(await visitFrom(address, notice), '429 rate_limited');
    });

    test('count an IPv6 client by its /64 network', async () => {
      startMinute();
      const notice = await server.createNotice();
      await visitTimes(perClient, () => `2001:db8:1:2::${newAddress()}`, notice);
      assertProblem(await visitFrom('2001:db8:1:2:ffff::1', notice), '429 rate_limited');
      payload(await visitFrom('2001:db8:1:3::1', notice));
    });

    test('trust only the nearest proxy', async () => {
      startMinute();
      const notice = await server.createNotice();
      const address = newAddress();
      await visitTimes(perClient, () => `${newAddress()}, ${address}`, notice);
      assertProblem(await visitFrom(`${newAddress()}, ${address}`, notice), '429 rate_limited');
    });

    test('do not affect captures with a key', async () => {
      startMinute();
      const notice = await server.createNotice();
      await visitTimes(perNotice, newAddress, notice);
      payload(await capture(server, notice));
    });
  },
  {
    SVC_LIMIT_CAPTURE_NOTICE: String(perNotice),
    SVC_LIMIT_CAPTURE_CLIENT: String(perClient),
    SVC_TRUSTED_PROXIES: '1',
  },
);
