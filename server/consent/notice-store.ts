import { type Selectable, sql } from 'kysely';
import { BriefCache, ByteCache } from '../storage/cache.ts';
import { locksRows, type Queries } from '../storage/queries.ts';
import {
  compileFind,
  findRow,
  mapPage,
  type Page,
  prepareLookup,
  prepareQuery,
  runTogether,
  takeNewest,
} from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import { listWarnings } from './first-layer.ts';
import {
  foldText,
  type Notice,
  type NoticeContent,
  type NoticeStatus,
  type NoticeVersion,
  sealContent,
} from './notice.ts';
import { pickLanguage } from './pick-language.ts';

export type NoticeRow = Selectable<Tables['consent_notices']>;

/** Finds a notice of a tenant; inside a transaction it stays locked until the end. */
export async function findNotice(queries: Queries, tenantId: string, id: string): Promise<Notice | undefined> {
  const query = queries.selectFrom('consent_notices').selectAll().where('tenant_id', '=', tenantId);
  const row = await lock(queries, query.where('id', '=', id)).executeTakeFirst();
  if (row === undefined) return undefined;
  const version = await findVersion(queries, tenantId, id, row.version);
  return readNotice(row, version?.contentHash ?? null);
}

/**
 * Lists the notices of a tenant, newest first.
 * @param filter its domain is already normalised.
 * @param before the id of the last notice already seen; null for the first page.
 */
export async function listNotices(
  queries: Queries,
  tenantId: string,
  { status, domain, search }: Readonly<Record<'status' | 'domain' | 'search', string | undefined>>,
  before: string | null,
  limit: number,
): Promise<Page<Notice> & { readonly total: number }> {
  let matching = queries.selectFrom('consent_notices').where('consent_notices.tenant_id', '=', tenantId);
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (domain !== undefined) matching = matching.where('domain', '=', domain);
  if (search !== undefined) {
    const pattern = `%${foldText(search).replace(/[\\%_]/g, '\\$&')}%`;
    matching = matching.where(sql<boolean>`search_text like ${pattern} escape '\\'`);
  }
  const { total } = await matching.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const page = matching
    .leftJoin('consent_notice_versions as latest', (join) =>
      join
        .onRef('latest.tenant_id', '=', 'consent_notices.tenant_id')
        .onRef('latest.notice_id', '=', 'consent_notices.id')
        .onRef('latest.version', '=', 'consent_notices.version'),
    )
    .selectAll('consent_notices')
    .select('latest.content_hash');
  const { rows, next } = await takeNewest(page, before, limit);
  return { rows: rows.map((row) => readNotice(row, row.content_hash)), next, total: Number(total) };
}

/**
 * A page of the published versions of a notice, newest first.
 * @param before the number of the last version already seen; null for the first page.
 */
export async function listVersions(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  before: number | null,
  limit: number,
): Promise<Page<NoticeVersion, number>> {
  const query = selectVersions(queries, tenantId, noticeId);
  return mapPage(await takeNewest(query, before, limit, 'version'), readVersion);
}

function selectVersions(queries: Queries, tenantId: string, noticeId: string) {
  const ofTenant = queries.selectFrom('consent_notice_versions').selectAll().where('tenant_id', '=', tenantId);
  return ofTenant.where('notice_id', '=', noticeId);
}

/** One published version; undefined when there is none of this number. */
export async function findVersion(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  version: number,
): Promise<NoticeVersion | undefined> {
  if (version === 0) return undefined;
  const row = await findRow(queries, 'consent_notice_versions', { tenant_id: tenantId, notice_id: noticeId, version });
  return row && readVersion(row);
}

/** Published versions of a notice, in one query. @param versions their numbers, at most some hundred. */
export async function findVersions(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  versions: readonly number[],
): Promise<readonly NoticeVersion[]> {
  if (versions.length === 0) return [];
  return (await selectVersions(queries, tenantId, noticeId).where('version', 'in', versions).execute()).map(
    readVersion,
  );
}

/** The columns of a notice that decide about captures; its domain is that of the content under edit. */
export type NoticeState = Readonly<Pick<NoticeRow, 'id' | 'tenant_id' | 'status' | 'domain' | 'version'>>;

/**
 * Reads the status, the number of the latest version and the tenant of a notice.
 * @param tenantId the tenant of the caller; undefined for a visitor, whose page names only the notice.
 * @throws {Error} if two tenants have it: a visitor must not get the notice of another site.
 */
export async function findState(queries: Queries, id: string, tenantId?: string): Promise<NoticeState | undefined> {
  if (tenantId !== undefined) return (await selectOwnState(queries, { tenantId, id }))[0];
  const [state, other] = await selectState(queries, id);
  if (other !== undefined)
    throw new Error(`Two tenants have the notice ${id}: something other than Svc wrote one. Find it with svc verify.`);
  return state;
}

const selectState = prepareLookup<NoticeState>('consent_notices', (queries, id) =>
  states(queries).where('id', '=', id),
);

