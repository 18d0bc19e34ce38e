import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../access/api-key-store.ts';
import { rotateScimToken } from '../access/scim-token-store.ts';
import { systemSource } from '../audit/source.ts';
import { Domain } from '../consent/domain.ts';
import { NoticeContent } from '../consent/notice.ts';
import { createNotice, publishNotice } from '../consent/notice-changes.ts';
import { createUser } from '../identity/create-user.ts';
import type { Installation } from '../installation/installation.ts';
import { randomText } from '../installation/token.ts';
import { signCheckpoint } from '../ledger/checkpoint-store.ts';
import { scopes } from '../principal/scopes.ts';
import { SettingsError } from '../settings.ts';
import type { Clock } from '../storage/clock.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseUnavailable } from '../storage/unavailable.ts';
import { runUnitOfWork, type UnitOfWork } from '../storage/unit-of-work.ts';
import { createTenant, findTenant, listTenants } from '../tenants/store.ts';
import { seedControls } from './seed-controls.ts';
import { seedTrust } from './seed-trust.ts';
import { seedWebhook } from './seed-webhook.ts';

/** What the first start of the demo makes, to be shown once. */
export interface DemoCredentials {
  readonly baseUrl: string;
  readonly tenantId: string;
  readonly tenantSlug: string;
  readonly adminEmail: string;
  readonly adminPassword: string;
  readonly apiKey: string;
  readonly scimToken: string;
  readonly noticeId: string;
  /** Signs what is sent to the receiver of the demo; missing where webhooks may not go to this machine. */
  readonly webhookSecret?: string;
}

const adminEmail = 'admin@demo.example';

/** The file in the data folder that keeps the credentials of the demo. */
export const credentialsFile = 'demo-credentials.json';

/**
 * Makes the demo tenant on a database without tenants: an administrator, a key with every scope, a SCIM token, a
 * published notice for this server, controls with their evidence, a published trust center, a signed checkpoint and a
 * webhook for a receiver on this machine.
 * @returns the credentials, also written to `demo-credentials.json` (mode 0600); null when there are tenants already.
 * @throws {SettingsError} when no notice can belong to the address of this server.
 */
export async function seedDemo(installation: Installation, baseUrl: string): Promise<DemoCredentials | null> {
  const { database, clock, settings } = installation;
  if ((await listTenants(database.kysely)).length > 0) return null;
  const notice = demoNotice(baseUrl);
  // Before anything is committed: credentials that cannot be written are lost.
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const adminPassword = randomText(24);
  const passwordHash = await installation.passwords.hash(adminPassword);
  const make = async (work: UnitOfWork): Promise<DemoCredentials> => {
    const tenant = await createTenant(work, { slug: 'demo', name: 'Demo' });
    const { key } = await createApiKey(work, {
      tenantId: tenant.id,
      name: 'Demo key',
      environment: 'live',
      scopes,
      expiresAt: null,
    });
    const source = systemSource(tenant.id);
    const admin = await createUser(work, source, { email: adminEmail, role: 'admin', passwordHash });
    const { token: scimToken } = await rotateScimToken(work, source);
    const { id: noticeId } = await createNotice(work, source, notice);
    await publishNotice(work, source, noticeId);
    await seedTrust(work, source, tenant.slug);
    if (admin !== undefined) await seedControls(work, source, admin.userId);
    // The trust page shows the proof of the audit log from the first moment.
    await signCheckpoint(work, installation, { tenantId: tenant.id, ledger: 'audit' });
    // Last, so that the receiver is not told of all that was made before it.
    const webhookSecret = settings.webhooks.allowPrivate ? await seedWebhook(work, source, installation) : undefined;
    const { id: tenantId, slug: tenantSlug } = tenant;
    return {
      baseUrl,
      tenantId,
      tenantSlug,
      adminEmail,
      adminPassword,
      apiKey: key,
      scimToken,
      noticeId,
      ...(webhookSecret !== undefined && { webhookSecret }),
    };
  };
  const credentials = await runOnce(database, clock, make);
  if (credentials === null) return null;
  // A file that is there would keep its mode.
  rmSync(join(settings.dataDir, credentialsFile), { force: true });
  writeFileSync(join(settings.dataDir, credentialsFile), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return credentials;
}

/** How often a server waits for another that seeds the same database; each wait is as long as that for a lock. */
const mostWaits = 10;

/** Makes the demo unless another server that started at the same moment does. @returns null when the other did. */
async function runOnce<Result>(
  database: Database,
  clock: Clock,
  make: (work: UnitOfWork) => Promise<Result>,
): Promise<Result | null> {
  for (let waits = 1; ; waits += 1) {
    try {
      return await runUnitOfWork(database, clock(), make);
    } catch (error) {
      if ((await findTenant(database.kysely, 'demo')) !== undefined) return null;
      const isBeingMade = error instanceof DatabaseUnavailable && error.isRowLock;
      if (!isBeingMade || waits === mostWaits) throw error;
    }
  }
}

/** The notice of the demo, for the site at an address. */
export function demoNotice(baseUrl: string): NoticeContent {
  return NoticeContent.parse({
    name: 'Your privacy on this site',
    controllerName: 'Demo Company Ltd',
    language: 'en',
    domain: readDomain(baseUrl),
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

/** The site that the demo page is. Nobody but its browser would refuse a notice for another one, so it is refused here. */
function readDomain(baseUrl: string): string {
  const domain = Domain.safeParse(new URL(baseUrl).hostname);
  if (domain.success) return domain.data;
  throw new SettingsError(
    `A notice cannot belong to ${baseUrl}, so the demo page cannot be there. Give SVC_BASE_URL a host name with a dot (http://nas.local:8787), an IPv4 address or localhost, or start without the demo: npx @svc/server serve`,
  );
}
