import { hash } from 'node:crypto';
import { type Selectable, sql } from 'kysely';
import { findShownTexts, type NoticeRow } from '../consent/notice-store.ts';
import { type ConsentRecord, unverified } from '../consent/record.ts';
import { canonicalize } from '../ledger/canonical.ts';
import { readTemplate } from '../ledger/entry.ts';
import type { Queries } from '../storage/queries.ts';
import { findByValues, findRow, hasInvalidBytes, inBatches } from '../storage/rows.ts';
import type { Tables } from '../storage/tables.ts';
import type { ValidRow } from './verify-chain.ts';

/** A published version that differs from what was written, or a notice that differs from its versions or records. */
export interface VersionFault {
  readonly noticeId: string;
  /** The published version; for a notice itself the number that it gives as its latest. */
  readonly version: number;
  readonly issue: string;
}

/** The publication of a version in the audit log. */
interface Publication extends Omit<VersionFault, 'issue'> {
  readonly sequence: number;
  readonly contentHash: string;
  readonly publishedAt: string;
  readonly asksSince: number;
  /** Absent from an event that was modified, which verifying the chain reports. */
  readonly shown?: Readonly<Record<string, string>>;
}

/**
 * Checks the published versions of a tenant against the audit log, which has each publication with its hash, and the
 * latest version and the counter of each notice against its rows. The audit log itself is checked by its chain.
 */