const selectOwnState = prepareQuery<{ tenantId: string; id: string }, NoticeState>((queries, parameter) =>
  states(queries).where('tenant_id', '=', parameter('tenantId')).where('id', '=', parameter('id')),
);

/**
 * Reads the states of notices again, in a transaction, and locks their rows until its end: in the order of the keys, so that two
 * writers cannot wait for each other.
 */
export async function lockStates(
  transaction: Queries,
  known: readonly Pick<NoticeState, 'tenant_id' | 'id'>[],
): Promise<readonly NoticeState[]> {
  const ofTenants = [...Map.groupBy(known, ({ tenant_id }) => tenant_id)].sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  const statements = ofTenants.flatMap(([tenantId, notices]) => {
    const ids = notices.map(({ id }) => id);
    return compileFind(transaction, 'consent_notices', tenantId, 'id', ids, stateColumns, { locks: true });
  });
  return (await runTogether(transaction, statements)).flat();
}

/** Locks the rows of a query if it is in a transaction. */
function lock<Query extends { forUpdate(): Query }>(queries: Queries, query: Query): Query {
  return queries.isTransaction ? forUpdate(queries, query) : query;
}

function forUpdate<Query extends { forUpdate(): Query }>(queries: Queries, query: Query): Query {
  return locksRows(queries) ? query.forUpdate() : query;
}

const stateColumns = ['id', 'tenant_id', 'status', 'domain', 'version'] as const;

function states(queries: Queries) {
  return queries.selectFrom('consent_notices').select(stateColumns);
}

/** The published notices of a tenant. */
export function listPublished(queries: Queries, tenantId: string): Promise<readonly NoticeState[]> {
  return states(queries).where('tenant_id', '=', tenantId).where('status', '=', 'published').execute();
}

/** The columns that depend on the content under edit. */
export function contentColumns(content: NoticeContent): Pick<NoticeRow, 'content' | 'domain' | 'search_text'> {
  const { name, controllerName, domain } = content;
  // The words that the `search` of the list looks in.
  const search_text = foldText([name, controllerName, domain].join('\n'));
  return { content: sealContent(content).text, domain, search_text };
}

/** @param latestHash of the content of the latest version; null if there is none. */
export function readNotice(row: NoticeRow, latestHash: string | null): Notice {
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
    lastSeenAt: row.last_seen_at,
    warnings: listWarnings(content),
  };
}

function readVersion(row: Selectable<Tables['consent_notice_versions']>): NoticeVersion {
  const content = JSON.parse(row.content) as NoticeContent;
  const { version, content_hash: contentHash, asks_since: asksSince, published_at: publishedAt } = row;
  return { version, ...content, contentHash, asksSince, shown: JSON.parse(row.shown), publishedAt };
}

/** Finds the texts of a notice that visitors were shown. @returns the texts by their hashes. */
export async function findShownTexts(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await queries
    .selectFrom('consent_notice_texts')
    .select(['hash', 'body'])
    .where('tenant_id', '=', tenantId)
    .where('notice_id', '=', noticeId)
    .where('hash', 'in', hashes)
    .execute();
  return new Map(rows.map(({ hash, body }) => [hash, body]));
}

/** The status of a notice, and what visitors get of its latest version by language, its own language first. */
export async function findPublished(queries: Queries, noticeId: string) {
  const notice = await findState(queries, noticeId);
  if (notice === undefined) return undefined;
  const { tenant_id: tenantId, version } = notice;
  const { language = '', shown = {} } = (await findVersion(queries, tenantId, noticeId, version)) ?? {};
  const texts = await findShownTexts(queries, tenantId, noticeId, Object.values(shown));
  const languages = [...new Set([language, ...Object.keys(shown)])];
  return {
    status: notice.status,
    languages,
    texts: new Map(languages.map((tag) => [tag, texts.get(shown[tag] ?? '')])),
  };
}

/** The text that a visitor was shown, found by the entry of the record; null if the entry does not name a text. */
export async function findShownText(
  queries: Queries,
  tenantId: string,
  { noticeId, shownHash }: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  if (typeof noticeId !== 'string' || typeof shownHash !== 'string') return null;
  return (await findShownTexts(queries, tenantId, noticeId, [shownHash])).get(shownHash) ?? null;
}

/** The number of the version that has a text; undefined for the hash of none. */
export async function findVersionOfText(
  queries: Queries,
  tenantId: string,
  noticeId: string,
  hash: string,
): Promise<number | undefined> {
  const text = (await findShownTexts(queries, tenantId, noticeId, [hash])).get(hash);
  return text === undefined ? undefined : (JSON.parse(text) as { data: { version: number } }).data.version;
}

/** A published version, and its languages by the hashes of what visitors get in them. */
export interface KnownVersion extends NoticeVersion {
  readonly languages: ReadonlyMap<string, string>;
}

