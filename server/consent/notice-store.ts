import { type Selectable, sql } from 'kysely';
import { describeRows } from '../audit/row-state.ts';
import { locksRows, type Queries } from '../storage/database.ts';
import { newId } from '../storage/ids.ts';
import { mapPage, type Page, takePage } from '../storage/page.ts';
import { prepareQuery } from '../storage/prepared-query.ts';
import type { Tables } from '../storage/tables.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import type { CapturableNotice } from './decide.ts';
import {
  foldText,
  type Notice,
  type NoticeContent,
  type NoticeStatus,
  type NoticeVersion,
  sealContent,
  searchText,
} from './notice.ts';

export type NoticeRow = Selectable<Tables['consent_notices']>;

export const noticeRows = describeRows('consent_notices', 'consent', 'consent_notice', { counters: ['record_count'] });

/** Creates a draft. @returns also the row, for the event of the change. */
export async function insertNotice(
  work: UnitOfWork,
  tenantId: string,
  content: NoticeContent,
): Promise<{ readonly notice: Notice; readonly row: NoticeRow }> {
  const row: NoticeRow = {
    id: newId(),
    tenant_id: tenantId,
    status: 'draft',
    ...contentColumns(content),
    version: 0,
    record_count: 0,
    created_at: work.now,
    updated_at: work.now,
    published_at: null,
    archived_at: null,
  };
  await work.transaction.insertInto('consent_notices').values(row).execute();
  return { notice: readNotice(row, undefined), row };
}

/** Finds a notice of a tenant; inside a unit of work it stays locked until the end. */
export async function findNotice(queries: Queries, tenantId: string, id: string): Promise<Notice | undefined> {
  const query = queries
    .selectFrom('consent_notices')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id);
  const row = await (queries.isTransaction && locksRows(queries) ? query.forUpdate() : query).executeTakeFirst();
  if (row === undefined) return undefined;
  const version = await findVersion(queries, id, row.version);
  return readNotice(row, version?.contentHash);
}

