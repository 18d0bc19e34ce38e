import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { updatePassword } from '../../../accounts/members/account-store.ts';
import { waitAfter } from '../../../accounts/sign-in/sign-in-guard.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction } from '../../../storage/database.ts';
import {
  describeOnOneDatabase,
  startTestServer,
  type TestMember,
  type TestResponse,
  type TestServer,
} from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import { accept, invite } from '../members/invitation-helpers.ts';
import { answer, createEnrolledMember, showCode, startEnrolment, startSignIn, verify } from '../mfa/authenticator.ts';
import { cookieOf, failSignIn, isOpen, type Requests, sessionOf, signIn, startBeside } from './sign-in-requests.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('the wait after failures in a row', () => {
  test('is zero for the first nine failures and a minute after the tenth', () => {
    for (let failures = 0; failures < 10; failures += 1) assert.equal(waitAfter(failures), 0);
    assert.equal(waitAfter(10), minute);
  });

  test('doubles with each failure until it is an hour, and is never more', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 1e9 }), (failures) => {
        assert.equal(waitAfter(failures + 1), Math.min(hour, waitAfter(failures) * 2));
        assert.ok(waitAfter(failures) >= minute);
      }),
    );
  });
});

describeOnOneDatabase('guessing passwords', (dialect) => {
  const fail = async (requests: Requests, member: TestMember, times: number, headers = {}) => {
    for (let time = 0; time < times; time += 1)
      assertProblem(await failSignIn(requests, member, headers), 'invalid_credentials');
  };

  /** Asserts that even the right password has to wait. @returns for how many seconds. */
  const assertWaits = async (requests: Requests, member: TestMember, headers = {}) => {
    const response = await signIn(requests, member, headers);
    assertProblem(response, 'rate_limited');
    return Number(response.headers.get('retry-after'));
  };

  test('has to wait after ten failures in a row, longer each time, and never for more than an hour', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    await fail(server, member, 10);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      assert.equal(await assertWaits(server, member), minutes * 60);
      server.clock.advance(minutes * minute - 1);
      assert.equal(await assertWaits(server, member), 1);
      server.clock.advance(1);
      await fail(server, member, 1);
    }
    server.clock.advance(hour);
    assert.equal((await signIn(server, member)).status, 200);
  });

  test('is logged once a minute for an address that has to wait, whatever the account, without the address', async () => {
    const lines: string[] = [];
    const environment = { SVC_LOG_LEVEL: 'info' };
    await using server = await startTestServer(dialect, environment, { writeLog: (line) => void lines.push(line) });
    const readLimits = () => lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'limit reached');
    const [one, other] = [await server.createMember(), await server.createMember()];
    for (const member of [one, other]) {
      await fail(server, member, 10);
      for (let time = 0; time < 3; time += 1) await assertWaits(server, member);
    }
    const [{ level, policy, limit, bucket }, ...more] = readLimits();
    assert.deepEqual([level, policy, limit, more], [30, 'sign_in_failures', 10, []]);
    assert.match(bucket, /^[\w-]{20,}$/);
    server.clock.advance(minute);
    await fail(server, one, 1);
    await assertWaits(server, one);
    assert.deepEqual(
      readLimits().map((line) => line.bucket),
      [bucket, bucket],
    );
    assert.doesNotMatch(lines.join(''), /127\.0\.0\.1|@example/);
  });

  test('waits for unknown addresses as for those of members', async () => {
    await using server = await startTestServer(dialect);
    const stranger = { ...(await server.createMember()), email: 'unknown@example.com' };
    await fail(server, stranger, 10);
    assert.equal(await assertWaits(server, stranger), 60);
  });

  test('counts one account whatever way its address is written in', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const spellings = [member.email, member.email.toUpperCase(), ` ${member.email}`];
    for (let time = 0; time < 10; time += 1)
      await failSignIn(server, { email: spellings[time % spellings.length] as string });
    assert.equal(await assertWaits(server, member), 60);
  });

  test('a wait does not count the tries that it refuses', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    await fail(server, member, 10);
    for (let time = 0; time < 30; time += 1) assertProblem(await failSignIn(server, member), 'rate_limited');
    server.clock.advance(minute);
    assert.equal((await signIn(server, member)).status, 200);
  });

  test('a success clears only the failures of its account', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    for (let round = 0; round < 3; round += 1) {
      await fail(server, member, 9);
      assert.equal((await signIn(server, member)).status, 200);
    }
  });

  /** The write that the database refuses, and a step that has the right secret before it. */
  const rightSecrets: Readonly<
    Record<string, readonly [write: string, prepare: (server: TestServer) => Promise<() => Promise<TestResponse>>]>
  > = {
    'password at sign-in': [
      'insert on sessions',
      async (server) => {
        const member = await server.createMember();
        return () => signIn(server, member);
      },
    ],
    'code at sign-in': [
      'insert on sessions',
      async (server) => {
        const member = await createEnrolledMember(server);
        return async () => answer(server, await startSignIn(server, member), showCode(server, member.secret));
      },
    ],
    'password at an invitation': [
      'update on invitations',
      async (server) => {
        const { email, password } = await server.createMember();
        const { token } = await invite(server, await server.createTenant('other'), email);
        return () => accept(server, token, password);
      },
    ],
    'password in a session': [
      'delete on sign_in_failures',
      async (server) => {
        const { session: headers, password } = await server.createMember();
        return () => server.request('POST', '/v1/me/mfa/totp/enroll', { headers, body: { password } });
      },
    ],
    'first code of an authenticator': [
      'insert on sessions',
      async (server) => {
        const member = await server.createMember();
        const { secret } = await startEnrolment(server, member);
        return () => verify(server, member, showCode(server, secret));
      },
    ],
  };
  const skip = dialect === 'postgres' ? 'the trigger is written for SQLite' : false;
  for (const [secret, [write, prepare]] of Object.entries(rightSecrets))
    test(`does not count a right ${secret} when the database refuses what follows`, { skip }, async () => {
      await using server = await startTestServer(dialect);
      const { kysely } = server.installation.database;
      const step = await prepare(server);
      const trigger = `create trigger refuse before ${write} begin select raise(abort, 'refused'); end`;
      await sql.raw(trigger).execute(kysely);
      for (let time = 0; time < 11; time += 1) assert.equal((await step()).status, 500);
      await sql`drop trigger refuse`.execute(kysely);
      const { status, text } = await step();
      assert.equal(status, 200, text);
    });

  test('a success of another account forgets nothing', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const other = await server.createMember();
    await fail(server, member, 9);
    assert.equal((await signIn(server, other)).status, 200);
    await fail(server, member, 1);
    assert.equal(await assertWaits(server, member), 60);
    assert.equal((await signIn(server, other)).status, 200);
  });

  test('the wait outlives the server', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    await fail(server, member, 10);
    await using restarted = await startBeside(server);
    assert.equal(await assertWaits(restarted, member), 60);
    server.clock.advance(minute);
    await fail(restarted, member, 1);
    assert.equal(await assertWaits(restarted, member), 120, 'the failures are known too');
    server.clock.advance(2 * minute);
    assert.equal((await signIn(restarted, member)).status, 200);
  });

  test('does not wait longer because the clock ran ahead when a wait was set', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    server.clock.advance(24 * hour);
    await fail(server, member, 10);
    server.clock.advance(-24 * hour);
    assert.equal((await signIn(server, member)).status, 200);
  });

  test('from elsewhere does not block a device on which the user signed in before', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const device = { Cookie: cookieOf(await signIn(server, member), 'svc_device') };
    await fail(server, member, 10);
    assert.equal(await assertWaits(server, member), 60);
    assert.equal((await signIn(server, member, device)).status, 200);
    assert.equal(await assertWaits(server, member), 60, 'nor does the person let the strangers in');
  });

  test('on a known device is slowed down separately', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const device = { Cookie: cookieOf(await signIn(server, member), 'svc_device') };
    await fail(server, member, 10, device);
    assert.equal(await assertWaits(server, member, device), 60);
    assert.equal((await signIn(server, member)).status, 200);
    assert.equal(await assertWaits(server, member, device), 60);
  });

  test('gains nothing by the cookie of another device, a forged one or one that is spelled another way', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const own = cookieOf(await signIn(server, member), 'svc_device');
    const stranger = await server.createMember();
    const foreign = cookieOf(await signIn(server, stranger), 'svc_device');
    const flipped = own.slice(0, -2) + (own.at(-2) === 'A' ? 'B' : 'A') + own.at(-1);
    await fail(server, member, 10);
    for (const Cookie of [
      foreign,
      flipped,
      'svc_device=',
      'svc_device=AAAA',
      `${own}.`,
      `${own}==`,
      own.replace('=', '=+'),
    ])
      assert.equal(await assertWaits(server, member, { Cookie }), 60, Cookie);
    assert.equal((await signIn(server, member, { Cookie: own })).status, 200);
  });

  test('gains nothing by a device that was known before the password was changed', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const first = await signIn(server, member);
    server.clock.advance(1);
    const newPassword = 'another long pass phrase';
    const changed = await server.request('POST', '/v1/auth/password', {
      headers: { ...sessionOf(server, first), 'Sec-Fetch-Site': 'same-origin' },
      body: { currentPassword: member.password, newPassword },
    });
    assert.equal(changed.status, 200, changed.text);
    await fail(server, member, 10);
    assert.equal(await assertWaits(server, member, { Cookie: cookieOf(first, 'svc_device') }), 60);
    const known = { Cookie: cookieOf(changed, 'svc_device') };
    assert.equal((await signIn(server, { ...member, password: newPassword }, known)).status, 200);
  });
});