/** The notices that visitors read and decide on, in memory. */
export class NoticeCache {
  readonly #queries: Queries;
  /** By `nameNotice`, without their versions, which are much larger. */
  readonly #states = new ByteCache<NoticeState>();
  /** By notice and number. A version never changes, so what was read once stays true. */
  readonly #versions = new ByteCache<KnownVersion>();
  readonly #forms = new ByteCache<PublicForms>();
  /** By id. A server forgets those that it publishes or archives. */
  readonly #published = new BriefCache<PublicForms>((noticeId) => this.#findPublished(noticeId));

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** A notice as it was last read. @param name of `nameNotice`. */
  findSeen(name: string): NoticeState | undefined {
    return this.#states.get(name);
  }

  /** Remembers a notice that was read. One that is as it was last read is the same object, too. */
  see(name: string, state: NoticeState): NoticeState {
    const seen = this.#states.get(name);
    if (seen !== undefined && isSame(seen, state)) return seen;
    this.#states.set(name, state, JSON.stringify(state).length);
    return state;
  }

  /** A published version; undefined if there is none of this number. */
  async findVersion(
    queries: Queries,
    { tenant_id: tenantId, id: noticeId }: Pick<NoticeState, 'tenant_id' | 'id'>,
    version: number,
  ): Promise<KnownVersion | undefined> {
    const name = `${tenantId} ${noticeId} ${version}`;
    const known = this.#versions.get(name);
    if (known !== undefined) return known;
    const read = await findVersion(queries, tenantId, noticeId, version);
    if (read === undefined) return undefined;
    const found = { ...read, languages: new Map(Object.entries(read.shown).map(([tag, hash]) => [hash, tag])) };
    this.#versions.set(name, found, JSON.stringify(read).length);
    return found;
  }

  /** A published notice in all its languages; what another server changed is known after a second. */
  findForms(noticeId: string): Promise<PublicForms | undefined> {
    return this.#published.find(noticeId);
  }

  /** Forgets the public forms of a notice that was published or archived. */
  forgetForms(noticeId: string): void {
    this.#published.forget(noticeId);
  }

  async #findPublished(noticeId: string) {
    const notice = await findState(this.#queries, noticeId);
    if (notice?.status !== 'published') return undefined;
    const name = `${notice.tenant_id} ${noticeId} ${notice.version}`;
    let forms = this.#forms.get(name);
    if (forms === undefined) {
      const version = await this.findVersion(this.#queries, notice, notice.version);
      forms = version && (await readForms(this.#queries, notice, version));
      if (forms !== undefined) this.#forms.set(name, forms, forms.length);
    }
    return forms && { value: forms, length: forms.length };
  }
}

function isSame(seen: NoticeState, state: NoticeState): boolean {
  for (const key in state) if (seen[key as keyof NoticeState] !== state[key as keyof NoticeState]) return false;
  return true;
}

/** Names a notice with the tenant of its caller, which is empty for a visitor: two tenants may have notices of one id. */
export function nameNotice(tenantId: string | undefined, noticeId: string): string {
  return `${tenantId ?? ''} ${noticeId}`;
}

/** The public form of a notice in one language, ready to send. */
interface PublicAnswer {
  /** Encoded once: a string would be encoded again for each answer. */
  readonly body: Buffer;
  readonly etag: string;
}

/** A published notice as visitors get it. */
export interface PublicForms {
  readonly tenantId: string;
  readonly domain: string;
  /** In the language of the notice. */
  readonly own: PublicAnswer;
  readonly byLanguage: ReadonlyMap<string, PublicAnswer>;
  /** The bytes of all forms. */
  readonly length: number;
}

/** The form in the language that fits a wanted one best; that of the notice if none does. */
export function pickForm({ own, byLanguage }: PublicForms, wanted: string | undefined): PublicAnswer {
  if (wanted === undefined) return own;
  return byLanguage.get(wanted) ?? byLanguage.get(pickLanguage(wanted, [...byLanguage.keys()]) ?? '') ?? own;
}

/** Undefined if a text is missing, which `svc verify` reports. */
async function readForms(
  queries: Queries,
  notice: NoticeState,
  { domain, language, shown }: NoticeVersion,
): Promise<PublicForms | undefined> {
  const { tenant_id: tenantId, id: noticeId } = notice;
  const texts = await findShownTexts(queries, tenantId, noticeId, Object.values(shown));
  const byLanguage = new Map<string, PublicAnswer>();
  // The language of the notice first: it is preferred where others fit as well.
  for (const tag of [language, ...Object.keys(shown)]) {
    const hash = shown[tag] as string;
    const text = texts.get(hash);
    if (text !== undefined) byLanguage.set(tag, { body: Buffer.from(text), etag: `"${hash.slice(0, 32)}"` });
  }
  const own = byLanguage.get(language);
  if (own === undefined) return undefined;
  const length = [...byLanguage.values()].reduce((sum, { body }) => sum + body.length, 0);
  return { tenantId, domain, own, byLanguage, length };
}
