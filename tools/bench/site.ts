import { randomBytes, randomUUID } from 'node:crypto';
import { createApiKey } from '../../server/accounts/keys/api-key-store.ts';
import { createTenant } from '../../server/accounts/tenants/store.ts';
import { createNotice, publishNotice } from '../../server/consent/notice-changes.ts';
import type { RecordDraft } from '../../server/consent/record.ts';
import { appendRecords } from '../../server/consent/record-store.ts';
import { type Installation, openInstallation } from '../../server/installation/installation.ts';
import { systemSource } from '../../server/ledger/audit/store.ts';
import { readSettings } from '../../server/settings.ts';
import { demoNotice } from '../../server/site/demo/seed.ts';
import { type Database, runTransaction } from '../../server/storage/database.ts';
import { newId } from '../../server/storage/rows.ts';

/** An installation with a tenant that has a published notice. */
export interface Site {
  readonly dataDir: string;
  readonly tenantId: string;
  readonly noticeIds: readonly string[];
  readonly noticeId: string;
  /** A key that may read. */
  readonly key: string;
}

/** Where the visitors come from. */
export const siteOrigin = 'https://www.example.com';

const content = demoNotice('https://example.com');

/** Opens the installation of a folder, on SQLite unless a PostgreSQL is named. */
export function openSite(dataDir: string, databaseUrl = ''): Promise<Installation> {
  return openInstallation(readSettings({ SVC_DATA_DIR: dataDir, DATABASE_URL: databaseUrl }));
}

/** Puts a tenant with published notices into an empty installation. */
export async function createSite(
  { database, clock, settings }: Installation,
  notices = 1,
  slug = 'bench',
): Promise<Site> {
  return runTransaction(database, clock(), async (tx) => {
    const { id: tenantId } = await createTenant(tx, { slug, name: 'Bench' });
    const source = systemSource(tenantId);
    const wanted = { tenantId, name: 'bench', environment: 'test', expiresAt: null } as const;
    const { key } = await createApiKey(tx, { ...wanted, scopes: ['consent:read'] });
    const noticeIds: string[] = [];
    for (let index = 0; index < notices; index += 1) {
      const { id } = await createNotice(tx, source, content);
      await publishNotice(tx, source, id);
      noticeIds.push(id);
    }
    return { dataDir: settings.dataDir, tenantId, noticeIds, noticeId: noticeIds[0] as string, key };
  });
}

/** A new installation in a folder, closed again: for a separate server. */
export async function prepareSite(dataDir: string, rows = 0): Promise<Site> {
  await using installation = await openSite(dataDir);
  const site = await createSite(installation);
  await fillLedger(installation.database, site, rows);
  return site;
}

/** Fills the ledger with visitors' decisions through the ledger itself, in transactions of ten thousand. */
export async function fillLedger(database: Database, site: Site, rows: number): Promise<void> {
  for (let done = 0; done < rows; done += 10_000) {
    const drafts = Array.from({ length: Math.min(10_000, rows - done) }, () => draftRecord(site));
    await runTransaction(database, new Date().toISOString(), (tx) => appendRecords(tx, drafts));
  }
}

const contentHash = randomBytes(32).toString('hex');

/** Decision of a visitor, ready for the ledger. */
export function draftRecord({ tenantId, noticeId }: Site): RecordDraft {
  return {
    id: newId(),
    tenantId,
    noticeId,
    noticeVersion: 1,
    noticeContentHash: contentHash,
    subjectId: randomUUID(),
    subjectChannel: null,
    kind: 'capture',
    withdrawsRecordId: null,
    method: 'banner',
    purposes: { analytics: true, marketing: false, necessary: true },
    otherPurposes: {},
    source: 'public',
    space: 'public',
    ipHash: randomBytes(32).toString('hex'),
    uaHash: randomBytes(32).toString('hex'),
    capturedAt: new Date().toISOString(),
  };
}
