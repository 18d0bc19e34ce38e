import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertBodiesRefused, assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { createClient, newAddress, type WebhookClient } from './webhook-client.ts';

const most = { texts: Array.from({ length: 50 }, (_, number) => `${number}`.padEnd(100, 'x')) };
const paths = Array.from({ length: 11 }, (_, number) => `path${number}`);
const manyPaths = (count: number) => Object.fromEntries(paths.slice(0, count).map((path) => [path, [true]]));

/** Every invalid value of a field, with its path in the error. */
const refused: readonly (readonly [body: object, path: string])[] = [
  ...[{}, manyPaths(11), 'severity', ['severity'], 1].map((filter) => [{ filter }, 'body.filter'] as const),
  [{ filter: { severity: [] } }, 'body.filter.severity'],
  [{ filter: { severity: 'high' } }, 'body.filter.severity'],
  [{ filter: { severity: null } }, 'body.filter.severity'],
  [{ filter: { severity: Array.from({ length: 51 }, (_, number) => number) } }, 'body.filter.severity'],
  [{ filter: { severity: ['high', 'low', 'high'] } }, 'body.filter.severity.2'],
  [{ filter: { severity: [null, null] } }, 'body.filter.severity.1'],
  [{ filter: { severity: ['x'.repeat(201)] } }, 'body.filter.severity.0'],
  [{ filter: { severity: ['high', {}] } }, 'body.filter.severity.1'],
  [{ filter: { severity: [['high']] } }, 'body.filter.severity.0'],
  [{ filter: { a: most.texts, b: most.texts } }, 'body.filter'],
  ...['', ' ', '.severity', '1', 'sévérité', 'a b', 'x'.repeat(129)].map(
    (path) => [{ filter: { [path]: [true] } }, `body.filter.${path}`] as const,
  ),
  [{ ordering: 'all' }, 'body.ordering'],
  ...[0, -1, 1001, 1.5, '5', true].map((rateLimit) => [{ rateLimit }, 'body.rateLimit'] as const),
  [{ retrySchedule: [] }, 'body.retrySchedule'],
  [{ retrySchedule: 60 }, 'body.retrySchedule'],
  [{ retrySchedule: Array.from({ length: 21 }, (_, number) => number + 1) }, 'body.retrySchedule'],
  ...[0, -5, 86_401, 0.5, '5', null].map((offset) => [{ retrySchedule: [offset] }, 'body.retrySchedule.0'] as const),
  [{ retrySchedule: [5, 5] }, 'body.retrySchedule.1'],
  [{ retrySchedule: [5, 60, 30] }, 'body.retrySchedule.2'],
  ...[null, 'true', 1].map((asymmetric) => [{ asymmetric }, 'body.asymmetric'] as const),
  [{ publicKey: null }, 'body.publicKey'],
  [{ previousSecrets: 0 }, 'body.previousSecrets'],
];

/** The largest and the smallest valid values. */
const accepted: readonly object[] = [
  { filter: { ...manyPaths(9), ['x'.repeat(128)]: [0, -1.5, true, false, null, '', 'x'.repeat(200)] } },
  { filter: { 'purposes.my.own-purpose_1': Array.from({ length: 50 }, (_, number) => number) } },
  { rateLimit: 1, retrySchedule: [1] },
  { rateLimit: 1000, retrySchedule: Array.from({ length: 20 }, (_, number) => number + 86_381) },
];

/** The fields of a webhook that the client set. */
async function readBack(client: WebhookClient, id: string, fields: object) {
  const webhook = await client.read(id);
  return Object.fromEntries(Object.keys(fields).map((name) => [name, webhook[name]]));
}

describeServer('the options of a webhook', (server) => {
  test('are stored when it is created and when it is edited', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    for (const fields of accepted) {
      const { secret: _, ...created } = await client.created(fields);
      assert.deepEqual(await client.read(created.id), created);
      assert.deepEqual(await readBack(client, created.id, fields), fields);
      payload(await client.edit(id, fields), 200);
      assert.deepEqual(await readBack(client, id, fields), fields);
    }
    const none = { filter: null, rateLimit: null, retrySchedule: null };
    payload(await client.edit(id, none), 200);
    assert.deepEqual(await readBack(client, id, none), none);
  });

  test('are rejected, by name, if they break a rule, and nothing is written', async () => {
    const client = await createClient(server);
    const { id } = await client.created();
    await assertBodiesRefused(server, (body) => client.create(body as object), refused);
    await assertBodiesRefused(server, (body) => client.edit(id, body), refused);
  });

  test('are rejected with messages that name the valid values', async () => {
    const client = await createClient(server);
    for (const [body, issue] of [
      [{ filter: { '1': [1] } }, 'must begin with a letter and have at most 128 of A-Z a-z 0-9 _ . -'],
      [{ filter: { a: [{}] } }, 'must be a text of at most 200 characters, a number, true, false or null'],
      [{ filter: {} }, 'must have at least one path'],
      [{ filter: { a: most.texts, b: most.texts } }, 'must be at most 8192 characters of JSON altogether'],
      [{ retrySchedule: [2, 1] }, 'must be later than the one before it'],
    ] as const) {
      const answer = await client.create(body);
      assertProblem(answer, '422 validation_failed');
      assert.equal(answer.body.error.details[0].issue, issue);
    }
  });

  test('are read by the sender', async () => {
    const client = await createClient(server);
    const plain = await client.sending((await client.created()).id);
    assert.deepEqual(
      [plain.rate_limit, plain.retry_schedule, plain.signing_key, plain.paused_until],
      [null, null, null, null],
    );
    const { id } = await client.created({ rateLimit: 3, retrySchedule: [5, 60] });
    const { rate_limit, retry_schedule } = await client.sending(id);
    assert.deepEqual([rate_limit, retry_schedule], [3, '[5,60]']);
  });

  test('belong to one tenant', async () => {
    const [client, other] = [await createClient(server), await createClient(server)];
    const { id } = await client.created({ filter: { subjectId: ['ann'] } });
    assertProblem(await other.edit(id, { rateLimit: 1 }), '404 not_found');
    assert.equal((await client.read(id)).rateLimit, null);
  });

  test('are returned unchanged to a retry, and the webhook is created once', async () => {
    const client = await createClient(server);
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { url: newAddress(), filter: { severity: ['high'] }, asymmetric: true };
    const [first, again] = [
      await client.send('POST', '', body, { headers }),
      await client.send('POST', '', body, { headers }),
    ];
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(payload(await client.list(), 200).items.length, 1);
  });
});
