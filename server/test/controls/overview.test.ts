import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertProblem } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';

/** The fields of spec.md, as it writes them. */
const fields = {
  controlSummary: 'catalogControls tenantControls implemented needsEvidence failing frameworks',
  control:
    'id controlId code title description domain status cadence ownerUserId evidenceFreshness latestResultStatus lastTestedAt nextReviewAt mappedFrameworks evidenceCount testCount resultCount',
  framework:
    'code name description jurisdiction versionLabel category scopeSummary assuranceBoundary allowedClaim prohibitedClaims',
  readiness:
    'score totalControls acceptedControls openEvidenceRequests overdueEvidenceRequests frameworkReadiness domainReadiness',
  readinessGroup: 'total accepted submitted open overdue score',
  healthSummary:
    'totalControls failing warning passing unknown currentEvidence staleEvidence expiredEvidence missingEvidence needsEvidence missingTests dueTests',
};

function assertFields(thing: object, names: string): void {
  assert.deepEqual(Object.keys(thing).sort(), names.split(' ').sort());
}

describeServer('the four operations of the specification', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('return zeros for a tenant without frameworks', async (client) => {
    const { summary, items } = await client.read();
    assertFields(summary, fields.controlSummary);
    const zeros = { tenantControls: 0, implemented: 0, needsEvidence: 0, failing: 0, frameworks: 0 };
    assert.deepEqual(summary, { catalogControls: catalogue.controls.length, ...zeros });
    assert.deepEqual(items, []);
    const readiness = await client.read(`${base}/readiness`);
    assertFields(readiness, fields.readiness);
    const { frameworkReadiness, domainReadiness, ...counts } = readiness;
    assert.deepEqual([frameworkReadiness, domainReadiness], [{}, {}]);
    assert.ok(Object.values(counts).every((count) => count === 0));
    const health = await client.read(`${base}/test-health`);
    assertFields(health.summary, fields.healthSummary);
    assert.ok(Object.values(health.summary).every((count) => count === 0));
    assert.deepEqual(health.items, []);
  });

  testWith('have the fields of the specification and no others', async (client) => {
    await client.adopt('GDPR', 'SOC2');
    const { items } = await client.read();
    for (const item of items) {
      assertFields(item, fields.control);
      for (const framework of item.mappedFrameworks) assertFields(framework, 'code name requirements');
    }
    const readiness = await client.read(`${base}/readiness`);
    assert.deepEqual(Object.keys(readiness.frameworkReadiness), ['GDPR', 'SOC2']);
    for (const group of Object.values({ ...readiness.frameworkReadiness, ...readiness.domainReadiness }))
      assertFields(group as object, fields.readinessGroup);
    const health = await client.read(`${base}/test-health`);
    assertFields(health, 'summary items');
    assert.equal(health.items[0].scheduledRuns[0].isDue, true);
  });

  testWith('list every framework of the catalogue, adopted or not, with what may be claimed', async (client) => {
    const { items } = await client.read(`${base}/frameworks`);
    assert.deepEqual(
      items.map(({ code }: { readonly code: string }) => code),
      catalogue.frameworks.map(({ code }) => code),
    );
    for (const item of items) {
      assertFields(item, fields.framework);
      assert.ok(item.prohibitedClaims.length > 0);
    }
  });

  testWith('return a framework with its requirements, adopted or not', async (client) => {
    const { items } = await client.read(`${base}/frameworks`);
    for (const item of items) {
      const { requirements, ...framework } = await client.read(`${base}/frameworks/${item.code}`);
      assert.deepEqual(framework, item);
      assert.deepEqual(requirements, catalogue.frameworks.find(({ code }) => code === item.code)?.requirements);
    }
    for (const code of ['PCIDSS', 'gdpr', 'constructor'])
      assertProblem(await client.send('GET', `${base}/frameworks/${code}`), 'not_found');
  });

  testWith('score by the controls that apply, rounded down', async (client) => {
    const [first, second, third] = [await client.create(), await client.create(), await client.create()];
    const score = async () => (await client.read(`${base}/readiness`)).score;
    const accept = async (id: string) => {
      payload(await client.addEvidence(id), 201);
      payload(await client.edit(id, { status: 'evidence_submitted' }));
      payload(await client.edit(id, { status: 'accepted' }));
    };
    await accept(first);
    assert.equal(await score(), 33);
    await accept(second);
    assert.equal(await score(), 66);
    payload(await client.edit(third, { status: 'not_applicable', reason: 'There is no door' }));
    assert.equal(await score(), 100);
    const { summary } = await client.read();
    assert.deepEqual([summary.tenantControls, summary.implemented, summary.needsEvidence], [3, 2, 0]);
    const health = await client.read(`${base}/test-health`);
    assert.deepEqual([health.summary.totalControls, health.items.length], [2, 2]);
  });

  testWith('accept any domain name, even one that every object has', async (client) => {
    for (const domain of ['__proto__', 'constructor', 'toString']) await client.create({ domain });
    const { text } = await client.send('GET', `${base}/readiness`);
    const { domainReadiness } = JSON.parse(text).data;
    assert.deepEqual(Object.keys(domainReadiness).sort(), ['__proto__', 'constructor', 'toString']);
    for (const [, group] of Object.entries(domainReadiness)) assert.equal((group as { total: number }).total, 1);
  });

  test('return data of the tenant only', async () => {
    const [client, stranger] = [await openTenant(server), await openTenant(server)];
    const read = async () =>
      JSON.stringify([
        await stranger.read(),
        await stranger.read(`${base}/readiness`),
        await stranger.read(`${base}/test-health`),
      ]);
    await stranger.adopt('CCPA');
    const before = await read();
    await client.adopt('CCPA', 'GDPR');
    const [{ controlId }] = (await client.read()).items;
    payload(await client.addEvidence(controlId), 201);
    payload(await client.edit(controlId, { status: 'implemented' }));
    const [testOf] = await client.readTests(controlId);
    payload(await client.record(controlId, testOf.id, { status: 'fail' }), 201);
    assert.equal(await read(), before);
  });
});
