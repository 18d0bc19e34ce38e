import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { secretPurpose } from '../../webhooks/endpoints/endpoint.ts';
import { listSecrets } from '../../webhooks/endpoints/store.ts';
import { watch } from '../accounts/members/membership-helpers.ts';
import { assertBodiesRefused, describeServer, payload } from '../consent/helpers.ts';
import { readAllRows } from '../http/stored-rows.ts';
import { shift } from '../privacy/requests.ts';
import { createClient, hour } from './webhook-client.ts';

describeServer('POST /v1/webhooks/{id}/rotate-secret', (server) => {
  /** The secrets that the sender uses, with the expiry of each. */
  async function secretsOf(client: Awaited<ReturnType<typeof createClient>>, id: string) {
    const secrets = listSecrets(await client.sending(id));
    return secrets.map(({ sealed, expiresAt }) => [server.installation.box.open(sealed, secretPurpose(id)), expiresAt]);
  }

  test('returns a new secret, and keeps signing with the old one for a day', async () => {
    const client = await createClient(server);
    const { id, secret: first, ...webhook } = await client.created();
    server.clock.advance(hour);
    const previousSecretExpiresAt = shift(server.clock.now(), 24 * hour);
    const { secret: second, ...rotated } = payload(await client.rotate(id), 200);
    const updatedAt = server.clock.now();
    const expected = { id, ...webhook, previousSecrets: 1, previousSecretExpiresAt, updatedAt };
    assert.match(second, /^whsec_[0-9A-Za-z]{32,}$/);
    assert.notEqual(second, first);
    assert.deepEqual(rotated, expected);
    assert.deepEqual(await client.read(id), expected);
    assert.deepEqual(await secretsOf(client, id), [
      [second, null],
      [first, previousSecretExpiresAt],
    ]);
  });

  test('keeps signing with the old secret for the given overlap, and shows it until then', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    for (const overlapHours of [1, 168]) {
      const end = shift(server.clock.now(), overlapHours * hour);
      assert.equal(payload(await client.rotate(id, { overlapHours }), 200).previousSecretExpiresAt, end);
      server.clock.advance(overlapHours * hour - 1);
      assert.equal((await client.read(id)).previousSecretExpiresAt, end);
      assert.equal(payload(await client.edit(id, {}), 200).previousSecretExpiresAt, end);
      server.clock.advance(1);
      assert.equal((await client.read(id)).previousSecretExpiresAt, null);
      assert.equal(payload(await client.list(), 200).items[0].previousSecretExpiresAt, null);
    }
  });

  test('ends every old secret immediately without an overlap', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    for (const overlapHours of [24, 168]) payload(await client.rotate(id, { overlapHours }), 200);
    const rotated = payload(await client.rotate(id, { overlapHours: 0 }), 200);
    assert.deepEqual([rotated.previousSecrets, rotated.previousSecretExpiresAt], [0, null]);
    assert.deepEqual(await secretsOf(client, id), [[rotated.secret, null]]);
  });

  test('gives each old secret its own expiry, and counts those in use', async () => {
    const client = await createClient(server);
    const { id, secret: first } = await client.created();
    const week = shift(server.clock.now(), 168 * hour);
    const { secret: second } = payload(await client.rotate(id, { overlapHours: 168 }), 200);
    server.clock.advance(hour);
    const soon = shift(server.clock.now(), hour);
    const { secret: third, ...rotated } = payload(await client.rotate(id, { overlapHours: 1 }), 200);
    assert.deepEqual(await secretsOf(client, id), [
      [third, null],
      [second, soon],
      [first, week],
    ]);
    assert.deepEqual([rotated.previousSecrets, rotated.previousSecretExpiresAt], [2, week]);
    server.clock.advance(hour);
    const read = await client.read(id);
    assert.deepEqual([read.previousSecrets, read.previousSecretExpiresAt], [1, week]);
    const end = shift(server.clock.now(), 2 * hour);
    const { secret: fourth } = payload(await client.rotate(id, { overlapHours: 2 }), 200);
    // The second has expired by now.
    assert.deepEqual(await secretsOf(client, id), [
      [fourth, null],
      [third, end],
      [first, week],
    ]);
  });

  test('keeps at most ten old secrets: the oldest is dropped', async () => {
    const client = await createClient(server);
    const { id, secret: first } = await client.created();
    const secrets = [first];
    for (let count = 1; count <= 12; count += 1) {
      server.clock.advance(1000);
      const { secret, previousSecrets } = payload(await client.rotate(id), 200);
      secrets.unshift(secret);
      assert.equal(previousSecrets, Math.min(count, 10));
    }
    const kept = await secretsOf(client, id);
    assert.deepEqual(
      kept.map(([secret]) => secret),
      secrets.slice(0, 11),
    );
  });

  test('returns the same secret to a retry, and stores none unencrypted', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    const options = { headers: { 'Idempotency-Key': randomUUID() } };
    const first = await client.send('POST', `/${id}/rotate-secret`, {}, options);
    const again = await client.send('POST', `/${id}/rotate-secret`, {}, options);
    assert.equal(again.text, first.text);
    const { secret } = payload(first, 200);
    assert.equal((await secretsOf(client, id))[0]?.[0], secret);
    assert.ok(!(await readAllRows(server.installation.database)).includes(secret.slice(6)));
  });

  test('records in the audit log until when the old secret signs, and neither secret', async () => {
    const client = await createClient(server);
    const { id, secret: first } = await client.created();
    const { result, events } = await watch(server, client.tenant.id, () => client.rotate(id, { overlapHours: 2 }));
    const [{ diff, action, targetId, targetRef }] = events as [(typeof events)[number]];
    const previousSecretExpiresAt = shift(server.clock.now(), 2 * hour);
    assert.deepEqual(diff, { previousSecrets: 1, previousSecretExpiresAt, states: diff.states });
    assert.deepEqual([action, targetId, targetRef], ['webhook.secret_rotated', id, 'hooks.example.com']);
    for (const secret of [first, payload(result, 200).secret]) assert.ok(!JSON.stringify(events).includes(secret));
  });

  test('rejects an overlap that is not a whole number of hours up to a week, and rotates nothing', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await assertBodiesRefused(server, (body) => client.rotate(id, body), [
      ...[-1, 169, 1.5, '24', null].map((overlapHours) => [{ overlapHours }, 'body.overlapHours'] as const),
      [{ secret: 'whsec_mine' }, 'body.secret'],
    ]);
  });
});
