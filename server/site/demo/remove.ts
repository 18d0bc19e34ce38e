import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { otherTenantsOf } from '../../accounts/credentials.ts';
import { deleteKey, revokeKey } from '../../accounts/keys/api-key-changes.ts';
import { findReachingKeys } from '../../accounts/keys/api-key-store.ts';
import { revokeScimToken } from '../../accounts/keys/scim-token.ts';
import { closeInvitations } from '../../accounts/members/invitation-store.ts';
import { endDemo, findDemo, requireIntactTenants } from '../../accounts/tenants/store.ts';
import { archiveNotice } from '../../consent/notice-changes.ts';
import type { Installation } from '../../installation/installation.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { continueUserErasure, eraseUser } from '../../privacy/erasure/user-store.ts';
import { runTransaction } from '../../storage/database.ts';
import { holds } from '../../storage/secrets.ts';
import { deleteEndpoint } from '../../webhooks/endpoints/changes.ts';
import { replaceTrustCenter } from '../trust/store.ts';
import { TrustCenterInput } from '../trust/trust-center.ts';
import { credentialsFile } from './seed.ts';

const reason = 'The demo was removed';

/**
 * Removes the demo tenant: its members with their accounts and sessions, keys, SCIM token, invitations, webhooks, public
 * pages and notices, and the file with the credentials. Its ledgers stay, because they are append-only.
 * @returns the id of the tenant; null if there is none.
 * @throws {BrokenSeal} if there is none, and a tenant that something else changed may be it.
 */
export async function removeDemo({ database, clock, box, settings }: Installation): Promise<string | null> {
  const demo = await findDemo(database.kysely);
  if (demo === undefined) {
    await requireIntactTenants(database.kysely);
    return null;
  }
  const { id: tenantId, slug } = demo;
  const source = systemSource(tenantId);
  await runTransaction(database, clock(), async (tx) => {
    const { queries } = tx;
    const rows = queries.selectFrom('memberships').selectAll().where('tenant_id', '=', tenantId);
    const members = [];
    // Accounts are locked before tenants, in the order of their ids.
    for (const member of await rows.orderBy('user_id').execute())
      members.push({ member, email: (await tx.lockAccount(member.user_id)).email });
    const keys = await findReachingKeys(queries, tenantId);
    await tx.lockTenant(tenantId, ...keys.flatMap((key) => [key.tenant_id, ...otherTenantsOf(key)]));
    const select = <Name extends 'webhook_endpoints' | 'invitations' | 'consent_notices'>(table: Name) =>
      queries
        .selectFrom(table as 'webhook_endpoints')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .orderBy('id');
    // Webhooks first, so that no receiver gets events of the removal.
    for (const { id } of await select('webhook_endpoints').where('deleted_at', 'is', null).execute())
      await deleteEndpoint(tx, source, id);
    for (const key of keys) {
      if (holds(queries, 'api_keys', key)) await revokeKey(tx, tenantId, systemSource, key.id);
      else if (key.tenant_id === tenantId) await deleteKey(tx, source, key.id);
    }
    await revokeScimToken(tx, source);
    for (const { id } of await select('invitations').execute())
      await closeInvitations(tx, source, 'revoked', { id }, reason);
    for (const person of members) await eraseUser(tx, box, source, person, reason, true);
    await replaceTrustCenter(tx, source, slug, TrustCenterInput.parse({ published: false }));
    for (const { id } of await select('consent_notices').execute()) await archiveNotice(tx, source, id);
    await endDemo(tx, source);
  });
  while (await continueUserErasure(database, box, clock()));
  rmSync(join(settings.dataDir, credentialsFile), { force: true });
  return tenantId;
}
