import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { maximumCustomControls, newControlRow } from '../../controls/control-changes.ts';
import { controlRows } from '../../controls/store.ts';
import { recordChanges, systemSource } from '../../ledger/audit/store.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { insertRows } from '../../storage/rows.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { base, openTenant, payload } from './helpers.ts';
import { ownControl } from './samples.ts';

describeServer('a custom control', (server) => {
  test('has the given values, and an id that is also its controlId', async () => {
    const client = await openTenant(server);
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

  test('is in force without any framework, and is listed by its code', async () => {
    const client = await openTenant(server);
    for (const code of ['b-1', 'A-2', 'a-1', 'Z-1', '1']) await client.create({ code });
    const { items, summary } = await client.read();
    assert.deepEqual(
      items.map(({ code }: { readonly code: string }) => code),
      ['1', 'A-2', 'Z-1', 'a-1', 'b-1'],
    );
    assert.equal(summary.tenantControls, 5);
    assert.equal(summary.frameworks, 0);
  });

  test('has a unique code in the tenant, ignoring case', async () => {
    const client = await openTenant(server);
    await client.create({ code: 'Door-1' });
    await client.assertNothingWritten(async () => {
      for (const code of ['Door-1', 'DOOR-1'])
        assertProblem(await client.send('POST', `${base}/controls`, ownControl({ code })), 'conflict');
    });
    const stranger = await openTenant(server);
    await stranger.create({ code: 'Door-1' });
  });

  test('has a code that the catalogue can never have', async () => {
    const client = await openTenant(server);
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

  test('is created once for concurrent requests with the same code', async () => {
    const client = await openTenant(server);
    const answers = await Promise.all(
      ['Door-1', 'door-1', 'DOOR-1'].map((code) => client.send('POST', `${base}/controls`, ownControl({ code }))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });

  const broken: readonly (readonly [change: object, ...paths: readonly string[]])[] = [
    [{ code: '' }, 'body.code'],
    [{ code: 'a b' }, 'body.code'],
    [{ code: '-a' }, 'body.code'],
    [{ code: 'a'.repeat(33) }, 'body.code'],
    [{ title: ' ' }, 'body.title'],
    [{ title: 'x'.repeat(201) }, 'body.title'],
    [{ title: 'Two\nlines' }, 'body.title'],
    [{ title: 'Not \u202Ewhat it is' }, 'body.title'],
    [{ domain: 'Reception\u0007' }, 'body.domain'],
    [{ description: '\u200b' }, 'body.description'],
    [{ domain: 'x'.repeat(81) }, 'body.domain'],
    [{ cadence: 'weekly' }, 'body.cadence'],
    [{ cadence: undefined, domain: undefined }, 'body.domain', 'body.cadence'],
    [{ status: 'accepted' }, 'body.status'],
    [{ ownerUserId: 'me' }, 'body.ownerUserId'],
    [{ mappings: { PCIDSS: ['1.1'] } }, 'body.mappings.PCIDSS'],
    [{ mappings: { constructor: ['1.1'] } }, 'body.mappings.constructor'],
    [{ mappings: { GDPR: [] } }, 'body.mappings.GDPR'],
    [{ mappings: { GDPR: ['Art. 1000'] } }, 'body.mappings.GDPR.0'],
    [{ mappings: { SOC2: ['CC6.1', 'CC6.1'] } }, 'body.mappings.SOC2.1'],
    [{ mappings: ['GDPR'] }, 'body.mappings'],
  ];
  for (const [change, ...paths] of broken) {
    test(`is rejected with ${JSON.stringify(change).slice(0, 60)}`, async () => {
      const client = await openTenant(server);
      await client.assertNothingWritten(async () =>
        assertInvalid(await client.send('POST', `${base}/controls`, ownControl(change)), ...paths),
      );
    });
  }

  test('changes its title, description, domain and mappings; its code stays', async () => {
    const client = await openTenant(server);
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

  test('gets an error that names the operation which lists requirements', async () => {
    const client = await openTenant(server);
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

  test('is the only kind whose text can be changed', async () => {
    const client = await openTenant(server);
    await client.adopt('GDPR');
    const [{ id }] = (await client.read()).items;
    await client.assertNothingWritten(async () => {
      const change = { title: 'x', description: 'x', domain: 'x', mappings: {} };
      const paths = Object.keys(change).map((name) => `body.${name}`);
      assertInvalid(await client.edit(id, change), ...paths);
    });
  });

  test('is limited to 1,000 per tenant', async () => {
    const client = await openTenant(server);
    const { database } = server.installation;
    await runUnitOfWork(database, server.clock.now(), async (work) => {
      const rows = Array.from({ length: maximumCustomControls - 1 }, (_, index) => {
        const row = newControlRow(work, client.tenant.id, '', 'annual');
        const definition = JSON.stringify({ ...ownControl(), code: `own-${index}`, mappings: {} });
        return { ...row, control_id: row.id, definition };
      });
      await insertRows(work.transaction, 'tenant_controls', rows);
      const change = { verb: 'created', targetRef: null };
      const source = systemSource(client.tenant.id);
      await recordChanges(
        work,
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

  test('of another tenant is not found', async () => {
    const [owner, stranger] = [await openTenant(server), await openTenant(server)];
    const id = await owner.create();
    const answers = [];
    for (const path of [id, randomUUID()]) {
      const response = await stranger.send('GET', `${base}/controls/${path}`);
      answers.push(assertProblem(response, 'not_found').message);
    }
    assert.equal(answers[0], answers[1]);
    assert.deepEqual((await stranger.read()).items, []);
    assertInvalid(await owner.send('GET', `${base}/controls/x`), 'path.controlId');
  });
});