const forwarded = (address: string) => ({ 'X-Forwarded-For': address });

describeOnOneDatabase('guessing one password from many addresses', (dialect) => {
  const start = () => startTestServer(dialect, { SVC_TRUSTED_PROXIES: '1' });
  /** Guesses from each address until it has to wait. @returns how many guesses got an answer. */
  const guess = async (server: TestServer, email: string, addresses: readonly string[]) => {
    let answered = 0;
    for (const address of addresses) {
      for (;;) {
        const { status } = await failSignIn(server, { email }, forwarded(address));
        if (status === 429) break;
        assert.equal(status, 401);
        answered += 1;
      }
    }
    return answered;
  };
  const network = (index: number) => (index % 2 === 0 ? `198.51.100.${index}` : `2001:db8:${index}::1`);
  const networks = (count: number) => Array.from({ length: count }, (_, index) => network(index));

  test('does not lock the owner out at another address, on a device that is not known', async () => {
    await using server = await start();
    const member = await server.createMember();
    assert.equal(await guess(server, member.email, networks(5)), 50);
    assertProblem(await signIn(server, member, forwarded(network(0))), 'rate_limited');
    const signedIn = await signIn(server, member, forwarded('203.0.113.7'));
    assert.equal(signedIn.status, 200, signedIn.text);
    assertProblem(await signIn(server, member, forwarded(network(0))), 'rate_limited');
  });

  test('counts the networks of one IPv6 site as one', async () => {
    await using server = await start();
    const { email } = await server.createMember();
    const site = ['2001:db8:7::1', '2001:db8:7:1::1', '2001:db8:7:ffff::1'];
    assert.equal(await guess(server, email, site), 10);
  });

  test('by one stranger all day leaves the owner free to sign in elsewhere', async () => {
    await using server = await start();
    const member = await server.createMember();
    const end = server.clock.milliseconds() + 3 * 24 * hour;
    let answered = 0;
    while (server.clock.milliseconds() < end) {
      answered += await guess(server, member.email, [network(0)]);
      const waiting = await failSignIn(server, member, forwarded(network(0)));
      assert.equal((await signIn(server, member, forwarded('203.0.113.7'))).status, 200, server.clock.now());
      server.clock.advance(Number(waiting.headers.get('retry-after')) * 1000);
    }
    assert.ok(answered > 80 && answered <= 40 + 2 * 24, `${answered} guesses`);
  });

  test('gets at most 130 answers a day, and does not keep out a known device', async () => {
    await using server = await start();
    const member = await server.createMember();
    const device = { Cookie: cookieOf(await signIn(server, member, forwarded('203.0.113.7')), 'svc_device') };
    server.clock.advance(12 * hour);
    // Midnight, when the count of the day starts.
    assert.equal(server.clock.now(), '2026-11-22T00:00:00.000Z');
    let answered = 0;
    for (let passed = 0; passed < 24; passed += 1) {
      answered += await guess(server, member.email, networks(20));
      const elsewhere = await signIn(server, member, forwarded('203.0.113.9'));
      const { message } = assertProblem(elsewhere, 'rate_limited');
      assert.match(message, /from unknown devices.*or on a device on which you signed in before/);
      const known = await signIn(server, member, { ...device, ...forwarded('203.0.113.9') });
      assert.equal(known.status, 200, known.text);
      server.clock.advance(hour - 1);
    }
    assert.ok(answered >= 100 && answered <= 130, `${answered} guesses`);
    // A new day.
    server.clock.advance(minute);
    assert.equal((await signIn(server, member, forwarded('203.0.113.9'))).status, 200);
  });

  test('by parallel requests gets no more answers than one by one', async () => {
    await using server = await start();
    const { email } = await server.createMember();
    const answers = await Promise.all(
      networks(18).flatMap((address) =>
        Array.from({ length: 12 }, () => failSignIn(server, { email }, forwarded(address))),
      ),
    );
    const counts = Map.groupBy(answers, ({ status }) => status);
    const answered = counts.get(401)?.length ?? 0;
    // Some found the queue of hashes full, and were not counted.
    const unanswered = (counts.get(503)?.length ?? 0) + (counts.get(429)?.length ?? 0);
    assert.ok(answered > 0 && answered <= 100, `${answered} guesses`);
    assert.equal(answered + unanswered, answers.length);
  });

  test('a right password is not a failure, however often', async () => {
    await using server = await start();
    const member = await server.createMember();
    for (let time = 0; time < 120; time += 1) {
      const { status, text } = await signIn(server, member, forwarded(network(time % 12)));
      assert.equal(status, 200, text);
    }
  });
});

