import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestServer } from '../../../../server/test/harness.ts';
import { verifyEvents, verifyRecords } from '../../src/ledger/index.ts';
import { createTestServer } from '../../src/testing/index.ts';
import { requestRules } from '../../src/testing/request-rules.ts';
import { anyInput } from './testing-inputs.ts';
import { nothing, Player, type Step, texts } from './testing-player.ts';

const operations = requestRules.operations.filter(
  ([id]) =>
    /Consent|Dsr|Breach|Trust|SubjectLedger|listApiKeys|AuditEvent|Webhooks?$|WebhookSecret$/.test(id) &&
    !/Checkpoint|prove|export/.test(id),
);
/** An id of a kind, among those that the server told; seldom one that it never did. */
const idOf = (kind: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.nat(9).map((number) => `$${kind}${number}`) },
    fc.constantFrom('01a1fead-9aa2-7000-999d-bc20213b5957', 'x', 'anna', 'a%20b', '%E0%A4%A'),
  );
/** Which kind a parameter of a path is of. */
function kindOf(template: string, name: string): string {
  if (name === '{recordId}') return 'record';
  return (
    ['dsr', 'breach', 'webhooks', 'api-keys', 'audit'].find((part) => template.startsWith(`/v1/${part}/`)) ?? 'notice'
  );
}
const paramOf = (template: string, name: string) => {
  if (name === '{slug}') return fc.constantFrom('$slug', 'nobody');
  if (name === '{subjectId}') return fc.constantFrom('anna', 'ben', 'nobody');
  return idOf(kindOf(template, name));
};
const subject = fc.constantFrom('anna', 'ben', 'subject \u2028');
const choices = fc.dictionary(fc.constantFrom('necessary', 'analytics', 'marketing', 'nope'), fc.boolean(), {
  maxKeys: 4,
  noNullPrototype: true,
});
const allChoices = fc.record(
  { necessary: fc.constant(true), analytics: fc.boolean(), marketing: fc.boolean() },
  { noNullPrototype: true },
);
const time = fc.constantFrom(undefined, '2026-11-21T11:00:00Z', '2026-11-20T09:00:00+01:00', '2027-01-01T00:00:00Z');
const purposes = fc.constantFrom(
  ['necessary', 'analytics', 'marketing'].map((key) => ({
    key,
    label: key,
    description: '',
    required: key === 'necessary',
  })),
  [{ key: 'analytics', label: 'Counting', description: 'x', required: false }],
);
const content = {
  name: fc.constantFrom('Website', 'Shop'),
  controllerName: fc.constant('Example Ltd'),
  language: fc.constantFrom('en', 'pt-br'),
  domain: fc.constantFrom('example.com', 'Shop.example'),
  purposes,
};
const object = <Fields extends object>(
  fields: { [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
  requiredKeys: readonly string[] = Object.keys(fields),
) => fc.record(fields, { requiredKeys: requiredKeys as (keyof Fields)[], noNullPrototype: true } as never);

const webhookSending = {
  filter: fc.constantFrom({ severity: ['high', null] }, { 'purposes.marketing': [false] }, null),
  rateLimit: fc.constantFrom(1, 1000, null),
  retrySchedule: fc.constantFrom([5, 60], null),
  asymmetric: fc.boolean(),
};
const webhookUrls = ['https://hooks.example.com/a', 'https://hooks.example.com/b', 'https://example.com:8443/'];

/** Bodies that fit what happened before, which the table cannot know. */
const fittingBodies: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  createConsentNotice: object(content),
  editConsentNotice: object(content, []),
  captureConsentRecord: object({
    subjectId: subject,
    purposes: fc.oneof(choices, allChoices),
    capturedAt: time,
    ip: fc.constantFrom(undefined, '192.0.2.1'),
  }),
  capturePublicConsentRecord: object({
    subjectId: subject,
    purposes: fc.oneof(choices, { weight: 3, arbitrary: allChoices }),
    capturedAt: time,
    noticeVersion: fc.constantFrom(undefined, 1, 2, 9),
  }),
  withdrawConsentRecord: object(
    { purposes: fc.subarray(['analytics', 'marketing', 'necessary', 'nope'], { minLength: 1 }) },
    [],
  ),
  recordConsentDecision: object(
    {
      subjectId: subject,
      purpose: fc.constantFrom('analytics', 'necessary', 'nope'),
      granted: fc.boolean(),
      noticeId: idOf('notice'),
    },
    ['subjectId', 'purpose', 'granted'],
  ),
  createDsr: object({ subjectId: subject, type: fc.constantFrom('access', 'erasure'), receivedAt: time }),
  extendDsr: object({ reason: fc.constantFrom('complex', 'more') }),
  completeDsr: object(
    { outcome: fc.constantFrom('fulfilled', 'rejected'), reason: fc.constantFrom('no proof', 'other') },
    ['outcome'],
  ),
  reportBreach: object(
    {
      title: fc.constant('Lost laptop'),
      description: fc.constant('x'),
      severity: fc.constantFrom('low', 'high'),
      discoveredAt: fc.constantFrom('2026-11-21T11:00:00Z', '2026-11-01T11:00:00Z', '2027-01-01T00:00:00Z'),
      dataCategories: fc.constantFrom(['names'], ['names', 'names']),
    },
    ['title', 'description', 'severity', 'discoveredAt'],
  ),
  editBreach: object(
    {
      status: fc.constantFrom('open', 'contained', 'closed'),
      authorityNotifiedAt: fc.constantFrom('2026-11-21T11:30:00Z', '2027-01-01T00:00:00Z', null),
      notificationReason: fc.constantFrom('no risk', null),
      affectedSubjects: fc.constantFrom(5, null),
    },
    [],
  ),
  createWebhook: object(
    {
      url: fc.constantFrom(...webhookUrls),
      description: fc.constantFrom('Ours', null),
      eventTypes: fc.constantFrom(['webhook.test', 'dsr.created'], ['breach.reported'], null),
      ...webhookSending,
      status: fc.constantFrom('enabled', 'paused'),
    },
    ['url'],
  ),
  editWebhook: object(
    {
      url: fc.constantFrom(...webhookUrls),
      eventTypes: fc.constantFrom(['webhook.test', 'dsr.created'], null),
      ...webhookSending,
      status: fc.constantFrom('enabled', 'paused'),
    },
    [],
  ),
  rotateWebhookSecret: object({ overlapHours: fc.constantFrom(0, 1, 168) }, []),
  replaceTrustCenter: object(
    {
      published: fc.boolean(),
      headline: fc.constantFrom('We care', null),
      frameworks: fc.constantFrom(
        [],
        [
          { code: 'SOC2', achievedAt: '2026-01-01T00:00:00Z' },
          { code: 'GDPR', achievedAt: '2026-01-01T00:00:00Z', expiresAt: '2026-11-21T12:00:01Z' },
        ],
        [{ code: 'SOC2', achievedAt: '2027-01-01T00:00:00Z' }],
      ),
    },
    ['published'],
  ),
};
const often = <Value>(value: Value, ...others: readonly Value[]) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, fc.constantFrom(...others));
const key = fc.nat(40).map((number) => `key-number-${number}`);
const headers = object<Record<string, string | undefined>>({
  'Idempotency-Key': fc.oneof({ weight: 12, arbitrary: key }, fc.constantFrom('short', 'bad key 12345', undefined)),
  Origin: often('https://example.com', 'https://www.example.com:8443', 'https://example.org', 'null', undefined),
  'Svc-Version': often(undefined, '2026-11-01', '2020-01-01'),
}).map(
  (given) =>
    Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Record<string, string>,
);

