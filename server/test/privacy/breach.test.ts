import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { applyChange, BreachSeverity, BreachStatus, type BreachView, notificationDue } from '../../privacy/breach.ts';
import { watch } from '../accounts/members/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  readPages,
} from '../consent/helpers.ts';
import { testWithClient } from '../svc.ts';
import { hour, PrivacyClient, shift } from './requests.ts';

/** Allowed changes of the status, as a second copy of the rule. */
const moves = ['open contained', 'open closed', 'contained closed', 'closed open'];
const withReason = { notificationReason: 'No risk.' };

// The schema of each field is tested in http/every-field.test.ts, access in http/every-route*.test.ts.
describeServer('POST /v1/breach', (server) => {
  const testWith = testWithClient(server, PrivacyClient);

  testWith('reports an incident whose notification is due in 72 hours', async (client) => {
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

  testWith('keeps how many persons and what data are affected', async (client) => {
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
    await assertBodiesRefused(server, (body) => client.report(body as object), [
      [{ dataCategories: ['Names', 'Ages', ' Names'] }, 'body.dataCategories.2'],
      [{ affectedSubjects: 2 ** 53 }, 'body.affectedSubjects'],
    ]);
  });

  testWith('is overdue a millisecond after the 72 hours, as one and in the list', async (client) => {
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

  testWith('audits and emits the breach without its texts', async (client) => {
    const discoveredAt = server.clock.now();
    const notificationDueAt = shift(discoveredAt, 72 * hour);
    const webhooks = await client.audited(
      () => client.reported({ affectedSubjects: 12, dataCategories: ['Names'] }),
      'breach.reported',
      null,
      { severity: 'high', discoveredAt, notificationDueAt },
    );
    const [{ id: breachId }] = payload(await client.list('breach'), 200).items;
    const data = { breachId, severity: 'high', status: 'open', notificationDueAt };
    assert.deepEqual(webhooks, [{ type: 'breach.reported', data, createdAt: discoveredAt }]);
  });
});

describeServer('PATCH /v1/breach/{id}', (server) => {
  const testWith = testWithClient(server, PrivacyClient);
  const refuses = (client: PrivacyClient, id: string, ...cases: readonly (readonly [object, string])[]) =>
    assertBodiesRefused(server, (body) => client.edit(id, body as object), cases);

  testWith('changes each field, by itself and together; the rest stays', async (client) => {
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
    await refuses(client, expected.id, [{ dataCategories: ['a', 'a'] }, 'body.dataCategories.1']);
  });

  testWith('takes times of notification from the discovery until now, to the millisecond', async (client) => {
    const { id, discoveredAt } = await client.reported();
    server.clock.advance(hour);
    const now = server.clock.now();
    for (const name of ['authorityNotifiedAt', 'subjectsNotifiedAt']) {
      for (const time of [discoveredAt, now])
        assert.equal(payload(await client.edit(id, { [name]: time }), 200)[name], time);
      for (const time of [shift(discoveredAt, -1), shift(now, 1)])
        await refuses(client, id, [{ [name]: time }, `body.${name}`]);
    }
  });

  testWith('takes a notification until the end of the 72 hours, and a later one only with a reason', async (client) => {
    const { id, notificationDueAt } = await client.reported();
    server.clock.advance(80 * hour);
    const late = shift(notificationDueAt, 1);
    await refuses(
      client,
      id,
      [{ authorityNotifiedAt: late }, 'body.notificationReason'],
      [{ authorityNotifiedAt: late, notificationReason: null }, 'body.notificationReason'],
    );
    payload(await client.edit(id, { authorityNotifiedAt: notificationDueAt }), 200);
    const reason = { notificationReason: 'The office was closed.' };
    const notified = payload(await client.edit(id, { authorityNotifiedAt: late, ...reason }), 200);
    assert.deepEqual([notified.authorityNotifiedAt, notified.isNotificationOverdue], [late, false]);
    // The reason stays as long as it is needed.
    await refuses(client, id, [{ notificationReason: null }, 'body.notificationReason']);
    // People may be notified later than the authority.
    payload(await client.edit(id, { authorityNotifiedAt: notificationDueAt, notificationReason: null }), 200);
    payload(await client.edit(id, { subjectsNotifiedAt: late }), 200);
  });

  testWith('ends an overdue notification with a time or with a reason', async (client) => {
    const { id } = await client.reported();
    server.clock.advance(72 * hour + 1);
    const isOverdue = async () => (await client.read('breach', id)).isNotificationOverdue;
    assert.equal(await isOverdue(), true);
    payload(await client.edit(id, { notificationReason: 'No risk: the disk is encrypted.' }), 200);
    assert.equal(await isOverdue(), false);
    payload(await client.edit(id, { notificationReason: null }), 200);
    assert.equal(await isOverdue(), true);
  });

  testWith('audits the names of changed fields, and only values without personal data', async (client) => {
    const { id } = await client.reported();
    const now = server.clock.now();
    const texts = { title: 'Ann Smith lost it', affectedSubjects: 7, dataCategories: ['Names'] };
    const closed = { severity: 'low', authorityNotifiedAt: now, status: 'closed', description: 'Found.' };
    for (const [change, diff] of [
      [texts, { changed: ['title', 'affectedSubjects', 'dataCategories'], before: {}, after: {} }],
      [
        closed,
        {
          changed: ['description', 'severity', 'status', 'authorityNotifiedAt', 'closedAt'],
          before: { severity: 'high', status: 'open', authorityNotifiedAt: null, closedAt: null },
          after: { severity: 'low', status: 'closed', authorityNotifiedAt: now, closedAt: now },
        },
      ],
      [
        { status: 'open', subjectsNotifiedAt: now, notificationReason: 'Ann asked.' },
        {
          changed: ['status', 'subjectsNotifiedAt', 'notificationReason', 'closedAt'],
          before: { status: 'closed', subjectsNotifiedAt: null, closedAt: now },
          after: { status: 'open', subjectsNotifiedAt: now, closedAt: null },
        },
      ],
    ] as const)
      await client.audited(() => client.edit(id, change), 'breach.updated', id, diff);
  });

  testWith('emits the status of the breach with each change, without its texts', async (client) => {
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

  testWith('writes nothing when nothing changes', async (client) => {
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

  testWith('loses nothing when several edit at once', async (client) => {
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

  const reach = async (client: PrivacyClient, status: string) => {
    const { id } = await client.reported();
    return payload(await client.edit(id, { status, ...withReason }), 200);
  };

  testWith('moves the status as the table says and no other way; a refusal names what is allowed', async (client) => {
    for (const from of BreachStatus.options) {
      for (const to of BreachStatus.options.filter((status) => status !== from)) {
        const breach = await reach(client, from);
        if (moves.includes(`${from} ${to}`)) {
          assert.equal(payload(await client.edit(breach.id, { status: to }), 200).status, to);
          continue;
        }
        await assertNothingWritten(server, async () => {
          const response = await client.edit(breach.id, { status: to, title: 'Not written' });
          assertProblem(response, '409 breach_transition_not_allowed');
          const { error } = response.body;
          const allowed = moves.filter((move) => move.startsWith(`${from} `)).map((move) => move.split(' ')[1]);
          assert.deepEqual([error.from, error.to, error.allowed], [from, to, allowed]);
        });
      }
    }
  });

  testWith('is closed since when it was closed, until it is opened again', async (client) => {
    const { id } = await reach(client, 'open');
    server.clock.advance(hour);
    const closedAt = server.clock.now();
    assert.equal(payload(await client.edit(id, { status: 'closed' }), 200).closedAt, closedAt);
    server.clock.advance(hour);
    const edited = payload(await client.edit(id, { status: 'closed', title: 'Edited when closed' }), 200);
    assert.deepEqual([edited.closedAt, edited.title], [closedAt, 'Edited when closed']);
    const reopened = payload(await client.edit(id, { status: 'open' }), 200);
    assert.deepEqual([reopened.status, reopened.closedAt], ['open', null]);
    payload(await client.edit(id, { status: 'contained' }), 200);
    server.clock.advance(hour);
    assert.equal(payload(await client.edit(id, { status: 'closed' }), 200).closedAt, server.clock.now());
  });

  testWith('is closed only if the authority was notified, or with a reason', async (client) => {
    const { id } = await client.reported();
    const now = server.clock.now();
    await refuses(
      client,
      id,
      [{ status: 'closed' }, 'body.notificationReason'],
      [{ status: 'closed', subjectsNotifiedAt: now }, 'body.notificationReason'],
    );
    payload(await client.edit(id, { status: 'closed', authorityNotifiedAt: now }), 200);
    await refuses(client, id, [{ authorityNotifiedAt: null }, 'body.notificationReason']);
    payload(await client.edit(id, { authorityNotifiedAt: null, ...withReason }), 200);
    await refuses(client, id, [{ notificationReason: null }, 'body.notificationReason']);
    payload(await client.edit(id, { status: 'open', notificationReason: null }), 200);
  });

  testWith('moves once when several move it at once', async (client) => {
    const { id } = await reach(client, 'open');
    const { result, webhooks } = await watch(server, client.tenant.id, () =>
      Promise.all([1, 2, 3].map(() => client.edit(id, { status: 'closed' }))),
    );
    for (const response of result) assert.equal(payload(response, 200).status, 'closed');
    assert.equal(webhooks.length, 1);
  });
});

describe('an incident after any edits', () => {
  const times = ['2026-11-20T00:00:00.000Z', '2026-11-22T00:00:00.000Z', '2026-11-25T00:00:00.000Z'];
  const [discoveredAt, now] = ['2026-11-21T00:00:00.000Z', '2026-11-24T12:00:00.000Z'];
  const time = fc.option(fc.constantFrom(...times, discoveredAt, now, '2026-11-24T00:00:00.001Z'));
  const change = fc.record(
    {
      status: fc.constantFrom(...BreachStatus.options),
      authorityNotifiedAt: time,
      subjectsNotifiedAt: time,
      notificationReason: fc.option(fc.constant('Reason')),
      title: fc.constantFrom('One', 'Other'),
    },
    { requiredKeys: [] },
  );

  test('is closed with a notification or a reason, notified late with a reason, and closed since a time', () => {
    let breach: BreachView = {
      id: 'id',
      title: 'One',
      description: 'Description',
      severity: 'low',
      status: 'open',
      affectedSubjects: null,
      dataCategories: [],
      discoveredAt,
      notificationDueAt: notificationDue(discoveredAt),
      isNotificationOverdue: true,
      authorityNotifiedAt: null,
      subjectsNotifiedAt: null,
      notificationReason: null,
      closedAt: null,
      erasedAt: null,
      createdAt: discoveredAt,
      updatedAt: discoveredAt,
    };
    const reached = new Set<string>();
    fc.assert(
      fc.property(change, (wanted) => {
        const before = breach;
        try {
          breach = applyChange(before, wanted, now);
        } catch {
          return;
        }
        const { status, authorityNotifiedAt, notificationReason, closedAt, subjectsNotifiedAt } = breach;
        reached.add(status);
        assert.ok(before.status === status || moves.includes(`${before.status} ${status}`));
        assert.equal(closedAt !== null, status === 'closed');
        assert.ok(status !== 'closed' || authorityNotifiedAt !== null || notificationReason !== null);
        assert.ok((authorityNotifiedAt ?? '') <= '2026-11-24T00:00:00.000Z' || notificationReason !== null);
        for (const at of [authorityNotifiedAt, subjectsNotifiedAt])
          assert.ok(at === null || (at >= discoveredAt && at <= now));
      }),
      { numRuns: 2000 },
    );
    assert.deepEqual([...reached].sort(), [...BreachStatus.options].sort());
  });
});

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
      payload(await client.edit(id, { status, ...(status === 'closed' && withReason) }), 200);
      all.unshift(await client.read('breach', id));
    }
  });

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
    for (const limit of [1, 14, 27]) {
      const pages = await readPages<BreachView>(server, '/v1/breach', limit, { key: client.tenant.key });
      assert.deepEqual(pages.flat(), all);
      assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
    }
  });

  test('refuses cursors that it did not give for this very list', async () => {
    const { nextCursor } = payload(await client.list('breach', { limit: '5' }), 200);
    for (const filter of [{ status: 'open' }, { severity: 'low' }])
      assertProblem(await client.list('breach', { ...filter, cursor: nextCursor }), '400 invalid_cursor');
    const stranger = new PrivacyClient(server, await createFreshTenant(server));
    assertProblem(await stranger.list('breach', { cursor: nextCursor }), '400 invalid_cursor');
    assert.deepEqual(payload(await stranger.list('breach'), 200).items, []);
  });
});
