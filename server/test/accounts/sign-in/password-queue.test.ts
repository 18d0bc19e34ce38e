import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { pino } from 'pino';
import { PasswordQueue } from '../../../accounts/sign-in/password-queue.ts';
import { startServer } from '../../../cli/server/start-server.ts';
import { RateLimiter } from '../../../http/rate-limit.ts';
import { hashPurpose, PasswordHasher } from '../../../installation/password-hash.ts';
import { SecretBox } from '../../../storage/secrets.ts';
import {
  type RequestOptions,
  startTestServer,
  type TestMember,
  type TestResponse,
  type TestServer,
} from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { goodPassword, invite } from '../members/invitation-helpers.ts';
import { createEnrolledMember, startSignIn } from '../mfa/authenticator.ts';
import { cookieOf, lowCost, secret, signIn } from './sign-in-requests.ts';

const box = new SecretBox(secret);
const bounds = { atOnce: 2, waiting: 32, waitingEach: 8 };

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Computes real hashes, each once it is let go. */
class GatedHasher extends PasswordHasher {
  #held: (() => void)[] | null = null;

  /** From now on every hash waits. */
  close(): void {
    this.#held = [];
  }

  /** Lets the hash go on that has waited longest. */
  letOne(): void {
    const next = this.#held?.shift();
    assert.ok(next, 'a hash waits');
    next();
  }

