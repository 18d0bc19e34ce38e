import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { DsrOutcome, DsrStatus, type DsrView, dsrChannels, dsrTypes } from '../../privacy/dsr.ts';
import { watch } from '../accounts/members/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServer,
  payload,
  readPages,
  unknownId,
} from '../consent/helpers.ts';
import { testWithClient } from '../svc.ts';
import { day, hour, PrivacyClient, shift } from './requests.ts';

// The schema of each field is tested in http/every-field.test.ts, access in http/every-route*.test.ts.
describeServer('POST /v1/dsr', (server) => {
  const testWith = testWithClient(server, PrivacyClient);

  testWith('opens a request that came now, due in thirty days', async (client) => {
    const now = server.clock.now();
    const dsr = await client.opened({ subjectId: 'subject-1', type: 'erasure' });
    assert.match(dsr.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(dsr, {
      id: dsr.id,
      subjectId: 'subject-1',
      type: 'erasure',
      channel: null,
      notes: null,
      status: 'open',
      receivedAt: now,
      dueAt: shift(now, 30 * day),
      isOverdue: false,
      extendedAt: null,
      extensionReason: null,
      outcome: null,
      reason: null,
      completedAt: null,
      assigneeUserId: null,
      identityCheck: null,
      source: 'api',
      requesterEmail: null,
      requesterName: null,
      message: null,
      confirmedAt: null,
      createdAt: now,
      erasedAt: null,
      updatedAt: now,
    });
    assert.deepEqual(await client.read('dsr', dsr.id), dsr);
  });

  testWith(
    'takes every type and channel, and keeps who asked as they are written, and what was noted',
    async (client) => {
      for (const type of dsrTypes) assert.equal((await client.opened({ type })).type, type);
      for (const channel of dsrChannels) assert.equal((await client.opened({ channel })).channel, channel);
      for (const subjectId of [' spaces ', 'Ünï©ode \u{1F600}', '"quotes"', 'x'.repeat(256), '\uFFFD'])
        assert.equal((await client.opened({ subjectId })).subjectId, subjectId);
      assert.equal((await client.opened({ notes: 'n'.repeat(5000) })).notes, 'n'.repeat(5000));
      assert.equal((await client.opened({ notes: ' by letter\n' })).notes, 'by letter');
    },
  );

  testWith('counts from receivedAt in any offset, so a new request can be overdue', async (client) => {
    const receivedAt = shift(server.clock.now(), -31 * day);
    const dsr = await client.opened({ receivedAt: shift(receivedAt, 2 * hour).replace('Z', '+02:00') });
    assert.deepEqual([dsr.receivedAt, dsr.dueAt, dsr.isOverdue], [receivedAt, shift(receivedAt, 30 * day), true]);
    assert.equal(dsr.createdAt, server.clock.now());
  });

  testWith(
    'follows the period that the tenant chose, which moves no due date that was given before',
    async (client) => {
      const other = new PrivacyClient(server, await createFreshTenant(server));
      const first = await client.opened();
      for (const days of [1, 45, 90]) {
        await client.chooseDays(days);
        const { receivedAt, dueAt } = await client.opened();
        assert.equal(dueAt, shift(receivedAt, days * day));
      }
      assert.equal((await client.read('dsr', first.id)).dueAt, shift(first.receivedAt, 30 * day));
      assert.equal((await other.opened()).dueAt, shift(server.clock.now(), 30 * day));
    },
  );

  testWith('is overdue a millisecond after the due date, as one and in the list', async (client) => {
    await client.chooseDays(1);
    const { id } = await client.opened();
    const look = async () => [
      (await client.read('dsr', id)).isOverdue,
      payload(await client.list('dsr'), 200).items[0].isOverdue,
    ];
    server.clock.advance(day);
    assert.deepEqual(await look(), [false, false]);
    server.clock.advance(1);
    assert.deepEqual(await look(), [true, true]);
    payload(await client.complete(id), 200);
    assert.deepEqual(await look(), [false, false]);
  });

  testWith('audits and emits the request; only webhooks get the subject id', async (client) => {
    const now = server.clock.now();
    const dueAt = shift(now, 30 * day);
    const wanted = { subjectId: 'subject-7', type: 'portability', channel: 'letter', notes: 'Wrote twice.' };
    const diff = { type: 'portability', receivedAt: now, dueAt, source: 'api' };
    const [{ type, data, createdAt }, ...more] = await client.audited(
      () => client.opened(wanted),
      'dsr.created',
      null,
      diff,
    );
    const { dsrId, ...rest } = data;
    assert.deepEqual([type, createdAt, more], ['dsr.created', now, []]);
    assert.deepEqual(rest, { subjectId: 'subject-7', type: 'portability', dueAt });
    assert.equal((await client.read('dsr', dsrId)).subjectId, 'subject-7');
  });
});

describeServer('PATCH /v1/dsr/{id}', (server) => {
  const testWith = testWithClient(server, PrivacyClient);
  const createMember = ({ tenant }: PrivacyClient) => server.createMember({ tenantId: tenant.id, role: 'cs_agent' });

  testWith('sets the assignee, the notes, and who checked the identity when and how', async (client) => {
    const member = await createMember(client);
    const dsr = await client.opened({ notes: 'By phone.' });
    assert.deepEqual([dsr.assigneeUserId, dsr.identityCheck], [null, null]);
    server.clock.advance(60_000);
    const body = { assigneeUserId: member.userId, notes: 'By letter.', identityCheck: { method: ' Called back ' } };
    const edited = payload(await client.send('PATCH', `/v1/dsr/${dsr.id}`, body, { headers: member.session }), 200);
    assert.deepEqual(edited, {
      ...dsr,
      assigneeUserId: member.userId,
      notes: 'By letter.',
      identityCheck: { method: 'Called back', at: server.clock.now(), by: member.userId },
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await client.read('dsr', dsr.id), edited);
    const listed = async (assigneeUserId: string) =>
      payload(await client.list('dsr', { assigneeUserId }), 200).items.map(({ id }: { id: string }) => id);
    assert.deepEqual(await listed(member.userId), [dsr.id]);
    assert.deepEqual(await listed(unknownId), []);
    const cleared = { assigneeUserId: null, notes: null, identityCheck: null };
    server.clock.advance(day);
    assert.deepEqual(payload(await client.editDsr(dsr.id, cleared), 200), {
      ...dsr,
      ...cleared,
      updatedAt: server.clock.now(),
    });
  });

  testWith('keeps what is omitted, and writes nothing when nothing changes', async (client) => {
    const { userId } = await createMember(client);
    const { id } = await client.opened({ notes: 'By phone.' });
    payload(await client.editDsr(id, { identityCheck: { method: 'Called back' } }), 200);
    const edited = payload(await client.editDsr(id, { assigneeUserId: userId }), 200);
    assert.deepEqual([edited.notes, edited.identityCheck.method], ['By phone.', 'Called back']);
    server.clock.advance(day);
    await assertNothingWritten(server, async () => {
      const same = { notes: 'By phone.', assigneeUserId: userId, identityCheck: { method: 'Called back' } };
      for (const body of [{}, same]) assert.deepEqual(payload(await client.editDsr(id, body), 200), edited);
    });
  });

  testWith('accepts as assignee only members who can sign in', async (client) => {
    const { userId } = await createMember(client);
    const other = await server.createMember({ tenantId: server.tenant.id });
    const { id } = await client.opened();
    payload(await client.send('PATCH', `/v1/users/${userId}`, { active: false }), 200);
    await assertBodiesRefused(
      server,
      (body) => client.editDsr(id, body as object),
      [unknownId, other.userId, userId].map((assigneeUserId) => [{ assigneeUserId }, 'body.assigneeUserId']),
    );
  });

  testWith('is refused where the request is completed', async (client) => {
    const { id } = await client.opened();
    payload(await client.complete(id), 200);
    await assertNothingWritten(server, async () =>
      assertProblem(await client.editDsr(id, { notes: 'Late.' }), '409 dsr_already_completed'),
    );
  });

  testWith(
    'audits the assignee and when the identity was checked, without the method and the notes',
    async (client) => {
      const { userId } = await createMember(client);
      const { id } = await client.opened();
      const body = { assigneeUserId: userId, notes: 'By letter.', identityCheck: { method: 'Called back' } };
      const webhooks = await client.audited(() => client.editDsr(id, body), 'dsr.edited', id, {
        changed: ['assigneeUserId', 'notes', 'identityCheckMethod'],
        before: { assigneeUserId: null, identityCheckedAt: null },
        after: { assigneeUserId: userId, identityCheckedAt: server.clock.now() },
      });
      assert.deepEqual(webhooks, []);
    },
  );
});

describeServer('POST /v1/dsr/{id}/extend', (server) => {
  const testWith = testWithClient(server, PrivacyClient);

  testWith('makes thirty days ninety, and says since when and why', async (client) => {
    const dsr = await client.opened();
    server.clock.advance(day);
    const extended = payload(await client.extend(dsr.id, ' Many systems. '), 200);
    assert.deepEqual(extended, {
      ...dsr,
      dueAt: shift(dsr.receivedAt, 90 * day),
      extendedAt: server.clock.now(),
      extensionReason: 'Many systems.',
      updatedAt: server.clock.now(),
    });
    assert.deepEqual(await client.read('dsr', dsr.id), extended);
  });

  testWith('makes the period three times as long, up to ninety days after the receipt', async (client) => {
    for (const days of [1, 10, 29, 31, 45, 89]) {
      await client.chooseDays(days);
      const { id, receivedAt } = await client.opened();
      assert.equal(payload(await client.extend(id), 200).dueAt, shift(receivedAt, Math.min(3 * days, 90) * day));
    }
  });

  testWith('goes by the period that the request got, not by what the tenant chose since', async (client) => {
    const { id, receivedAt } = await client.opened();
    await client.chooseDays(5);
    assert.equal(payload(await client.extend(id), 200).dueAt, shift(receivedAt, 90 * day));
  });

  testWith('is possible until the period ends, to the millisecond', async (client) => {
    await client.chooseDays(1);
    const [one, other] = [await client.opened(), await client.opened()];
    server.clock.advance(day);
    payload(await client.extend(one.id), 200);
    server.clock.advance(1);
    await assertNothingWritten(server, async () =>
      assertProblem(await client.extend(other.id), '409 dsr_extension_not_allowed'),
    );
    assert.equal((await client.read('dsr', one.id)).isOverdue, false);
    server.clock.advance(2 * day);
    assert.equal((await client.read('dsr', one.id)).isOverdue, true);
  });

  testWith('is possible once; the same again changes nothing, even later', async (client) => {
    const { id } = await client.opened();
    const first = payload(await client.extend(id, 'Because.'), 200);
    server.clock.advance(day);
    await assertNothingWritten(server, async () => {
      assert.deepEqual(payload(await client.extend(id, 'Because.'), 200), first);
      assertProblem(await client.extend(id, 'Another reason.'), '409 dsr_extension_not_allowed');
    });
  });

  testWith('is refused where the period is the longest already, and where the request is completed', async (client) => {
    const completed = await client.opened();
    payload(await client.extend(completed.id, 'Because.'), 200);
    payload(await client.complete(completed.id), 200);
    await client.chooseDays(90);
    const longest = await client.opened();
    await assertNothingWritten(server, async () => {
      assertProblem(await client.extend(longest.id), '409 dsr_extension_not_allowed');
      assertProblem(await client.extend(completed.id, 'Because.'), '409 dsr_already_completed');
    });
  });

  testWith('happens once when two ask at once', async (client) => {
    const { id } = await client.opened();
    const { result, actions } = await watch(server, client.tenant.id, () =>
      Promise.all([client.extend(id, 'One.'), client.extend(id, 'Other.')]),
    );
    assert.deepEqual(result.map(({ status }) => status).sort(), [200, 409]);
    assert.deepEqual(actions, ['dsr.extended']);
  });

  testWith('audits the due dates without the reason, and emits nothing', async (client) => {
    const { id, dueAt, receivedAt } = await client.opened();
    const diff = { dueAt: { before: dueAt, after: shift(receivedAt, 90 * day) } };
    assert.deepEqual(await client.audited(() => client.extend(id), 'dsr.extended', id, diff), []);
  });
});

describeServer('POST /v1/dsr/{id}/complete', (server) => {
  const testWith = testWithClient(server, PrivacyClient);

  testWith('completes a request with its outcome', async (client) => {
    for (const outcome of DsrOutcome.options) {
      const dsr = await client.opened();
      server.clock.advance(1);
      const reason = outcome === 'fulfilled' ? null : 'We have nothing of yours.';
      const completed = payload(await client.complete(dsr.id, { outcome, ...(reason && { reason }) }), 200);
      const now = server.clock.now();
      assert.deepEqual(completed, { ...dsr, status: 'completed', outcome, reason, completedAt: now, updatedAt: now });
      assert.deepEqual(await client.read('dsr', dsr.id), completed);
    }
  });

  testWith('takes a request that is overdue or extended, and a reason for one that is fulfilled', async (client) => {
    const { id } = await client.opened();
    const { dueAt, extendedAt } = payload(await client.extend(id), 200);
    server.clock.advance(91 * day);
    const completed = payload(await client.complete(id, { outcome: 'fulfilled', reason: ' Sent by post. ' }), 200);
    assert.deepEqual(
      [completed.reason, completed.dueAt, completed.extendedAt, completed.isOverdue],
      ['Sent by post.', dueAt, extendedAt, false],
    );
  });

  testWith('needs a reason unless the request is fulfilled', async (client) => {
    const { id } = await client.opened();
    await assertBodiesRefused(server, (body) => client.complete(id, body as object), [
      [{ outcome: 'rejected' }, 'body.reason'],
      [{ outcome: 'partially_fulfilled' }, 'body.reason'],
    ]);
    assert.equal((await client.read('dsr', id)).status, 'open');
  });

  testWith('emits exactly who asked for what, and what came of it', async (client) => {
    const { id } = await client.opened({ subjectId: 'subject-9', type: 'access', notes: 'Wrote twice.' });
    server.clock.advance(1);
    const { webhooks } = await watch(server, client.tenant.id, () => client.complete(id));
    const data = { dsrId: id, subjectId: 'subject-9', type: 'access', outcome: 'fulfilled' };
    assert.deepEqual(webhooks, [{ type: 'dsr.completed', data, createdAt: server.clock.now() }]);
  });

  testWith('audits the outcome and the time, without the reason', async (client) => {
    const { id } = await client.opened();
    const body = { outcome: 'rejected', reason: 'Not who they say they are.' };
    await client.audited(() => client.complete(id, body), 'dsr.completed', id, {
      status: { before: 'open', after: 'completed' },
      outcome: 'rejected',
      completedAt: server.clock.now(),
    });
  });

  testWith('answers the same again without writing anything, and refuses another outcome or reason', async (client) => {
    const { id } = await client.opened();
    const first = payload(await client.complete(id, { outcome: 'rejected', reason: 'Because.' }), 200);
    server.clock.advance(100 * day);
    await assertNothingWritten(server, async () => {
      const again = { outcome: 'rejected', reason: ' Because. ' };
      assert.deepEqual(payload(await client.complete(id, again), 200), first);
      for (const other of [
        { outcome: 'fulfilled' },
        { outcome: 'fulfilled', reason: 'Because.' },
        { outcome: 'rejected', reason: 'Because' },
      ])
        assertProblem(await client.complete(id, other), '409 dsr_already_completed');
    });
    const without = await client.opened();
    for (const _ of [1, 2]) payload(await client.complete(without.id), 200);
    const reasoned = await client.complete(without.id, { outcome: 'fulfilled', reason: 'Sent.' });
    assertProblem(reasoned, '409 dsr_already_completed');
  });

  testWith('happens once when several ask at once', async (client) => {
    const { id } = await client.opened();
    const bodies = [
      { outcome: 'fulfilled' },
      { outcome: 'fulfilled' },
      { outcome: 'rejected', reason: 'Because.' },
      { outcome: 'partially_fulfilled', reason: 'Because.' },
    ];
    const { result, webhooks, actions } = await watch(server, client.tenant.id, () =>
      Promise.all(bodies.map((body) => client.complete(id, body))),
    );
    const { outcome } = await client.read('dsr', id);
    const expected = bodies.map((body) => (body.outcome === outcome ? 200 : 409));
    assert.deepEqual(
      result.map(({ status }) => status),
      expected,
    );
    assert.deepEqual(actions, ['dsr.completed']);
    assert.deepEqual(
      webhooks.map(({ type, data }) => [type, data.outcome]),
      [['dsr.completed', outcome]],
    );
  });
});

describeServer('GET /v1/dsr', (server) => {
  const subjects = ['subject-1', 'subject-2', 'Subject-1', 'subject-1 ', '%'];
  const testWith = testWithClient(server, PrivacyClient);
  let client: PrivacyClient;
  /** Newest first. */
  const all: DsrView[] = [];
  before(async () => {
    client = new PrivacyClient(server, await createFreshTenant(server));
    for (let number = 0; number < 33; number += 1) {
      const { id } = await client.opened({
        type: dsrTypes[number % dsrTypes.length],
        subjectId: subjects[number % subjects.length],
        receivedAt: shift(server.clock.now(), -(number % 4) * 10 * day - (number % 4 === 3 ? 1 : 0)),
      });
      if (number % 7 === 3) payload(await client.complete(id), 200);
      all.unshift(await client.read('dsr', id));
    }
  });
  const idsOf = (dsrs: readonly DsrView[]) => dsrs.map(({ id }) => id);

  test('gives the 25 newest as the operation for one does, and where to go on', async () => {
    const { items, nextCursor } = payload(await client.list('dsr'), 200);
    assert.deepEqual(items, all.slice(0, 25));
    const next = payload(await client.list('dsr', { cursor: nextCursor }), 200);
    assert.deepEqual(next, { items: all.slice(25), nextCursor: null });
  });

  test('has what a plain filter of all requests has, for all filters together', async () => {
    assert.ok(all.some(({ isOverdue }) => isOverdue));
    const optional = <Value>(...values: readonly Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const filters = fc.record({
      status: optional(...DsrStatus.options),
      type: optional(...dsrTypes),
      subjectId: optional(...subjects, 'unknown'),
      overdue: optional(true, false),
    });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), async (filter, limit) => {
        const { status, type, subjectId, overdue } = filter;
        const expected = all.filter(
          (dsr) =>
            dsr.status === (status ?? dsr.status) &&
            dsr.type === (type ?? dsr.type) &&
            dsr.subjectId === (subjectId ?? dsr.subjectId) &&
            dsr.isOverdue === (overdue ?? dsr.isOverdue),
        );
        const given = Object.entries({ ...filter, limit }).filter(([, value]) => value !== undefined);
        const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
        const { items, nextCursor } = payload(await client.list('dsr', query), 200);
        assert.deepEqual(items, expected.slice(0, limit));
        assert.equal(nextCursor !== null, expected.length > limit);
      }),
      {
        numRuns: 60,
        examples: [
          [{ status: 'open', type: undefined, subjectId: undefined, overdue: true }, 3],
          [{ status: undefined, type: undefined, subjectId: undefined, overdue: false }, 100],
        ],
      },
    );
  });

  test('gives every request once, newest first, whatever the size of a page', async () => {
    for (const limit of [1, 2, 11, 32, 33]) {
      const pages = await readPages<DsrView>(server, '/v1/dsr', limit, { key: client.tenant.key });
      assert.deepEqual(idsOf(pages.flat()), idsOf(all));
      assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
    }
  });

  testWith('has no request twice when others come between two pages', async (other) => {
    const first: string[] = [];
    for (let number = 0; number < 5; number += 1) first.unshift((await other.opened()).id);
    const pages = await readPages<DsrView>(server, '/v1/dsr', 2, {
      key: other.tenant.key,
      betweenPages: () => other.opened(),
    });
    assert.deepEqual(idsOf(pages.flat()), first);
  });

  testWith(
    'has a request among the overdue from a millisecond after its due date until it is completed',
    async (other) => {
      const now = server.clock.now();
      const due = await other.opened({ receivedAt: shift(now, -30 * day) });
      const late = await other.opened({ receivedAt: shift(now, -30 * day - 1) });
      const overdue = async (is: boolean) =>
        idsOf(payload(await other.list('dsr', { overdue: String(is) }), 200).items);
      assert.deepEqual([await overdue(true), await overdue(false)], [[late.id], [due.id]]);
      payload(await other.complete(late.id), 200);
      assert.deepEqual([await overdue(true), await overdue(false)], [[], [late.id, due.id]]);
    },
  );

  testWith('refuses cursors that it did not give for this very list', async (stranger) => {
    const { nextCursor } = payload(await client.list('dsr', { limit: '5' }), 200);
    payload(await client.list('dsr', { limit: '7', cursor: nextCursor }), 200);
    for (const filter of [{ status: 'open' }, { type: 'access' }, { subjectId: '%' }, { overdue: 'false' }])
      assertProblem(await client.list('dsr', { ...filter, cursor: nextCursor }), '400 invalid_cursor');
    assertProblem(await stranger.list('dsr', { cursor: nextCursor }), '400 invalid_cursor');
    assert.deepEqual(payload(await stranger.list('dsr'), 200).items, []);
  });
});
