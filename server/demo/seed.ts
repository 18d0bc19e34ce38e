import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scopes } from '../access/scopes.ts';
import { createApiKey } from '../access/store.ts';
import { systemSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { NoticeContent } from '../consent/notice.ts';
import { createNotice, publishNotice } from '../consent/notice-changes.ts';
import type { Installation } from '../installation.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import { createTenant, listTenants } from '../tenants/store.ts';

/** What the first start of the demo makes, to be shown once. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly apiKey: string;
  readonly noticeId: string;
}

/** The file in the data folder that keeps the credentials of the demo. */
export const credentialsFile = 'demo-credentials.json';

/**
 * Makes the demo tenant on a database without tenants: a key with every scope and a published notice for this server.
 * @returns the credentials, also written to `demo-credentials.json` (mode 0600); null when there are tenants already.
 */
export async function seedDemo(installation: Installation, baseUrl: string): Promise<DemoCredentials | null> {
  const { database, clock, settings } = installation;
  if ((await listTenants(database.kysely)).length > 0) return null;
  const credentials = await runUnitOfWork(database, clock(), async (work) => {
    const tenant = await createTenant(work, { slug: 'demo', name: 'Demo' });
    const source = systemSource(tenant.id);
    await recordEvent(work, source, {
      module: 'tenants',
      action: 'tenant.created',
      targetId: tenant.id,
      targetRef: tenant.slug,
    });
    const { id, key } = await createApiKey(work, {
      tenantId: tenant.id,
      name: 'Demo key',
      environment: 'live',
      scopes,
      expiresAt: null,
    });
    await recordEvent(work, source, {
      module: 'access',
      action: 'api_key.created',
      targetId: id,
      targetRef: 'Demo key',
      diff: { scopes },
    });
    const notice = await createNotice(work, source, demoNotice(baseUrl));
    await publishNotice(work, source, notice.id);
    return { baseUrl, tenantId: tenant.id, tenantSlug: tenant.slug, apiKey: key, noticeId: notice.id };
  });
  writeFileSync(join(settings.dataDir, credentialsFile), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return credentials;
}

function demoNotice(baseUrl: string): NoticeContent {
  return NoticeContent.parse({
    name: 'Your privacy on this site',
    controllerName: 'Demo Company Ltd',
    language: 'en',
    domain: new URL(baseUrl).hostname,
    purposes: [
      {
        key: 'necessary',
        label: 'Necessary',
        description: 'Keeps the site working: sign-in, security and the record of this choice.',
        required: true,
      },
      {
        key: 'analytics',
        label: 'Analytics',
        description: 'Counts visits, so that we learn which pages help and which do not.',
        required: false,
      },
      {
        key: 'marketing',
        label: 'Marketing',
        description: 'Shows you our offers on other sites and measures whether they worked.',
        required: false,
      },
    ],
  });
}