export async function verifyVersions(
  queries: Queries,
  tenantId: string,
): Promise<{ readonly versions: number; readonly faults: readonly VersionFault[] }> {
  // The server may publish meanwhile: versions whose events are in the log now must exist a moment later, and versions that
  // exist then must be in the log after that.
  // By the rows: a chain head that was removed or lowered must not hide a missing version.
  const { settled } = await queries
    .selectFrom('audit_events')
    .select(({ fn }) => fn.coalesce(fn.max('sequence'), sql.lit(0)).as('settled'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow();
  const allTexts = await queries
    .selectFrom('consent_notice_texts')
    .select(['notice_id', 'hash'])
    .where('tenant_id', '=', tenantId)
    .execute();
  /** The notices of texts that no publication has named so far, by the names of the texts. */
  const strays = new Map(allTexts.map(({ notice_id, hash }) => [namePart(notice_id, hash), notice_id]));
  const rows = await queries
    .selectFrom('consent_notice_versions as row')
    .leftJoin('consent_notices as notice', (join) =>
      join.onRef('notice.tenant_id', '=', 'row.tenant_id').onRef('notice.id', '=', 'row.notice_id'),
    )
    .selectAll('row')
    .select('notice.id as notice')
    .where('row.tenant_id', '=', tenantId)
    .orderBy('row.notice_id')
    .orderBy('row.version')
    .execute();
  const publications = await readPublications(queries, tenantId);
  const faults: VersionFault[] = [];
  for (const row of rows) {
    const name = namePart(row.notice_id, row.version);
    const { notice: _, ...stored } = row;
    const hidesBytes = await hasInvalidBytes(queries, 'consent_notice_versions', stored);
    const issue = findFault(row, publications.get(name)) ?? (hidesBytes ? 'the text is not Unicode' : null);
    if (issue !== null) faults.push({ noticeId: row.notice_id, version: row.version, issue });
    const { shown = {} } = publications.get(name) ?? {};
    const texts = await findShownTexts(queries, tenantId, row.notice_id, Object.values(shown));
    for (const [language, textHash] of Object.entries(shown)) {
      const text = texts.get(textHash);
      strays.delete(namePart(row.notice_id, textHash));
      const found = { notice_id: row.notice_id, hash: textHash, body: text ?? '' };
      const isSent = text !== undefined && hash('sha256', text) === textHash;
      if (isSent && !(await hasInvalidBytes(queries, 'consent_notice_texts', found))) continue;
      const issue = `the text in the language ${language} ${text === undefined ? 'is missing' : 'does not fit its hash'}`;
      faults.push({ noticeId: row.notice_id, version: row.version, issue });
    }
    publications.delete(name);
  }
  for (const { noticeId, version, sequence } of publications.values()) {
    if (sequence <= settled) faults.push({ noticeId, version, issue: 'the version is missing' });
  }
  for (const noticeId of strays.values()) faults.push({ noticeId, version: 0, issue: 'a text belongs to no version' });
  return { versions: rows.length, faults: [...faults, ...(await verifyNotices(queries, tenantId))] };
}

function findFault(
  row: Selectable<Tables['consent_notice_versions']> & { readonly notice: string | null },
  publication: Publication | undefined,
): string | null {
  if (publication === undefined) return 'the audit log does not have its publication';
  if (row.content_hash !== publication.contentHash) return 'the audit log has another hash';
  if (row.published_at !== publication.publishedAt) return 'the audit log has another time';
  if (row.asks_since !== publication.asksSince) return 'the audit log has another version since which it asks';
  if (row.shown !== canonicalize(publication.shown ?? null)) return 'the audit log has other hashes of its texts';
  if (row.notice === null) return 'its notice is missing';
  return hash('sha256', row.content) === row.content_hash ? null : 'the hash does not fit the content';
}

/** Finds the records of a tenant that name a text which was not published with their version of the notice. */
export class ShownCheck {
  /** The first record of each notice that has a template, by the number of the template. */
  readonly #firsts = new Map<number, Map<string, number>>();

  /** Notes a valid row of the ledger. */
  note({ template, notice_id, sequence }: ValidRow<'consent'>): void {
    let ofTemplate = this.#firsts.get(template);
    if (ofTemplate === undefined) {
      ofTemplate = new Map();
      this.#firsts.set(template, ofTemplate);
    }
    if (!ofTemplate.has(notice_id)) ofTemplate.set(notice_id, sequence);
  }

  /** The faults of the rows that were noted. The versions themselves are checked by `verifyVersions`. */
  async finish(queries: Queries, tenantId: string): Promise<readonly VersionFault[]> {
    const faults: VersionFault[] = [];
    const published = new Map<string, Readonly<Record<string, string>>>();
    await inBatches([...this.#firsts.keys()], async (numbers) => {
      const templates = await findByValues(queries, 'record_templates', tenantId, 'number', numbers, [
        'number',
        'parts',
      ]);
      for (const { number, parts } of templates) {
        const { language, noticeVersion: version, shownHash } = readTemplate(parts) as unknown as ShownValues;
        if (shownHash === null || shownHash === unverified) continue;
        for (const [noticeId, sequence] of this.#firsts.get(number) ?? []) {
          const name = namePart(noticeId, version);
          const shown = published.get(name) ?? (await readShown(queries, tenantId, noticeId, version));
          published.set(name, shown);
          if (language !== null && Object.hasOwn(shown, language) && shown[language] === shownHash) continue;
          const issue = `row ${sequence} of the consent chain names a text that this version does not have`;
          faults.push({ noticeId, version, issue });
        }
      }
      return [];
    });
    return faults;
  }
}

/** The facts about the text that a visitor was shown, as a record stores them. */
type ShownValues = Pick<ConsentRecord, 'language' | 'noticeVersion' | 'shownHash'>;

/** The hashes of the texts of a version by language; none if it is missing. */
async function readShown(queries: Queries, tenantId: string, noticeId: string, version: number) {
  const match = { tenant_id: tenantId, notice_id: noticeId, version };
  const row = await findRow(queries, 'consent_notice_versions', match);
  try {
    return (JSON.parse(row?.shown ?? '{}') ?? {}) as Readonly<Record<string, string>>;
  } catch {
    // A modified version: `verifyVersions` reports it, too.
    return {};
  }
}

/** Compares what each notice repeats of its versions and records. One statement sees one state of the database. */
async function verifyNotices(queries: Queries, tenantId: string): Promise<readonly VersionFault[]> {
  const { rows } = await sql<NoticeRow & { readonly latest: number | null; readonly records: number }>`
    select id, version, record_count,
      (select max(version) from consent_notice_versions
        where tenant_id = ${tenantId} and notice_id = notice.id) as latest,
      (select count(*) from consent_records where tenant_id = ${tenantId} and notice_id = notice.id) as records
    from consent_notices as notice where tenant_id = ${tenantId} order by id`.execute(queries);
  return rows.flatMap(({ id: noticeId, version, record_count, latest, records }) => {
    const issues: string[] = [];
    if (version !== (latest ?? 0)) issues.push(`the latest version is ${latest ?? 'missing'}`);
    if (record_count !== records) issues.push(`the notice counts ${record_count} records, the ledger has ${records}`);
    return issues.map((issue) => ({ noticeId, version, issue }));
  });
}

/** The first publication of each version: a notice that is published again after archiving names its latest version again. */
async function readPublications(queries: Queries, tenantId: string): Promise<Map<string, Publication>> {
  const rows = await queries
    .selectFrom('audit_events')
    .select(['sequence', 'entry'])
    .where('tenant_id', '=', tenantId)
    .where('module', '=', 'consent')
    .where(sql<boolean>`substr(entry, 1, ${published.length}) = ${published}`)
    .orderBy('sequence')
    .execute();
  const publications = new Map<string, Publication>();
  for (const { sequence, entry } of rows) {
    try {
      const { targetId: noticeId, diff } = JSON.parse(entry);
      const { version, contentHash, publishedAt, asksSince, shown } = diff;
      const name = namePart(noticeId, version);
      const publication = { sequence, noticeId, version, contentHash, publishedAt, asksSince, shown };
      if (!publications.has(name)) publications.set(name, publication);
    } catch {
      // A modified event: verifying the chain reports it.
    }
  }
  return publications;
}

/** The start of the canonical text of a publication: `action` is the first of its keys. */
const published = '{"action":"consent_notice.published",';

/** @param part the number of a version, or the hash of a text. */
function namePart(noticeId: string, part: number | string): string {
  return `${noticeId} ${part}`;
}
