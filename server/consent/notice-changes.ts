import { recordChange } from '../audit/row-state.ts';
import type { AuditSource } from '../audit/source.ts';
import { notFound } from '../http/problem.ts';
import type { Json } from '../ledger/canonical.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { EventType } from '../webhooks/deliveries/event.ts';
import { emitEvents } from '../webhooks/deliveries/outbox.ts';
import { type Notice, type NoticeChange, type NoticeContent, sealContent } from './notice.ts';
import {
  findNotice,
  insertNotice,
  insertVersion,
  type NoticeRow,
  noticeRows,
  updateContent,
  updateStatus,
} from './notice-store.ts';

/** Creates a draft. */
export async function createNotice(work: UnitOfWork, source: AuditSource, content: NoticeContent): Promise<Notice> {
  const { notice, row } = await insertNotice(work, source.tenantId, content);
  await record(work, source, row, 'created', content.name, { contentHash: sealContent(content).hash });
  return notice;
}

/** Edits the content; what is published stays as it is until the next publication. */
export async function editNotice(
  work: UnitOfWork,
  source: AuditSource,
  id: string,
  change: NoticeChange,
): Promise<Notice> {
  const notice = await requireNotice(work, source, id);
  const before = contentOf(notice);
  const changes = Object.entries(change).filter(([, value]) => value !== undefined);
  const content = { ...before, ...Object.fromEntries(changes) } as NoticeContent;
  if (sealContent(content).text === sealContent(before).text) return notice;
  const row = await updateContent(work, id, content);
  const fields = changes.map(([name]) => name as keyof NoticeContent);
  await record(work, source, row, 'edited', content.name, {
    before: pick(before, fields),
    after: pick(content, fields),
  });
  return requireNotice(work, source, id);
}

/** Freezes the content as the next version and opens the notice to captures; nothing happens when nothing changed. */
export async function publishNotice(work: UnitOfWork, source: AuditSource, id: string): Promise<Notice> {
  const notice = await requireNotice(work, source, id);
  if (notice.status === 'published' && !notice.hasUnpublishedChanges) return notice;
  const content = contentOf(notice);
  let version = notice.version ?? 0;
  if (notice.hasUnpublishedChanges) {
    version += 1;
    await insertVersion(work, source.tenantId, id, version, content);
  }
  const change = { status: 'published', version, publishedAt: work.now, archivedAt: null } as const;
  const row = await updateStatus(work, id, change);
  await record(work, source, row, 'published', notice.name, {
    version,
    contentHash: sealContent(content).hash,
    publishedAt: work.now,
    status: { before: notice.status, after: 'published' },
  });
  return tellNotice(work, 'consent_notice.published', await requireNotice(work, source, id), source);
}

/** Closes a notice to captures. Its records and versions stay, and withdrawals stay possible. */
export async function archiveNotice(work: UnitOfWork, source: AuditSource, id: string): Promise<Notice> {
  const notice = await requireNotice(work, source, id);
  if (notice.status === 'archived') return notice;
  const row = await updateStatus(work, id, { status: 'archived', archivedAt: work.now });
  await record(work, source, row, 'archived', notice.name, {
    status: { before: notice.status, after: 'archived' },
  });
  return tellNotice(work, 'consent_notice.archived', await requireNotice(work, source, id), source);
}

async function tellNotice(
  work: UnitOfWork,
  type: EventType & `consent_notice.${string}`,
  notice: Notice,
  { tenantId }: AuditSource,
): Promise<Notice> {
  const { id: noticeId, name, domain, version, status } = notice;
  await emitEvents(work, [{ tenantId, type, data: { noticeId, name, domain, version, status } }]);
  return notice;
}

async function requireNotice(work: UnitOfWork, source: AuditSource, id: string): Promise<Notice> {
  const notice = await findNotice(work.transaction, source.tenantId, id);
  if (notice === undefined) throw notFound('consent notice');
  return notice;
}

function contentOf({ name, controllerName, language, domain, purposes }: Notice): NoticeContent {
  return { name, controllerName, language, domain, purposes };
}

function pick(content: NoticeContent, fields: readonly (keyof NoticeContent)[]): Json {
  return Object.fromEntries(fields.map((name) => [name, content[name]])) as unknown as Json;
}

async function record(
  work: UnitOfWork,
  source: AuditSource,
  row: NoticeRow,
  verb: string,
  name: string,
  diff: Readonly<Record<string, Json>>,
): Promise<void> {
  await recordChange(work, source, noticeRows, row, { verb, targetRef: name, diff });
}