/** Every operation, and more often those that much depends on. */
const weighted = operations.flatMap((row) =>
  Array.from(
    { length: /^(capture|withdraw)|Decision$/.test(row[0]) ? 5 : row[0].includes('Webhook') ? 2 : 1 },
    () => row,
  ),
);
const step: fc.Arbitrary<Step> = fc.constantFrom(...weighted).chain(([id, method, template, , , , , query, body]) => {
  const names = [...template.matchAll(/\{\w+\}/g)].map(([name]) => name);
  const fitting = fittingBodies[id];
  const bodies = fitting === undefined ? anyInput(body) : fc.oneof({ weight: 6, arbitrary: fitting }, anyInput(body));
  const path = fc
    .tuple(...names.map((name) => paramOf(template, name)))
    .map((ids) => names.reduce((text, name, index) => text.replace(name, ids[index] as string), template));
  const cursor = fc.constantFrom({}, {}, { cursor: '$c' }, { cursor: 'eyJ4IjoxfQ' });
  const asked = fc
    .oneof({ weight: 2, arbitrary: fc.constant({}) }, fc.constant({ limit: '1' }), anyInput(query))
    .chain((given) =>
      cursor.map((more) =>
        query === null || Object.keys(more).length === 0 || requestRules.rules[query]?.[0] !== 'object'
          ? given
          : { ...(given as object), limit: '1', ...more },
      ),
    );
  return fc.record({
    id: fc.constant(id),
    method: fc.constant(method),
    path,
    query: asked.map(texts),
    body: bodies,
    headers,
    advance: fc.constantFrom(0, 0, 1000, 40 * 86_400_000),
  });
});

