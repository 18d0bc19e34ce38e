import type { AuditSource } from '../http/principal.ts';
import { invalidValues, Problem, requireFound, requireMatch } from '../http/problem.ts';
import { noticeRows } from '../ledger/audit/rows.ts';
import { recordChange, recordRemoval } from '../ledger/audit/store.ts';
import { canonicalize, type Json } from '../ledger/canonical.ts';
import type { Transaction } from '../storage/database.ts';
import { insertRow, insertRows, newId, updateRow } from '../storage/rows.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import {
  applyChange,
  contentOf,
  findContentFaults,
  type Notice,
  type NoticeChange,
  type NoticeContent,
  type NoticeVersion,
  sealContent,
  tagContent,
} from './notice.ts';
import { contentColumns, findNotice, findVersion, type NoticeRow, readNotice } from './notice-store.ts';
import { mustAskAgain } from './present-notice.ts';
import { writeShownTexts } from './public-notice.ts';

/** Creates a draft. */
export async function createNotice(tx: Transaction, source: AuditSource, content: NoticeContent): Promise<Notice> {
  const row: NoticeRow = await insertRow(tx.queries, 'consent_notices', {
    id: newId(),
    tenant_id: source.tenantId,
    status: 'draft',
    ...contentColumns(content),
    version: 0,
    record_count: 0,
    created_at: tx.now,
    updated_at: tx.now,
    published_at: null,
    archived_at: null,
    last_seen_at: null,
  });
  const diff = { contentHash: sealContent(content).hash };
  await recordChange(tx, source, noticeRows, row, { verb: 'created', targetRef: content.name, diff });
  return readNotice(row, null);
}

/**
 * Edits the content; what is published stays as it is until the next publication.
 * @param ifMatch the entity tag of the content that the caller has seen.
 */
export async function editNotice(
  tx: Transaction,
  source: AuditSource,
  id: string,
  change: NoticeChange,
  ifMatch?: string,
): Promise<Notice> {
  const notice = await requireNotice(tx, source, id);
  const names = Object.keys(change).filter((name) => change[name as keyof NoticeChange] !== undefined);
  const before = contentOf(notice);
  const content = applyChange(before, change);
  const faults = findContentFaults(content).map(({ path, message }) => ({
    path: ['body', ...path].join('.'),
    issue: message,
  }));
  if (faults.length > 0) throw invalidValues(faults);
  // A retry of an edit that was applied has an outdated tag and nothing left to change.
  if (sealContent(content).text === sealContent(before).text) return notice;
  requireMatch(ifMatch, tagContent(notice), 'consent_notice_changed');
  return save(tx, source, id, 'edited', contentColumns(content), {
    before: pick(before, names),
    after: pick(content, names),
  });
}

/**
 * Freezes the content as the next version and opens the notice to captures; nothing happens when nothing changed.
 * @param asksAgain asks every visitor again and publishes a next version, even if nothing changed.
 */
export async function publishNotice(
  tx: Transaction,
  source: AuditSource,
  id: string,
  { ifMatch, asksAgain = false }: { readonly ifMatch?: string | undefined; readonly asksAgain?: boolean } = {},
): Promise<Notice> {
  const notice = await requireNotice(tx, source, id);
  requireMatch(ifMatch, tagContent(notice), 'consent_notice_changed');
  const isNext = notice.hasUnpublishedChanges || asksAgain;
  if (notice.status === 'published' && !isNext) return notice;
  const published = isNext
    ? await insertVersion(tx, source.tenantId, notice, asksAgain)
    : requireFound(await findVersion(tx.queries, source.tenantId, id, notice.version ?? 0), 'version of the notice');
  const { version, contentHash, asksSince, shown } = published;
  const columns = { status: 'published', version, published_at: tx.now, archived_at: null };
  const status = { before: notice.status, after: 'published' };
  const diff = { version, contentHash, asksSince, shown, publishedAt: tx.now, status };
  return save(tx, source, id, 'published', columns, diff);
}

