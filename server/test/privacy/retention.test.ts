import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personal, recordEvents, systemSource } from '../../ledger/audit/store.ts';
import { continueErasure } from '../../privacy/erasure/erase.ts';
import { noCounts } from '../../privacy/erasure/erasure.ts';
import { eraseExpired } from '../../privacy/erasure/retention.ts';
import { stepRows } from '../../privacy/erasure/store.ts';
import { runTransaction } from '../../storage/database.ts';
import { insertRows } from '../../storage/rows.ts';
import { assertIntact } from '../accounts/keys/keys.ts';
import {
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  readTables,
} from '../consent/helpers.ts';
import { readAllPages } from '../ledger/audit/audit-trail.ts';
import { changeRow, type Row, readRows } from '../ledger/tamper.ts';
import { assertAbsent, needle } from '../needle.ts';
import { createEndpoint } from '../webhooks/sending.ts';
import { storeAttempt, storeDelivery } from '../webhooks/stored-deliveries.ts';
import { day, PrivacyClient } from './requests.ts';

describeServerOnEachDatabase('the texts of requests and breaches', (server) => {
  const createClient = async (settings: object = {}) => {
    const client = new PrivacyClient(server, await createFreshTenant(server));
    if (Object.keys(settings).length > 0) payload(await client.send('PATCH', '/v1/tenant', settings), 200);
    return client;
  };
  const pass = () => eraseExpired(server.installation.database, server.clock.now());
  const completed = async (client: PrivacyClient, body: object = {}): Promise<string> => {
    const { id } = await client.opened(body);
    payload(await client.complete(id), 200);
    return id;
  };
  const closed = async (client: PrivacyClient): Promise<string> => {
    const { id } = await client.reported();
    payload(await client.edit(id, { status: 'closed', notificationReason: 'Nobody was at risk.' }), 200);
    return id;
  };

  test('are kept while the tenant has not chosen otherwise', async () => {
    const client = await createClient();
    const [dsr, breach] = [await completed(client), await closed(client)];
    server.clock.advance(20_000 * day);
    assert.equal(await pass(), false);
    assert.equal((await client.read('dsr', dsr)).subjectId, 'subject-1');
    assert.equal((await client.read('breach', breach)).title, 'Lost laptop');
  });

  test('are kept when something else than Svc changed the setting', async () => {
    const { database } = server.installation;
    const client = await createClient();
    const id = await completed(client);
    const row = (await readRows(database, 'tenants')).find(({ id }) => id === client.tenant.id) as Row;
    await changeRow(database, 'tenants', row, { dsr_text_days: 1 });
    server.clock.advance(2 * day);
    await pass();
    await changeRow(database, 'tenants', row, { dsr_text_days: null });
    assert.equal((await client.read('dsr', id)).subjectId, 'subject-1');
  });

  test('are erased so many days after the end, to the millisecond; dates and outcomes stay', async () => {
    const client = await createClient({ dsrTextDays: 30, breachTextDays: 60 });
    const { reference } = await client.submitted({ name: 'Ada', message: 'What do you have?' });
    payload(await client.editDsr(reference, { notes: 'Called.', identityCheck: { method: 'Phone' } }), 200);
    payload(await client.extend(reference), 200);
    payload(await client.complete(reference, { outcome: 'rejected', reason: 'Another person' }), 200);
    const breach = await client.reported({ dataCategories: ['Letters to Ada'], affectedSubjects: 3 });
    payload(await client.edit(breach.id, { status: 'closed', notificationReason: 'No risk.' }), 200);
    const before = {
      dsr: await client.read('dsr', reference),
      breach: await client.read('breach', breach.id),
    };
    server.clock.advance(30 * day - 1);
    await pass();
    assert.deepEqual(await client.read('dsr', reference), before.dsr);
    server.clock.advance(1);
    await pass();
    const erased = { erasedAt: server.clock.now(), updatedAt: server.clock.now() };
    assert.deepEqual(await client.read('dsr', reference), {
      ...before.dsr,
      ...erased,
      subjectId: null,
      notes: null,
      reason: null,
      extensionReason: null,
      identityCheck: null,
      requesterEmail: null,
      requesterName: null,
      message: null,
    });
    assert.deepEqual(await client.read('breach', breach.id), before.breach);
    server.clock.advance(30 * day);
    await pass();
    assert.deepEqual(await client.read('breach', breach.id), {
      ...before.breach,
      erasedAt: server.clock.now(),
      updatedAt: server.clock.now(),
      title: null,
      description: null,
      dataCategories: [],
      notificationReason: null,
    });
    const { dsr_requests: requests = [], breach_incidents: breaches = [] } = await readTables(server);
    const rows = [...requests, ...breaches].filter((row) => row.includes(reference) || row.includes(breach.id));
    assert.equal(rows.length, 2);
    for (const row of rows) assert.match(row, /"salt":null/);
    const { events } = await readAllPages(server, { module: 'privacy' }, { key: client.tenant.key });
    const erasures = events.filter(({ action }) => ['dsr.erased', 'breach.erased'].includes(action));
    const details = await Promise.all(
      erasures.map(async ({ id }) => payload(await client.send('GET', `/v1/audit/${id}`), 200)),
    );
    assert.deepEqual(
      details.map(({ action, actorType, targetId, targetRef, diff }) => [
        action,
        actorType,
        targetId,
        targetRef,
        diff.texts,
        Object.keys(diff).length,
      ]),
      [
        ['breach.erased', 'system', breach.id, null, 4, 2],
        ['dsr.erased', 'system', reference, null, 8, 2],
      ],
    );
    await assertIntact(server);
  });

  test('are erased in the audit log too, without who dealt with them, and of what is kept they stay', async () => {
    const client = await createClient({ dsrTextDays: 30, breachTextDays: 30 });
    const { id: open } = await client.opened();
    const ids = [await completed(client), await closed(client), open];
    const actor = { type: 'user', id: 'colleague', email: `colleague@${client.tenant.slug}.example` } as const;
    const events = ids.map((targetId) => ({
      source: { ...systemSource(client.tenant.id), actor },
      event: {
        module: 'privacy',
        action: 'text.noted',
        targetId,
        targetRef: null,
        diff: { after: { notes: personal(`text of ${targetId}`) } },
      } as const,
    }));
    await runTransaction(server.installation.database, server.clock.now(), (tx) => recordEvents(tx, events));
    server.clock.advance(31 * day);
    await pass();
    const openings = (await readTables(server)).audit_openings?.join() ?? '';
    assert.deepEqual(
      ids.map((id) => openings.includes(`text of ${id}`)),
      [false, false, true],
    );
    assert.equal(openings.split(actor.email).length - 1, 3);
    await assertIntact(server);
  });

  test('are erased in webhook events, what receivers answered and stored responses, too; pending deliveries are canceled', async () => {
    const client = await createClient({ dsrTextDays: 30, breachTextDays: 30 });
    const { id: webhookId } = await createEndpoint(server, client.tenant, 'https://hooks.example.com/', {
      status: 'paused',
    });
    const post = async (path: string, body: object) => {
      const headers = { 'Idempotency-Key': `key-of-${JSON.stringify(body).length}` };
      return payload(await client.send('POST', path, body, { headers }));
    };
    const subjects = [`${needle('ida')}@example.com`, `${needle('ivo.from.berlin')}@example.com`];
    const ids: string[] = [];
    for (const subjectId of subjects) ids.push((await post('/v1/dsr', { subjectId, type: 'access' })).id);
    for (const id of ids) payload(await client.complete(id), 200);
    const { id: open } = await post('/v1/dsr', { subjectId: 'open-for-long@example.com', type: 'access' });
    const title = needle('title');
    const { id: breach } = await post('/v1/breach', {
      title,
      description: title,
      discoveredAt: server.clock.now(),
      severity: 'low',
    });
    payload(await client.edit(breach, { status: 'closed', notificationReason: `No risk for ${subjects[0]}.` }), 200);
    const sent = await storeDelivery(server, client.tenant, { webhookId, status: 'delivered' });
    await storeAttempt(server, sent, { excerpt: `Thank you for ${subjects[0]}` });
    const { kysely } = server.installation.database;
    const ofPerson = kysely
      .selectFrom('webhook_events')
      .select('id')
      .where('subject_id', '=', subjects[0] as string);
    const { id: eventId } = await ofPerson.where('type', '=', 'dsr.completed').executeTakeFirstOrThrow();
    await kysely.updateTable('webhook_deliveries').set({ event_id: eventId }).where('id', '=', sent).execute();
    const contents = async () => JSON.stringify(await readTables(server));
    for (const text of [...subjects, title]) assert.ok((await contents()).includes(text), text);
    server.clock.advance(31 * day);
    assert.equal(await pass(), false);
    const left = await contents();
    assertAbsent(left, ...subjects, title);
    assert.equal((await client.read('dsr', open)).subjectId, 'open-for-long@example.com');
    const deliveries = kysely.selectFrom('webhook_deliveries').select(['status', 'reason']);
    const canceled = await deliveries.where('endpoint_id', '=', webhookId).where('reason', '=', 'erased').execute();
    assert.deepEqual(canceled, Array(4).fill({ status: 'canceled', reason: 'erased' }));
    const { events } = await readAllPages(server, { action: 'subject.erased' }, { key: client.tenant.key });
    const erasures = await Promise.all(
      events.map(async ({ id }) => payload(await client.send('GET', `/v1/audit/${id}`), 200)),
    );
    assert.deepEqual(
      erasures.map(({ diff }) => diff.counts),
      [
        { ...noCounts, breaches: 1, responses: 1 },
        { ...noCounts, requests: 2, events: 4, deliveries: 4, responses: 2 },
      ],
    );
    await assertIntact(server);
  });

  test('are erased a thousand stored responses at a time, the rest in the background', async () => {
    const { database, clock } = server.installation;
    const client = await createClient({ dsrTextDays: 30 });
    const subjectId = 'jo.many@example.com';
    const id = await completed(client, { subjectId });
    const body = JSON.stringify({ data: { id, subjectId } });
    const row = { tenant_id: client.tenant.id, fingerprint: '', status: 200, body, created_at: clock() };
    const keys = Array.from({ length: stepRows + 5 }, (_, index) => ({ ...row, key: `many-${index}` }));
    await runTransaction(database, clock(), ({ queries }) => insertRows(queries, 'idempotency_keys', keys));
    const left = async () =>
      (await readTables(server)).idempotency_keys?.filter((row) => row.includes(subjectId)).length;
    server.clock.advance(30 * day);
    await pass();
    assert.equal((await client.read('dsr', id)).subjectId, null);
    assert.ok(((await left()) as number) > 0);
    while (await continueErasure(database, clock()));
    assert.equal(await left(), 0);
    await assertNothingWritten(server, async () => {
      assert.equal(await pass(), false);
    });
  });

  test('are left to an erasure that is not done: a later pass starts no second one', async () => {
    const { database, clock } = server.installation;
    const kim = needle('kim');
    const client = await createClient({ dsrTextDays: 30 });
    const id = await completed(client);
    const event = { module: 'privacy', action: 'text.noted', targetId: id, targetRef: personal(kim) } as const;
    const events = Array.from({ length: stepRows + 5 }, () => ({ source: systemSource(client.tenant.id), event }));
    await runTransaction(database, clock(), (tx) => recordEvents(tx, events));
    server.clock.advance(30 * day);
    await pass();
    assert.equal((await client.read('dsr', id)).subjectId, 'subject-1');
    await assertNothingWritten(server, async () => {
      assert.equal(await pass(), false);
    });
    while (await continueErasure(database, clock()));
    assert.equal((await client.read('dsr', id)).subjectId, null);
    assertAbsent((await readTables(server)).audit_openings?.join() ?? '', kim);
  });

  test('of what is open or was reopened are never erased', async () => {
    const client = await createClient({ dsrTextDays: 30, breachTextDays: 30 });
    const { id: dsr } = await client.opened();
    const { id: open } = await client.reported();
    const { id: contained } = await client.reported();
    payload(await client.edit(contained, { status: 'contained' }), 200);
    const reopened = await closed(client);
    payload(await client.edit(reopened, { status: 'open' }), 200);
    server.clock.advance(10_000 * day);
    await pass();
    assert.equal((await client.read('dsr', dsr)).erasedAt, null);
    for (const id of [open, contained, reopened]) assert.equal((await client.read('breach', id)).erasedAt, null);
  });

  test('of another tenant stay, and each tenant has its own period', async () => {
    const [short, long, other] = [
      await createClient({ dsrTextDays: 30 }),
      await createClient({ dsrTextDays: 3650 }),
      await createClient({ breachTextDays: 30 }),
    ];
    const ids = await Promise.all([short, long, other].map((client) => completed(client)));
    server.clock.advance(31 * day);
    await pass();
    const erasedAt = await Promise.all(
      [short, long, other].map(async (client, index) => (await client.read('dsr', ids[index] as string)).erasedAt),
    );
    assert.deepEqual(erasedAt, [server.clock.now(), null, null]);
  });

  test('are erased in bounded passes, the oldest first, and once', async () => {
    const client = await createClient({ dsrTextDays: 30 });
    const ids: string[] = [];
    for (let count = 0; count < 103; count += 1) ids.push(await completed(client, { subjectId: `subject-${count}` }));
    server.clock.advance(30 * day);
    const left = async () => {
      const rows = (await readTables(server)).dsr_requests ?? [];
      return rows.filter((row) => ids.some((id) => row.includes(id)) && row.includes('"erased_at":null')).length;
    };
    for (const [hasMore, rows] of [[true, 53] as const, [true, 3] as const, [false, 0] as const]) {
      assert.equal(await pass(), hasMore);
      assert.equal(await left(), rows);
    }
    await assertNothingWritten(server, async () => {
      assert.equal(await pass(), false);
    });
  });

  test('follow a later change of the setting, also back to keeping them', async () => {
    const client = await createClient({ dsrTextDays: 30 });
    const id = await completed(client);
    payload(await client.send('PATCH', '/v1/tenant', { dsrTextDays: null }), 200);
    server.clock.advance(400 * day);
    await pass();
    assert.equal((await client.read('dsr', id)).erasedAt, null);
    payload(await client.send('PATCH', '/v1/tenant', { dsrTextDays: 400 }), 200);
    await pass();
    assert.equal((await client.read('dsr', id)).erasedAt, server.clock.now());
  });

  test('once erased, are not edited: the request stays completed, the breach closed and not overdue', async () => {
    const client = await createClient({ dsrTextDays: 30, breachTextDays: 30 });
    const [dsr, breach] = [await completed(client), await closed(client)];
    server.clock.advance(31 * day);
    await pass();
    assert.equal((await client.read('breach', breach)).isNotificationOverdue, false);
    assert.equal(payload(await client.send('GET', '/v1/overview'), 200).breaches.pastDeadline, 0);
    await assertNothingWritten(server, async () => {
      assertProblem(await client.edit(breach, { status: 'open' }), '409 breach_erased');
      assertProblem(await client.edit(breach, { title: 'Again' }), '409 breach_erased');
      assertProblem(await client.editDsr(dsr, { subjectId: 'Again' }), '409 dsr_already_completed');
    });
    assert.deepEqual(payload(await client.list('dsr', { subjectId: 'subject-1' }), 200).items, []);
    assert.deepEqual(
      payload(await client.list('dsr'), 200).items.map(({ id }: { id: string }) => id),
      [dsr],
    );
  });
});
