import { z } from 'zod';
import { type OpenSession, renewSession } from '../../access/session-store.ts';
import { answerWith } from '../../http/answer.ts';
import { Problem } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { reauthenticate, refuseProof } from '../change-password.ts';
import { findWeakness, TypedPassword } from '../password.ts';
import type { SignInServices } from '../sign-in.ts';
import type { Attempt } from '../sign-in-guard.ts';
import { conflict, disableSecondFactor, enableSecondFactor, replaceBackupCodes, startEnrolment } from './changes.ts';
import { createBackupCodes, createTotpSecret, findTotpStep, sealTotpSecret, writeTotpUri } from './codes.ts';
import { findSecondFactor, isSecondFactorEnabled, MfaStatus, readStatus } from './store.ts';

const PasswordBody = z.strictObject({ password: TypedPassword }).meta({ id: 'PasswordConfirmation' });
const CodeBody = z
  .strictObject({ code: text(64).min(1).meta({ description: 'The six digits that the authenticator shows.' }) })
  .meta({ id: 'TotpCode' });
const BackupCodes = z.array(z.string()).meta({
  description: 'Each can be used once, instead of a code of the authenticator. They are shown only here.',
});

/** The operations of a signed-in user on their second factor (spec.md "Second factor"). */
export function mfaRoutes(services: SignInServices): readonly Route[] {
  const { database, guard, passwords, sessionCookie, sessionLifetime } = services;

  const createCodes = (attempt: Attempt) =>
    createBackupCodes((codes, salt) => passwords.hashWith(attempt, codes, salt));

  /** The status after a change, with the session that replaces the caller's. */
  const showStatus = async (userId: string, { token }: OpenSession) =>
    answerWith(await readStatus(database.kysely, userId), { 'Set-Cookie': sessionCookie.write(token) });

  const common = { auth: 'session', tag: 'Second factor' } as const;
  return [
    defineRoute('GET /v1/me/mfa', {
      ...common,
      operationId: 'getMfaStatus',
      summary: 'Get the status of your second factor',
      description: 'The status is the whole body, without `data` around it.',
      result: MfaStatus,
      isBare: true,
      handle: ({ principal: { actor } }) => readStatus(database.kysely, actor.id),
    }),
    defineRoute('POST /v1/me/mfa/totp/enroll', {
      ...common,
      operationId: 'enrollTotp',
      summary: 'Start the enrolment of an authenticator',
      description:
        'Sign-in does not change until a code is verified. A pending enrolment is replaced together with its backup codes; an enabled second factor must be disabled first.',
      body: PasswordBody,
      result: z
        .strictObject({
          totpURI: z.string().meta({ description: 'An otpauth://totp/ URI, to show as a QR code.' }),
          backupCodes: BackupCodes,
        })
        .meta({ id: 'TotpEnrollment' }),
      errors: ['password_incorrect', 'forbidden'],
      async handle(call) {
        const { account, attempt } = await reauthenticate(services, call, call.body.password);
        // Checked again in the unit of work; here it saves ten hashes.
        if (await isSecondFactorEnabled(database.kysely, account.id)) throw conflict('enabled');
        const secret = createTotpSecret();
        const sealed = sealTotpSecret(services, account.id, secret);
        const { codes, stored } = await createCodes(attempt);
        await runUnitOfWork(database, call.now, (work) =>
          startEnrolment(work, call.source, account.id, { secret: sealed, codes: stored }),
        );
        return { totpURI: writeTotpUri(secret, account.email), backupCodes: codes };
      },
    }),
    defineRoute('POST /v1/me/mfa/totp/verify', {
      ...common,
      operationId: 'verifyTotp',
      summary: 'Enable the second factor with the first code',
      description:
        'Your other sessions end, in every tenant; this one continues with a new cookie. The code counts as used.',
      body: CodeBody,
      headers: ['Set-Cookie'],
      result: MfaStatus,
      errors: ['code_incorrect', 'forbidden'],
      async handle(call) {
        const { actor, credential } = call.principal;
        const pending = await findSecondFactor(database.kysely, actor.id);
        if (pending?.state !== 'pending') throw conflict('notPending');
        // Wrong codes count as failed sign-ins.
        const attempt = await guard.admitSession(actor.email, credential.id);
        const session = await guard.check(attempt, async () => {
          const step = await findTotpStep(services, pending, call.body.code, call.now);
          if (step === null) return null;
          return runUnitOfWork(database, call.now, async (work) => {
            await guard.succeed(work, attempt);
            const verified = { step, sessionId: credential.id, lifetime: sessionLifetime };
            return enableSecondFactor(work, call.source, pending, verified);
          });
        });
        if (session !== null) return showStatus(actor.id, session);
        await refuseProof(services, call, { module: 'mfa', action: 'mfa.verification_failed' });
        throw new Problem('code_incorrect', 'This is not the code that the authenticator shows now.');
      },
    }),
    defineRoute('DELETE /v1/me/mfa/totp', {
      ...common,
      operationId: 'disableTotp',
      summary: 'Disable your second factor, or cancel a pending enrolment',
      description:
        'Deletes the secret and the backup codes. Your other sessions end, in every tenant; this one continues with a new cookie. A password that is too weak without a second factor must be changed first.',
      body: PasswordBody,
      headers: ['Set-Cookie'],
      result: MfaStatus,
      errors: ['password_incorrect', 'forbidden'],
      async handle(call) {
        const { actor, credential } = call.principal;
        const { password } = call.body;
        await reauthenticate(services, call, password);
        const weakness = await findWeakness(password, { hasSecondFactor: false, words: [] });
        if (weakness !== null && (await isSecondFactorEnabled(database.kysely, actor.id)))
          throw new Problem('conflict', `Choose another password first: without a second factor it ${weakness}.`);
        const session = await runUnitOfWork(database, call.now, async (work) => {
          if (!(await disableSecondFactor(work, call.source, actor.id, 'disabled', undefined, credential.id)))
            throw conflict('notEnabled');
          return renewSession(work, { userId: actor.id, sessionId: credential.id }, sessionLifetime);
        });
        return showStatus(actor.id, session);
      },
    }),
    defineRoute('POST /v1/me/mfa/backup-codes', {
      ...common,
      operationId: 'replaceBackupCodes',
      summary: 'Replace the backup codes',
      description: 'All earlier backup codes become invalid.',
      body: PasswordBody,
      result: z.strictObject({ backupCodes: BackupCodes }).meta({ id: 'BackupCodes' }),
      errors: ['password_incorrect', 'forbidden'],
      async handle(call) {
        const { account, attempt } = await reauthenticate(services, call, call.body.password);
        if (!(await isSecondFactorEnabled(database.kysely, account.id))) throw conflict('notEnabled');
        const { codes, stored } = await createCodes(attempt);
        await runUnitOfWork(database, call.now, (work) => replaceBackupCodes(work, call.source, account.id, stored));
        return { backupCodes: codes };
      },
    }),
  ];
}
