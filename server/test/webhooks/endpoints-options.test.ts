import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiesRefused, assertProblem, describeServer, payload } from '../consent/helpers.ts';
import { createClient, type WebhookClient } from './webhook-client.ts';

const most = { texts: Array.from({ length: 50 }, (_, number) => `${number}`.padEnd(100, 'x')) };
const paths = Array.from({ length: 11 }, (_, number) => `path${number}`);
const manyPaths = (count: number) => Object.fromEntries(paths.slice(0, count).map((path) => [path, [true]]));

/** Addresses that no webhook may have, one for each rule; `webhook-url.test.ts` has the others. */
const hostile: readonly string[] = [
  'http://hooks.example.com/',
  'https://user:password@hooks.example.com/',
  'https://localhost/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://hooks.example.com:22/',
];

/** Every invalid value of a field, with its path in the error. */
const refused: readonly (readonly [body: object, path: string])[] = [
  ...[null, 1, '', ...hostile, `https://hooks.example.com/${'x'.repeat(2048)}`].map(
    (url) => [{ url }, 'body.url'] as const,
  ),
  ...['', ' ', '\u200B', 'x'.repeat(201), 'two\nlines', 'turned \u202E round', 1].map(
    (description) => [{ description }, 'body.description'] as const,
  ),
  [{ eventTypes: [] }, 'body.eventTypes'],
  [{ eventTypes: 'dsr.created' }, 'body.eventTypes'],
  [{ eventTypes: ['dsr.nonsense'] }, 'body.eventTypes.0'],
  [{ eventTypes: ['dsr.created', 'dsr.created'] }, 'body.eventTypes.1'],
  ...['disabled', 'on', null].map((status) => [{ status }, 'body.status'] as const),
  [{ secret: 'whsec_mine' }, 'body.secret'],
  [{ disabledReason: null }, 'body.disabledReason'],
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

describeServer('the fields of a webhook', (server) => {
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
    await assertBodiesRefused(server, (body) => client.send('POST', '', body), [[{}, 'body.url']]);
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
});
