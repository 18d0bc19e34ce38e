import assert from 'node:assert/strict';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { newControlRow } from '../../controls/control-changes.ts';
import { controlRows } from '../../ledger/audit/rows.ts';
import { recordChanges, systemSource } from '../../ledger/audit/store.ts';
import { runTransaction } from '../../storage/database.ts';
import { insertRows } from '../../storage/rows.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { runVerify } from '../ledger/fixture.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';
import { readStored } from './recount.ts';
import { ownControl } from './samples.ts';

describeServer('a custom control', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('has the given values, and an id that is also its controlId', async (client) => {
    await client.adopt('SOC2');
    const wanted = ownControl({ code: 'Door-1', mappings: { SOC2: ['CC6.4'], GDPR: ['Art. 32(1)(b)'] } });
    const response = await client.send('POST', `${base}/controls`, wanted);
    const control = payload(response, 201);
    const name = catalogue.frameworks.find(({ code }) => code === 'SOC2')?.name;
    assert.deepEqual(control, {
      ...wanted,
      id: control.id,
      controlId: control.id,
      status: 'not_started',
      ownerUserId: null,
      evidenceFreshness: 'missing',
      latestResultStatus: null,
      lastTestedAt: null,
      nextReviewAt: null,
      mappedFrameworks: [{ code: 'SOC2', name, requirements: ['CC6.4'] }],
      ...{ evidenceCount: 0, testCount: 0, resultCount: 0 },
      ...{ guidance: null, evidenceExamples: [], reason: null },
      ...{ exceptionEndsAt: null, evidenceDueAt: null, reviewedAt: null },
      allowedStatuses: control.allowedStatuses,
      createdAt: server.clock.now(),
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await client.get(control.id), control);
    const listed = (await client.read()).items.find(({ id }: { readonly id: string }) => id === control.id);
    for (const [field, value] of Object.entries(listed))
      assert.deepEqual(value, (control as Readonly<Record<string, unknown>>)[field], field);
  });

  testWith('is in force without any framework, and is listed by its code', async (client) => {
    for (const code of ['b-1', 'A-2', 'a-1', 'Z-1', '1']) await client.create({ code });
    const { items, summary } = await client.read();
    assert.deepEqual(
      items.map(({ code }: { readonly code: string }) => code),
      ['1', 'A-2', 'Z-1', 'a-1', 'b-1'],
    );
    assert.equal(summary.tenantControls, 5);
    assert.equal(summary.frameworks, 0);
  });

  testWith('has a unique code in the tenant, ignoring case', async (client) => {
    await client.create({ code: 'Door-1' });
    await client.assertNothingWritten(async () => {
      for (const code of ['Door-1', 'DOOR-1'])
        assertProblem(await client.send('POST', `${base}/controls`, ownControl({ code })), 'conflict');
    });
    const stranger = await openTenant(server);
    await stranger.create({ code: 'Door-1' });
  });

  testWith('has a code that the catalogue can never have', async (client) => {
    await client.assertNothingWritten(async () => {
      for (const letters of catalogue.codeLetters)
        for (const code of [`${letters}-01`, `${letters.toLowerCase()}-77`, `${letters}-100`]) {
          const refused = await client.send('POST', `${base}/controls`, ownControl({ code }));
          assertInvalid(refused, 'body.code');
          assert.match(refused.body.error.message, /code of the catalogue/);
        }
    });
    for (const code of ['AC-1', 'AC-1000', 'AC-01a', 'XAC-01', 'ZZ-01']) await client.create({ code });
  });

  testWith('is created once for concurrent requests with the same code', async (client) => {
    const answers = await Promise.all(
      ['Door-1', 'door-1', 'DOOR-1'].map((code) => client.send('POST', `${base}/controls`, ownControl({ code }))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  testWith('is rejected with a code or a mapping that cannot be', async (client) => {
    await client.assertNothingWritten(async () => {
      for (const [change, path] of [
        [{ code: 'a b' }, 'body.code'],
        [{ code: '-a' }, 'body.code'],
        [{ mappings: { PCIDSS: ['1.1'] } }, 'body.mappings.PCIDSS'],
        [{ mappings: { constructor: ['1.1'] } }, 'body.mappings.constructor'],
        [{ mappings: { GDPR: [] } }, 'body.mappings.GDPR'],
        [{ mappings: { GDPR: ['Art. 1000'] } }, 'body.mappings.GDPR.0'],
        [{ mappings: { SOC2: ['CC6.1', 'CC6.1'] } }, 'body.mappings.SOC2.1'],
      ] as const)
        assertInvalid(await client.send('POST', `${base}/controls`, ownControl(change)), path);
    });
  });

  testWith('changes its title, description, domain and mappings; its code stays', async (client) => {
    await client.adopt('SOC2');
    const id = await client.create({ code: 'Door-1', mappings: { SOC2: ['CC6.4'] } });
    const change = { title: 'Met', description: 'At the door', domain: 'Doors', mappings: { SOC2: ['CC6.1'] } };
    const { mappings, ...texts } = change;
    const after = payload(await client.edit(id, change));
    for (const [name, text] of Object.entries(texts)) assert.equal(after[name], text);
    assert.deepEqual(after.mappedFrameworks[0].requirements, mappings.SOC2);
    assert.equal(after.code, 'Door-1');
    await client.assertNothingWritten(async () => {
      payload(await client.edit(id, change));
      assertInvalid(await client.edit(id, { title: 'Seen', code: 'Door-2' }), 'body.code');
      assertInvalid(await client.edit(id, { mappings: { SOC2: ['CC99'] } }), 'body.mappings.SOC2.0');
    });
    const event = (await client.readEvents()).at(-1);
    assert.equal(event.action, 'control.edited');
    assert.deepEqual(Object.keys(event.diff.after).sort(), ['description', 'domain', 'mappings', 'title']);
    assert.deepEqual(event.diff.before.mappings, { SOC2: ['CC6.4'] });
  });

  testWith('gets an error that names the operation which lists requirements', async (client) => {
    const refused = await client.send('POST', `${base}/controls`, ownControl({ mappings: { SOC2: ['CC99'] } }));
    assertInvalid(refused, 'body.mappings.SOC2.0');
    const [, path] = /GET (\S+)/.exec(refused.body.error.message) ?? [];
    const { requirements } = await client.read(path);
    const control = ownControl({ mappings: { SOC2: requirements.map(({ code }: { readonly code: string }) => code) } });
    assert.deepEqual(
      payload(await client.send('POST', `${base}/controls`, control), 201).mappings,
      (control as typeof control & { readonly mappings: object }).mappings,
    );
  });

  testWith('is the only kind whose text can be changed', async (client) => {
    await client.adopt('GDPR');
    const [{ id }] = (await client.read()).items;
    await client.assertNothingWritten(async () => {
      const change = { title: 'x', description: 'x', domain: 'x', mappings: {} };
      const paths = Object.keys(change).map((name) => `body.${name}`);
      assertInvalid(await client.edit(id, change), ...paths);
    });
  });

  testWith('is limited to 1,000 per tenant', async (client) => {
    const { database } = server.installation;
    await runTransaction(database, server.clock.now(), async (tx) => {
      const rows = Array.from({ length: 999 }, (_, index) => {
        const row = newControlRow(tx, client.tenant.id, '', 'annual');
        const definition = JSON.stringify({ ...ownControl(), code: `own-${index}`, mappings: {} });
        return { ...row, control_id: row.id, definition };
      });
      await insertRows(tx.queries, 'tenant_controls', rows);
      const change = { verb: 'created', targetRef: null };
      const source = systemSource(client.tenant.id);
      await recordChanges(
        tx,
        controlRows,
        rows.map((row) => ({ source, row, change })),
      );
    });
    const id = await client.create();
    await client.assertNothingWritten(async () => {
      const error = assertProblem(await client.send('POST', `${base}/controls`, ownControl()), 'conflict');
      assert.match(error.message, /at most 1000/);
    });
    assert.equal((await client.remove(id)).status, 204);
    await client.create();
  });
});

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
