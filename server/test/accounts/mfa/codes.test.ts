import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import type { TestMember } from '../../harness.ts';
import { assertProblem } from '../../http/problems.ts';
import {
  answer,
  createEnrolledMember,
  type Enrolled,
  readMfa,
  readSession,
  showCode,
  signIn,
  startEnrolment,
  startSignIn,
} from './authenticator.ts';
import { readTenantEvents, verifyTenantRows } from './recorded.ts';

describeServer('a code at sign-in', (server) => {
  let member: TestMember & Enrolled;
  before(async () => {
    member = await createEnrolledMember(server);
  });

  /** Sends one code to as many sign-ins at the same time. @returns how many went through. */
  async function countAccepted(code: string, requests: number): Promise<number> {
    const challenges: string[] = [];
    for (let count = 0; count < requests; count += 1) challenges.push(await startSignIn(server, member));
    const answers = await Promise.all(challenges.map((challenge) => answer(server, challenge, code)));
    const accepted = answers.filter(({ status }) => status === 200);
    for (const refused of answers.filter((one) => !accepted.includes(one))) assertProblem(refused, 'code_incorrect');
    return accepted.length;
  }

  test('is accepted once by many requests at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      server.clock.advance(90_000);
      assert.equal(await countAccepted(showCode(server, member.secret), 4), 1);
    }
  });

  test('may come one step too early or too late, and no more', async () => {
    for (const steps of [-1, 1]) {
      server.clock.advance(300_000);
      for (const far of [-2, 2])
        assertProblem(await signIn(server, member, showCode(server, member.secret, far)), 'code_incorrect');
      assert.equal((await signIn(server, member, showCode(server, member.secret, steps))).status, 200);
    }
  });

  test('is refused when a later one was accepted', async () => {
    server.clock.advance(300_000);
    assert.equal((await signIn(server, member, showCode(server, member.secret, 1))).status, 200);
    for (const steps of [-1, 0, 1])
      assertProblem(await signIn(server, member, showCode(server, member.secret, steps)), 'code_incorrect');
    server.clock.advance(30_000);
    assert.equal((await signIn(server, member, showCode(server, member.secret, 1))).status, 200);
  });

  test('is refused, not a failure, when the clock went back behind the last one', async () => {
    server.clock.advance(300_000);
    assert.equal((await signIn(server, member, showCode(server, member.secret))).status, 200);
    server.clock.advance(-120_000);
    assertProblem(await signIn(server, member, showCode(server, member.secret)), 'code_incorrect');
    server.clock.advance(150_000);
    assert.equal((await signIn(server, member, showCode(server, member.secret))).status, 200);
  });

  test('is accepted as people type and paste it, for every step and every way in', async () => {
    const spellings: readonly ((code: string) => string)[] = [
      (code) => code.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0)),
      (code) => `${code.slice(0, 3)}-${code.slice(3)}`,
      (code) => `${code.slice(0, 3)}\u2011${code.slice(3)}`,
      (code) => `${code.slice(0, 3)} \u2013 ${code.slice(3)}`,
      (code) => `${code}\u200b`,
      (code) => `\u200e${code}\u2069`,
      (code) => `\ufeff ${code.slice(0, 3)}\u202f${code.slice(3)}\r\n`,
      (code) => [...code].join('\u00ad'),
      (code) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
      (code) => code.replace(/\d/g, (digit) => String.fromCodePoint(0x966 + Number(digit))),
      (code) => `${code.slice(0, 3)}\u30fc${code.slice(3)}`,
      (code) => `${code.slice(0, 3)}.${code.slice(3)}`,
    ];
    const member = await createEnrolledMember(server);
    for (const spell of spellings) {
      server.clock.advance(90_000);
      const typed = spell(showCode(server, member.secret));
      assert.equal((await signIn(server, member, typed)).status, 200, JSON.stringify(typed));
      const enrolling = await server.createMember();
      const { secret } = await startEnrolment(server, enrolling);
      const code = spell(showCode(server, secret));
      const verified = await server.request('POST', '/v1/me/mfa/totp/verify', {
        headers: enrolling.session,
        body: { code },
      });
      assert.equal(verified.status, 200, JSON.stringify(code));
    }
    const [backupCode = ''] = member.backupCodes;
    const typed = `\u200b${backupCode.toLowerCase().replaceAll('-', '\u2013')} `;
    assert.equal((await signIn(server, member, typed)).status, 200);
    // The length is checked as it was sent.
    const challengeId = await startSignIn(server, member);
    assertProblem(await answer(server, challengeId, '\u200b'.repeat(65)), 'validation_failed');
  });

  test('of another user is rejected', async () => {
    const other = await createEnrolledMember(server);
    for (const code of [showCode(server, other.secret), other.backupCodes[0] as string])
      assertProblem(await signIn(server, member, code), 'code_incorrect');
    assert.equal((await signIn(server, other, other.backupCodes[0] as string)).status, 200);
  });

  test('leaves the rows as the audit log records them', async () => {
    await verifyTenantRows(server, server.tenant.id);
  });

  test('may be a backup code, in any case, with or without dashes and spaces, each once', async () => {
    member = await createEnrolledMember(server);
    const { backupCodes } = member;
    const forms: readonly ((code: string) => string)[] = [
      (code) => code,
      (code) => code.toLowerCase(),
      (code) => code.replaceAll('-', ''),
      (code) => ` ${code.replaceAll('-', ' ').toLowerCase()} `,
    ];
    for (const [index, write] of forms.entries()) {
      const code = backupCodes[index] as string;
      const signedIn = await signIn(server, member, write(code));
      assert.equal(signedIn.status, 200, signedIn.text);
      const { backupCodesRemaining } = await readMfa(server, readSession(server, signedIn));
      assert.equal(backupCodesRemaining, 9 - index);
      for (const again of forms) assertProblem(await signIn(server, member, again(code)), 'code_incorrect');
    }
  });

  test('as a backup code is accepted once by many requests at the same time', async () => {
    for (const code of member.backupCodes.slice(4, 7)) assert.equal(await countAccepted(code, 4), 1);
    await verifyTenantRows(server, server.tenant.id);
  });

  test('is only a TOTP code when the backup codes are used up', async () => {
    server.clock.advance(300_000);
    for (const code of member.backupCodes.slice(7)) assert.equal((await signIn(server, member, code)).status, 200);
    const { session } = member;
    assert.deepEqual(await readMfa(server, session), { enabled: true, methods: ['totp'], backupCodesRemaining: 0 });
    assert.equal((await signIn(server, member, showCode(server, member.secret))).status, 200);
  });

  test('is of the new set when the backup codes are replaced', async () => {
    const body = { password: member.password };
    const path = '/v1/me/mfa/backup-codes';
    const wrong = { password: `${member.password}.` };
    assertProblem(await server.request('POST', path, { headers: member.session, body: wrong }), 'password_incorrect');
    const first = await server.request('POST', path, { headers: member.session, body });
    const second = await server.request('POST', path, { headers: member.session, body });
    assert.deepEqual([first.status, second.status], [200, 200]);
    const { backupCodes } = second.body.data;
    assert.equal(new Set([...first.body.data.backupCodes, ...backupCodes]).size, 20);
    assertProblem(await signIn(server, member, first.body.data.backupCodes[0]), 'code_incorrect');
    assert.equal((await signIn(server, member, backupCodes[0])).status, 200);
    assert.equal((await readMfa(server, member.session)).backupCodesRemaining, 9);
    const events = await readTenantEvents(server, server.tenant.key, member.userId);
    assert.equal(events.filter(({ action }) => action === 'mfa.backup_codes_replaced').length, 2);
    // A code that was used before the codes were replaced must not come back into its window.
    assertProblem(await signIn(server, member, showCode(server, member.secret)), 'code_incorrect');
    await verifyTenantRows(server, server.tenant.id);
  });

  test('cannot be replaced where no second factor is on', async () => {
    const { session, password } = await server.createMember();
    const response = await server.request('POST', '/v1/me/mfa/backup-codes', { headers: session, body: { password } });
    assertProblem(response, 'conflict');
  });
});
