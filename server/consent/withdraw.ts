import type { z } from 'zod';
import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem, requireFound } from '../http/problem.ts';
import { clockSkew, requirePast } from '../http/schemas.ts';
import { lockChain } from '../ledger/entry.ts';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { newId } from '../storage/rows.ts';
import type { Purpose } from './notice.ts';
import { findNotice, findVersion } from './notice-store.ts';
import {
  type ConsentRecord,
  keepOthers,
  type PurposeChoices,
  type PurposeStates,
  type RecordDraft,
  stateAfter,
  type WithdrawalInput,
} from './record.ts';
import { findLatestRecords, findRecord, listRecordsAfter, type SubjectPlace } from './record-store.ts';
import { recordDrafts } from './recorder.ts';

/**
 * Withdraws purposes that a record granted: a new row that names the original. Archiving a notice does not take the
 * right away (GDPR Article 7(3)), so its status does not matter.
 * @throws {Problem} `not_found`, `validation_failed`, `consent_already_withdrawn`, `record_erased`.
 */
export async function withdrawRecord(
  tx: Transaction,
  source: AuditSource,
  noticeId: string,
  recordId: string,
  input: z.output<typeof WithdrawalInput>,
): Promise<ConsentRecord> {
  const { tenantId } = source;
  if (input.capturedAt !== undefined) requirePast('body.capturedAt', input.capturedAt, tx.now, clockSkew);
  // Locks the notice, so that no capture of the same subject comes between the look and the write.
  const notice = await findNotice(tx.queries, tenantId, noticeId);
  // An erasure locks the ledger, not the notice.
  if (notice) await lockChain(tx, { tenantId, ledger: 'consent' });
  const found = notice && (await findRecord(tx.queries, tenantId, noticeId, recordId));
  const original = requireFound(found, 'consent record');
  const { noticeVersion, noticeContentHash, subjectId, subjectChannel, space } = original;
  if (subjectId === null)
    throw new Problem(
      'record_erased',
      'The data subject of this record was erased. An erased record cannot be withdrawn.',
    );
  const version = await findVersion(tx.queries, tenantId, noticeId, original.noticeVersion);
  const keys = pickPurposes(original.purposes, version?.purposes ?? [], input.purposes);
  const place = { tenantId, noticeId, subjectId, space };
  const [latest] = await findLatestRecords(tx.queries, [{ place }]);
  const state = stateAfter(latest);
  const held = keys.filter((key) => state[key]?.granted === true);
  const ended = await findEnded(tx.queries, place, original, held, state);
  const granted = held.filter((key) => !ended.has(key));
  if (granted.length === 0) {
    throw new Problem(
      'consent_already_withdrawn',
      'Everything that this record granted and that can be withdrawn is withdrawn.',
    );
  }
  const purposes = Object.fromEntries(granted.map((key) => [key, false]));
  const draft: RecordDraft = {
    ...place,
    id: newId(),
    noticeVersion,
    noticeContentHash,
    subjectChannel,
    kind: 'withdrawal',
    withdrawsRecordId: original.id,
    method: input.method ?? null,
    purposes,
    otherPurposes: keepOthers(state, purposes),
    source: 'api',
    capturedAt: input.capturedAt ?? tx.now,
  };
  const [record] = await recordDrafts(tx, new Map([[draft, source]]));
  return record as ConsentRecord;
}

/**
 * The purposes that hold only by a later grant, because they were refused or withdrawn after this record: withdrawing it
 * again, as a late retry does, leaves that grant. Where it was only granted again, withdrawing any of the records counts.
 */
async function findEnded(
  queries: Queries,
  place: SubjectPlace,
  { id, sequence }: ConsentRecord,
  held: readonly string[],
  state: PurposeStates,
): Promise<ReadonlySet<string>> {
  const doubtful = held.filter((key) => state[key]?.recordId !== id);
  if (doubtful.length === 0) return new Set();
  const later = await listRecordsAfter(queries, { ...place, after: sequence, limit: mostLookedThrough });
  return new Set(doubtful.filter((key) => later.some(({ purposes }) => purposes[key] === false)));
}

/** Visitors can send any number of records: what was refused after more of them than this counts as never refused. */
const mostLookedThrough = 500;

/** The purposes to withdraw, each granted by the record and not required. */
function pickPurposes(
  choices: PurposeChoices,
  purposes: readonly Purpose[],
  wanted: readonly string[] | undefined,
): readonly string[] {
  const required = (key: string) => purposes.some((purpose) => purpose.key === key && purpose.required);
  if (wanted === undefined) return Object.keys(choices).filter((key) => choices[key] && !required(key));
  const details = wanted.flatMap((key, index) => {
    const path = `body.purposes.${index}`;
    if (!Object.hasOwn(choices, key) || !choices[key])
      return [{ path, issue: `${key} was not granted by this record` }];
    return required(key) ? [{ path, issue: `${key} is required and cannot be withdrawn` }] : [];
  });
  if (details.length > 0) throw invalidValues(details);
  return [...new Set(wanted)];
}
