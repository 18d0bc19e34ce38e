import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUser } from '../../accounts/members/invitations.ts';
import { createTenant } from '../../accounts/tenants/store.ts';
import { rateReadiness, rateTestHealth } from '../../controls/overview.ts';
import { controlStatuses } from '../../controls/status.ts';
import { readControls } from '../../controls/store.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { seedControls } from '../../site/demo/seed-controls.ts';
import { runTransaction } from '../../storage/database.ts';
import { describeOnOneDatabase, openTestInstallation } from '../harness.ts';
import { runVerify } from '../ledger/fixture.ts';

describeOnOneDatabase('the control framework of the demo', (dialect) => {
  test('shows every status, freshness and result, with owners, as ordinary changes would leave it', async () => {
    await using installation = await openTestInstallation(dialect);
    const { database, clock } = installation;
    const { id } = await runTransaction(database, clock(), (tx) => createTenant(tx, { slug: 'demo', name: 'Demo' }));
    const { tenantId, userId } = await runTransaction(database, clock(), async (tx) => {
      const source = systemSource(id);
      const admin = await createUser(tx, source, { email: 'a@demo.example', role: 'admin', passwordHash: 'hash' });
      await seedControls(tx, source, admin?.userId as string);
      return { tenantId: id, userId: admin?.userId };
    });
    const framework = await readControls(database.kysely, tenantId, clock());
    const { controls } = framework;
    const seen = new Set(controls.map(({ control }) => control.status));
    assert.deepEqual([...seen].sort(), [...controlStatuses].sort());
    const { frameworkReadiness, score } = rateReadiness(framework);
    assert.deepEqual(Object.keys(frameworkReadiness), ['GDPR', 'ISO27001', 'SOC2']);
    assert.ok(score > 20 && score < 80, `${score}`);
    const { summary } = rateTestHealth(controls, clock());
    const { missingTests: _, ...shown } = summary;
    for (const [name, count] of Object.entries(shown)) assert.ok(count > 0, name);
    assert.ok(summary.dueTests < summary.totalControls);
    assert.equal(controls.filter(({ template }) => template === null).length, 2);
    const owners = new Set(controls.map(({ control }) => control.ownerUserId));
    assert.deepEqual([...owners].sort(), [userId, null].sort());
    for (const { control, row } of controls) {
      for (const time of [control.lastTestedAt, row.reviewed_at, row.created_at]) assert.ok((time ?? '') <= clock());
    }
    assert.equal((await runVerify(installation)).report.intact, true);
  });
});
