import { type Selectable, sql } from 'kysely';
import type { Queries } from '../storage/database.ts';
import type { Tables } from '../storage/tables.ts';
import { hashContent } from './notice.ts';

/** What is not as it was written: a published version, or a notice that disagrees with what belongs to it. */
export interface VersionFault {
  readonly noticeId: string;
  /** The published version; for a notice itself the number that it gives as its latest. */
  readonly version: number;
  readonly issue: string;
}

/** What the audit log says about the publication of a version. */
interface Publication {
  readonly sequence: number;
  readonly noticeId: string;
  readonly version: number;
  readonly contentHash: string;
  readonly publishedAt: string;
}

/**
 * Checks the published versions of a tenant against the audit log, which has each publication with its hash, and the
 * latest version and the counter of each notice against its rows. The audit log itself is checked by its chain.
 */
export async function verifyVersions(
  queries: Queries,
  tenantId: string,
): Promise<{ readonly versions: number; readonly faults: readonly VersionFault[] }> {
  // Versions that the server publishes meanwhile: what the log says now must be there in a moment, what is there must
  // be in the log a moment later.
  const settled = await readLastNumber(queries, tenantId);
  const rows = await queries
    .selectFrom('consent_notice_versions as row')
    .leftJoin('consent_notices as notice', 'notice.id', 'row.notice_id')
    .selectAll('row')
    .select('notice.id as notice')
    .where('row.tenant_id', '=', tenantId)
    .orderBy('row.notice_id')
    .orderBy('row.version')
    .execute();
  const publications = await readPublications(queries, tenantId);
  const faults: VersionFault[] = [];
  for (const row of rows) {
    const name = nameVersion(row.notice_id, row.version);
    const issue = findFault(row, publications.get(name));
    if (issue !== null) faults.push({ noticeId: row.notice_id, version: row.version, issue });
    publications.delete(name);
  }
  for (const { noticeId, version, sequence } of publications.values()) {
    if (sequence <= settled) faults.push({ noticeId, version, issue: 'the version is missing' });
  }
  return { versions: rows.length, faults: [...faults, ...(await verifyNotices(queries, tenantId))] };
}

function findFault(
  row: Selectable<Tables['consent_notice_versions']> & { readonly notice: string | null },
  publication: Publication | undefined,
): string | null {
  if (publication === undefined) return 'the audit log does not have its publication';
  if (row.content_hash !== publication.contentHash) return 'the audit log has another hash';
  if (row.published_at !== publication.publishedAt) return 'the audit log has another time';
  if (row.notice === null) return 'its notice is missing';
  return hashContent(row.content) === row.content_hash ? null : 'the hash does not fit the content';
}

/** Compares what each notice repeats of its versions and records. One statement sees one state of the database. */
async function verifyNotices(queries: Queries, tenantId: string): Promise<readonly VersionFault[]> {
  const notices = await queries
    .selectFrom('consent_notices as notice')
    .select(['id', 'version', 'record_count'])
    .select((row) => [
      row
        .selectFrom('consent_notice_versions as one')
        .whereRef('one.notice_id', '=', 'notice.id')
        .select((version) => version.fn.max('one.version').as('latest'))
        .as('latest'),
      row
        .selectFrom('consent_records as one')
        .whereRef('one.notice_id', '=', 'notice.id')
        .select((record) => record.fn.countAll<number>().as('records'))
        .as('records'),
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .execute();
  return notices.flatMap(({ id, version, record_count, latest, records }) => {
    const faults: VersionFault[] = [];
    if (version !== (latest ?? 0))
      faults.push({ noticeId: id, version, issue: `the latest version is ${latest ?? 'missing'}` });
    if (record_count !== records)
      faults.push({
        noticeId: id,
        version,
        issue: `the notice counts ${record_count} records, the ledger has ${records}`,
      });
    return faults;
  });
}

async function readLastNumber(queries: Queries, tenantId: string): Promise<number> {
  const row = await queries
    .selectFrom('audit_events')
    .select('sequence')
    .where('tenant_id', '=', tenantId)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.sequence ?? 0;
}

/** The first publication of each version; reopening a notice logs its latest version once more. */
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
    const publication = readPublication(sequence, entry);
    if (publication === null) continue;
    const name = nameVersion(publication.noticeId, publication.version);
    if (!publications.has(name)) publications.set(name, publication);
  }
  return publications;
}

/** How the canonical text of a publication begins: `action` is the first of its keys. */
const published = '{"action":"consent_notice.published",';

/** Null for an event that was changed: its chain reports that. */
function readPublication(sequence: number, entry: string): Publication | null {
  try {
    const { targetId, diff } = JSON.parse(entry);
    const { version, contentHash, publishedAt } = diff;
    return { sequence, noticeId: targetId, version, contentHash, publishedAt };
  } catch {
    return null;
  }
}

function nameVersion(noticeId: string, version: number): string {
  return `${noticeId} ${version}`;
}
