import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { verifyExport, verifyInclusion } from '../../../packages/node-sdk/src/ledger/index.ts';
import { appendRecords } from '../../consent/record-store.ts';
import { type Actor, systemActor } from '../../http/principal.ts';
import { type NewAuditEvent, personal, recordEvents, systemSource } from '../../ledger/audit/store.ts';
import { dsrEvents } from '../../privacy/dsr.ts';
import { continueErasure, eraseSubject } from '../../privacy/erasure/erase.ts';
import { noCounts } from '../../privacy/erasure/erasure.ts';
import { stepRows } from '../../privacy/erasure/store.ts';
import { runTransaction } from '../../storage/database.ts';
import { removeRemains } from '../../storage/erased-remains.ts';
import { insertRows, newId } from '../../storage/rows.ts';
import { emitEvents } from '../../webhooks/deliveries/outbox.ts';
import { assertIntact } from '../accounts/keys/keys.ts';
import { readAudit } from '../accounts/members/membership-helpers.ts';
import {
  assertNothingWritten,
  assertProblem,
  capture,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  readTables,
} from '../consent/helpers.ts';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';
import { draftRecord, runVerify } from '../ledger/fixture.ts';
import { changeRow, type Row, readRows } from '../ledger/tamper.ts';
import { assertAbsent, needle } from '../needle.ts';
import { assertTenantsNamed } from '../tenant-statements.ts';
import { createEndpoint } from '../webhooks/sending.ts';
import { PrivacyClient } from './requests.ts';

