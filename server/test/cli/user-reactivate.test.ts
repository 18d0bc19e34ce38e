import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changePeople, isSignedIn, readAudit, readState, signIn } from '../accounts/identity/membership-helpers.ts';
import { assertIntact } from '../accounts/keys/keys.ts';
import { describeServerOnEachDatabase, payload } from '../consent/helpers.ts';
import { runSvc } from './run-svc.ts';

describeServerOnEachDatabase('svc user reactivate', (server) => {
  const reactivate = (...words: readonly string[]) => {
    const { dataDir, databaseUrl, secret } = server.installation.settings;
    return runSvc(['user', 'reactivate', ...words], {
      SVC_DATA_DIR: dataDir,
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
      ...(secret !== null && { SVC_SECRET: secret }),
    });
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
    ] as const) {
      const { code, stderr } = await reactivate(...words);
      assert.deepEqual([code, stderr], [2, `svc: ${message}\n`]);
    }
    assert.equal(await readState(server), before);
    await changePeople(server, server.tenant.id, [userId], { isDeleted: true });
    assert.equal((await reactivate('--email', email)).code, 2);
  });
});
