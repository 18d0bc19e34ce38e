import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addMember } from '../../../accounts/members/membership.ts';
import { consumeCode, type VerifiedCode, verifyCode } from '../../../accounts/mfa/codes.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  findSecondFactor,
  replaceBackupCodes,
  type SecondFactorRow,
  startEnrolment as storeEnrolment,
} from '../../../accounts/mfa/second-factor.ts';
import { PasswordQueue } from '../../../accounts/sign-in/password-queue.ts';
import { Problem } from '../../../http/problem.ts';
import { systemSource } from '../../../ledger/audit/store.ts';
import { runTransaction, type Transaction } from '../../../storage/database.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../../harness.ts';
import {
  createEnrolledMember,
  readMfa,
  readSession,
  showCode,
  signIn,
  startEnrolment,
  verify,
} from './authenticator.ts';
import { readTenantEvents, verifyTenantRows } from './recorded.ts';

// Races between the check and the change: the step after the check is run by itself.
describeOnEachDatabase('a change of a second factor that comes too late', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect, {}, { hashesSlowly: true });
  });
  after(() => server[Symbol.asyncDispose]());

  const run = <Result>(step: (tx: Transaction) => Promise<Result>) =>
    runTransaction(server.installation.database, server.clock.now(), step);
  const read = (userId: string) => findSecondFactor(server.installation.database.kysely, userId);
  const codes = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', hashes: ['hash'] };

  async function assertConflict(userId: string, step: () => Promise<unknown>): Promise<void> {
    const before = await read(userId);
    const events = await readTenantEvents(server, server.tenant.key, userId);
    await assert.rejects(step, (error) => error instanceof Problem && error.code === 'conflict');
    assert.deepEqual(await read(userId), before);
    assert.equal((await readTenantEvents(server, server.tenant.key, userId)).length, events.length);
  }

  test('does not enrol over one that is on', async () => {
    const member = await createEnrolledMember(server);
    await assertConflict(member.userId, () =>
      run((tx) => storeEnrolment(tx, systemSource, member.userId, { secret: 'sealed', codes })),
    );
    assert.equal((await signIn(server, member, member.backupCodes[0] as string)).status, 200);
  });

  test('does not enable an enrolment whose code was never verified', async () => {
    const member = await server.createMember();
    await startEnrolment(server, member);
    const replaced = (await read(member.userId)) as SecondFactorRow;
    await startEnrolment(server, member);
    const session = { id: member.sessionId, tenantId: server.tenant.id };
    const code = { step: 1, session, lifetime: server.installation.settings.sessionLifetime };
    await assertConflict(member.userId, () => run((tx) => enableSecondFactor(tx, systemSource, replaced, code)));
    assert.equal((await readMfa(server, member.session)).enabled, false);
  });

  test('does not enable in a session that has ended', async () => {
    const member = await server.createMember();
    const { secret } = await startEnrolment(server, member);
    const pending = (await read(member.userId)) as SecondFactorRow;
    await server.request('POST', '/v1/auth/sign-out', { headers: member.session });
    const session = { id: member.sessionId, tenantId: server.tenant.id };
    const code = { step: 1, session, lifetime: server.installation.settings.sessionLifetime };
    await assert.rejects(
      run((tx) => enableSecondFactor(tx, systemSource, pending, code)),
      (error) => error instanceof Problem && error.code === 'unauthenticated',
    );
    assert.equal((await read(member.userId))?.state, 'pending');
    assert.equal((await verify(server, member, showCode(server, secret))).status, 401);
  });

  test('does not give backup codes to one that is off', async () => {
    const member = await server.createMember();
    await startEnrolment(server, member);
    await assertConflict(member.userId, () => run((tx) => replaceBackupCodes(tx, systemSource, member.userId, codes)));
  });

  const lookAt = (userId: string, code: string) => {
    const { installation, clock } = server;
    const services = { ...installation, passwords: new PasswordQueue(installation.passwords) };
    return verifyCode(services, { bucket: 'test', isKnown: true }, userId, code, clock.now());
  };

  test('does not use a code up that another request has used since both looked at it', async () => {
    const member = await createEnrolledMember(server);
    const look = (code: string) => lookAt(member.userId, code);
    for (const code of [showCode(server, member.secret), member.backupCodes[3] as string]) {
      const seen = [await look(code), await look(code)] as [VerifiedCode, VerifiedCode];
      assert.deepEqual(seen[0], seen[1]);
      const used = [];
      for (const verified of seen) used.push(await run((tx) => consumeCode(tx, systemSource, member.userId, verified)));
      assert.deepEqual(used, [true, false]);
      assert.equal(await look(code), null);
    }
  });

  test('does not use a code up of a second factor that was disabled since', async () => {
    const member = await createEnrolledMember(server);
    const codes = [showCode(server, member.secret), member.backupCodes[3] as string];
    const seen = codes.map((code) => lookAt(member.userId, code));
    const verified = (await Promise.all(seen)) as VerifiedCode[];
    assert.deepEqual(
      verified.map(({ method }) => method),
      ['totp', 'backup_code'],
    );
    await run((tx) => disableSecondFactor(tx, systemSource, member.userId, 'reset'));
    for (const one of verified)
      assert.equal(await run((tx) => consumeCode(tx, systemSource, member.userId, one)), false);
  });

  test('does not accept the codes of a pending enrolment', async () => {
    const member = await server.createMember();
    const { secret, backupCodes } = await startEnrolment(server, member);
    for (const code of [showCode(server, secret), backupCodes[0] as string])
      assert.equal(await lookAt(member.userId, code), null);
  });

  test('does not undo that a code was used', async () => {
    const member = await createEnrolledMember(server);
    const code = showCode(server, member.secret);
    const { session: headers, password } = member;
    const [replaced, signedIn] = await Promise.all([
      server.request('POST', '/v1/me/mfa/backup-codes', { headers, body: { password } }),
      signIn(server, member, code),
    ]);
    assert.deepEqual([replaced.status, signedIn.status], [200, 200]);
    assert.equal((await signIn(server, member, code)).status, 403);
  });

  test('is recorded for a tenant that the user joins at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const member = await server.createMember();
      const { secret } = await startEnrolment(server, member);
      const tenant = await server.createTenant(`joined-${dialect}-${round}`);
      const [verified] = await Promise.all([
        verify(server, member, showCode(server, secret)),
        run(async (tx) => {
          const joining = { email: member.email, role: 'admin', isActivated: true, isAccepted: true } as const;
          return addMember(tx, systemSource(tenant.id), joining, 'test');
        }),
      ]);
      assert.equal((await readMfa(server, readSession(server, verified))).enabled, true);
      await verifyTenantRows(server, server.tenant.id, tenant.id);
    }
  });
});
