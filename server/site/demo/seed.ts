import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../accounts/keys/api-key-store.ts';
import { rotateScimToken } from '../../accounts/keys/scim-token.ts';
import { findOrCreateAccount } from '../../accounts/members/account-store.ts';
import { createUser } from '../../accounts/members/invitations.ts';
import { createTenant, findTenant, hasTenants } from '../../accounts/tenants/store.ts';
import { Domain, NoticeContent } from '../../consent/notice.ts';
import { createNotice, publishNotice } from '../../consent/notice-changes.ts';
import type { AuditSource } from '../../http/principal.ts';
import { scopes } from '../../http/roles.ts';
import type { Installation } from '../../installation/installation.ts';
import { randomText } from '../../installation/token.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { signCheckpoint } from '../../ledger/checkpoint-store.ts';
import { SettingsError } from '../../settings.ts';
import type { Clock } from '../../storage/clock.ts';
import { addTime, type Database, dayMilliseconds, runTransaction, type Transaction } from '../../storage/database.ts';
import { makeFolder } from '../../storage/make-folder.ts';
import { DatabaseUnavailable } from '../../storage/unavailable.ts';
import { createEndpoint } from '../../webhooks/endpoints/changes.ts';
import { EndpointInput } from '../../webhooks/endpoints/endpoint.ts';
import { replaceTrustCenter } from '../trust/store.ts';
import { TrustCenterInput } from '../trust/trust-center.ts';
import { seedControls } from './seed-controls.ts';

/** The port of `npm run receiver`. */
export const receiverPort = 8789;

/** The credentials of the demo, shown once. `webhookSecret` is missing if webhooks must not go to private addresses. */
export type DemoCredentials = NonNullable<Awaited<ReturnType<typeof seedDemo>>>;

/** The user whom the start link signs in. */
export const adminEmail = 'admin@demo.example';

/** The file in the data folder with the credentials of the demo. */
export const credentialsFile = 'demo-credentials.json';

/**
 * Creates the demo tenant in a database without tenants: an administrator, an API key with every scope, a SCIM token, a
 * published notice for this server, controls with evidence, a published trust center, a signed checkpoint and a webhook
 * for a receiver on this machine.
 * @returns the credentials, also written to `demo-credentials.json` (mode 0600); null if there are tenants.
 * @throws {SettingsError} if no notice can belong to the address of this server.
 */
