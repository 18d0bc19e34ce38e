import { z } from 'zod';
import { Id } from '../../http/schemas.ts';

/** The states of spec.md "User second factor"; whoever never enrolled is `disabled` too. */
const factorStates = ['disabled', 'pending', 'enabled'] as const;
export type FactorState = (typeof factorStates)[number];

/** spec.md "MFA status". */
export const MfaStatus = z
  .strictObject({
    enabled: z.boolean().meta({ description: 'Whether a sign-in asks for a code. An enrolment that waits does not.' }),
    methods: z
      .array(z.enum(['totp', 'backup_code']).meta({ id: 'MfaMethod' }))
      .meta({ description: 'What a sign-in takes as a code.' }),
    backupCodesRemaining: z.int().min(0),
  })
  .meta({ id: 'MfaStatus' });
export type MfaStatus = z.output<typeof MfaStatus>;

const MfaEventData = z.strictObject({ userId: Id, email: z.string() }).meta({ id: 'MfaEventData' });

/** The data of the webhook events about second factors. */
export const mfaEvents = { 'mfa.enabled': MfaEventData, 'mfa.disabled': MfaEventData };

/**
 * The status of a person's second factor.
 * @param codes how many backup codes are stored; those of an enrolment that waits do not count yet.
 */
export function describeStatus(state: FactorState, codes: number): MfaStatus {
  if (state !== 'enabled') return { enabled: false, methods: [], backupCodesRemaining: 0 };
  return { enabled: true, methods: codes > 0 ? ['totp', 'backup_code'] : ['totp'], backupCodesRemaining: codes };
}
