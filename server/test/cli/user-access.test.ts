import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertIntact } from '../accounts/keys/keys.ts';
import {
  changePeople,
  isSignedIn,
  readAudit,
  readState,
  readWebhooks,
  signIn,
} from '../accounts/members/membership-helpers.ts';
import { createEnrolledMember } from '../accounts/mfa/authenticator.ts';
import { describeServer, describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { runVerify } from '../ledger/fixture.ts';
import { assertUsageError, environmentOf, runSvc } from './run-svc.ts';

describeServer('svc user reset', (server) => {
  const reset = (email: string, ...flags: readonly string[]) =>
    runSvc(['user', 'reset', '--email', email, ...flags], environmentOf(server));
  const createPerson = async () => {
    const member = await createEnrolledMember(server);
    const other = await server.createTenant(`t-${member.userId}`);
    const there = await server.createMember({ tenantId: other.id, email: member.email });
    return { member, there, tenants: [server.tenant.id, other.id] };
  };
  /** The audit events about a user in each tenant since a number of events. */
  const actionsOf = async (tenantId: string, userId: string) =>
    (await readAudit(server, tenantId)).filter(
      ({ targetId, actorType, reason }) =>
        targetId === userId && actorType === 'system' && reason === 'Reset by the operator',
    );

  test('sets a new password, shown only once, and ends every session', async () => {
    const { member, there, tenants } = await createPerson();
    const { code, stdout, stderr } = await reset(member.email.toUpperCase(), '--password');
    assert.deepEqual([code, stderr], [0, '']);
    const password = /New password of \S+ \(shown only once\):\n(\S{24})\n/.exec(stdout)?.[1] as string;
    assert.ok(password);
    for (const { session } of [member, there]) assert.equal(await isSignedIn(server, session), false);
    assert.equal((await signIn(server, member.email, member.password)).status, 401);
    assert.equal(payload(await signIn(server, member.email, password), 200).status, 'mfa_required');
    for (const tenantId of tenants) {
      const events = await actionsOf(tenantId, member.userId);
      assert.deepEqual(
        events.map(({ action }) => action),
        ['account.password_changed'],
      );
    }
    assert.ok(!(await readState(server)).includes(password));
    assert.equal((await runVerify(server.installation)).report.intact, true);
  });

  test('prints a link with which a member of several tenants sets a password, once', async () => {
    const { member, tenants } = await createPerson();
    const { code, stdout, stderr } = await reset(member.email, '--link');
    assert.deepEqual([code, stderr], [0, '']);
    const token = /http:\/\/localhost:\d+\/app\/reset#(\w+)\n/.exec(stdout)?.[1] as string;
    assert.ok(token, stdout);
    assert.equal(await isSignedIn(server, member.session), true);
    const body = { token, password: 'seven slow trains at noon' };
    const use = () => server.request('POST', '/v1/auth/password-reset', { key: null, body });
    assert.deepEqual(payload(await use(), 200), { email: member.email });
    assert.equal((await use()).status, 404);
    assert.equal(payload(await signIn(server, member.email, body.password), 200).status, 'mfa_required');
    for (const tenantId of tenants) {
      const events = (await readAudit(server, tenantId)).filter(
        ({ targetId, action }) => targetId === member.userId && action.startsWith('account.'),
      );
      assert.deepEqual(
        events
          .slice(-2)
          .map(({ action, actorType }) => [action, actorType])
          .sort(),
        [
          ['account.password_changed', 'user'],
          ['account.password_reset_created', 'system'],
        ],
      );
    }
    assertUsageError(await reset(member.email, '--link', '--password'), '--link');
  });

  test('turns off the second factor, and keeps the password', async () => {
    const { member, there, tenants } = await createPerson();
    const { code, stdout, stderr } = await reset(member.email, '--second-factor', '--json');
    assert.deepEqual([code, stderr], [0, '']);
    assert.deepEqual(JSON.parse(stdout), { id: member.userId, email: member.email, isFactorReset: true });
    for (const { session } of [member, there]) assert.equal(await isSignedIn(server, session), false);
    assert.equal(payload(await signIn(server, member.email, member.password), 200).status, 'signed_in');
    for (const tenantId of tenants) {
      const events = await actionsOf(tenantId, member.userId);
      assert.deepEqual(
        events.map(({ action }) => action),
        ['mfa.reset'],
      );
      const webhooks = (await readWebhooks(server, tenantId)).filter(({ type }) => type === 'mfa.disabled');
      assert.ok(webhooks.some(({ data }) => data.userId === member.userId));
    }
    assert.equal((await runVerify(server.installation)).report.intact, true);
  });

  test('does both at once, and says if no factor was enabled', async () => {
    const member = await server.createMember();
    const { code, stdout } = await reset(member.email, '--password', '--second-factor');
    assert.equal(code, 0);
    assert.match(stdout, /There was no second factor to turn off\./);
    const password = /:\n(\S{24})\n/.exec(stdout)?.[1] as string;
    assert.equal(payload(await signIn(server, member.email, password), 200).status, 'signed_in');
  });

  test('lets the user sign in at once with the new password, despite failed attempts of others', async () => {
    const { email } = await server.createMember();
    for (let failure = 0; failure < 10; failure += 1)
      assert.equal((await signIn(server, email, 'guessed by a stranger')).status, 401);
    const refused = await signIn(server, email, 'guessed by a stranger');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
    const { code, stdout } = await reset(email, '--password', '--json');
    assert.equal(code, 0);
    const { password } = JSON.parse(stdout);
    assert.equal(payload(await signIn(server, email, password), 200).status, 'signed_in');
  });

  test('rejects a call without anything to reset, and an unknown user', async () => {
    const member = await server.createMember();
    const before = await readState(server);
    for (const [refused, hint] of [
      [await reset(member.email), '--link or --password, --second-factor'],
      [await reset('unknown@example.com', '--password'), 'There is no user unknown@example.com'],
      [await reset('nonsense', '--password'), 'There is no user nonsense'],
      [await runSvc(['user', 'reset', '--password'], environmentOf(server)), '--email'],
    ] as const)
      assertUsageError(refused, hint);
    assert.equal(await readState(server), before);
  });
});
describeServerOnEachDatabase('svc user reactivate', (server) => {
  const reactivate = (...words: readonly string[]) => {
    const { secret } = server.installation.settings;
    const environment = { ...environmentOf(server), ...(secret !== null && { SVC_SECRET: secret }) };
    return runSvc(['user', 'reactivate', ...words], environment);
  };

  test('gives a platform_admin access again, in every tenant or in one', async () => {
    const { userId, email, password, session } = await server.createMember({ role: 'platform_admin' });
    const other = await server.createTenant(`t-${userId}`);
    await server.createMember({ tenantId: other.id, email, role: 'auditor' });
    const tenants = [server.tenant.id, other.id];
    const suspend = async () => {
      for (const id of tenants) await changePeople(server, id, [userId], { isActivated: false });
    };
    await suspend();
    assert.equal(await isSignedIn(server, session), false);
    const { code, stdout, stderr } = await reactivate('--email', email.toUpperCase());
    assert.deepEqual([code, stderr, stdout], [0, '', `Reactivated ${email} in 2 tenants.\n`]);
    assert.equal(payload(await signIn(server, email, password), 200).user.role, 'platform_admin');
    for (const id of tenants) {
      const event = (await readAudit(server, id)).findLast(({ action }) => action === 'user.reactivated');
      assert.deepEqual(
        [event.targetId, event.actorType, event.reason],
        [userId, 'system', 'Reactivated by the operator'],
      );
    }
    await suspend();
    const one = await reactivate('--email', email, '--tenant', other.slug, '--json');
    assert.deepEqual(JSON.parse(one.stdout), { id: userId, email, tenantIds: [other.id] });
    assert.equal(payload(await signIn(server, email, password), 200).user.role, 'auditor');
    await assertIntact(server);
  });

  test('rejects users who are unknown, active or removed', async () => {
    const { userId, email } = await server.createMember();
    const before = await readState(server);
    for (const [words, message] of [
      [['--email', 'unknown@example.com'], 'There is no user unknown@example.com.'],
      [['--email', email], `${email} is not suspended in any tenant.`],
      [['--email', email, '--tenant', server.tenant.slug], `${email} is not suspended in ${server.tenant.slug}.`],
      [['--email', email, '--tenant', 'nowhere'], 'There is no tenant nowhere.'],
    ] as const)
      assertUsageError(await reactivate(...words), `svc: ${message}\n`);
    assert.equal(await readState(server), before);
    await changePeople(server, server.tenant.id, [userId], { isDeleted: true });
    assert.equal((await reactivate('--email', email)).code, 2);
  });
});