export async function seedDemo(installation: Installation, baseUrl: string) {
  const { database, clock, settings } = installation;
  if (await hasTenants(database.kysely)) return null;
  const notice = demoNotice(baseUrl);
  // Before the commit: credentials that cannot be written would be lost.
  makeFolder(settings.dataDir);
  const adminPassword = randomText(24);
  const passwordHash = await installation.passwords.hash(adminPassword);
  const make = async (tx: Transaction) => {
    // Accounts are locked before tenants.
    await tx.lockAccount((await findOrCreateAccount(tx, adminEmail)).id);
    const { id: tenantId, slug: tenantSlug } = await createTenant(tx, { slug: 'demo', name: 'Demo', isDemo: true });
    const wanted = { tenantId, name: 'Demo key', environment: 'live', scopes, expiresAt: null } as const;
    const { key: apiKey } = await createApiKey(tx, wanted);
    const source = systemSource(tenantId);
    const admin = await createUser(tx, source, { email: adminEmail, role: 'admin', passwordHash });
    const { token: scimToken } = await rotateScimToken(tx, source);
    const { id: noticeId } = await createNotice(tx, source, notice);
    await publishNotice(tx, source, noticeId);
    await replaceTrustCenter(tx, source, tenantSlug, TrustCenterInput.parse(demoTrustCenter(tx.now)));
    if (admin !== undefined) await seedControls(tx, source, admin.userId);
    // The trust page shows a proof of the audit log at once.
    await signCheckpoint(tx, installation, { tenantId, ledger: 'audit' });
    // Last, so that the receiver gets no events of the seed itself.
    const webhookSecret = settings.webhooks.allowPrivate ? await seedWebhook(tx, source, installation) : undefined;
    const created = { baseUrl, tenantId, tenantSlug, adminEmail, adminPassword, apiKey, scimToken, noticeId };
    return { ...created, ...(webhookSecret !== undefined && { webhookSecret }) };
  };
  const credentials = await runOnce(database, clock, make);
  if (credentials === null) return null;
  // An existing file would keep its mode.
  rmSync(join(settings.dataDir, credentialsFile), { force: true });
  writeFileSync(join(settings.dataDir, credentialsFile), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  return credentials;
}

/** How often a server waits, for the time of a lock, for another that seeds the same database. */
const mostWaits = 10;

/** Creates the demo unless another server that starts at the same time does. @returns null if the other did. */
async function runOnce<Result>(
  database: Database,
  clock: Clock,
  make: (tx: Transaction) => Promise<Result>,
): Promise<Result | null> {
  for (let waits = 1; ; waits += 1) {
    try {
      return await runTransaction(database, clock(), make);
    } catch (error) {
      if ((await findTenant(database.kysely, 'demo')) !== undefined) return null;
      const isBeingMade = error instanceof DatabaseUnavailable && error.isRowLock;
      if (!isBeingMade || waits === mostWaits) throw error;
    }
  }
}

const demoPurposes = [
  ['Necessary', 'Keeps the site working: sign-in, security and the record of this choice.'],
  ['Analytics', 'Counts visits, so that we learn which pages help and which do not.'],
  ['Marketing', 'Shows you our offers on other sites and measures whether they worked.'],
].map(([label = '', description], index) => ({ key: label.toLowerCase(), label, description, required: index === 0 }));

/** The notice of the demo, for the site at an address. */
export function demoNotice(baseUrl: string): NoticeContent {
  return NoticeContent.parse({
    name: 'Your privacy on this site',
    controllerName: 'Demo Company Ltd',
    language: 'en',
    domain: readDomain(baseUrl),
    purposes: demoPurposes,
  });
}

/** Only browsers would reject a notice for another host, so it is rejected here. */
function readDomain(baseUrl: string): string {
  const domain = Domain.safeParse(new URL(baseUrl).hostname);
  if (domain.success) return domain.data;
  throw new SettingsError(
    `A notice cannot belong to ${baseUrl}, so the demo page cannot run there. Set SVC_BASE_URL to a host name with a dot (http://nas.local:8787), an IPv4 address or localhost, or start without the demo: npx @svc/server serve`,
  );
}

/** Sends the events of the demo to a receiver on this machine. @returns the signing secret. */
async function seedWebhook(tx: Transaction, source: AuditSource, { box }: Installation): Promise<string> {
  const rules = { box, policy: { allowPrivate: true } };
  const input = EndpointInput.parse({ url: `http://127.0.0.1:${receiverPort}/`, description: 'npm run receiver' });
  const { secret } = await createEndpoint(tx, source, rules, input);
  return secret;
}

/** The trust center of the demo, with dates relative to the present. */
function demoTrustCenter(now: string) {
  const inDays = (days: number) => addTime(now, days * dayMilliseconds);
  return {
    published: true,
    headline: 'How we look after the data that you leave with us',
    description: [
      'This is the trust center of a company that does not exist. It shows what yours could look like: one request replaces it, and you write every word on this page.',
      'We keep personal data in the European Union, encrypt it at rest and in transit, and delete it when its purpose has passed. Two people review every change of the systems that hold it.',
    ].join('\n\n'),
    contactEmail: 'privacy@demo.example',
    securityContact: 'https://www.example.com/security/report',
    frameworks: [
      { code: 'GDPR', achievedAt: inDays(-412) },
      {
        code: 'ISO27001',
        achievedAt: inDays(-187),
        expiresAt: inDays(908),
        reportUrl: 'https://www.example.com/reports/statement-of-applicability.pdf',
      },
      { code: 'SOC2', achievedAt: inDays(-96), expiresAt: inDays(269) },
    ],
    links: [
      { label: 'Privacy policy', url: 'https://www.example.com/privacy' },
      { label: 'Data processing agreement', url: 'https://www.example.com/legal/dpa.pdf' },
      { label: 'Security overview', url: 'https://www.example.com/security' },
      { label: 'System status', url: 'https://status.example.com/' },
    ],
    subprocessors: [
      { name: 'Example Cloud GmbH', purpose: 'Servers and backups of the service', country: 'Germany' },
      { name: 'Example Mail AB', purpose: 'Delivery of messages to customers', country: 'Sweden' },
      { name: 'Example Desk Ltd', purpose: 'Help desk for customers', country: 'Ireland' },
      { name: 'Example Pay B.V.', purpose: 'Invoices and payments', country: 'Netherlands' },
    ],
    showsProof: true,
  };
}
