import { z } from 'zod';
import { answerWith } from '../../http/answer.ts';
import { Problem } from '../../http/problem.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { namedObject, text } from '../../http/schemas.ts';
import { runTransaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { findWeakness, TypedPassword } from '../sign-in/password.ts';
import { type OpenSession, renewSession } from '../sign-in/session-store.ts';
import { reauthenticate, requireProof, type SignInServices } from '../sign-in/sign-in.ts';
import type { Attempt } from '../sign-in/sign-in-guard.ts';
import { createBackupCodes, createTotpSecret, findTotpStep, sealTotpSecret, writeTotpUri } from './codes.ts';
import {
  backupCodesOf,
  conflict,
  disableSecondFactor,
  enableSecondFactor,
  findSecondFactor,
  isSecondFactorEnabled,
  replaceBackupCodes,
  startEnrolment,
} from './second-factor.ts';

/** spec.md "MFA status". */
const MfaStatus = namedObject('MfaStatus', {
  enabled: z.boolean().meta({ description: 'Whether sign-in requires a code; false while an enrolment is pending.' }),
  methods: z
    .array(z.enum(['totp', 'backup_code']).meta({ id: 'MfaMethod' }))
    .meta({ description: 'The kinds of codes that sign-in accepts.' }),
  backupCodesRemaining: z.int().min(0),
});

const PasswordBody = namedObject('PasswordConfirmation', { password: TypedPassword });
const CodeBody = namedObject('TotpCode', {
  code: text(64).min(1).meta({ description: 'The six digits that the authenticator shows.' }),
});
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
  const confirmed = { ...common, body: PasswordBody, errors: ['password_incorrect'] } as const;
  const renewing = { result: MfaStatus, headers: ['Set-Cookie'] } as const;
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
      ...confirmed,
      operationId: 'enrollTotp',
      summary: 'Start the enrolment of an authenticator',
      description:
        'Sign-in does not change until a code is verified. A pending enrolment is replaced together with its backup codes; an enabled second factor must be disabled first.',
      result: namedObject('TotpEnrollment', {
        totpURI: z.string().meta({ description: 'An otpauth://totp/ URI, to show as a QR code.' }),
        backupCodes: BackupCodes,
      }),
      async handle(call) {
        const { account, attempt } = await reauthenticate(services, call, call.body.password);
        // Checked again in the transaction; here it saves ten hashes.
        if (await isSecondFactorEnabled(database.kysely, account.id)) throw conflict('enabled');
        const secret = createTotpSecret();
        const sealed = sealTotpSecret(services, account.id, secret);
        const { codes, stored } = await createCodes(attempt);
        await runTransaction(database, call.now, (tx) =>
          startEnrolment(tx, call.source, account.id, { secret: sealed, codes: stored }),
        );
        return { totpURI: writeTotpUri(secret, account.email), backupCodes: codes };
      },
    }),
    defineRoute('POST /v1/me/mfa/totp/verify', {
      ...common,
      ...renewing,
      operationId: 'verifyTotp',
      summary: 'Enable the second factor with the first code',
      description:
        'Your other sessions end, in every tenant; this one continues with a new cookie. The code counts as used.',
      body: CodeBody,
      errors: ['code_incorrect'],
      async handle(call) {
        const { actor, credential } = call.principal;
        const pending = await findSecondFactor(database.kysely, actor.id);
        if (pending.state !== 'pending') throw conflict('notPending');
        const refusal = {
          event: { module: 'mfa', action: 'mfa.verification_failed' },
          problem: new Problem('code_incorrect', 'This is not the code that the authenticator shows now.'),
        } as const;
        const session = await requireProof(services, call, refusal, async (attempt) => {
          const step = await findTotpStep(services, pending, call.body.code, call.now);
          if (step === null) return null;
          return runTransaction(database, call.now, async (tx) => {
            await guard.succeed(tx, attempt);
            const verified = { step, session: credential, lifetime: sessionLifetime };
            return enableSecondFactor(tx, call.source, pending, verified);
          });
        });
        return showStatus(actor.id, session);
      },
    }),
    defineRoute('DELETE /v1/me/mfa/totp', {
      ...confirmed,
      ...renewing,
      operationId: 'disableTotp',
      summary: 'Disable your second factor, or cancel a pending enrolment',
      description:
        'Deletes the secret and the backup codes. Your other sessions end, in every tenant; this one continues with a new cookie. A password that is too weak without a second factor must be changed first.',
      async handle(call) {
        const { actor, credential } = call.principal;
        const { password } = call.body;
        await reauthenticate(services, call, password);
        const weakness = await findWeakness(password, { hasSecondFactor: false, words: [] });
        if (weakness !== null && (await isSecondFactorEnabled(database.kysely, actor.id)))
          throw new Problem('conflict', `Choose another password first: without a second factor it ${weakness}.`);
        const session = await runTransaction(database, call.now, async (tx) => {
          if (!(await disableSecondFactor(tx, call.source, actor.id, 'disabled', undefined, credential.id)))
            throw conflict('notEnabled');
          return renewSession(tx, { userId: actor.id, session: credential }, sessionLifetime);
        });
        return showStatus(actor.id, session);
      },
    }),
    defineRoute('POST /v1/me/mfa/backup-codes', {
      ...confirmed,
      operationId: 'replaceBackupCodes',
      summary: 'Replace the backup codes',
      description: 'All earlier backup codes become invalid.',
      result: namedObject('BackupCodes', { backupCodes: BackupCodes }),
      async handle(call) {
        const { account, attempt } = await reauthenticate(services, call, call.body.password);
        if (!(await isSecondFactorEnabled(database.kysely, account.id))) throw conflict('notEnabled');
        const { codes, stored } = await createCodes(attempt);
        await runTransaction(database, call.now, (tx) => replaceBackupCodes(tx, call.source, account.id, stored));
        return { backupCodes: codes };
      },
    }),
  ];
}

/** Reads the status of a user's second factor; the backup codes of a pending enrolment do not count. */
async function readStatus(queries: Queries, userId: string): Promise<z.output<typeof MfaStatus>> {
  const factor = await findSecondFactor(queries, userId);
  if (factor.state !== 'enabled') return { enabled: false, methods: [], backupCodesRemaining: 0 };
  const backupCodesRemaining = backupCodesOf(factor).length;
  return {
    enabled: true,
    methods: backupCodesRemaining > 0 ? ['totp', 'backup_code'] : ['totp'],
    backupCodesRemaining,
  };
}
