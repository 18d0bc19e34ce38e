import { createApiKey } from '../../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../../accounts/keys/scim-token.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { NoticeContent } from '../../consent/notice.ts';
import { createNotice, publishNotice } from '../../consent/notice-changes.ts';
import { scopes } from '../../http/roles.ts';
import { openInstallation } from '../../installation/installation.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { readSettings } from '../../settings.ts';
import { runTransaction } from '../../storage/database.ts';
import type { ProcessSettings } from '../crash/server-process.ts';
import { noticeContent } from '../harness.ts';

/** A tenant that the load works on. */
export interface LoadedTenant {
  readonly id: string;
  readonly slug: string;
  /** A key with every scope. */
  readonly apiKey: string;
  readonly scimToken: string;
  /** The ids of its published notices. */
  readonly notices: readonly string[];
  /** What the pages of its visitors send as `Origin`. */
  readonly origin: string;
}

/** Fills an empty database before the servers start. @param notices how many of all tenants together. */
export async function createTenants(
  settings: ProcessSettings,
  count: number,
  notices: number,
): Promise<readonly LoadedTenant[]> {
  await using installation = await openInstallation(readSettings({ ...settings, SVC_LOG_LEVEL: 'silent' }));
  const tenants: LoadedTenant[] = [];
  for (let index = 0; index < count; index += 1) {
    const slug = `tenant-${index + 1}`;
    const domain = `${slug}.example`;
    const ofTenant = Math.floor(notices / count) + (index < notices % count ? 1 : 0);
    tenants.push(
      await runTransaction(installation.database, installation.clock(), async (tx) => {
        const { id } = await createTenant(tx, { slug, name: slug });
        const source = systemSource(id);
        const wanted = { tenantId: id, name: 'load', environment: 'live', scopes, expiresAt: null } as const;
        const { key: apiKey } = await createApiKey(tx, wanted);
        const { token: scimToken } = await rotateScimToken(tx, source);
        const ids: string[] = [];
        while (ids.length < ofTenant) {
          const content = NoticeContent.parse({ ...noticeContent, name: `Page ${ids.length + 1}`, domain });
          const { id: noticeId } = await createNotice(tx, source, content);
          await publishNotice(tx, source, noticeId);
          ids.push(noticeId);
        }
        return { id, slug, apiKey, scimToken, notices: ids, origin: `https://${domain}` };
      }),
    );
  }
  return tenants;
}
