import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeServer } from '../consent/helpers.ts';
import { runVerify } from '../ledger/fixture.ts';
import { base, ControlClient } from './helpers.ts';
import { steps, takeStep } from './random-steps.ts';
import { readStored, recountControls, recountTotals } from './recount.ts';

type Payload = Readonly<Record<string, unknown>>;
type Items = readonly (Payload & { readonly id: string; readonly mappedFrameworks: readonly Payload[] })[];

describeServer('after random changes over years', (server) => {
  test('every count of the four operations equals a recount of the rows', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        const client = new ControlClient(server, await server.createTenant(`t${randomUUID()}`));
        for (const step of taken) await takeStep(server, client.tenant.id, step);
        await assertRecounts(client);
      }),
      { numRuns: 10 },
    );
    // And every row equals its state in the audit log.
    const { report } = await runVerify(server.installation);
    assert.deepEqual(
      report.tenants.flatMap(({ rows }) => rows.faults),
      [],
    );
  });

  async function assertRecounts(client: ControlClient): Promise<void> {
    const stored = await readStored(server.installation.database, client.tenant.id);
    const recounted = recountControls(stored, server.clock.now());
    const totals = recountTotals(recounted);
    const [list, readiness, health, frameworks] = [
      await client.read(),
      await client.read(`${base}/readiness`),
      await client.read(`${base}/test-health`),
      await client.read(`${base}/frameworks`),
    ];
    assert.deepEqual(list.summary, totals.list);
    const { frameworkReadiness, domainReadiness, ...whole } = readiness;
    assert.deepEqual(whole, totals.readiness);
    assert.deepEqual(sortEntries(Object.entries(frameworkReadiness)), sortEntries(totals.frameworks));
    assert.deepEqual(sortEntries(Object.entries(domainReadiness)), sortEntries(totals.domains));
    assert.deepEqual(health.summary, totals.health);

    const expected = new Map(recounted.controls.map((control) => [control.id, control]));
    assert.equal(list.items.length, expected.size);
    for (const { id, mappedFrameworks, ...item } of list.items as Items) {
      const { dueTests: _, frameworks: mapped, ...fields } = expected.get(id) as (typeof recounted.controls)[number];
      assert.deepEqual({ ...item, ...fields, id }, { ...item, id });
      assert.deepEqual(
        mappedFrameworks.map(({ code }) => code),
        mapped,
      );
    }
    for (const { scheduledRuns, ...item } of health.items) {
      const { nextReviewAt: _, frameworks: _mapped, ...fields } = expected.get(item.id) as never as Payload;
      assert.deepEqual({ ...item, ...fields }, item);
      assert.equal(scheduledRuns.length, item.testCount);
      assert.equal(scheduledRuns.filter(({ isDue }: { isDue: boolean }) => isDue).length, item.dueTests);
    }
    assertAgree({ list, readiness, health });
    assert.ok(frameworks.items.length >= list.summary.frameworks);
  }
});

// biome-ignore lint/suspicious/noExplicitAny: payloads of three operations
function assertAgree({ list, readiness, health }: Readonly<Record<'list' | 'readiness' | 'health', any>>): void {
  const total = readiness.totalControls;
  const { summary } = health;
  const sumOf = (groups: object, name: string) =>
    Object.values(groups).reduce((sum, group) => sum + (group as Record<string, number>)[name], 0);
  assert.equal(summary.totalControls, total);
  assert.equal(health.items.length, total);
  assert.equal(list.items.length, list.summary.tenantControls);
  assert.equal(list.summary.needsEvidence, summary.needsEvidence);
  assert.equal(list.summary.failing, summary.failing);
  assert.equal(summary.failing + summary.warning + summary.passing + summary.unknown, total);
  const { currentEvidence, staleEvidence, expiredEvidence, missingEvidence } = summary;
  assert.equal(currentEvidence + staleEvidence + expiredEvidence + missingEvidence, total);
  assert.equal(sumOf(readiness.domainReadiness, 'total'), total);
  assert.equal(sumOf(readiness.domainReadiness, 'accepted'), readiness.acceptedControls);
  assert.equal(sumOf(readiness.domainReadiness, 'open'), readiness.openEvidenceRequests);
  assert.equal(sumOf(readiness.domainReadiness, 'overdue'), readiness.overdueEvidenceRequests);
  assert.ok(readiness.overdueEvidenceRequests <= readiness.openEvidenceRequests);
  assert.ok(readiness.acceptedControls <= list.summary.implemented);
  assert.equal(readiness.score === 100, total > 0 && readiness.acceptedControls === total);
}

function sortEntries(entries: readonly (readonly unknown[])[]) {
  return [...entries].sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}