describeOnOneDatabase('the limit of sign-ins a minute', (dialect) => {
  const start = () => startTestServer(dialect, { SVC_LIMIT_SIGN_IN: '3', SVC_TRUSTED_PROXIES: '1' });
  const statusOf = async (server: TestServer, member: TestMember, address: string) =>
    (await failSignIn(server, member, forwarded(address))).status;

  test('holds for each account at one site, and leaves other addresses free', async () => {
    await using server = await start();
    const [member, other] = [await server.createMember(), await server.createMember()];
    for (const address of ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1'])
      assert.equal(await statusOf(server, member, address), 401);
    const limited = await failSignIn(server, member, forwarded('2001:db8:1:4::1'));
    assertProblem(limited, 'rate_limited');
    assert.equal(limited.headers.get('retry-after'), '60');
    assert.match(limited.headers.get('ratelimit-policy') ?? '', /"sign_in_account";q=3;w=60/);
    assert.equal((await signIn(server, other, forwarded('2001:db8:1:5::1'))).status, 200);
    assert.equal((await signIn(server, member, forwarded('192.0.2.4'))).status, 200);
    server.clock.advance(minute);
    assert.equal((await signIn(server, member, forwarded('2001:db8:1:4::1'))).status, 200);
  });

  test('holds for each address, whatever accounts are tried, for a whole IPv6 network at once', async () => {
    await using server = await start();
    const member = await server.createMember();
    const stranger = (number: number) => ({ ...member, email: `unknown-${number}@example.com` });
    for (const [address, neighbour] of [
      ['192.0.2.1', '192.0.2.1'],
      ['2001:db8::1', '2001:db8::ffff:1'],
    ] as const) {
      for (const number of [1, 2, 3]) assert.equal(await statusOf(server, stranger(number), address), 401);
      const limited = await signIn(server, member, forwarded(neighbour));
      assertProblem(limited, 'rate_limited');
      server.clock.advance(minute);
    }
    assert.equal((await signIn(server, member, forwarded('192.0.2.1'))).status, 200);
  });

  test('holds for an IPv6 site too, at ten times that of one of its networks', async () => {
    await using server = await start();
    const member = await server.createMember();
    const guess = (network: number, number: number) => {
      const email = `unknown-${network}-${number}@example.com`;
      return failSignIn(server, { email }, forwarded(`2001:db8:1:${network}::1`));
    };
    for (let network = 0; network < 10; network += 1)
      for (const number of [1, 2, 3]) assertProblem(await guess(network, number), 'invalid_credentials');
    const limited = await guess(10, 1);
    assertProblem(limited, 'rate_limited');
    assert.match(limited.headers.get('ratelimit-policy') ?? '', /"sign_in_site";q=30;w=60/);
    assert.equal((await signIn(server, member, forwarded('2001:db8:2::1'))).status, 200);
  });

  test('holds for each address at challenges and invitations too, and stands on every answer of the three', async () => {
    await using server = await start();
    const member = await server.createMember();
    const unknown = { challengeId: '01990000-0000-7000-8000-000000000000', code: '000000' };
    const tries = [
      ['/v1/auth/sign-in', { email: member.email, password: 'not the password of anybody' }, 401],
      ['/v1/auth/challenge', unknown, 401],
      ['/v1/auth/invitations/accept', { token: 'svc_invitation_unknown', password: member.password }, 404],
    ] as const;
    for (const index of tries.keys()) {
      const headers = forwarded(`192.0.2.${index}`);
      const send = (body: unknown, to: string) => server.request('POST', to, { key: null, headers, body });
      // Whichever of them was tried, the address has used its tries up for all.
      for (const [count, [to, body, status]] of [...tries.slice(index), ...tries.slice(0, index)].entries()) {
        const answer = await send(body, to);
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.headers.get('ratelimit-policy'), '"sign_in_address";q=3;w=60');
        assert.equal(answer.headers.get('ratelimit'), `"sign_in_address";r=${2 - count};t=60`);
      }
      for (const [to, body] of tries) assertProblem(await send(body, to), 'rate_limited');
    }
  });

  test('applies to reauthentication, by session', async () => {
    await using server = await start();
    const member = await server.createMember();
    const ask = (currentPassword: string, headers = member.session) =>
      server.request('POST', '/v1/auth/password', {
        headers,
        body: { currentPassword, newPassword: 'seven tall giraffes went by' },
      });
    const other = sessionOf(server, await signIn(server, member, forwarded('192.0.2.9')));
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
      assertProblem(await ask('wrong', { ...member.session, ...forwarded(address) }), 'password_incorrect');
    assertProblem(await ask(member.password), 'rate_limited');
    assert.ok(await isOpen(server, member.session));
    const changed = await ask(member.password, { ...other, ...forwarded('192.0.2.9') });
    assert.equal(changed.status, 200, changed.text);
  });
});

