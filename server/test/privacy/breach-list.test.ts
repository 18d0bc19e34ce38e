import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { BreachSeverity, BreachStatus, type BreachView } from '../../privacy/breach.ts';
import { assertProblem, createFreshTenant, describeServer, payload, readPages } from '../consent/helpers.ts';
import { hour, PrivacyClient, shift } from './requests.ts';

describeServer('GET /v1/breach', (server) => {
  let client: PrivacyClient;
  /** Newest first. */
  const all: BreachView[] = [];
  before(async () => {
    client = new PrivacyClient(server, await createFreshTenant(server));
    for (let number = 0; number < 28; number += 1) {
      const { id } = await client.reported({
        severity: BreachSeverity.options[number % BreachSeverity.options.length],
        discoveredAt: shift(server.clock.now(), -number * 10 * hour),
      });
      const status = BreachStatus.options[number % BreachStatus.options.length];
      payload(await client.edit(id, { status, ...(status === 'closed' && { notificationReason: 'No risk.' }) }), 200);
      all.unshift(await client.read('breach', id));
    }
  });
  const idsOf = (breaches: readonly BreachView[]) => breaches.map(({ id }) => id);

  test('gives the 25 newest as the operation for one does, and where to go on', async () => {
    const { items, nextCursor } = payload(await client.list('breach'), 200);
    assert.deepEqual(items, all.slice(0, 25));
    const next = payload(await client.list('breach', { cursor: nextCursor }), 200);
    assert.deepEqual(next, { items: all.slice(25), nextCursor: null });
  });

  test('has what a plain filter of all incidents has', async () => {
    for (const status of [undefined, ...BreachStatus.options]) {
      for (const severity of [undefined, ...BreachSeverity.options]) {
        const filter = { ...(status && { status }), ...(severity && { severity }), limit: '2' };
        const expected = all.filter(
          (breach) => breach.status === (status ?? breach.status) && breach.severity === (severity ?? breach.severity),
        );
        const { items, nextCursor } = payload(await client.list('breach', filter), 200);
        assert.deepEqual(items, expected.slice(0, 2));
        assert.equal(nextCursor !== null, expected.length > 2);
      }
    }
  });

  test('gives every incident once, newest first, whatever the size of a page', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const pages = await readPages<BreachView>(server, '/v1/breach', limit, { key: client.tenant.key });
        assert.deepEqual(idsOf(pages.flat()), idsOf(all));
        assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
      }),
      { numRuns: 4, examples: [[1], [14]] },
    );
  });

  test('refuses what is no filter, and cursors that it did not give for this very list', async () => {
    for (const [name, value] of [
      ['limit', '0'],
      ['limit', '101'],
      ['status', 'Open'],
      ['severity', 'severe'],
      ['overdue', 'true'],
    ] as const)
      assertProblem(await client.list('breach', { [name]: value }), '422 validation_failed', [`query.${name}`]);
    const { nextCursor } = payload(await client.list('breach', { limit: '5' }), 200);
    for (const filter of [{ status: 'open' }, { severity: 'low' }])
      assertProblem(await client.list('breach', { ...filter, cursor: nextCursor }), '400 invalid_cursor');
    assertProblem(await client.list('dsr', { cursor: nextCursor }), '400 invalid_cursor');
    const stranger = new PrivacyClient(server, await createFreshTenant(server));
    assertProblem(await stranger.list('breach', { cursor: nextCursor }), '400 invalid_cursor');
    assert.deepEqual(payload(await stranger.list('breach'), 200).items, []);
  });
});