describeOnEachDatabase('POST /v1/consent/subjects/{subjectId}/erase', (dialect) => {
  let server: TestServer;
  let noticeId: string;
  before(async () => {
    server = await startTestServer(dialect);
    noticeId = await server.createNotice();
    await createEndpoint(server, server.tenant, 'https://hooks.example.com/', { status: 'paused' });
  });
  after(async () => {
    assertTenantsNamed(server);
    await server[Symbol.asyncDispose]();
  });

  const addresses = new Map<string, string>();
  // Each subject has an address and a device of its own.
  const bodyOf = (subjectId: string) => {
    const ip = addresses.get(subjectId) ?? `192.0.2.${addresses.size + 1}`;
    addresses.set(subjectId, ip);
    return { subjectId, ip, ua: subjectId, purposes: { analytics: true } };
  };
  let keys = 0;
  const record = async (subjectId: string, key = `erase-key-${++keys}`) =>
    payload(
      await server.request('POST', `/v1/consent/${noticeId}/records`, {
        headers: { 'Idempotency-Key': key },
        body: bodyOf(subjectId),
      }),
    );
  const send = (subjectId: string, reason = 'Asked for it') =>
    server.request('POST', `/v1/consent/subjects/${encodeURIComponent(subjectId)}/erase`, { body: { reason } });
  const erase = async (subjectId: string) => payload(await send(subjectId), 200);
  /** Every text of the database; of SQLite also the bytes of the file and its log, of PostgreSQL the samples of values. */
  const contents = async () => {
    const { database, settings } = server.installation;
    assert.ok(await removeRemains(database));
    const tables = [
      'consent_records',
      'audit_events',
      'audit_openings',
      'dsr_requests',
      'webhook_events',
      'webhook_deliveries',
      'idempotency_keys',
      'erasure_jobs',
    ];
    if (dialect === 'postgres') tables.push('pg_stats');
    const rows = await Promise.all(tables.map(async (table) => JSON.stringify(await readTable(table))));
    const files =
      dialect === 'sqlite' ? readdirSync(settings.dataDir).filter((name) => name.startsWith('svc.sqlite')) : [];
    return [...rows, ...files.map((name) => readFileSync(join(settings.dataDir, name), 'latin1'))].join('\n');
  };
  const readTable = (table: string) =>
    server.installation.database.kysely
      .selectFrom(table as 'consent_records')
      .selectAll()
      .execute();

  test('clears the subject everywhere, and everything still verifies', async () => {
    const subject = `${needle('erased')}@example.com`;
    const keptSubject = `${needle('kept')}@example.com`;
    const other = await record(keptSubject);
    const first = await record(subject, 'erase-retried');
    const second = await record(subject);
    const checkpoint = payload(await server.request('POST', '/v1/ledgers/consent/checkpoints'));
    const before = (await server.request('GET', '/v1/ledgers/consent/export')).text;
    assert.ok((await contents()).includes(subject));
    // PostgreSQL does so by itself at times.
    if (dialect === 'postgres') await sql`analyze`.execute(server.installation.database.kysely);
    const { erasureId, ...done } = await erase(subject);
    assert.deepEqual(done, {
      status: 'done',
      counts: { ...noCounts, records: 2, events: 2, deliveries: 2, responses: 2 },
    });
    const left = await contents();
    assertAbsent(left, subject, first.ipHash, first.uaHash, first.salt);
    assert.ok(left.includes(keptSubject));
    await assertIntact(server);

    const read = payload(await server.request('GET', `/v1/consent/${noticeId}/records/${first.id}`), 200);
    const erased = { subjectId: null, ipHash: null, uaHash: null, salt: null, erasedAt: server.clock.now() };
    assert.deepEqual(read, { ...first, ...erased });
    assert.equal((await server.request('GET', `/v1/consent/subjects/${subject}`)).status, 404);
    const retried = await server.request('POST', `/v1/consent/${noticeId}/records`, {
      headers: { 'Idempotency-Key': 'erase-retried' },
      body: bodyOf(subject),
    });
    assert.deepEqual(payload(retried), read);
    const withdrawn = await server.request('POST', `/v1/consent/${noticeId}/records/${first.id}/withdrawals`, {
      headers: { 'Idempotency-Key': 'withdraw-erased' },
      body: {},
    });
    assert.deepEqual([withdrawn.status, withdrawn.body.error.code], [409, 'record_erased']);

    const publicKey = server.installation.signer.verifierKey;
    const after = (await server.request('GET', '/v1/ledgers/consent/export')).text;
    assert.ok(before.includes(subject) && !after.includes(subject));
    const note = checkpoint.note;
    assert.equal((await verifyExport(before, { publicKey, checkpoint: note })).closed, 0);
    assert.equal((await verifyExport(after, { publicKey, checkpoint: note })).closed, 2);
    const proof = payload(
      await server.request('GET', `/v1/ledgers/consent/inclusion-proof?sequence=${first.sequence}`),
      200,
    );
    assert.deepEqual(proof.openings, []);
    await verifyInclusion({ hash: first.ledgerHash, proof, publicKey, checkpoint: note });
    const kept = payload(await server.request('GET', `/v1/consent/${noticeId}/records/${other.id}`), 200);
    assert.equal(kept.subjectId, keptSubject);

    const deliveries = await readTable('webhook_deliveries');
    const events = (await readTable('webhook_events')) as unknown as { id: string; type: string; data: string }[];
    const announced = events.filter(({ type, data }) => type === 'subject.erased' && data.includes(erasureId));
    assert.deepEqual(
      announced.map(({ data }) => JSON.parse(data)),
      [{ erasureId, counts: done.counts }],
    );
    const ofRecords = events.filter(({ data }) => [first, second].some(({ id }) => data.includes(id)));
    const canceled = (deliveries as unknown as { event_id: string; reason: string }[]).filter(
      ({ event_id, reason }) => reason === 'erased' && ofRecords.some(({ id }) => id === event_id),
    );
    assert.equal(canceled.length, 2);
  });

  test('gives zero counts when it is repeated, and appends no event then', async () => {
    await record('twice');
    await erase('twice');
    const events = (await readTable('audit_events')).length;
    assert.deepEqual((await erase('twice')).counts, noCounts);
    assert.equal((await readTable('audit_events')).length, events);
    assert.equal((await erase('never seen')).status, 'done');
  });

  test('is refused while a request of the subject is open, and covers it once it is completed', async () => {
    const subject = needle('subject');
    await record(subject);
    const body = { subjectId: subject, type: 'erasure', notes: 'secret note' };
    const { id } = payload(await server.request('POST', '/v1/dsr', { body }));
    const refused = await send(subject);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'dsr_open']);
    assert.ok((await contents()).includes(subject));
    const complete = { body: { outcome: 'fulfilled' } };
    payload(await server.request('POST', `/v1/dsr/${id}/complete`, complete), 200);
    assert.equal((await erase(subject)).counts.requests, 1);
    const dsr = payload(await server.request('GET', `/v1/dsr/${id}`), 200);
    assert.deepEqual([dsr.subjectId, dsr.notes], [null, null]);
    assertAbsent(await contents(), subject);
    await assertIntact(server);
  });

  test('covers the address that a request had before its subject was edited', async () => {
    const client = new PrivacyClient(server, server.tenant);
    const subject = needle('customer');
    const [alice, bob] = [`${needle('alice')}@wonder.example`, `${needle('bob')}@wonder.example`];
    const { reference } = await client.submitted({ email: alice });
    const body = { subjectId: bob, type: 'access' };
    const headers = { 'Idempotency-Key': 'asked-by-bob' };
    const { id } = payload(await client.send('POST', '/v1/dsr', body, { headers }));
    for (const request of [reference, id]) {
      payload(await client.editDsr(request, { subjectId: subject }), 200);
      payload(await client.complete(request), 200);
    }
    for (const value of [alice, bob]) assert.ok((await contents()).includes(value), value);
    const { counts } = await erase(subject);
    assert.deepEqual([counts.requests, counts.events, counts.deliveries, counts.responses], [2, 4, 4, 1]);
    assertAbsent(await contents(), subject, alice, bob);
    const retried = payload(await client.send('POST', '/v1/dsr', body, { headers }));
    assert.deepEqual([retried.id, retried.subjectId], [id, null]);
    const events = (await readTable('webhook_events')) as unknown as { type: string; data: string }[];
    const ofRequests = events.filter(({ data }) => data.includes(reference) || data.includes(id));
    assert.equal(ofRequests.length, 4);
    for (const { type, data } of ofRequests) dsrEvents[type as keyof typeof dsrEvents].parse(JSON.parse(data));
    await assertIntact(server);
  });

  test('covers them beyond a thousand events of a request, too', async () => {
    const { database, clock } = server.installation;
    const client = new PrivacyClient(server, server.tenant);
    const [subject, carol] = [needle('customer'), `${needle('carol')}@wonder.example`];
    const { id } = await client.opened({ subjectId: subject });
    payload(await client.complete(id), 200);
    const data = { dsrId: id, subjectId: carol, type: 'access' };
    const event = { tenantId: server.tenant.id, type: 'dsr.created', data } as const;
    const events = Array.from({ length: stepRows + 5 }, () => event);
    await runTransaction(database, clock(), (tx) => emitEvents(tx, events));
    assert.equal((await erase(subject)).status, 'running');
    while (await continueErasure(database, clock()));
    assertAbsent(await contents(), subject, carol);
  });

  /** Records an event of the tenant that names people. */
  const note = (event: Partial<NewAuditEvent>, actor: Actor = systemActor, times = 1) => {
    const source = { ...systemSource(server.tenant.id), actor };
    const whole = { module: 'privacy', action: 'person.noted', targetId: null, targetRef: null, ...event } as const;
    const events = Array.from({ length: times }, () => ({ source, event: whole }));
    return runTransaction(server.installation.database, server.clock.now(), (tx) => recordEvents(tx, events));
  };

  test('clears the subject in the audit log, and the texts of events about its requests, but not who dealt with them', async () => {
    const [subject, said, kept] = [`${needle('logged')}@example.com`, needle('said'), needle('kept')];
    const colleague = { type: 'user', id: 'colleague', email: 'colleague@example.com' } as const;
    const { id } = payload(await server.request('POST', '/v1/dsr', { body: { subjectId: subject, type: 'access' } }));
    payload(await server.request('POST', `/v1/dsr/${id}/complete`, { body: { outcome: 'fulfilled' } }), 200);
    await note({ targetRef: personal(subject), reason: personal(kept) }, colleague);
    await note({ targetId: id, diff: { after: { notes: personal(said) } } }, colleague);
    await note({ targetRef: 'plain' }, { type: 'user', id: 'the person', email: subject });
    assert.ok((await contents()).includes(said));
    assert.equal((await erase(subject)).counts.auditEvents, 3);
    const left = await contents();
    assertAbsent(left, subject, said);
    for (const value of [kept, colleague.email]) assert.ok(left.includes(value), value);
    await assertIntact(server);
    assert.deepEqual((await erase(subject)).counts, noCounts);
  });

  test('by the person itself leaves its address in no event of the erasure', async () => {
    const person = { type: 'user', id: 'self', email: `${needle('self')}@example.com` } as const;
    const { id } = payload(
      await server.request('POST', '/v1/dsr', { body: { subjectId: person.email, type: 'access' } }),
    );
    payload(await server.request('POST', `/v1/dsr/${id}/complete`, { body: { outcome: 'fulfilled' } }), 200);
    const source = { ...systemSource(server.tenant.id), actor: person };
    const { counts } = await runTransaction(server.installation.database, server.clock.now(), (tx) =>
      eraseSubject(tx, source, person.email, 'By myself'),
    );
    assert.equal(counts.requests, 1);
    assertAbsent(await contents(), person.email);
    await assertIntact(server);
  });

  test('refuses a reason that names the subject: the log keeps it', async () => {
    await record('ann-7');
    for (const reason of ['ann-7', 'Sent by ann-7.', 'x ann-77, ann-7'])
      assertProblem(await send('ann-7', reason), '422 validation_failed', ['body.reason']);
    assert.equal((await server.request('GET', '/v1/consent/subjects/ann-7')).status, 200);
    payload(await send('ann-7', 'Joann-7 and ann-77 are others'), 200);
  });

  test('continues in the background beyond a thousand openings of the audit log, of a request too', async () => {
    const { database, clock } = server.installation;
    const [subject, text] = [`${needle('often')}@example.com`, needle('text')];
    const { id } = payload(await server.request('POST', '/v1/dsr', { body: { subjectId: subject, type: 'access' } }));
    payload(await server.request('POST', `/v1/dsr/${id}/complete`, { body: { outcome: 'fulfilled' } }), 200);
    await note({ targetRef: personal(subject) }, systemActor, stepRows + 5);
    await note({ targetId: id, reason: personal(text) }, systemActor, stepRows + 5);
    const { status, counts } = await erase(subject);
    assert.deepEqual([status, counts.auditEvents, counts.requests], ['running', 2 * stepRows, 0]);
    await assertIntact(server);
    while (await continueErasure(database, clock()));
    const left = await contents();
    assertAbsent(left, subject, text);
    await assertIntact(server);
  });

  test('takes few statements for a thousand events and responses, which each would wait for the network', async () => {
    const { database, clock } = server.installation;
    const tenant = await server.createTenant(`statements-${dialect}`);
    const subjectId = 'often.sent@example.com';
    const source = systemSource(tenant.id);
    const data = { id: newId(), subjectId, type: 'access' };
    const event = { tenantId: tenant.id, type: 'dsr.created', data } as const;
    await runTransaction(database, clock(), async (tx) => {
      await emitEvents(
        tx,
        Array.from({ length: stepRows }, () => event),
      );
      const row = { tenant_id: tenant.id, fingerprint: '', status: 201, body: JSON.stringify({ data }) };
      const keys = Array.from({ length: stepRows }, (_, index) => ({
        ...row,
        key: `key-${index}`,
        created_at: clock(),
      }));
      await insertRows(tx.queries, 'idempotency_keys', keys);
    });
    let statements = 0;
    const kysely = database.kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements += 1;
        return result;
      },
    });
    const { counts } = await runTransaction({ ...database, kysely }, clock(), (tx) =>
      eraseSubject(tx, source, subjectId, 'Asked for it'),
    );
    assert.deepEqual([counts.events, counts.responses], [stepRows, stepRows]);
    assert.ok(statements > 10 && statements <= 30, String(statements));
    while (await continueErasure(database, clock()));
  });

  test('touches no other tenant, and no subject whose id only contains this one', async () => {
    const other = await server.createTenant(`other-${dialect}`);
    const notice = await server.createNotice({ key: other.key });
    payload(await capture(server, notice, { subjectId: 'shared' }, { key: other.key }));
    await record('shared');
    await record('shared-more');
    assert.equal((await erase('shared')).counts.records, 1);
    const read = await server.request('GET', '/v1/consent/subjects/shared', { key: other.key });
    assert.equal(read.status, 200);
    assert.equal((await server.request('GET', '/v1/consent/subjects/shared-more')).status, 200);
  });

  test('continues in the background beyond a thousand records, and erases none that came later', async () => {
    const { database, clock } = server.installation;
    const many = needle('many');
    const drafts = Array.from({ length: stepRows + 5 }, () => draftRecord(server.tenant.id, noticeId, many));
    await runTransaction(database, clock(), (tx) => appendRecords(tx, drafts));
    // So many stored responses that the first step does not look at all keys.
    const stored = { tenant_id: server.tenant.id, fingerprint: '', status: 200, body: '{}', created_at: clock() };
    const keys = Array.from({ length: stepRows }, (_, index) => ({ ...stored, key: `filler-${index}` }));
    await insertRows(database.kysely, 'idempotency_keys', keys);
    const started = await erase(many);
    assert.deepEqual([started.status, started.counts.records], ['running', stepRows]);
    // At the same time of the clock, which does not decide what came later.
    const later = await record(many, 'later-record');
    const client = new PrivacyClient(server, server.tenant);
    const asked = { subjectId: many, type: 'access' };
    const headers = { 'Idempotency-Key': 'later-request' };
    const request = payload(await client.send('POST', '/v1/dsr', asked, { headers }));
    payload(await client.complete(request.id), 200);
    const decided = {
      headers: { 'Idempotency-Key': 'later-decision' },
      body: { subjectId: many, purpose: 'analytics', granted: true, noticeId },
    };
    const decision = payload(await server.request('POST', '/v1/consent', decided));
    await note({ targetRef: personal(many) });
    while (await continueErasure(database, clock()));
    await database.kysely.deleteFrom('idempotency_keys').where('key', 'like', 'filler-%').execute();
    assert.deepEqual(await record(many, 'later-record'), later);
    assert.deepEqual(payload(await client.send('POST', '/v1/dsr', asked, { headers })), request);
    assert.deepEqual(payload(await server.request('POST', '/v1/consent', decided)), decision);
    assert.equal((await client.read('dsr', request.id)).subjectId, many);
    const whole = async () => {
      const { kysely } = database;
      const openings = kysely.selectFrom('audit_openings').select('path').where('value', '=', many);
      const deliveries = kysely
        .selectFrom('webhook_events as event')
        .innerJoin('webhook_deliveries as delivery', 'delivery.event_id', 'event.id')
        .select(['delivery.event_type', 'delivery.status'])
        .where('event.data', 'like', `%"${many}"%`)
        .orderBy('event.id')
        .orderBy('delivery.id');
      return {
        openings: (await openings.execute()).length,
        deliveries: (await deliveries.execute()).map(({ event_type, status }) => `${event_type} ${status}`).sort(),
      };
    };
    const pending = ['consent.recorded', 'consent.recorded', 'dsr.completed', 'dsr.created'];
    assert.deepEqual(await whole(), { openings: 1, deliveries: pending.map((type) => `${type} pending`) });
    const kept = payload(await server.request('GET', `/v1/consent/subjects/${many}`), 200);
    assert.deepEqual(
      kept.items.map(({ id }: { id: string }) => id),
      [decision.id, later.id],
    );
    assert.deepEqual(await readTable('erasure_jobs'), []);
    await assertIntact(server);
    await erase(many);
    assert.deepEqual(await whole(), { openings: 0, deliveries: [] });
    assertAbsent(await contents(), many);
  });

  test('that is asked for again while it runs includes what came since', async () => {
    const { database, clock } = server.installation;
    const again = needle('again');
    const drafts = Array.from({ length: stepRows + 5 }, () => draftRecord(server.tenant.id, noticeId, again));
    await runTransaction(database, clock(), (tx) => appendRecords(tx, drafts));
    const { erasureId } = await erase(again);
    await record(again);
    await note({ targetRef: personal(again) });
    assert.deepEqual(await erase(again).then(({ erasureId: id, status }) => [id, status]), [erasureId, 'running']);
    while (await continueErasure(database, clock()));
    assertAbsent(await contents(), again);
    await assertIntact(server);
  });

  test('beside captures of the same subject leaves each record whole or erased', async () => {
    const busy = needle('busy');
    const run = [...Array(12)].map((_, index) => (index % 4 === 3 ? erase(busy) : record(busy)));
    await Promise.all(run);
    await assertIntact(server);
    await erase(busy);
    assertAbsent(await contents(), busy);
    await assertIntact(server);
  });

  test('is what svc verify compares the erased records with', async () => {
    await record('checked');
    await erase('checked');
    const { database } = server.installation;
    const rows = await readRows(database, 'consent_records');
    const row = rows.findLast(({ erased_at }) => erased_at !== null) as Row;
    const open = rows.find(({ erased_at }) => erased_at === null) as Row;
    const cleared = { subject_id: null, ip_hash: null, ua_hash: null, salt: null };
    for (const [changed, values, issue] of [
      [open, { ...cleared, erased_at: server.clock.now() }, 'no erasure covers them'],
      [row, { erased_at: '2020-01-01T00:00:00.000Z' }, 'erased_at differs'],
    ] as const) {
      await changeRow(database, 'consent_records', changed, values);
      const { code, lines } = await runVerify(server.installation);
      assert.equal(code, 1);
      assert.ok(
        lines.some((line) => line.includes(`row ${changed.sequence}: `) && line.includes(issue)),
        lines.join('\n'),
      );
      await changeRow(database, 'consent_records', changed, changed);
    }
    await assertIntact(server);
  });
});

