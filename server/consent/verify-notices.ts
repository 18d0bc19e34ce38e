import type { Queries } from '../storage/database.ts';
import { hashContent } from './notice.ts';

/** A published version that is not as it was published. */
export interface VersionFault {
  readonly noticeId: string;
  readonly version: number;
  readonly issue: string;
}

/** Checks every published version of a tenant against its hash, which the records repeat. */
export async function verifyVersions(
  queries: Queries,
  tenantId: string,
): Promise<{ readonly versions: number; readonly faults: readonly VersionFault[] }> {
  const rows = await queries
    .selectFrom('consent_notice_versions')
    .select(['notice_id', 'version', 'content', 'content_hash'])
    .where('tenant_id', '=', tenantId)
    .execute();
  const faults = rows
    .filter((row) => hashContent(row.content) !== row.content_hash)
    .map((row) => ({ noticeId: row.notice_id, version: row.version, issue: 'the hash does not fit the content' }));
  return { versions: rows.length, faults };
}
