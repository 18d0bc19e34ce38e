import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BreachSeverity } from '../../privacy/breach.ts';
import { watch } from '../accounts/identity/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
} from '../consent/helpers.ts';
import { hour, PrivacyClient, shift } from './requests.ts';

describeServer('POST /v1/breach', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  test('reports an incident whose notification is due in 72 hours', async () => {
    const client = await createClient();
    const now = server.clock.now();
    const breach = await client.reported({ title: ' Lost laptop ', discoveredAt: shift(now, -hour) });
    assert.deepEqual(breach, {
      id: breach.id,
      title: 'Lost laptop',
      description: 'It stayed on a train.',
      severity: 'high',
      status: 'open',
      affectedSubjects: null,
      dataCategories: [],
      discoveredAt: shift(now, -hour),
      notificationDueAt: shift(now, 71 * hour),
      isNotificationOverdue: false,
      authorityNotifiedAt: null,
      subjectsNotifiedAt: null,
      notificationReason: null,
      closedAt: null,
      erasedAt: null,
      createdAt: now,
      updatedAt: now,
    });
    assert.deepEqual(await client.read('breach', breach.id), breach);
  });

  test('keeps how many persons and what data are affected', async () => {
    const client = await createClient();
    for (const affectedSubjects of [0, 1, Number.MAX_SAFE_INTEGER])
      assert.equal((await client.reported({ affectedSubjects })).affectedSubjects, affectedSubjects);
    const dataCategories = ['Names', 'Health \u{1F600}', '"quoted"', 'x'.repeat(100)];
    const { id } = await client.reported({ dataCategories });
    assert.deepEqual((await client.read('breach', id)).dataCategories, dataCategories);
    const most = Array.from({ length: 50 }, (_, index) => `Category ${index}`);
    assert.deepEqual((await client.reported({ dataCategories: most })).dataCategories, most);
    for (const severity of BreachSeverity.options)
      assert.equal((await client.reported({ severity })).severity, severity);
    const longest = { title: 't'.repeat(200), description: 'd'.repeat(10_000) };
    assert.equal((await client.reported(longest)).description, longest.description);
  });

  test('is overdue a millisecond after the 72 hours, as one and in the list', async () => {
    const client = await createClient();
    const { id } = await client.reported();
    const look = async () => [
      (await client.read('breach', id)).isNotificationOverdue,
      payload(await client.list('breach'), 200).items[0].isNotificationOverdue,
    ];
    server.clock.advance(72 * hour);
    assert.deepEqual(await look(), [false, false]);
    server.clock.advance(1);
    assert.deepEqual(await look(), [true, true]);
  });

  test('audits and emits the breach without its texts', async () => {
    const client = await createClient();
    const { result, events, webhooks } = await watch(server, client.tenant.id, () =>
      client.reported({ affectedSubjects: 12, dataCategories: ['Names'] }),
    );
    const { id, severity, discoveredAt, notificationDueAt } = result;
    const { diff, action, module, targetId, targetRef, reason } = events[0];
    const { states, ...rest } = diff;
    assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(
      { count: events.length, rest, action, module, targetId, targetRef, reason },
      {
        count: 1,
        rest: { severity, discoveredAt, notificationDueAt },
        action: 'breach.reported',
        module: 'privacy',
        targetId: id,
        targetRef: null,
        reason: null,
      },
    );
    const data = { breachId: id, severity: 'high', status: 'open', notificationDueAt };
    assert.deepEqual(webhooks, [{ type: 'breach.reported', data, createdAt: server.clock.now() }]);
  });

  test('refuses what is no incident by name, and writes nothing', async () => {
    const client = await createClient();
    const now = server.clock.now();
    const fine = { title: 'Title', description: 'Description', discoveredAt: now, severity: 'low' };
    await assertBodiesRefused(server, (body) => client.send('POST', '/v1/breach', body as object), [
      [{}, 'body.title', 'body.description', 'body.severity', 'body.discoveredAt'],
      [{ ...fine, title: '\u200b' }, 'body.title'],
      [{ ...fine, title: 't'.repeat(201) }, 'body.title'],
      [{ ...fine, description: ' ' }, 'body.description'],
      [{ ...fine, description: 'd'.repeat(10_001) }, 'body.description'],
      [{ ...fine, severity: 'severe' }, 'body.severity'],
      [{ ...fine, discoveredAt: shift(now, 1) }, 'body.discoveredAt'],
      [{ ...fine, discoveredAt: 'yesterday' }, 'body.discoveredAt'],
      [{ ...fine, affectedSubjects: -1 }, 'body.affectedSubjects'],
      [{ ...fine, affectedSubjects: 1.5 }, 'body.affectedSubjects'],
      [{ ...fine, affectedSubjects: '12' }, 'body.affectedSubjects'],
      [{ ...fine, affectedSubjects: null }, 'body.affectedSubjects'],
      [{ ...fine, affectedSubjects: 2 ** 53 }, 'body.affectedSubjects'],
      [{ ...fine, dataCategories: 'Names' }, 'body.dataCategories'],
      [{ ...fine, dataCategories: ['Names', ''] }, 'body.dataCategories.1'],
      [{ ...fine, dataCategories: ['Names', 'Ages', ' Names'] }, 'body.dataCategories.2'],
      [{ ...fine, dataCategories: ['x'.repeat(101)] }, 'body.dataCategories.0'],
      [{ ...fine, dataCategories: Array.from({ length: 51 }, (_, index) => `c${index}`) }, 'body.dataCategories'],
      [{ ...fine, status: 'closed' }, 'body.status'],
      [{ ...fine, authorityNotifiedAt: now }, 'body.authorityNotifiedAt'],
    ]);
    assertProblem(await client.send('GET', `/v1/breach/${unknownId}`), '404 not_found');
  });
});
