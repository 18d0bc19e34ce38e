import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watch } from '../accounts/identity/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  unknownId,
} from '../consent/helpers.ts';
import { hour, PrivacyClient, shift } from './requests.ts';

describeServer('PATCH /v1/breach/{id}', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  test('changes each field, by itself and together; the rest stays', async () => {
    const client = await createClient();
    let expected = await client.reported();
    server.clock.advance(hour);
    const now = server.clock.now();
    for (const change of [
      { title: 'Stolen laptop' },
      { description: 'It was stolen on a train.' },
      { severity: 'critical' },
      { affectedSubjects: 1200 },
      { affectedSubjects: null },
      { dataCategories: ['Names', 'Addresses'] },
      { dataCategories: ['Addresses', 'Names'] },
      { authorityNotifiedAt: now },
      { subjectsNotifiedAt: shift(now, -1) },
      { notificationReason: 'The police asked us to wait.' },
      { status: 'contained' },
      { dataCategories: [], authorityNotifiedAt: null, subjectsNotifiedAt: null, notificationReason: null },
      { title: 'Found again', severity: 'low', affectedSubjects: 0 },
    ]) {
      server.clock.advance(1);
      expected = { ...expected, ...change, updatedAt: server.clock.now() };
      assert.deepEqual(payload(await client.edit(expected.id, change), 200), expected);
      assert.deepEqual(await client.read('breach', expected.id), expected);
    }
  });

  test('takes times of notification from the discovery until now, to the millisecond', async () => {
    const client = await createClient();
    const { id, discoveredAt } = await client.reported();
    server.clock.advance(hour);
    const now = server.clock.now();
    for (const name of ['authorityNotifiedAt', 'subjectsNotifiedAt']) {
      for (const time of [discoveredAt, now])
        assert.equal(payload(await client.edit(id, { [name]: time }), 200)[name], time);
      await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
        [{ [name]: shift(discoveredAt, -1) }, `body.${name}`],
        [{ [name]: shift(now, 1) }, `body.${name}`],
        [{ [name]: 'today' }, `body.${name}`],
      ]);
    }
  });

  test('takes a notification until the end of the 72 hours, and a later one only with a reason', async () => {
    const client = await createClient();
    const { id, notificationDueAt } = await client.reported();
    server.clock.advance(80 * hour);
    const late = shift(notificationDueAt, 1);
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ authorityNotifiedAt: late }, 'body.notificationReason'],
      [{ authorityNotifiedAt: late, notificationReason: null }, 'body.notificationReason'],
    ]);
    payload(await client.edit(id, { authorityNotifiedAt: notificationDueAt }), 200);
    const reason = { notificationReason: 'The office was closed.' };
    const notified = payload(await client.edit(id, { authorityNotifiedAt: late, ...reason }), 200);
    assert.deepEqual([notified.authorityNotifiedAt, notified.isNotificationOverdue], [late, false]);
    // The reason stays as long as it is needed.
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ notificationReason: null }, 'body.notificationReason'],
    ]);
    // People may be notified later than the authority.
    payload(await client.edit(id, { authorityNotifiedAt: notificationDueAt, notificationReason: null }), 200);
    payload(await client.edit(id, { subjectsNotifiedAt: late }), 200);
  });

  test('ends an overdue notification with a time or with a reason', async () => {
    const client = await createClient();
    const { id } = await client.reported();
    server.clock.advance(72 * hour + 1);
    const isOverdue = async () => (await client.read('breach', id)).isNotificationOverdue;
    assert.equal(await isOverdue(), true);
    payload(await client.edit(id, { notificationReason: 'No risk: the disk is encrypted.' }), 200);
    assert.equal(await isOverdue(), false);
    payload(await client.edit(id, { notificationReason: null }), 200);
    assert.equal(await isOverdue(), true);
  });

  test('audits the names of changed fields, and only values without personal data', async () => {
    const client = await createClient();
    const { id } = await client.reported();
    const now = server.clock.now();
    const { events } = await watch(server, client.tenant.id, async () => {
      await client.edit(id, { title: 'Ann Smith lost it', affectedSubjects: 7, dataCategories: ['Names'] });
      await client.edit(id, { severity: 'low', authorityNotifiedAt: now, status: 'closed', description: 'Found.' });
      await client.edit(id, { status: 'open', subjectsNotifiedAt: now, notificationReason: 'Ann asked.' });
    });
    assert.deepEqual(
      events.map(({ diff: { states, ...diff } }) => {
        assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
        return diff;
      }),
      [
        { changed: ['title', 'affectedSubjects', 'dataCategories'], before: {}, after: {} },
        {
          changed: ['description', 'severity', 'status', 'authorityNotifiedAt', 'closedAt'],
          before: { severity: 'high', status: 'open', authorityNotifiedAt: null, closedAt: null },
          after: { severity: 'low', status: 'closed', authorityNotifiedAt: now, closedAt: now },
        },
        {
          changed: ['status', 'subjectsNotifiedAt', 'notificationReason', 'closedAt'],
          before: { status: 'closed', subjectsNotifiedAt: null, closedAt: now },
          after: { status: 'open', subjectsNotifiedAt: now, closedAt: null },
        },
      ],
    );
    for (const { action, module, targetId, targetRef, reason } of events)
      assert.deepEqual(
        { action, module, targetId, targetRef, reason },
        { action: 'breach.updated', module: 'privacy', targetId: id, targetRef: null, reason: null },
      );
  });

  test('emits the status of the breach with each change, without its texts', async () => {
    const client = await createClient();
    const { id, notificationDueAt } = await client.reported();
    server.clock.advance(1);
    const { webhooks } = await watch(server, client.tenant.id, async () => {
      await client.edit(id, { title: 'Stolen laptop' });
      await client.edit(id, { severity: 'critical', status: 'contained' });
    });
    const createdAt = server.clock.now();
    const data = { breachId: id, severity: 'high', status: 'open', notificationDueAt };
    assert.deepEqual(webhooks, [
      { type: 'breach.updated', data, createdAt },
      { type: 'breach.updated', data: { ...data, severity: 'critical', status: 'contained' }, createdAt },
    ]);
  });

  test('writes nothing when nothing changes', async () => {
    const client = await createClient();
    const breach = await client.reported({ dataCategories: ['Names'], affectedSubjects: 3 });
    server.clock.advance(1);
    const { title, description, severity, status, affectedSubjects, dataCategories } = breach;
    await assertNothingWritten(server, async () => {
      for (const same of [
        {},
        { title: ` ${title} ` },
        { authorityNotifiedAt: null, notificationReason: null },
        { title, description, severity, status, affectedSubjects, dataCategories },
      ])
        assert.deepEqual(payload(await client.edit(breach.id, same), 200), breach);
    });
  });

  test('refuses what is no edit by name, and writes nothing', async () => {
    const client = await createClient();
    const { id, discoveredAt } = await client.reported();
    await assertBodiesRefused(server, (body) => client.edit(id, body as object), [
      [{ discoveredAt }, 'body.discoveredAt'],
      [{ closedAt: discoveredAt }, 'body.closedAt'],
      [{ title: null }, 'body.title'],
      [{ description: '' }, 'body.description'],
      [{ severity: null }, 'body.severity'],
      [{ status: 'reopened' }, 'body.status'],
      [{ status: null }, 'body.status'],
      [{ affectedSubjects: -1 }, 'body.affectedSubjects'],
      [{ dataCategories: null }, 'body.dataCategories'],
      [{ dataCategories: ['a', 'a'] }, 'body.dataCategories.1'],
      [{ notificationReason: ' ' }, 'body.notificationReason'],
      [{ notificationReason: 'x'.repeat(2001) }, 'body.notificationReason'],
    ]);
    assertProblem(await client.edit(unknownId, { title: 'x' }), '404 not_found');
    assertProblem(await client.edit('nonsense', { title: 'x' }), '422 validation_failed', ['path.id']);
  });

  test('loses nothing when several edit at once', async () => {
    const client = await createClient();
    const { id } = await client.reported();
    const changes = [
      { title: 'Renamed' },
      { severity: 'low' },
      { affectedSubjects: 5 },
      { dataCategories: ['Names'] },
      { notificationReason: 'No risk.' },
    ];
    const { result, events } = await watch(server, client.tenant.id, () =>
      Promise.all(changes.map((change) => client.edit(id, change))),
    );
    for (const response of result) payload(response, 200);
    const breach = await client.read('breach', id);
    for (const change of changes) assert.deepEqual({ ...breach, ...change }, breach);
    // Each event has only its own change: the edits were serialized.
    assert.deepEqual(events.flatMap(({ diff }) => diff.changed).sort(), changes.flatMap(Object.keys).sort());
  });
});
