import { z } from 'zod';
import { invalidValues } from '../http/problem.ts';
import { Id, requirePast, Time, text, UtcTime, visibleText } from '../http/schemas.ts';
import { textLine } from '../http/text-line.ts';
import { WebAddress } from '../http/web-address.ts';
import { Reason } from './control.ts';
import type { EvidenceRow } from './evidence-store.ts';
import { isEvidenceValid } from './freshness.ts';

const evidenceKinds = [
  'document',
  'screenshot',
  'log',
  'configuration',
  'report',
  'attestation',
  'link',
  'other',
] as const;
const EvidenceKind = z.enum(evidenceKinds).meta({ id: 'EvidenceKind' });

const Sha256 = text(64)
  .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 hash of 64 hex digits')
  .toLowerCase();

/** An item of evidence to add. */
export const NewEvidence = z
  .strictObject({
    title: textLine(200),
    kind: EvidenceKind,
    description: visibleText(2000).nullable().default(null),
    url: WebAddress.nullable().default(null).meta({ description: 'Where it is kept; http or https.' }),
    sha256: Sha256.nullable()
      .default(null)
      .meta({ description: 'SHA-256 of the file, hex; proves which one was meant.' }),
    collectedAt: Time.meta({ description: 'When it was collected; not in the future, and not before 2000.' }),
    expiresAt: Time.nullable().default(null).meta({ description: 'When it stops to count; after collectedAt.' }),
  })
  .meta({ id: 'EvidenceInput' });
export type NewEvidence = z.output<typeof NewEvidence>;

export const Withdrawal = z.strictObject({ reason: Reason }).meta({ id: 'EvidenceWithdrawal' });

/** What a control is supported by. */
export const Evidence = z
  .strictObject({
    id: Id,
    controlId: Id,
    title: z.string(),
    kind: EvidenceKind,
    description: z.string().nullable(),
    url: z.string().nullable(),
    sha256: z.string().nullable(),
    collectedAt: UtcTime,
    expiresAt: UtcTime.nullable(),
    isValid: z.boolean().meta({ description: 'Whether it counts: neither expired nor withdrawn.' }),
    createdAt: UtcTime,
    withdrawnAt: UtcTime.nullable(),
    withdrawalReason: z.string().nullable(),
  })
  .meta({ id: 'Evidence' });
export type Evidence = z.output<typeof Evidence>;

/** An item as it is shown. @param now decides whether it counts. */
export function viewEvidence(row: EvidenceRow, controlId: string, now: string): Evidence {
  return {
    id: row.id,
    controlId,
    title: row.title,
    kind: row.kind as Evidence['kind'],
    description: row.description,
    url: row.url,
    sha256: row.sha256,
    collectedAt: row.collected_at,
    expiresAt: row.expires_at,
    isValid: isEvidenceValid(row, now),
    createdAt: row.created_at,
    withdrawnAt: row.withdrawn_at,
    withdrawalReason: row.withdrawal_reason,
  };
}

/** Evidence was collected by now, and ends after that. @throws {Problem} `validation_failed`. */
export function requirePossibleDates({ collectedAt, expiresAt }: NewEvidence, now: string): void {
  requirePast('body.collectedAt', collectedAt, now);
  if (expiresAt !== null && expiresAt <= collectedAt)
    throw invalidValues([{ path: 'body.expiresAt', issue: 'must be after collectedAt' }]);
}
