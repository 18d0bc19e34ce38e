import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { eventTypes } from '../../webhooks/deliveries/event.ts';
import { mostEndpoints } from '../../webhooks/endpoints/changes.ts';
import { secretPurpose } from '../../webhooks/endpoints/endpoint.ts';
import { watch } from '../accounts/members/membership-helpers.ts';
import {
  assertBodiesRefused,
  assertNothingWritten,
  assertProblem,
  describeServer,
  payload,
} from '../consent/helpers.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { runVerify } from '../ledger/fixture.ts';
import { assertAbsent, needle } from '../needle.ts';
import { createClient, newAddress } from './webhook-client.ts';

describeServer('POST /v1/webhooks', (server) => {
  test('creates a webhook from an address only, and shows its secret once', async () => {
    const client = await createClient(server);
    const url = newAddress();
    const { secret, id, ...webhook } = payload(await client.send('POST', '', { url }));
    assert.match(secret, /^whsec_[0-9A-Za-z]{32,}$/);
    const now = server.clock.now();
    assert.deepEqual(webhook, {
      url,
      description: null,
      eventTypes: null,
      filter: null,
      rateLimit: null,
      retrySchedule: null,
      asymmetric: false,
      publicKey: null,
      status: 'enabled',
      disabledReason: null,
      disabledAt: null,
      failingSince: null,
      lastError: null,
      pausedUntil: null,
      previousSecrets: 0,
      previousSecretExpiresAt: null,
      createdAt: now,
      updatedAt: now,
    });
    assert.deepEqual(await client.read(id), { id, ...webhook });
    assert.deepEqual(payload(await client.list(), 200).items, [{ id, ...webhook }]);
  });

  test('accepts every field, and normalizes the address and the types', async () => {
    const client = await createClient(server);
    const description = 'To the ticket system \u{1F3AB}';
    const body = { description, eventTypes: ['dsr.created', 'consent.recorded'], status: 'paused' };
    const created = await client.created({ ...body, url: ' HTTPS://Hooks.Example.COM:443/a/../b?token=1 ' });
    const read = await client.read(created.id);
    assert.deepEqual(
      [read.url, read.description, read.eventTypes, read.status],
      ['https://hooks.example.com/b?token=1', description, ['consent.recorded', 'dsr.created'], 'paused'],
    );
    for (const wanted of [eventTypes.toReversed(), null])
      assert.deepEqual((await client.created({ eventTypes: wanted })).eventTypes, wanted && eventTypes);
  });

  test('accepts an address once per tenant, however it is spelled, and again after it is deleted', async () => {
    const [client, other] = [await createClient(server), await createClient(server)];
    const { id, url } = await client.created({ status: 'paused' });
    const spelled = url.replace('https://hooks', 'HTTPS://HOOKS');
    const complete = url.replace(new URL(url).host, (host: string) => `${host}.`);
    await assertNothingWritten(server, async () => {
      for (const again of [url, spelled, complete]) assertProblem(await client.create({ url: again }), '409 conflict');
    });
    await other.created({ url });
    await client.delete(id);
    await client.created({ url: spelled });
  });

  test('accepts one address once in concurrent requests', async () => {
    const client = await createClient(server);
    const url = newAddress();
    const answers = await Promise.all(Array.from({ length: 6 }, () => client.create({ url })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409]);
  });

  test('enforces the limit, also for concurrent requests, and accepts one more after a deletion', async () => {
    const [client, other] = [await createClient(server), await createClient(server)];
    const answers = await Promise.all(Array.from({ length: mostEndpoints + 3 }, () => client.create()));
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, mostEndpoints);
    for (const answer of answers) if (answer.status !== 201) assertProblem(answer, '409 conflict');
    await other.created();
    await client.delete(payload(made[0] as (typeof made)[0]).id);
    await client.created();
    assertProblem(await client.create(), '409 conflict');
  });

  test('keeps the secret sealed to this webhook', async () => {
    const client = await createClient(server);
    const headers = { 'Idempotency-Key': randomUUID() };
    const { id, secret } = payload(await client.send('POST', '', { url: newAddress() }, { headers }));
    const stored = await readAllRows(server.installation.database);
    assert.ok(stored.includes(id));
    for (const hidden of [secret, secret.slice(6)]) assert.ok(!stored.includes(hidden));
    const { box } = server.installation;
    const { secret: sealed } = await client.sending(id);
    assert.equal(box.open(sealed, secretPurpose(id)), secret);
    assert.throws(() => box.open(sealed, secretPurpose(randomUUID())));
    const other = await client.created();
    assert.notEqual(other.secret, secret);
  });

  test('records only the host in the audit log, and no description', async () => {
    const client = await createClient(server);
    const [path, query, description] = [needle('path'), needle('query'), needle('description')];
    const url = `https://hooks.example.com:8443/services/${path}?key=${query}`;
    const { result, events } = await watch(server, client.tenant.id, () =>
      client.created({ url, description, eventTypes: ['dsr.created'] }),
    );
    const [{ diff, ...event }] = events as [{ diff: Record<string, unknown> } & Record<string, unknown>];
    const { states, ...shown } = diff;
    assert.match(Object.values(states as object).join(), /^[0-9a-f]{64}$/);
    assert.deepEqual(shown, {
      host: 'hooks.example.com:8443',
      eventTypes: ['dsr.created'],
      filter: null,
      rateLimit: null,
      retrySchedule: null,
      asymmetric: false,
      status: 'enabled',
    });
    assert.deepEqual(
      [event.module, event.action, event.targetId, event.targetRef],
      ['webhooks', 'webhook.created', result.id, 'hooks.example.com:8443'],
    );
    assertAbsent(JSON.stringify(events), path, query, description, result.secret);
  });
});

