import { z } from 'zod';
import { renewSession } from '../../access/session-store.ts';
import { clientSource } from '../../audit/source.ts';
import { Problem } from '../../http/problem.ts';
import { answerWith, defineRoute, type Route } from '../../http/route.ts';
import { text } from '../../http/schemas.ts';
import { runUnitOfWork } from '../../storage/unit-of-work.ts';
import { reauthenticate } from '../change-password.ts';
import { findWeakness, TypedPassword } from '../password.ts';
import type { SignInServices } from '../sign-in-result.ts';
import { disableSecondFactor, enrolTotp, notEnabled, renewBackupCodes, verifyEnrolment } from './changes.ts';
import { isSecondFactorEnabled, MfaStatus, readStatus } from './store.ts';

const PasswordBody = z.strictObject({ password: TypedPassword }).meta({ id: 'PasswordConfirmation' });
const CodeBody = z
  .strictObject({ code: text(64).min(1).meta({ description: 'The six digits that the authenticator shows.' }) })
  .meta({ id: 'TotpCode' });
const BackupCodes = z.array(z.string()).meta({
  description: 'Each can be used once, instead of a code of the authenticator. They are shown only here.',
});

/** The operations of a signed-in user on their second factor (spec.md "Second factor"). */
export function mfaRoutes(services: SignInServices): readonly Route[] {
  const { database, hasher, sessionCookie, sessionLifetime } = services;
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
        const { totpUri, backupCodes } = await enrolTotp(services, call, call.body.password);
        return { totpURI: totpUri, backupCodes: [...backupCodes] };
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
        const { token } = await verifyEnrolment(services, call, call.body.code);
        const status = await readStatus(database.kysely, call.principal.actor.id);
        return answerWith(status, { 'Set-Cookie': sessionCookie.write(token) });
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
        const sourceOf = clientSource(actor, call.client, hasher);
        const { token } = await runUnitOfWork(database, call.now, async (work) => {
          if (!(await disableSecondFactor(work, sourceOf, actor.id, 'disabled', undefined, credential.id)))
            throw notEnabled();
          return renewSession(work, { userId: actor.id, sessionId: credential.id }, sessionLifetime);
        });
        return answerWith(await readStatus(database.kysely, actor.id), { 'Set-Cookie': sessionCookie.write(token) });
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
        return { backupCodes: [...(await renewBackupCodes(services, call, call.body.password))] };
      },
    }),
  ];
}