/** Stores the content under edit. @returns the row as it is now, for the event of the change. */
export async function updateContent(work: UnitOfWork, id: string, content: NoticeContent): Promise<NoticeRow> {
  return work.transaction
    .updateTable('consent_notices')
    .set({ ...contentColumns(content), updated_at: work.now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Freezes a content as a version of the notice. */
export async function insertVersion(
  work: UnitOfWork,
  tenantId: string,
  noticeId: string,
  version: number,
  content: NoticeContent,
): Promise<void> {
  const sealed = sealContent(content);
  await work.transaction
    .insertInto('consent_notice_versions')
    .values({
      tenant_id: tenantId,
      notice_id: noticeId,
      version,
      content: sealed.text,
      content_hash: sealed.hash,
      published_at: work.now,
    })
    .execute();
}

/** Moves a notice to another status. @returns the row as it is now, for the event of the change. */
export async function updateStatus(
  work: UnitOfWork,
  id: string,
  change: {
    readonly status: NoticeStatus;
    readonly version?: number;
    readonly publishedAt?: string;
    readonly archivedAt: string | null;
  },
): Promise<NoticeRow> {
  return work.transaction
    .updateTable('consent_notices')
    .set({
      status: change.status,
      archived_at: change.archivedAt,
      updated_at: work.now,
      ...(change.version !== undefined && { version: change.version }),
      ...(change.publishedAt !== undefined && { published_at: change.publishedAt }),
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface NoticeFilter {
  readonly status?: NoticeStatus | undefined;
  /** Already normalised. */
  readonly domain?: string | undefined;
  readonly search?: string | undefined;
}

/**
 * Lists the notices of a tenant, newest first.
 * @param before the id of the last notice already seen; null for the first page.
 */
export async function listNotices(
  queries: Queries,
  tenantId: string,
  filter: NoticeFilter,
  before: string | null,
  limit: number,
): Promise<Page<Notice> & { readonly total: number }> {
  let matching = queries.selectFrom('consent_notices').where('consent_notices.tenant_id', '=', tenantId);
  if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
  if (filter.domain !== undefined) matching = matching.where('domain', '=', filter.domain);
  if (filter.search !== undefined) {
    const pattern = `%${foldText(filter.search).replace(/[\\%_]/g, '\\$&')}%`;
    matching = matching.where(sql<boolean>`search_text like ${pattern} escape '\\'`);
  }
  const { total } = await matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  let page = matching
    .leftJoin('consent_notice_versions as latest', (join) =>
      join.onRef('latest.notice_id', '=', 'consent_notices.id').onRef('latest.version', '=', 'consent_notices.version'),
    )
    .selectAll('consent_notices')
    .select('latest.content_hash')
    .orderBy('consent_notices.id', 'desc');
  if (before !== null) page = page.where('consent_notices.id', '<', before);
  const { rows, next } = await takePage(page, limit, ({ id }) => id);
  return { rows: rows.map((row) => readNotice(row, row.content_hash ?? undefined)), next, total: Number(total) };
}

/**
 * A page of the published versions of a notice, newest first.
 * @param before the number of the last version already seen; null for the first page.
 */
export async function listVersions(
  queries: Queries,
  noticeId: string,
  before: number | null,
  limit: number,
): Promise<Page<NoticeVersion, number>> {
  let query = queries
    .selectFrom('consent_notice_versions')
    .selectAll()
    .where('notice_id', '=', noticeId)
    .orderBy('version', 'desc');
  if (before !== null) query = query.where('version', '<', before);
  return mapPage(await takePage(query, limit, ({ version }) => version), readVersion);
}

/** One published version; undefined when there is none of this number. */
export async function findVersion(
  queries: Queries,
  noticeId: string,
  version: number,
): Promise<NoticeVersion | undefined> {
  if (version === 0) return undefined;
  const row = await queries
    .selectFrom('consent_notice_versions')
    .selectAll()
    .where('notice_id', '=', noticeId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row && readVersion(row);
}

/** The columns of a notice that decide what may be captured against it. */
export type NoticeState = Omit<CapturableNotice, 'published'> & { readonly version: number };

/** A notice's status and the number of its latest version; the row stays locked until a transaction ends. */
export async function findState(queries: Queries, id: string): Promise<NoticeState | undefined> {
  const [row] = await (queries.isTransaction ? lockState : selectState)(queries, { id });
  return row && readState(row);
}

/** The same for several notices at once, locked in the order of their ids: two writers cannot wait for each other. */
export async function findStates(queries: Queries, ids: readonly string[]): Promise<readonly NoticeState[]> {
  if (ids.length === 1) return [await findState(queries, ids[0] as string)].filter((state) => state !== undefined);
  const query = states(queries).where('id', 'in', ids).orderBy('id');
  const rows = await (queries.isTransaction && locksRows(queries) ? query.forUpdate() : query).execute();
  return rows.map(readState);
}

type StateRow = Pick<NoticeRow, 'id' | 'tenant_id' | 'status' | 'domain' | 'version'>;

const selectState = prepareQuery<{ id: string }, StateRow>((queries, parameter) =>
  states(queries).where('id', '=', parameter('id')),
);

const lockState = prepareQuery<{ id: string }, StateRow>((queries, parameter) => {
  const query = states(queries).where('id', '=', parameter('id'));
  return locksRows(queries) ? query.forUpdate() : query;
});

function states(queries: Queries) {
  return queries.selectFrom('consent_notices').select(['id', 'tenant_id', 'status', 'domain', 'version']);
}

function readState(row: StateRow): NoticeState {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    status: row.status as NoticeStatus,
    draftDomain: row.domain,
    version: row.version,
  };
}

/** The published notices of a tenant that ask for a purpose. */
export async function findPublishedWithPurpose(
  queries: Queries,
  tenantId: string,
  purpose: string,
): Promise<readonly string[]> {
  const rows = await queries
    .selectFrom('consent_notices')
    .innerJoin('consent_notice_versions as latest', (join) =>
      join.onRef('latest.notice_id', '=', 'consent_notices.id').onRef('latest.version', '=', 'consent_notices.version'),
    )
    .select(['consent_notices.id', 'latest.content'])
    .where('consent_notices.tenant_id', '=', tenantId)
    .where('status', '=', 'published')
    .execute();
  const asks = (content: string) => (JSON.parse(content) as NoticeContent).purposes.some(({ key }) => key === purpose);
  return rows.filter((row) => asks(row.content)).map((row) => row.id);
}

function contentColumns(content: NoticeContent): Pick<NoticeRow, 'content' | 'domain' | 'search_text'> {
  return { content: sealContent(content).text, domain: content.domain, search_text: searchText(content) };
}

function readNotice(row: NoticeRow, latestHash: string | undefined): Notice {
  const content = JSON.parse(row.content) as NoticeContent;
  return {
    id: row.id,
    status: row.status as NoticeStatus,
    ...content,
    version: row.version === 0 ? null : row.version,
    hasUnpublishedChanges: sealContent(content).hash !== latestHash,
    recordCount: row.record_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    publishedAt: row.published_at,
    archivedAt: row.archived_at,
  };
}

function readVersion(row: Selectable<Tables['consent_notice_versions']>): NoticeVersion {
  const content = JSON.parse(row.content) as NoticeContent;
  return { version: row.version, ...content, contentHash: row.content_hash, publishedAt: row.published_at };
}
