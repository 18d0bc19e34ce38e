import type { Selectable } from 'kysely';
import { z } from 'zod';
import { Id, namedObject, Time, text, textLine, UtcTime, viewRow, visibleText, WebAddress } from '../http/schemas.ts';
import type { Tables } from '../storage/tables.ts';
import { type Control, ControlParams, Reason, type StoredControl } from './control.ts';
import { cleanFileName } from './file-name.ts';
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
export const NewEvidence = namedObject('EvidenceInput', {
  title: textLine(200),
  kind: EvidenceKind,
  description: visibleText(2000).nullable().default(null),
  url: WebAddress.nullable().default(null).meta({ description: 'Where it is kept; http or https.' }),
  sha256: Sha256.nullable().default(null).meta({ description: 'SHA-256 of the file, hex; proves which one it is.' }),
  collectedAt: Time.meta({ description: 'When it was collected; not in the future, and not before 2000.' }),
  expiresAt: Time.nullable().default(null).meta({ description: 'When it expires; after collectedAt.' }),
});
export type NewEvidence = z.output<typeof NewEvidence>;

export const Withdrawal = namedObject('EvidenceWithdrawal', { reason: Reason });

/** The maximum size of a file, in bytes. */
export const largestFile = 25 * 1024 * 1024;

/** The description of an uploaded file, in the query, because the body is the file. */
export const FileDescription = z.strictObject({
  title: NewEvidence.shape.title,
  kind: EvidenceKind,
  name: visibleText(1000)
    .transform(cleanFileName)
    .meta({ description: 'Of the file. Path parts and characters that a file name cannot have are replaced.' }),
  // A query has little space.
  description: visibleText(500).nullable().default(null),
  collectedAt: NewEvidence.shape.collectedAt,
  expiresAt: NewEvidence.shape.expiresAt,
});
export type FileDescription = z.output<typeof FileDescription>;

/** A file that has arrived. */
export interface ReceivedFile {
  readonly id: string;
  readonly size: number;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
  /** As the client says. */
  readonly mediaType: string | null;
}

export const FileBody = z.custom<ReceivedFile>().meta({
  documentedAs: z.string().meta({ description: 'The bytes of the file: 1 byte to 25 MiB.', format: 'binary' }),
});

/** The space that evidence files take. */
export const EvidenceUsage = namedObject('EvidenceUsage', {
  used: z.int().min(0).meta({ description: 'Bytes of the files of the tenant, those included that are arriving.' }),
  quota: z.int().min(0).meta({ description: 'Bytes that they may have in all.' }),
});

/** The file of an item of evidence. */
const EvidenceFile = namedObject('EvidenceFile', {
  name: z.string().nullable().meta({ description: 'Null once it is erased.' }),
  size: z.int().min(1).meta({ description: 'In bytes.' }),
  mediaType: z
    .string()
    .nullable()
    .meta({ description: 'As the uploading client said. A download has it only if it is harmless.' }),
});

/** An item of evidence of a control. */
export const Evidence = namedObject('Evidence', {
  id: Id,
  controlId: Id,
  title: z.string().nullable().meta({ description: 'Null once it is erased, like the other texts.' }),
  kind: EvidenceKind,
  description: z.string().nullable(),
  url: z.string().nullable(),
  sha256: z.string().nullable().meta({ description: 'Of an uploaded file computed by the server.' }),
  file: EvidenceFile.nullable().meta({
    description: 'The uploaded file; `downloadEvidenceFile` has its bytes.',
  }),
  collectedAt: UtcTime,
  expiresAt: UtcTime.nullable(),
  isValid: z.boolean().meta({ description: 'Whether it counts: neither expired nor withdrawn.' }),
  createdAt: UtcTime,
  withdrawnAt: UtcTime.nullable(),
  withdrawalReason: z.string().nullable(),
  erasedAt: UtcTime.nullable().meta({ description: 'When its texts and its file were erased.' }),
});
export type Evidence = z.output<typeof Evidence>;

/** An item as the API returns it. @param now the time that `isValid` is computed for. */
export function viewEvidence(row: EvidenceRow, controlId: string, now: string): Evidence {
  const { file_name: name, file_size: size, media_type: mediaType } = row;
  const file = size === null ? null : { name, size, mediaType };
  return viewRow(Evidence, row, { controlId, file, isValid: isEvidenceValid(row, now) });
}

/** True if an item counts: until it expires, unless it was withdrawn. */
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