describe('the testing server', () => {
  test('answers any sequence of requests as the real server does', async () => {
    await using testing = await createTestServer();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80, size: 'max' }), async (steps) => {
        // A new one for each run: what time it is, and who is there, does not depend on the runs before.
        await using real = await startTestServer();
        const tenant = await real.createTenant('tenant-new');
        testing.reset();
        testing.clock.set(real.clock.now());
        const there = new Player({ url: real.url, key: tenant.key, slug: tenant.slug });
        const here = new Player({ url: testing.baseUrl, key: testing.apiKey, slug: 'test' });
        // A notice to begin with, so that much can be done.
        for (const { path, body } of opening) {
          await there.play({ ...nothing, path, body });
          await here.play({ ...nothing, path, body });
        }
        // A third of the requests come twice, as they do after a lost answer.
        const repeated = steps.flatMap((one, index) => (index % 3 === 0 ? [one, one] : [one]));
        for (const one of repeated) {
          real.clock.advance(one.advance);
          testing.clock.advance(one.advance);
          const expected = await there.play(one);
          const found = await here.play(one);
          assert.deepEqual(found, expected, JSON.stringify(one));
          if (expected.status < 300) answered += 1;
        }
        const events = (await here.read('/v1/audit?limit=200')).items;
        const expected = (await there.read('/v1/audit?limit=200')).items;
        for (const [index, { id }] of events.slice(0, 30).entries())
          assert.deepEqual(await here.readEvent(id), await there.readEvent(expected[index].id));
        await verifyEvents(events, { tenantId: testing.tenantId });
        // What came before was the making of the tenant and of its key.
        assert.equal(expected.length, events.length + 2);
        for (const { id, status } of (await here.read('/v1/consent?limit=100')).data) {
          const { data } = await here.read(`/v1/consent/${id}/records?limit=200`);
          await verifyRecords(data, { tenantId: testing.tenantId });
          assert.ok(['draft', 'published', 'archived'].includes(status));
        }
      }),
      { numRuns: 8, endOnFailure: true },
    );
    assert.ok(answered > 80, `${answered} requests were answered`);
  });
});

const opening = [
  {
    path: '/v1/consent/notices',
    body: {
      name: 'Website',
      controllerName: 'Example Ltd',
      language: 'en',
      domain: 'example.com',
      purposes: ['necessary', 'analytics', 'marketing'].map((key) => ({
        key,
        label: key,
        description: '',
        required: key === 'necessary',
      })),
    },
  },
  { path: '/v1/consent/$notice0/publish', body: undefined },
];
