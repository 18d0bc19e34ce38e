import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import { assertProblem } from '../http/problems.ts';
import { base, openTenant, payload } from './helpers.ts';

const day = 24 * 60 * 60_000;

describeServer('the tests of a control', (server) => {
  const at = (milliseconds: number) => new Date(server.clock.milliseconds() + milliseconds).toISOString();
  const begin = async (change: object = {}) => {
    const client = await openTenant(server);
    const id = await client.create({ cadence: 'annual' });
    const made = payload(await client.addTest(id, change), 201);
    const results = `${base}/controls/${id}/tests/${made.id}/results`;
    return { client, id, made, testId: made.id as string, results };
  };

  test('are due at once, and listed the oldest first', async () => {
    const { client, id, made } = await begin({ procedure: 'Ask for ten', cadence: 'monthly' });
    assert.deepEqual(made, {
      id: made.id,
      controlId: id,
      title: 'Look at the list',
      procedure: 'Ask for ten',
      cadence: 'monthly',
      latestResult: null,
      resultCount: 0,
      nextRunAt: server.clock.now(),
      isDue: true,
      createdAt: server.clock.now(),
      retiredAt: null,
    });
    const other = payload(await client.addTest(id, { title: 'Count' }), 201);
    assert.deepEqual([other.procedure, other.cadence], [null, null]);
    assert.deepEqual(await client.readTests(id), [made, other]);
  });

  test('show their latest result and their next run', async () => {
    const { client, id, testId } = await begin({ cadence: 'monthly' });
    server.clock.advance(day);
    const result = payload(
      await client.record(id, testId, { status: 'warning', notes: 'One gap', url: 'https://example.com/run/1' }),
      201,
    );
    assert.deepEqual(result, {
      id: result.id,
      testId,
      status: 'warning',
      notes: 'One gap',
      url: 'https://example.com/run/1',
      testedAt: at(0),
      createdAt: at(0),
    });
    const [shown] = await client.readTests(id);
    assert.deepEqual(shown.latestResult, { id: result.id, status: 'warning', testedAt: at(0) });
    assert.deepEqual([shown.resultCount, shown.isDue], [1, false]);
    server.clock.advance(Date.parse(shown.nextRunAt) - server.clock.milliseconds() - 1);
    assert.equal((await client.readTests(id))[0].isDue, false);
    server.clock.advance(1);
    assert.equal((await client.readTests(id))[0].isDue, true);
    const { latestResultStatus, lastTestedAt, resultCount } = await client.get(id);
    assert.deepEqual([latestResultStatus, lastTestedAt, resultCount], ['warning', result.testedAt, 1]);
  });

  test('count the result with the latest time; of several with the same time, the one recorded last', async () => {
    const { client, id, testId } = await begin();
    const record = async (status: string, testedAt: string) =>
      payload(await client.record(id, testId, { status, testedAt }), 201).id;
    const statuses = async () => (await client.get(id)).latestResultStatus;
    const fail = await record('fail', at(-day));
    assert.equal(await statuses(), 'fail');
    const old = await record('pass', at(-2 * day));
    assert.equal(await statuses(), 'fail');
    const manual = await record('manual', at(-day));
    assert.equal(await statuses(), 'manual');
    const { items } = await client.read(`${base}/controls/${id}/tests/${testId}/results`);
    assert.deepEqual(
      items.map((item: { readonly id: string }) => item.id),
      [manual, fail, old],
    );
  });

  test('that fail send a webhook and leave the status of the control', async () => {
    const { client, id, testId } = await begin();
    payload(await client.edit(id, { status: 'implemented' }));
    const result = payload(await client.record(id, testId, { status: 'fail', notes: 'Zoë could walk in' }), 201);
    const { code, status, latestResultStatus } = await client.get(id);
    assert.deepEqual([status, latestResultStatus], ['implemented', 'fail']);
    assert.deepEqual((await client.readWebhooks()).at(-1), {
      type: 'control.test_failed',
      data: { controlId: id, code, testId, resultId: result.id },
    });
    const count = (await client.readWebhooks()).length;
    for (const other of ['pass', 'warning', 'manual', 'unknown'])
      payload(await client.record(id, testId, { status: other }), 201);
    assert.equal((await client.readWebhooks()).length, count);
    const event = (await client.readEvents()).find(({ action }) => action === 'control_test_result.recorded');
    const { states: _, ...diff } = event.diff;
    assert.deepEqual(diff, { controlId: id, testId, status: 'fail', testedAt: result.testedAt });
    assert.equal((await client.read()).summary.failing, 0);
  });

  test('no longer count once they are retired, and keep their results', async () => {
    const { client, id, testId, results } = await begin();
    payload(await client.record(id, testId, { status: 'fail' }), 201);
    const [before] = await client.readTests(id);
    server.clock.advance(2 * 366 * day);
    const retired = payload(await client.retire(id, testId));
    assert.deepEqual(retired, { ...before, nextRunAt: null, isDue: false, retiredAt: at(0) });
    assert.deepEqual(await client.readTests(id), []);
    assert.deepEqual(await client.readTests(id, '?status=retired'), [retired]);
    const { testCount, resultCount, latestResultStatus, lastTestedAt } = await client.get(id);
    assert.deepEqual([testCount, resultCount, latestResultStatus, lastTestedAt], [0, 0, null, null]);
    assert.equal((await client.read(results)).items.length, 1);
    server.clock.advance(1);
    await client.assertNothingWritten(async () => {
      assert.deepEqual(payload(await client.retire(id, testId)), retired);
      assertProblem(await client.record(id, testId), 'conflict');
    });
  });

  test('list their results page by page', async () => {
    const { client, id, testId, results } = await begin();
    const added: string[] = [];
    // Two with each time.
    for (const index of Array(8).keys()) {
      const testedAt = at((Math.floor(index / 2) - 10) * day);
      added.unshift(payload(await client.record(id, testId, { status: 'pass', testedAt }), 201).id);
    }
    await client.assertPages(results, added);
    const other = payload(await client.addTest(id), 201);
    const { nextCursor } = await client.read(`${results}?limit=1`);
    const elsewhere = results.replace(testId, other.id);
    assertProblem(await client.send('GET', `${elsewhere}?cursor=${nextCursor}`), 'invalid_cursor');
  });

  test('are limited to 200 per control, retired ones included', async () => {
    const { client, id, testId } = await begin();
    for (let count = 1; count < 200; count += 1) payload(await client.addTest(id, { title: `Test ${count}` }), 201);
    payload(await client.retire(id, testId));
    await client.assertNothingWritten(async () => void assertProblem(await client.addTest(id), 'conflict'));
    assert.equal((await client.get(id)).testCount, 199);
    payload(await client.addTest(await client.create()), 201);
  });
});