/** Adds the next version, with what visitors get of it in each language. */
async function insertVersion(
  { queries, now }: Transaction,
  tenantId: string,
  notice: Notice,
  asksAgain: boolean,
): Promise<Pick<NoticeVersion, 'version' | 'contentHash' | 'asksSince' | 'shown'>> {
  const content = contentOf(notice);
  const earlier = await findVersion(queries, tenantId, notice.id, notice.version ?? 0);
  const version = (earlier?.version ?? 0) + 1;
  const asksSince = earlier === undefined || asksAgain || mustAskAgain(earlier, content) ? version : earlier.asksSince;
  const texts = await writeShownTexts({ id: notice.id, version, asksSince, content });
  const shown = Object.fromEntries(texts.map(({ language, hash }) => [language, hash]));
  const { text, hash: contentHash } = sealContent(content);
  const place = { tenant_id: tenantId, notice_id: notice.id };
  await insertRow(queries, 'consent_notice_versions', {
    ...place,
    version,
    content: text,
    content_hash: contentHash,
    asks_since: asksSince,
    shown: canonicalize(shown),
    published_at: now,
  });
  const rows = texts.map((one) => ({ ...place, hash: one.hash, body: one.text }));
  await insertRows(queries, 'consent_notice_texts', rows);
  return { version, contentHash, asksSince, shown };
}

/** Closes a notice to captures. Its records and versions stay, and withdrawals stay possible. */
export async function archiveNotice(tx: Transaction, source: AuditSource, id: string): Promise<Notice> {
  const notice = await requireNotice(tx, source, id);
  if (notice.status === 'archived') return notice;
  const columns = { status: 'archived', archived_at: tx.now };
  const diff = { status: { before: notice.status, after: 'archived' } };
  return save(tx, source, id, 'archived', columns, diff);
}

/** Deletes a notice that was never published: no visitor has seen it. */
export async function deleteNotice(tx: Transaction, source: AuditSource, id: string, ifMatch?: string): Promise<void> {
  const notice = await requireNotice(tx, source, id);
  if (notice.version !== null)
    throw new Problem('consent_notice_versioned', 'The notice was published; archive it instead of deleting it.');
  requireMatch(ifMatch, tagContent(notice), 'consent_notice_changed');
  const removal = tx.queries.deleteFrom('consent_notices').where('tenant_id', '=', source.tenantId);
  await removal.where('id', '=', id).execute();
  const diff = { before: contentOf(notice) as unknown as Json };
  await recordRemoval(tx, source, noticeRows, id, { targetRef: notice.name, diff });
}

async function requireNotice(tx: Transaction, { tenantId }: AuditSource, id: string): Promise<Notice> {
  return requireFound(await findNotice(tx.queries, tenantId, id), 'consent notice');
}

/** Stores a change with its event. @returns the notice after it. */
async function save(
  tx: Transaction,
  source: AuditSource,
  id: string,
  verb: 'edited' | 'published' | 'archived',
  columns: Partial<NoticeRow>,
  diff: Readonly<Record<string, Json>>,
): Promise<Notice> {
  const match = { tenant_id: source.tenantId, id };
  const row = await updateRow(tx.queries, 'consent_notices', match, { ...columns, updated_at: tx.now });
  const notice = await requireNotice(tx, source, id);
  const { name, domain, version, status } = notice;
  await recordChange(tx, source, noticeRows, row, { verb, targetRef: name, diff });
  // Webhooks are about what visitors see.
  if (verb !== 'edited') {
    const data = { noticeId: id, name, domain, version, status };
    await emitEvents(tx, [{ tenantId: source.tenantId, type: `consent_notice.${verb}`, data }]);
  }
  return notice;
}

function pick(content: NoticeChange, names: readonly string[]): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    names.map((name) => [name, (content[name as keyof NoticeContent] ?? null) as unknown as Json]),
  );
}
