import type { Selectable } from 'kysely';
import { z } from 'zod';
import { namedObject, UtcTime, viewRow } from '../http/schemas.ts';
import type { Tables } from '../storage/tables.ts';

/** The fields that every verification reports of its extent and its outcome. */
export const checked = {
  entries: z.int().meta({ description: 'The entries of both ledgers that were checked.' }),
  checkedRows: z.int().meta({ description: 'The rows that were compared with the audit log.' }),
  fault: z.string().nullable().meta({ description: 'The most severe finding; null without one.' }),
};

export const verdicts = ['holds', 'failed', 'could_not_check'] as const;
export type Verdict = (typeof verdicts)[number];

/** The latest verification of a tenant. */
export const LedgerVerification = namedObject('LedgerVerification', {
  status: z.enum(verdicts).meta({
    id: 'VerificationStatus',
    description:
      '`failed`: something was changed. `could_not_check`: no change was found, but not everything could be checked.',
  }),
  startedAt: UtcTime,
  finishedAt: UtcTime,
  ...checked,
});

/** The data of the webhook events about verification. */
export const verificationEvents = {
  'ledger.verified': LedgerVerification,
  'ledger.verification_failed': LedgerVerification,
};

/** The verification of a tenant as the API and its events contain it. */
export function viewVerification(row: Selectable<Tables['verifications']>): z.output<typeof LedgerVerification> {
  return viewRow(LedgerVerification, row, { status: row.status as Verdict });
}
