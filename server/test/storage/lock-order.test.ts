import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { recordEvent, systemSource } from '../../ledger/audit/store.ts';
import { appendEntries } from '../../ledger/entry.ts';
import { runUnitOfWork, type UnitOfWork } from '../../storage/database.ts';
import { startTestServer, type TestServer } from '../harness.ts';

describe('the locks of a unit of work', () => {
  let server: TestServer;
  let accountIds: readonly string[];
  let tenantIds: readonly string[];
  before(async () => {
    server = await startTestServer();
    tenantIds = [server.tenant.id, (await server.createTenant('second')).id].sort();
    for (let count = 0; count < 2; count += 1) await server.createMember();
    const rows = await server.installation.database.kysely.selectFrom('users').select('id').orderBy('id').execute();
    accountIds = rows.map(({ id }) => id);
  });
  after(() => server[Symbol.asyncDispose]());

  const run = (step: (work: UnitOfWork) => Promise<unknown>) =>
    runUnitOfWork(server.installation.database, server.clock.now(), step);
  const event = { module: 'identity', action: 'user.tested', targetId: null, targetRef: null } as const;
  const record = (work: UnitOfWork, tenantId: string) => recordEvent(work, systemSource(tenantId), event);
  const appendConsent = (work: UnitOfWork, tenantId: string) =>
    appendEntries(work, 'consent', [{ tenantId, seal: () => assert.fail('not in order') }]);

  test('are taken in order: accounts by id, then tenants by id; a lock that is held can be taken again', async () => {
    await run(async (work) => {
      for (const id of accountIds) await work.lockAccount(id);
      await work.lockTenant(...tenantIds.toReversed());
      for (const id of accountIds) assert.equal((await work.lockAccount(id)).id, id);
      await record(work, tenantIds[0] as string);
    });
  });

  test('are rejected out of order, also those that an audit event or a consent record takes', async () => {
    const [account, otherAccount] = accountIds as [string, string];
    const [tenant, otherTenant] = tenantIds as [string, string];
    const wrong: readonly ((work: UnitOfWork) => Promise<unknown>)[] = [
      async (work) => [await work.lockTenant(tenant), await work.lockAccount(account)],
      async (work) => [await work.lockAccount(otherAccount), await work.lockAccount(account)],
      async (work) => [await work.lockTenant(otherTenant), await work.lockTenant(tenant)],
      async (work) => [await record(work, tenant), await work.lockAccount(account)],
      async (work) => [await record(work, otherTenant), await record(work, tenant)],
      async (work) => [await work.lockTenant(tenant), await appendConsent(work, tenant)],
    ];
    for (const step of wrong) await assert.rejects(run(step), /must be taken before/);
  });
});