describeServerOnEachDatabase('the erasure of a request or a breach', (server) => {
  /** A client of a new tenant with an endpoint that is paused: what is sent to it waits. */
  const createClient = async () => {
    const tenant = await createFreshTenant(server);
    await createEndpoint(server, tenant, 'https://hooks.example.com/', { status: 'paused' });
    return new PrivacyClient(server, tenant);
  };
  const send = (client: PrivacyClient, kind: 'dsr' | 'breach', id: string, reason = 'No longer needed') =>
    client.send('POST', `/v1/${kind}/${id}/erase`, { reason });
  const erase = async (...given: Parameters<typeof send>) => payload(await send(...given), 200);
  const contents = async () => JSON.stringify(await readTables(server));
  /** Records an event about a row, by a colleague. */
  const note = (client: PrivacyClient, targetId: string, text: string, times = 1) => {
    const actor = { type: 'user', id: 'colleague', email: `colleague@${client.tenant.slug}.example` } as const;
    const source = { ...systemSource(client.tenant.id), actor };
    const event = {
      module: 'privacy',
      action: 'text.noted',
      targetId,
      targetRef: null,
      reason: personal(text),
    } as const;
    const events = Array.from({ length: times }, () => ({ source, event }));
    return runTransaction(server.installation.database, server.clock.now(), (tx) => recordEvents(tx, events));
  };
  const closeBreach = async (client: PrivacyClient, id: string, notificationReason = 'No risk.') =>
    payload(await client.edit(id, { status: 'closed', notificationReason }), 200);

  test('clears the texts of a request wherever they are, and keeps dates, outcome and other requests', async () => {
    const client = await createClient();
    const [bea, parcel, passport] = [needle('bea'), needle('parcel'), needle('passport')];
    const person = { email: `${bea}@${client.tenant.slug}.example`, name: needle('name'), message: parcel };
    const { reference: id } = await client.submitted(person);
    const other = await client.opened({ subjectId: person.email, notes: 'A second request' });
    payload(await client.editDsr(id, { notes: `${bea} called`, identityCheck: { method: passport } }), 200);
    const completion = { outcome: 'rejected', reason: `${bea} is no customer` };
    const headers = { 'Idempotency-Key': 'complete-bea' };
    payload(await client.send('POST', `/v1/dsr/${id}/complete`, completion, { headers }), 200);
    await note(client, id, `${bea} was angry`);
    const before = await client.read('dsr', id);
    const { erasureId, ...done } = await erase(client, 'dsr', id);
    const counts = { ...noCounts, requests: 1, auditEvents: 1, events: 2, deliveries: 2, responses: 1 };
    assert.deepEqual(done, { status: 'done', counts });
    const left = await contents();
    // The address is the subject of the other request too.
    assertAbsent(left.replaceAll(person.email, ''), bea, person.name, parcel, passport);
    assert.equal((await client.read('dsr', other.id)).subjectId, person.email);
    assert.ok(left.includes('A second request') && left.includes(`colleague@${client.tenant.slug}.example`));
    const now = server.clock.now();
    const { subjectId, notes, reason, requesterEmail, requesterName, message, identityCheck, ...kept } =
      await client.read('dsr', id);
    assert.deepEqual(
      [subjectId, notes, reason, requesterEmail, requesterName, message, identityCheck],
      Array(7).fill(null),
    );
    for (const [name, value] of Object.entries(kept))
      if (!['erasedAt', 'updatedAt'].includes(name)) assert.deepEqual(value, before[name], name);
    assert.equal(kept.erasedAt, now);
    const { webhook_events: events = [] } = await readTables(server);
    assert.equal(events.filter((row) => row.includes(erasureId) && row.includes('subject.erased')).length, 1);
    await assertIntact(server);
  });

  test('clears the texts of a breach wherever they are, and keeps severity and dates', async () => {
    const client = await createClient();
    const cem = needle('cem');
    const texts = {
      title: `${cem} lost a key`,
      description: `${cem} was on a train`,
      dataCategories: [`Letters to ${cem}`],
    };
    const { id } = await client.reported(texts);
    await closeBreach(client, id, `No risk for ${cem}`);
    await note(client, id, `${cem} found it`);
    const before = await client.read('breach', id);
    const { counts } = await erase(client, 'breach', id);
    assert.deepEqual(counts, { ...noCounts, breaches: 1, auditEvents: 1 });
    assertAbsent(await contents(), cem);
    const now = server.clock.now();
    const cleared = { title: null, description: null, dataCategories: [], notificationReason: null };
    assert.deepEqual(await client.read('breach', id), { ...before, ...cleared, erasedAt: now, updatedAt: now });
    assertProblem(await client.edit(id, { status: 'open' }), '409 breach_erased');
    await assertIntact(server);
  });

  test('a retry with an old idempotency key gets the erased form', async () => {
    const client = await createClient();
    const headers = { 'Idempotency-Key': 'retried-breach' };
    const body = { title: 'Dora', description: 'Dora', discoveredAt: server.clock.now(), severity: 'low' };
    const report = () => client.send('POST', '/v1/breach', body, { headers });
    const { id } = payload(await report());
    await closeBreach(client, id);
    assert.equal((await erase(client, 'breach', id)).counts.responses, 1);
    const retried = payload(await report());
    assert.deepEqual([retried.id, retried.title, retried.erasedAt], [id, null, server.clock.now()]);
  });

  test('names the person in none of its events, and is refused for a reason that does', async () => {
    const client = await createClient();
    const customer = needle('customer');
    const { id } = await client.opened({ subjectId: customer });
    payload(await client.complete(id), 200);
    assertProblem(await send(client, 'dsr', id, `By ${customer}`), '422 validation_failed', ['body.reason']);
    assert.equal((await client.read('dsr', id)).subjectId, customer);
    await erase(client, 'dsr', id, 'By itself');
    const events = (await readAudit(server, client.tenant.id)).filter(({ action }) => action.endsWith('.erased'));
    assert.deepEqual(
      events.map(({ action, targetRef, reason }) => [action, targetRef, reason]),
      [
        ['dsr.erased', null, 'By itself'],
        ['subject.erased', null, 'By itself'],
      ],
    );
    assertAbsent(JSON.stringify(events), customer);
  });

  test('gives zero counts when it is repeated, and writes nothing then', async () => {
    const client = await createClient();
    const { id: dsr } = await client.opened();
    const headers = { 'Idempotency-Key': 'complete-repeated' };
    payload(await client.send('POST', `/v1/dsr/${dsr}/complete`, { outcome: 'fulfilled' }, { headers }), 200);
    const { id: breach } = await client.reported();
    await closeBreach(client, breach);
    const targets = [['dsr', dsr] as const, ['breach', breach] as const];
    for (const [kind, id] of targets) {
      await erase(client, kind, id);
      const events = (await readAudit(server, client.tenant.id)).length;
      const { status, counts } = await erase(client, kind, id);
      assert.deepEqual([status, counts], ['done', noCounts]);
      assert.equal((await readAudit(server, client.tenant.id)).length, events);
    }
  });

  test('is refused while the request or the breach is open, and for the id of the other kind', async () => {
    const client = await createClient();
    const [{ id: dsr }, { id: breach }] = [await client.opened(), await client.reported()];
    const { id: contained } = await client.reported();
    payload(await client.edit(contained, { status: 'contained' }), 200);
    const { id: completed } = await client.opened();
    payload(await client.complete(completed), 200);
    await assertNothingWritten(server, async () => {
      assertProblem(await send(client, 'dsr', dsr), '409 dsr_open');
      for (const id of [breach, contained]) assertProblem(await send(client, 'breach', id), '409 breach_open');
      assertProblem(await send(client, 'breach', completed), '404 not_found');
    });
  });

  test('continues in the background beyond a thousand texts of the audit log', async () => {
    const { database, clock } = server.installation;
    const client = await createClient();
    const { id } = await client.reported();
    await closeBreach(client, id);
    const text = needle('logged');
    await note(client, id, text, stepRows + 5);
    const started = await erase(client, 'breach', id);
    const { status, counts } = started;
    assert.deepEqual([status, counts.auditEvents, counts.breaches], ['running', stepRows, 0]);
    const events = (await readAudit(server, client.tenant.id)).length;
    assert.deepEqual(await erase(client, 'breach', id), started, 'a second call joins the first');
    assert.equal((await readAudit(server, client.tenant.id)).length, events);
    while (await continueErasure(database, clock()));
    assert.notEqual((await client.read('breach', id)).erasedAt, null);
    assertAbsent(await contents(), text);
    await assertIntact(server);
  });
});