describeServer(
  'webhooks of a server for development',
  (server) => {
    test('may use http and private addresses, but no invalid ones', async () => {
      const client = await createClient(server);
      for (const url of ['http://localhost:3000/hook', 'http://127.0.0.1:9/', 'https://10.1.2.3/', 'http://worker/'])
        assert.equal((await client.created({ url })).url, url);
      await assertBodiesRefused(server, (body) => client.send('POST', '', body), [
        [{ url: 'http://169.254.169.254/' }, 'body.url'],
        [{ url: 'http://0.0.0.0/' }, 'body.url'],
        [{ url: 'ftp://localhost/' }, 'body.url'],
      ]);
    });
  },
  { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' },
);

describeServer('GET /v1/webhooks', (server) => {
  test('lists the webhooks of the tenant, newest first, page by page', async () => {
    const [client, other] = [await createClient(server), await createClient(server)];
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await client.created()).id);
    await other.created();
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { items, nextCursor } = payload(await client.list({ limit: '2', ...(cursor && { cursor }) }), 200);
      assert.ok(items.length <= 2);
      seen.push(...items.map(({ id }: { readonly id: string }) => id));
      cursor = nextCursor;
    }
    assert.deepEqual(seen, ids);
  });

  test('filters by status', async () => {
    const client = await createClient(server);
    const [enabled, paused, disabled] = [await client.created(), await client.created(), await client.created()];
    await client.edit(paused.id, { status: 'paused' });
    await client.disable(disabled.id, 'gone');
    for (const [status, id] of Object.entries({ enabled: enabled.id, paused: paused.id, disabled: disabled.id })) {
      const { items } = payload(await client.list({ status }), 200);
      assert.deepEqual(
        items.map((one: { id: string }) => one.id),
        [id],
        status,
      );
    }
    assert.equal(payload(await client.list(), 200).items.length, 3);
  });
});

describeServer('DELETE /v1/webhooks/{id}', (server) => {
  test('deletes the webhook for every reader, with its address and its secrets', async () => {
    const client = await createClient(server);
    const { id, url } = await client.created({ filter: { subjectId: ['ann'] }, asymmetric: true });
    const other = await client.created();
    payload(await client.rotate(id), 200);
    await client.fail(id);
    const { result, events } = await watch(server, client.tenant.id, () => client.delete(id));
    assert.deepEqual([result.status, result.text], [204, '']);
    assert.deepEqual(
      events.map(({ action, targetId, targetRef }) => [action, targetId, targetRef]),
      [['webhook.deleted', id, new URL(url).host]],
    );
    await assertNothingWritten(server, async () => {
      for (const answer of [
        await client.send('GET', `/${id}`),
        await client.edit(id, { status: 'paused' }),
        await client.delete(id),
        await client.rotate(id),
        await client.test(id),
      ])
        assertProblem(answer, '404 not_found');
    });
    assert.deepEqual(
      payload(await client.list(), 200).items.map((one: { id: string }) => one.id),
      [other.id],
    );
    await assert.rejects(client.sending(id), /finds no such webhook/);
    const { kysely } = server.installation.database;
    const row = await kysely.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    assert.deepEqual(
      [row.deleted_at, row.url, row.filter, row.secret, row.previous_secrets, row.signing_key, row.public_key],
      [server.clock.now(), '', null, '', '[]', null, null],
    );
    assert.deepEqual(await kysely.selectFrom('webhook_health').selectAll().where('endpoint_id', '=', id).execute(), []);
  });

  test('cancels its deliveries', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await client.happen();
    await client.delete(id);
    await client.happen();
    assert.deepEqual(await client.queued(id), ['breach.reported']);
  });
});

describeServer('svc verify', (server) => {
  test('finds no fault after any change of a webhook', async () => {
    const client = await createClient(server);
    const assertIntact = async () => {
      const { code, report } = await runVerify(server.installation);
      assert.equal(code, 0, JSON.stringify(report));
    };
    const { id } = await client.created({ description: 'One', eventTypes: ['dsr.created', 'breach.reported'] });
    const steps: (() => Promise<unknown>)[] = [
      async () => payload(await client.edit(id, { url: newAddress(), eventTypes: null, description: null }), 200),
      async () => payload(await client.edit(id, { status: 'paused' }), 200),
      async () => payload(await client.edit(id, { status: 'enabled' }), 200),
      async () => payload(await client.edit(id, { filter: { severity: ['high'] }, rateLimit: 9 }), 200),
      async () => payload(await client.edit(id, { rateLimit: 10, retrySchedule: [5, 60], asymmetric: true }), 200),
      async () => payload(await client.rotate(id), 200),
      async () => payload(await client.rotate(id), 200),
      async () => payload(await client.rotate(id, { overlapHours: 0 }), 200),
      async () => payload(await client.test(id), 201),
      () => client.disable(id, 'gone'),
      async () => payload(await client.edit(id, { status: 'enabled' }), 200),
      () => client.delete(id),
    ];
    await assertIntact();
    for (const step of steps) {
      server.clock.advance(1);
      await step();
      await assertIntact();
    }
  });

  test('detects a webhook whose address was changed in the database', async () => {
    const client = await createClient(server);
    const { id, url } = await client.created();
    const { kysely } = server.installation.database;
    const lead = (to: string) =>
      kysely.updateTable('webhook_endpoints').set({ url: to }).where('id', '=', id).execute();
    await lead('https://attacker.example.com/');
    const { code, report } = await runVerify(server.installation);
    await lead(url);
    assert.equal(code, 1);
    assert.deepEqual(
      report.tenants.flatMap(({ rows }) => rows.faults),
      [{ table: 'webhook_endpoints', id, issue: 'the row differs from the audit log' }],
    );
  });
});
