import assert from 'node:assert/strict';
import { changingRows } from '../../../ledger/audit/rows.ts';
import { verifyChain } from '../../../proofs/verify-chain.ts';
import { RowStates, verifyRows } from '../../../proofs/verify-rows.ts';
import type { TestServer } from '../../harness.ts';

/** The details of the events of the module `mfa` about a person, oldest first, as a tenant reads them. */
export async function readTenantEvents(server: TestServer, key: string, userId: string) {
  const { body } = await server.request('GET', '/v1/audit?module=mfa&limit=200', { key });
  const ids = body.data.items
    .filter(({ targetId }: { readonly targetId: string }) => targetId === userId)
    .map(({ id }: { readonly id: string }) => id)
    .reverse();
  const details = ids.map(async (id: string) => (await server.request('GET', `/v1/audit/${id}`, { key })).body.data);
  return Promise.all(details);
}

/** The webhook events of a tenant about the second factor of a user, in order. */
export async function readOutbox(server: TestServer, tenantId: string, userId: string) {
  const rows = await server.installation.database.kysely
    .selectFrom('webhook_events')
    .select(['type', 'data'])
    .where('tenant_id', '=', tenantId)
    .where('type', 'in', ['mfa.enabled', 'mfa.disabled'])
    .orderBy('id')
    .execute();
  return rows.map(({ type, data }) => ({ type, data: JSON.parse(data) })).filter(({ data }) => data.userId === userId);
}

/** Asserts what `svc verify` checks: that the audit chains of tenants are intact and match every row. */
export async function verifyTenantRows(server: TestServer, ...tenantIds: readonly string[]): Promise<void> {
  const { kysely } = server.installation.database;
  for (const tenantId of tenantIds) {
    const states = new RowStates();
    const { fault } = await verifyChain(kysely, 'audit', tenantId, undefined, ({ entry }) => states.read(entry));
    assert.equal(fault, null);
    assert.deepEqual((await verifyRows(kysely, changingRows, tenantId, states)).faults, []);
  }
}