  open(): void {
    for (const next of this.#held ?? []) next();
    this.#held = null;
  }

  /** Waits until so many hashes wait. @param requests that ask for them: none is answered before. */
  async hold(count: number, requests: readonly Promise<TestResponse>[] = []): Promise<void> {
    let answer: TestResponse | undefined;
    for (const request of requests) request.then((early) => (answer ??= early));
    while ((this.#held?.length ?? 0) < count) {
      assert.equal(answer?.text, undefined);
      await nextTurn();
    }
  }

  async #pass(): Promise<void> {
    const held = this.#held;
    if (held !== null) await new Promise<void>((resolve) => held.push(resolve));
  }

  override async verify(password: string, hash: string | null): Promise<boolean> {
    await this.#pass();
    return super.verify(password, hash);
  }

  override async hash(password: string): Promise<string> {
    await this.#pass();
    return super.hash(password);
  }

  override async hashWith(text: string, salt: string): Promise<string> {
    await this.#pass();
    return super.hashWith(text, salt);
  }
}

describe('the queue of password hashes', () => {
  const hasher = new GatedHasher(box, lowCost);
  let origin: TestServer;
  let server: Pick<TestServer, 'request'> & AsyncDisposable;
  let member: TestMember;
  let device: string;
  before(async () => {
    origin = await startTestServer('sqlite', { SVC_SECRET: secret, SVC_TRUSTED_PROXIES: '1' });
    const running = await startServer(
      { ...origin.installation, passwords: hasher },
      { log: pino({ level: 'silent' }), limiter: new RateLimiter(origin.clock.milliseconds), housekeeping: false },
    );
    const request: TestServer['request'] = async (method, path, { body, headers }: RequestOptions = {}) => {
      const response = await fetch(running.baseUrl + path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: JSON.parse(text), text };
    };
    server = { request, [Symbol.asyncDispose]: () => running.close() };
    member = await origin.createMember();
    device = cookieOf(await signIn(server, member), 'svc_device');
  });
  beforeEach(() => {
    // A test that failed may have left hashes that wait.
    hasher.open();
    hasher.close();
  });
  after(async () => {
    hasher.open();
    await server[Symbol.asyncDispose]();
    await origin[Symbol.asyncDispose]();
  });

  const guessFrom = (address: string, email = `unknown-${address}@example.com`, headers = {}) =>
    signIn(server, { email, password: 'not the password' }, { 'X-Forwarded-For': address, ...headers });
  /** Sends requests and waits until so many of them have been answered. */
  const answered = async (requests: readonly Promise<TestResponse>[], count: number) => {
    const answers: TestResponse[] = [];
    await new Promise<void>((resolve, reject) => {
      for (const request of requests)
        request.then((answer) => {
          answers.push(answer);
          if (answers.length === count) resolve();
        }, reject);
    });
    return answers;
  };
  const addresses = (start: number, count: number) =>
    Array.from({ length: count }, (_, index) => `198.51.100.${start + index}`);

  test('returns 503 at once when it is full, and serves those who wait', async () => {
    const all = bounds.atOnce + bounds.waiting + 5;
    const requests = addresses(0, all).map((address) => guessFrom(address));
    for (const answer of await answered(requests, 5)) {
      assertProblem(answer, 'unavailable');
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '2');
    }
    hasher.open();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    assert.deepEqual(
      [401, 503].map((status) => statuses.filter((other) => other === status).length),
      [all - 5, 5],
    );
  });

  test('has a place for a known device and for a session while strangers fill it', async () => {
    const strangers = addresses(50, bounds.atOnce + bounds.waiting + 1).map((address) => guessFrom(address));
    await answered(strangers, 1);
    const headers = { 'X-Forwarded-For': '203.0.113.1', Cookie: device };
    const wrong = { currentPassword: 'wrong', newPassword: 'seven tall giraffes went by' };
    const session = { ...member.session, 'Sec-Fetch-Site': 'same-origin' };
    const operations = [
      () => signIn(server, member, headers),
      () => server.request('POST', '/v1/auth/password', { headers: session, body: wrong }),
    ];
    const known: Promise<TestResponse>[][] = [];
    for (const operation of operations) {
      const requests = Array.from({ length: bounds.waitingEach + 1 }, operation);
      known.push(requests);
      // The one that is refused shows that the others wait.
      const [refused] = await answered(requests, 1);
      assertProblem(refused as TestResponse, 'rate_limited');
    }
    assertProblem(await guessFrom('203.0.113.9'), 'unavailable');
    hasher.open();
    const statuses = await Promise.all(
      known.map(async (requests) => (await Promise.all(requests)).map(({ status }) => status).sort()),
    );
    assert.deepEqual(statuses, [
      [...Array(bounds.waitingEach).fill(200), 429],
      [...Array(bounds.waitingEach).fill(403), 429],
    ]);
    await Promise.all(strangers);
  });

  test('has a place for an address with nothing waiting while a few others fill it', async () => {
    const first = addresses(90, bounds.atOnce).map((address) => guessFrom(address));
    await hasher.hold(bounds.atOnce, first);
    const crowds: Promise<TestResponse>[] = [];
    for (const site of ['2001:db8:1', '2001:db8:2', '2001:db8:3', '2001:db8:4']) {
      // Each from another network (/64).
      const crowd = Array.from({ length: bounds.waitingEach + 1 }, (_, index) => guessFrom(`${site}:${index}::1`));
      const [refused] = await answered(crowd, 1);
      assertProblem(refused as TestResponse, 'rate_limited');
      crowds.push(...crowd);
    }
    const newcomer = guessFrom('203.0.113.10');
    const isDropped = (answer: TestResponse) => answer.status === 503;
    const dropped = (await answered(crowds, 5)).filter(isDropped);
    assert.equal(dropped.length, 1);
    assertProblem(dropped[0] as TestResponse, 'unavailable');
    hasher.open();
    assertProblem(await newcomer, 'invalid_credentials');
    assert.equal((await Promise.all(crowds)).filter(isDropped).length, 1);
    await Promise.all(first);
  });

  test('returns 429 to an address that fills its share, and serves addresses in turn', async () => {
    const order: string[] = [];
    const fill = async (address: string, count: number) => {
      const requests = Array.from({ length: count }, (_, index) =>
        guessFrom(address, `unknown-${address}-${index}@example.com`).then((answer) => {
          if (answer.status === 401) order.push(address);
          return answer;
        }),
      );
      const [refused] = await answered(requests, 1);
      assert.ok(refused);
      assertProblem(refused, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '1');
      return requests;
    };
    const first = await fill('192.0.2.1', bounds.atOnce + bounds.waitingEach + 1);
    const second = await fill('192.0.2.2', bounds.waitingEach + 1);
    while (order.length < 8) {
      const count = order.length;
      hasher.letOne();
      while (order.length === count) await nextTurn();
    }
    // Two of the first address were being computed when the second came.
    assert.deepEqual(
      order.map((address) => address.at(-1)),
      ['1', '1', '1', '2', '1', '2', '1', '2'],
    );
    hasher.open();
    await Promise.all([...first, ...second]);
  });

  test('does not count as failures the tries that find it full', async () => {
    const owner = await origin.createMember();
    const requests = addresses(100, bounds.atOnce + bounds.waiting + 1).map((address) => guessFrom(address));
    await answered(requests, 1);
    for (let time = 0; time < 15; time += 1)
      assertProblem(await signIn(server, owner, { 'X-Forwarded-For': '203.0.113.2' }), 'unavailable');
    hasher.open();
    await Promise.all(requests);
    const { status, text } = await signIn(server, owner, { 'X-Forwarded-For': '203.0.113.2' });
    assert.equal(status, 200, text);
  });

  test('bounds every operation that computes a hash', async () => {
    hasher.open();
    const home = await origin.createTenant('home');
    const elsewhere = await origin.createMember({ tenantId: home.id });
    // Its own: wrong passwords count against the account.
    const guessed = await origin.createMember();
    const known = cookieOf(await signIn(server, guessed), 'svc_device');
    const { token: foreign } = await invite(origin, origin.tenant, elsewhere.email);
    const { token: own } = await invite(origin, origin.tenant, 'new@example.com');
    const enrolled = await createEnrolledMember(origin);
    const challenges: string[] = [];
    while (challenges.length <= bounds.waitingEach) challenges.push(await startSignIn(origin, enrolled));
    const password = 'a wrong but long password';
    const session = async () => ({ ...(await origin.createMember()).session, 'Sec-Fetch-Site': 'same-origin' });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const operations: readonly (readonly [string, string, object, Readonly<Record<string, string>>])[] = [
      ['POST', '/v1/auth/sign-in', { email: guessed.email, password }, { Cookie: known }],
      ['POST', '/v1/auth/sign-in', { email: guessed.email, password }, from('203.0.113.3')],
      ['POST', '/v1/auth/password', { currentPassword: password, newPassword: 'x' }, await session()],
      ['POST', '/v1/me/mfa/totp/enroll', { password }, await session()],
      ['POST', '/v1/me/mfa/backup-codes', { password }, await session()],
      ['DELETE', '/v1/me/mfa/totp', { password }, await session()],
      ['POST', '/v1/auth/invitations/accept', { token: own, password: goodPassword }, {}],
      ['POST', '/v1/auth/invitations/accept', { token: foreign, password }, from('203.0.113.4')],
      ['POST', '/v1/auth/challenge', { code: '0000-0000-0000-0000' }, from('203.0.113.5')],
    ];
    for (const [index, [method, path, body, headers]] of operations.entries()) {
      hasher.close();
      const strangers = addresses(150 + index * bounds.atOnce, bounds.atOnce).map((address) => guessFrom(address));
      await hasher.hold(bounds.atOnce, strangers);
      const requests = challenges.map((challengeId) =>
        server.request(method, path, {
          headers,
          body: path === '/v1/auth/challenge' ? { ...body, challengeId } : body,
        }),
      );
      const [refused] = await answered(requests, 1);
      assert.ok(refused);
      assertProblem(refused, 'rate_limited');
      assert.equal(refused.headers.get('retry-after'), '1', path);
      hasher.open();
      await Promise.all([...strangers, ...requests]);
    }
  });
});

