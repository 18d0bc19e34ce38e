import assert from 'node:assert/strict';
import { test } from 'node:test';
import { personal, recordEvents, systemSource } from '../../ledger/audit/store.ts';
import { continueErasure } from '../../privacy/erasure/erase.ts';
import { noCounts } from '../../privacy/erasure/erasure.ts';
import { stepRows } from '../../privacy/erasure/store.ts';
import { runUnitOfWork } from '../../storage/database.ts';
import { readAudit } from '../accounts/identity/membership-helpers.ts';
import { assertIntact } from '../accounts/keys/keys.ts';
import {
  assertNothingWritten,
  assertProblem,
  createFreshTenant,
  describeServerOnEachDatabase,
  payload,
  readTables,
} from '../consent/helpers.ts';
import { assertAbsent, needle } from '../needle.ts';
import { createEndpoint } from '../webhooks/sending.ts';
import { PrivacyClient } from './requests.ts';

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
    return runUnitOfWork(server.installation.database, server.clock.now(), (work) => recordEvents(work, events));
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
