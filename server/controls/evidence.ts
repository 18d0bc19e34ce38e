import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id, Time, text, textLine, UtcTime, viewRow, visibleText, WebAddress } from '../http/schemas.ts';
import type { Tables } from '../storage/tables.ts';
import { type Control, ControlParams, Reason, type StoredControl } from './control.ts';
import { addCadence, type Cadence } from './status.ts';

export type EvidenceRow = Selectable<Tables['control_evidence']>;

export const EvidenceParams = ControlParams.extend({ evidenceId: Id });
export type EvidenceParams = z.output<typeof EvidenceParams>;

const EvidenceKind = z
  .enum(['document', 'screenshot', 'log', 'configuration', 'report', 'attestation', 'link', 'other'])
  .meta({ id: 'EvidenceKind' });

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
    sha256: Sha256.nullable().default(null).meta({ description: 'SHA-256 of the file, hex; proves which one it is.' }),
    collectedAt: Time.meta({ description: 'When it was collected; not in the future, and not before 2000.' }),
    expiresAt: Time.nullable().default(null).meta({ description: 'When it expires; after collectedAt.' }),
  })
  .meta({ id: 'EvidenceInput' });
export type NewEvidence = z.output<typeof NewEvidence>;

export const Withdrawal = z.strictObject({ reason: Reason }).meta({ id: 'EvidenceWithdrawal' });

/** An item of evidence of a control. */
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

/** An item as the API returns it. @param now decides whether it counts. */
export function viewEvidence(row: EvidenceRow, controlId: string, now: string): Evidence {
  return viewRow(Evidence, row, { controlId, isValid: isEvidenceValid(row, now) });
}

/** Whether an item counts: until it expires, unless it was withdrawn. */
export function isEvidenceValid(item: Pick<EvidenceRow, 'expires_at' | 'withdrawn_at'>, now: string): boolean {
  return item.withdrawn_at === null && (item.expires_at === null || item.expires_at > now);
}

/**
 * How fresh the evidence is: `current` for one cadence after the latest valid item was collected, `stale` for one more,
 * then `expired`, as when no item is valid; `missing` without any item. With the cadence `event_driven`, evidence is
 * current as long as it is valid.
 */
export function rateFreshness(
  { evidence_count, latest_evidence: latest }: Pick<StoredControl, 'evidence_count' | 'latest_evidence'>,
  cadence: Cadence,
  now: string,
): Control['evidenceFreshness'] {
  if (evidence_count === 0) return 'missing';
  if (latest === null) return 'expired';
  const staleFrom = addCadence(latest, cadence);
  if (staleFrom === null || now < staleFrom) return 'current';
  const expiredFrom = addCadence(latest, cadence, 2);
  return expiredFrom === null || now < expiredFrom ? 'stale' : 'expired';
}
