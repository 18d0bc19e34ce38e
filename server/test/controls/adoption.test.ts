import assert from 'node:assert/strict';
import { catalogue } from '../../controls/catalogue/catalogue.ts';
import { describeServer } from '../consent/helpers.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { testWithClient } from '../svc.ts';
import { base, ControlClient, openTenant, payload } from './helpers.ts';

const mapped = (...codes: readonly string[]) =>
  catalogue.controls.filter(({ mappings }) => codes.some((code) => mappings[code] !== undefined));
const listCodes = async (client: ControlClient) =>
  (await client.read()).items.map(({ code }: { readonly code: string }) => code);

describeServer('adopting frameworks', (server) => {
  const testWith = testWithClient(server, ControlClient);
  testWith('brings the required controls into force, with the tests of the catalogue', async (client) => {
    assert.deepEqual((await client.read()).items, []);
    const inForce = mapped('GDPR', 'SOC2');
    const adopted = payload(await client.adopt('SOC2', 'GDPR'));
    assert.deepEqual(adopted, { frameworks: ['GDPR', 'SOC2'], controls: inForce.length });
    const { items, summary } = await client.read();
    assert.deepEqual([summary.frameworks, summary.tenantControls], [2, inForce.length]);
    const codes = inForce.map(({ code }) => code).sort();
    assert.deepEqual(await listCodes(client), codes);
    for (const item of items) {
      const template = inForce.find(({ code }) => code === item.code);
      assert.ok(template);
      const { controlId, title, description, domain, cadence } = template;
      const { id, testCount, mappedFrameworks, ...rest } = item;
      assert.notEqual(id, controlId);
      assert.equal(testCount, template.tests.length);
      assert.deepEqual(
        mappedFrameworks,
        ['GDPR', 'SOC2']
          .filter((code) => template.mappings[code] !== undefined)
          .map((code) => ({
            code,
            name: catalogue.frameworks.find((framework) => framework.code === code)?.name,
            requirements: template.mappings[code],
          })),
      );
      assert.deepEqual(rest, {
        ...{ controlId, code: item.code, title, description, domain, cadence },
        status: 'not_started',
        ownerUserId: null,
        evidenceFreshness: 'missing',
        latestResultStatus: null,
        lastTestedAt: null,
        nextReviewAt: null,
        evidenceCount: 0,
        resultCount: 0,
      });
      const tests = await client.readTests(id);
      assert.deepEqual(
        tests.map(({ title, procedure, cadence }: (typeof template.tests)[number]) => ({ title, procedure, cadence })),
        template.tests.map(({ title, procedure, cadence = null }) => ({ title, procedure, cadence })),
      );
    }
  });

  testWith('schedules the tests of an event_driven control by their own cadence', async (client) => {
    await client.adopt('GDPR');
    const eventDriven = mapped('GDPR').find(({ cadence }) => cadence === 'event_driven')?.controlId as string;
    const [test] = await client.readTests(eventDriven);
    payload(await client.record(eventDriven, test.id), 201);
    const [{ isDue, nextRunAt }] = await client.readTests(eventDriven);
    assert.equal(isDue, false);
    assert.ok(nextRunAt > server.clock.now());
  });

  testWith('returns a control by the id of the catalogue and by its own', async (client) => {
    await client.adopt('GDPR');
    const [item] = (await client.read()).items;
    const template = catalogue.controls.find(({ code }) => code === item.code);
    const [one, other] = [await client.get(item.id), await client.get(item.controlId)];
    assert.deepEqual(one, other);
    assert.equal(one.guidance, template?.guidance);
    assert.deepEqual(one.evidenceExamples, template?.evidence);
    // Without an adoption the tenant has no such control, though the catalogue has it.
    const stranger = await openTenant(server);
    for (const id of [item.id, item.controlId])
      assertProblem(await stranger.send('GET', `${base}/controls/${id}`), 'not_found');
  });

  testWith('writes nothing without a change', async (client) => {
    await client.assertNothingWritten(async () => {
      assert.deepEqual(payload(await client.adopt()), { frameworks: [], controls: 0 });
    });
    const first = payload(await client.adopt('GDPR', 'CCPA'));
    await client.assertNothingWritten(async () => {
      assert.deepEqual(payload(await client.adopt('CCPA', 'GDPR')), first);
    });
  });

  testWith('replaces the list; controls that return have their history', async (client) => {
    await client.adopt('GDPR', 'SOC2');
    const own = await client.create({ mappings: { SOC2: ['CC6.1'] } });
    const exclusive = mapped('SOC2').find(({ mappings }) => mappings.GDPR === undefined)?.controlId as string;
    payload(await client.edit(exclusive, { status: 'in_progress' }));
    payload(await client.addEvidence(exclusive), 201);
    const before = await client.get(exclusive);
    const { controls } = payload(await client.adopt('GDPR'));
    assert.equal(controls, mapped('GDPR').length + 1);
    assert.equal((await client.read()).items.length, controls);
    for (const [method, path, body] of [
      ['GET', ''],
      ['PATCH', '', { status: 'implemented' }],
      ['GET', '/evidence'],
      ['GET', '/tests'],
      ['POST', '/tests', { title: 'Look' }],
    ] as const) {
      const response = await client.send(method, `${base}/controls/${exclusive}${path}`, body);
      assertProblem(response, 'not_found');
    }
    assert.deepEqual((await client.get(own)).mappedFrameworks, []);
    payload(await client.adopt('GDPR', 'SOC2'));
    assert.deepEqual(await client.get(exclusive), before);
    assert.deepEqual((await client.get(own)).mappedFrameworks[0].requirements, ['CC6.1']);
  });

  testWith('rejects unknown frameworks, and names them', async (client) => {
    await client.assertNothingWritten(async () => {
      const unknown = await client.adopt('GDPR', 'PCIDSS', 'gdpr');
      assertInvalid(unknown, 'body.frameworks.1', 'body.frameworks.2');
      assert.match(unknown.body.error.message, /CCPA, GDPR, ISO27001, NDPA, NISTCSF, SOC2/);
      assertInvalid(await client.adopt('GDPR', 'GDPR'), 'body.frameworks.1');
      assertInvalid(
        await client.adopt('constructor', ' ', ''),
        ...[0, 1, 2].map((index) => `body.frameworks.${index}`),
      );
    });
  });

  testWith('records the list and each created control and test in the audit log', async (client) => {
    await client.adopt('CCPA');
    await client.adopt('CCPA', 'GDPR');
    await client.adopt('GDPR');
    const events = await client.readEvents();
    const adoptions = events.filter(({ action }) => action === 'control_program.adopted');
    assert.deepEqual(
      adoptions.map(({ diff: { before, after } }) => [before.frameworks, after.frameworks]),
      [
        [[], ['CCPA']],
        [['CCPA'], ['CCPA', 'GDPR']],
        [['CCPA', 'GDPR'], ['GDPR']],
      ],
    );
    const created = events.filter(({ action }) => action === 'control.created').map(({ targetRef }) => targetRef);
    assert.deepEqual(
      created.sort(),
      mapped('CCPA', 'GDPR')
        .map(({ code }) => code)
        .sort(),
    );
    const createdTests = events.filter(({ action }) => action === 'control_test.created');
    assert.deepEqual(
      createdTests
        .map(({ targetRef, diff: { controlId, cadence } }) => JSON.stringify([targetRef, controlId, cadence]))
        .sort(),
      mapped('CCPA', 'GDPR')
        .flatMap(({ code, controlId, tests }) =>
          tests.map(({ cadence = null }) => JSON.stringify([code, controlId, cadence])),
        )
        .sort(),
    );
    assert.deepEqual(await client.readWebhooks(), []);
  });

  testWith('happens once for several concurrent requests', async (client) => {
    const all = catalogue.frameworks.map(({ code }) => code);
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.adopt(...all)));
    for (const answer of answers) assert.equal(payload(answer).controls, catalogue.controls.length);
    assert.equal((await client.read()).items.length, catalogue.controls.length);
    const events = await client.readEvents();
    assert.equal(events.filter(({ action }) => action === 'control.created').length, catalogue.controls.length);
  });
});