describeOnOneDatabase('a password that the operator gives', (dialect) => {
  test('works at once, where failures with the earlier one have to wait', async () => {
    await using server = await startTestServer(dialect);
    const { database, passwords } = server.installation;
    const [member, other] = [await server.createMember(), await server.createMember()];
    for (const { email } of [member, other])
      for (let time = 0; time < 10; time += 1) await failSignIn(server, { email });
    assertProblem(await signIn(server, member), 'rate_limited');
    server.clock.advance(1);
    const hash = await passwords.hash(member.password);
    await runTransaction(database, server.clock.now(), async (tx) => {
      await updatePassword(tx, systemSource, member.userId, hash);
    });
    assert.equal((await signIn(server, member)).status, 200);
    assertProblem(await signIn(server, other), 'rate_limited');
  });
});

describeOnOneDatabase('reauthentication', (dialect) => {
  test('blocks a stolen session after ten failures, and is recorded', async () => {
    await using server = await startTestServer(dialect);
    const member = await server.createMember();
    const ask = (currentPassword: string) =>
      server.request('POST', '/v1/auth/password', {
        headers: member.session,
        body: { currentPassword, newPassword: 'seven tall giraffes went by' },
      });
    for (let time = 0; time < 10; time += 1) assertProblem(await ask('wrong'), 'password_incorrect');
    assertProblem(await ask(member.password), 'rate_limited');
    assert.equal((await signIn(server, member)).status, 200, 'the person signs in elsewhere');
    assertProblem(await ask(member.password), 'rate_limited');
    server.clock.advance(minute);
    assert.equal((await ask(member.password)).status, 200);
    const { body } = await server.request('GET', '/v1/audit?module=identity&limit=100');
    const recorded = body.data.items.filter(
      ({ action }: { readonly action: string }) => action === 'session.reauthentication_failed',
    );
    assert.equal(recorded.length, 10);
    assert.ok(recorded.every(({ actorId }: { readonly actorId: string }) => actorId === member.userId));
  });
});