describe('a queue of hashes', () => {
  const caller = { bucket: 'test', isKnown: false };

  test('serves known and unknown callers in turn', async () => {
    const hasher = new GatedHasher(box, lowCost);
    hasher.close();
    const queue = new PasswordQueue(hasher, { atOnce: 1, waiting: 8, waitingEach: 8 });
    const order: string[] = [];
    const verify = async (name: string, isKnown: boolean) => {
      await queue.verify({ bucket: name, isKnown }, 'any', null);
      order.push(name);
    };
    const unknown = ['first', 'u1', 'u2', 'u3', 'u4', 'u5'].map((name) => verify(name, false));
    const known = ['k1', 'k2', 'k3'].map((name) => verify(name, true));
    for (let count = 0; count < unknown.length + known.length; count += 1) {
      await hasher.hold(1);
      hasher.letOne();
    }
    await Promise.all([...unknown, ...known]);
    assert.deepEqual(order, ['first', 'k1', 'u1', 'k2', 'u2', 'k3', 'u3', 'u4', 'u5']);
  });

  test('continues after a failed hash', async () => {
    const queue = new PasswordQueue(new PasswordHasher(box, lowCost));
    // The library refuses a salt of four bytes.
    const bad = box.seal('$argon2id$v=19$m=8,t=1,p=1$c2FsdA$dGFn', hashPurpose);
    const hash = await queue.hash(caller, 'right');
    const answers = await Promise.allSettled([
      ...Array.from({ length: 5 }, () => queue.verify(caller, 'right', bad)),
      ...Array.from({ length: 5 }, () => queue.verify(caller, 'right', hash)),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [...Array(5).fill('rejected'), ...Array(5).fill('fulfilled')],
    );
  });
});
