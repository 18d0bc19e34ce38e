import assert from 'node:assert/strict';
import { describeServer } from '../consent/helpers.ts';
import { assertProblem } from '../http/problems.ts';
import { runVerify } from '../ledger/fixture.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, payload } from './helpers.ts';
import { readStored } from './recount.ts';

describeServer('a removed custom control', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('leaves all lists and counts, and is not found by any path', async (client) => {
    const [id, kept] = [await client.create({ domain: 'Doors' }), await client.create()];
    payload(await client.addEvidence(id), 201);
    const { id: testId } = payload(await client.addTest(id), 201);
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    const removed = await client.remove(id);
    assert.deepEqual([removed.status, removed.text], [204, '']);
    const { items, summary } = await client.read();
    assert.deepEqual([items.length, items[0].id, summary.tenantControls, summary.failing], [1, kept, 1, 0]);
    const { totalControls, domainReadiness } = await client.read(`${base}/readiness`);
    assert.deepEqual([totalControls, Object.keys(domainReadiness)], [1, ['Reception']]);
    assert.equal((await client.read(`${base}/test-health`)).items.length, 1);
    assert.equal(payload(await client.adopt()).controls, 1);
    await client.assertNothingWritten(async () => {
      for (const [method, path, body] of [
        ['GET', ''],
        ['PATCH', '', { status: 'in_progress' }],
        ['DELETE', ''],
        ['GET', '/evidence'],
        ['POST', '/tests', { title: 'Look' }],
        ['POST', `/tests/${testId}/results`, { status: 'pass' }],
      ] as const)
        assertProblem(await client.send(method, `${base}/controls/${id}${path}`, body), 'not_found');
    });
  });

  testWith('stays in the database with its evidence, tests and history, and verifies', async (client) => {
    const id = await client.create();
    const { code } = await client.get(id);
    payload(await client.addEvidence(id), 201);
    payload(await client.addTest(id), 201);
    assert.equal((await client.remove(id)).status, 204);
    const { controls, evidence, tests } = await readStored(server.installation.database, client.tenant.id);
    assert.deepEqual([controls.length, evidence.length, tests.length], [1, 1, 1]);
    assert.equal(controls[0]?.retired_at, server.clock.now());
    const event = (await client.readEvents()).at(-1);
    const logged = [event.action, event.targetId, event.targetRef, event.diff.retiredAt];
    assert.deepEqual(logged, ['control.retired', id, code, server.clock.now()]);
    assert.equal((await runVerify(server.installation)).report.intact, true);
  });

  testWith('frees its code', async (client) => {
    const id = await client.create({ code: 'Door-1' });
    assert.equal((await client.remove(id)).status, 204);
    const other = await client.create({ code: 'DOOR-1' });
    assert.notEqual(other, id);
    assert.equal((await client.read()).summary.tenantControls, 1);
  });

  testWith('is not one of the catalogue, whose error says what to do instead', async (client) => {
    await client.adopt('GDPR');
    const [{ id, controlId }] = (await client.read()).items;
    await client.assertNothingWritten(async () => {
      for (const path of [id, controlId])
        assert.match(assertProblem(await client.remove(path), 'conflict').message, /not_applicable/);
    });
  });
});
