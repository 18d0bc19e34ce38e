import fc from 'fast-check';
import { requestRules } from '../../src/testing/request-rules.ts';
import { anyInput } from './testing-inputs.ts';
import { nothing, type Step, texts } from './testing-player.ts';

/** Operations that belong together, and requests to them. */
export interface Area {
  readonly name: string;
  readonly operations: readonly string[];
  readonly opening: readonly Step[];
  readonly step: fc.Arbitrary<Step>;
  readonly runs: number;
}

type Bodies = Readonly<Record<string, fc.Arbitrary<unknown>>>;
const day = 86_400_000;
const object = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>, requiredKeys: readonly string[] = []) =>
  fc
    .record(fields, { requiredKeys: requiredKeys as never, noNullPrototype: true })
    .map((value) => Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)));
const number = fc.nat(9).map(String);
const idOf = (kind: string) =>
  fc.oneof(
    { weight: 20, arbitrary: number.map((text) => `$${kind}${text}`) },
    fc.constantFrom('01a1fead-9aa2-7000-999d-bc20213b5957', 'x'),
  );

const kindsOfParams: Readonly<Record<string, string>> = {
  controlId: 'control',
  evidenceId: 'evidence',
  testId: 'test',
  sessionId: 'session',
};
function paramOf(template: string, name: string): fc.Arbitrary<string> {
  const bare = name.slice(1, -1);
  if (bare === 'code') return fc.constantFrom('GDPR', 'SOC2', 'nope');
  if (bare === 'role') return fc.constantFrom('admin', 'dpo', 'auditor', 'Legal', 'dpco_principal', 'nope');
  if (template.startsWith('/scim/v2/Schemas'))
    return fc.constantFrom(
      'urn:ietf:params:scim:schemas:core:2.0:User',
      'urn:ietf:params:SCIM:schemas:core:2.0:group',
      'x',
    );
  if (template.startsWith('/scim/v2/ResourceTypes')) return fc.constantFrom('User', 'group', 'x');
  const kind = kindsOfParams[bare] ?? (/Users|\/v1\/users\/\{/.test(template) && 'user') ?? 'other';
  if (kind !== false) return idOf(kind);
  if (template.includes('/invitations/')) return idOf('invitation');
  if (template.includes('/deliveries/')) return idOf('delivery');
  if (template.includes('/redeliveries/')) return idOf('redelivery');
  return idOf(template.startsWith('/v1/webhooks') ? 'webhooks' : 'api-keys');
}

interface Wanted {
  readonly name: string;
  readonly pattern: RegExp;
  readonly bodies: Bodies;
  readonly queries?: Bodies;
  readonly opening?: readonly Step[];
  readonly extra?: fc.Arbitrary<Step>;
  readonly advances?: readonly number[];
  readonly weights?: RegExp;
  readonly runs?: number;
}

function defineArea({ name, pattern, bodies, queries = {}, opening = [], extra, ...more }: Wanted): Area {
  const { advances = [0, 0, 1000], weights = /^$/, runs = 4 } = more;
  const rest = requestRules.operations.filter(([id]) => pattern.test(id));
  const others = requestRules.others.filter(([id]) => pattern.test(id) && /Scim/.test(id));
  const rows = [...rest, ...others].flatMap((row) => (weights.test(row[0]) ? [row, row, row] : [row]));
  const step = fc.constantFrom(...rows).chain((row): fc.Arbitrary<Step> => {
    const [id, method, template] = row;
    const [query, body] = row.length > 4 ? [row[7] as number | null, row[8] as number | null] : [null, null];
    const names = [...template.matchAll(/\{\w+\}/g)].map(([one]) => one);
    const path = fc
      .tuple(...names.map((one) => paramOf(template, one)))
      .map((ids) => names.reduce((text, one, index) => text.replace(one, ids[index] as string), template));
    const fitting = bodies[id];
    const anyBody = row.length > 4 ? anyInput(body) : fc.constantFrom(undefined, {}, { schemas: [] });
    const sent = fitting === undefined ? anyBody : fc.oneof({ weight: 9, arbitrary: fitting }, anyBody);
    const asked = queries[id] ?? (query === null ? fc.constant({}) : fc.oneof(fc.constant({}), anyInput(query)));
    return fc.record({
      ...{ id: fc.constant(id), method: fc.constant(method), path, query: asked.map(texts), body: sent },
      headers: fc.constant({}),
      advance: fc.constantFrom(...advances),
    });
  });
  const both = extra === undefined ? step : fc.oneof({ weight: 6, arbitrary: step }, extra);
  const operations = [...new Set(rows.map(([id]) => id))];
  return { name, operations, opening, step: both, runs };
}

const one = (id: string, method: string, path: string, body?: unknown): Step => ({
  ...nothing,
  id,
  method,
  path,
  body,
});
const email = fc.nat(5).map((place) => `person${place}.$run@example.com`);
const role = fc.constantFrom('admin', 'dpo', 'engineer', 'auditor', 'cs_agent');
const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const user = object(
  {
    schemas: fc.constantFrom([userUrn], [userUrn.toLowerCase()]),
    userName: fc.oneof(
      email,
      email.map((text) => text.replace('person', 'PERSON')),
      fc.constant('nobody'),
    ),
    name: fc.constantFrom(undefined, { givenName: 'Ann' }, { givenName: ' ', familyName: 'Lee' }, null),
    externalId: fc.constantFrom(undefined, 'x1', 'x2', null),
    active: fc.constantFrom(undefined, true, false, 'False', 'maybe'),
    roles: fc.oneof(
      fc.constantFrom(undefined, [], [{ value: 'nope' }], [{ value: 'dpo' }, { value: 'auditor', primary: true }]),
      role.map((value) => [{ value }]),
    ),
  },
  ['schemas', 'userName'],
);
const members = fc.array(
  idOf('user').map((value) => ({ value })),
  { maxLength: 3 },
);
const userOperation = fc.oneof(
  fc.boolean().map((value) => ({ op: 'replace', path: 'active', value })),
  role.map((value) => ({ op: 'Replace', path: `${userUrn}:roles`, value: [{ value }] })),
  fc.constantFrom({ op: 'replace', value: { active: 'True', title: 'x' } }, { op: 'add', path: 'title', value: 'x' }),
  fc.constantFrom({ op: 'replace', path: 'title', value: 'x' }, { op: 'replace', path: 'roles', value: [] }, { op: 1 }),
);
const groupOperation = fc.oneof(
  fc
    .tuple(fc.constantFrom('add', 'remove', 'replace', 'Add', 'x'), members)
    .map(([op, value]) => ({ op, path: 'members', value })),
  idOf('user').map((id) => ({ op: 'remove', path: `members[value eq "${id}"]` })),
  fc.constantFrom(
    { op: 'replace', value: { displayName: 'dpo' } },
    { op: 'replace', path: 'displayName', value: 'other' },
    { op: 'remove' },
    { op: 'remove', path: 'members[x]' },
  ),
  members.map((value) => ({ op: 'add', value: { members: value, externalId: 'x' } })),
);
const patchOf = (operation: fc.Arbitrary<unknown>) =>
  fc.oneof(
    {
      weight: 9,
      arbitrary: fc
        .array(operation, { minLength: 1, maxLength: 3 })
        .map((Operations) => ({ schemas: [patchUrn], Operations })),
    },
    fc.constantFrom({ schemas: [patchUrn], Operations: [] }, { Operations: [] }, []),
  );
const projection = fc.constantFrom(
  {},
  {},
  { attributes: 'userName,members.value' },
  { excludedAttributes: 'meta,name.givenName' },
  { Attributes: 'x' },
);
const listed = (filters: fc.Arbitrary<string>) =>
  fc.oneof(
    filters.map((filter) => ({ filter })),
    fc.constantFrom({ startIndex: '2', count: '1' }, { count: '-1' }, { count: 'x' }, { Filter: 'x' }, {}),
  );
const mapping = fc.constantFrom(
  {},
  { Legal: 'dpo' },
  { Legal: 'dpo', Law: 'dpo' },
  { Admin: 'dpo' },
  { legal: 'dpo', Legal: 'auditor' },
);
const addUser = (place: number) =>
  one('createScimUser', 'POST', '/scim/v2/Users', {
    schemas: [userUrn],
    userName: `person${place}.$run@example.com`,
    roles: [{ value: place === 0 ? 'admin' : 'dpo' }],
  });
const person = fc
  .tuple(fc.constantFrom('accept', 'accept', 'signIn'), fc.nat(9))
  .map(([id, place]): Step => ({ ...nothing, id, path: String(place) }));
const patchActive = (value: boolean) => ({
  ...{ schemas: [patchUrn], Operations: [{ op: 'replace', path: 'active', value }] },
});
const editTenant = object({
  name: fc.constantFrom('Ours', undefined),
  defaultRole: role,
  scimCompatibility: fc.constantFrom('strict', 'extended', 'extended'),
  requireSecondFactor: fc.constant(false),
  dsrDays: fc.constantFrom(10, 91),
  sso: fc.oneof(
    fc.constant(undefined),
    mapping.map((scimGroupRoleMap) => ({ attributeMap: { scimGroupRoleMap } })),
  ),
});

const time = fc.constantFrom(
  '2026-11-20T12:00:00Z',
  '2026-06-01T12:00:00Z',
  '2025-01-31T12:00:00Z',
  '2099-01-01T00:00:00Z',
);
const settable = fc.constantFrom(
  'not_started',
  'in_progress',
  'evidence_requested',
  'evidence_submitted',
  'implemented',
  'needs_review',
  'accepted',
  'not_applicable',
  'excepted',
);
const frameworks = fc.constantFrom(['NDPA'], ['NDPA', 'CCPA'], [], ['nope'], ['GDPR', 'GDPR']);
const mappings = fc.constantFrom(
  {},
  { GDPR: ['Art. 25'] },
  { GDPR: ['nope'] },
  { nope: ['x'] },
  { GDPR: ['Art. 25', 'Art. 25'] },
);
const cadence = fc.constantFrom('monthly', 'quarterly', 'annual', 'event_driven');
const newControl = object(
  {
    code: fc.constantFrom('OWN-A', 'own-a', 'OWN.B', 'AC-01'),
    title: fc.constant('Ours'),
    description: fc.constant('x'),
    domain: fc.constantFrom('Ours', 'Access control'),
    mappings,
    cadence,
    ownerUserId: fc.oneof(fc.constantFrom(null, undefined), idOf('user')),
  },
  ['code', 'title', 'description', 'domain', 'cadence'],
);

const webhookUrls = [
  'https://hooks.example.com./a',
  'https://hooks.example.com/b',
  'https://a..example.com/',
  'https://example.com/',
];
const anyWebhook = object(
  {
    url: fc.constantFrom(...webhookUrls),
    eventTypes: fc.constantFrom(undefined, null, ['dsr.created'], ['breach.reported', 'dsr.created']),
    filter: fc.constantFrom(undefined, undefined, { type: ['access'] }, { 'a.b': [1] }),
    status: fc.constantFrom(undefined, 'enabled', 'paused'),
  },
  ['url'],
);
const happen = fc.constantFrom(
  one('createDsr', 'POST', '/v1/dsr', { subjectId: 'anna', type: 'access' }),
  one('createDsr', 'POST', '/v1/dsr', { subjectId: 'ben', type: 'erasure' }),
  one('reportBreach', 'POST', '/v1/breach', {
    title: 'x',
    description: 'x',
    severity: 'low',
    discoveredAt: '2026-11-21T11:00:00Z',
  }),
);
const selection = object({
  webhookId: idOf('webhooks'),
  status: fc.constantFrom('dead', 'delivered', undefined),
  from: fc.constantFrom(undefined, '2026-01-01T00:00:00Z'),
  eventType: fc.constantFrom(undefined, 'dsr.created'),
});
const size = fc.constantFrom(undefined, '0', '1', '3', '9');

/** What the two servers are compared in. */
export const areas: readonly Area[] = [
  defineArea({
    name: 'about users, invitations, keys and the tenant',
    pattern: /User|Invitation|^(?:get|edit)Tenant$|ApiKey|ScimToken/,
    weights: /^(?:inviteUser|editUser|createApiKey|rotateApiKey)$/,
    opening: [
      addUser(0),
      addUser(1),
      one('inviteUser', 'POST', '/v1/users/invitations', { email: 'person0.$run@example.com' }),
      { ...nothing, id: 'accept', path: '0' },
      { ...nothing, id: 'signIn', path: '1' },
      { ...nothing, id: 'signIn', path: '1' },
      one('listUserSessions', 'GET', '/v1/users/$user0/sessions'),
      one('revokeUserSession', 'DELETE', '/v1/users/$user0/sessions/$session0'),
      one('revokeUserSessions', 'DELETE', '/v1/users/$user0/sessions'),
      one('getUser', 'GET', '/v1/users/$user1'),
      one('editUser', 'PATCH', '/v1/users/$user1', { role: 'auditor', active: false }),
      one('inviteUser', 'POST', '/v1/users/invitations', { email: 'person2.$run@example.com', role: 'dpo' }),
      one('revokeInvitation', 'DELETE', '/v1/users/invitations/$invitation1'),
      one('createApiKey', 'POST', '/v1/api-keys', { name: 'Ours', scopes: ['audit:read'] }),
      one('rotateApiKey', 'POST', '/v1/api-keys/$api-keys0/rotate', {}),
      one('revokeApiKey', 'DELETE', '/v1/api-keys/$api-keys0'),
      one('getApiKey', 'GET', '/v1/api-keys/$api-keys1'),
    ],
    extra: person,
    advances: [0, 0, 1000, 8 * day],
    bodies: {
      inviteUser: object({ email, role: fc.oneof(fc.constant(undefined), role) }, ['email']),
      editUser: object({ role, active: fc.boolean(), reason: fc.constantFrom('why', undefined) }),
      editTenant,
      createScimUser: user,
      patchScimUser: patchOf(userOperation),
      createApiKey: object(
        {
          name: fc.constant('Ours'),
          environment: fc.constantFrom(undefined, 'test'),
          scopes: fc.constantFrom(['audit:read'], ['consent:read', 'dsr:read']),
          expiresAt: fc.constantFrom(undefined, null, '2027-01-01T00:00:00Z', '2020-01-01T00:00:00Z'),
          otherTenantIds: fc.constantFrom(undefined, [], ['01a1fead-9aa2-7000-999d-bc20213b5957']),
        },
        ['name', 'scopes'],
      ),
      rotateApiKey: object({ overlapHours: fc.constantFrom(0, 24) }),
    },
    queries: {
      listUsers: object({
        email: fc.oneof(email, fc.constant('x')),
        role,
        status: fc.constantFrom('active', 'suspended', undefined),
        limit: fc.constantFrom('1', '25'),
      }),
      listScimUsers: listed(email.map((text) => `userName eq "${text}"`)),
    },
  }),
  defineArea({
    name: 'about SCIM',
    pattern: /Scim(?!Token)|^editTenant$|^(?:list|edit)Users?$/,
    weights: /^(?:create|patch|replace)Scim/,
    opening: [
      addUser(0),
      addUser(1),
      addUser(2),
      one('patchScimUser', 'PATCH', '/scim/v2/Users/$user2', patchActive(false)),
      one('patchScimUser', 'PATCH', '/scim/v2/Users/$user2', patchActive(true)),
      one('replaceScimGroup', 'PUT', '/scim/v2/Groups/auditor', {
        ...{ schemas: [groupUrn], members: [{ value: '$user1' }, { value: '$user2' }] },
      }),
      one('patchScimGroup', 'PATCH', '/scim/v2/Groups/auditor', {
        schemas: [patchUrn],
        Operations: [{ op: 'remove', path: 'members[value eq "$user1"]' }],
      }),
      one('createScimGroup', 'POST', '/scim/v2/Groups', { schemas: [groupUrn], displayName: 'dpo' }),
      one('deleteScimGroup', 'DELETE', '/scim/v2/Groups/auditor'),
      one('editTenant', 'PATCH', '/v1/tenant', { scimCompatibility: 'extended' }),
      one('replaceScimUser', 'PUT', '/scim/v2/Users/$user1', {
        ...{ schemas: [userUrn], userName: 'person1.$run@example.com', active: true },
      }),
      one('editTenant', 'PATCH', '/v1/tenant', { scimCompatibility: 'strict' }),
    ],
    runs: 6,
    bodies: {
      editTenant,
      editUser: object({ role, active: fc.boolean() }),
      createScimUser: user,
      replaceScimUser: user,
      patchScimUser: patchOf(userOperation),
      createScimGroup: object(
        {
          schemas: fc.constant([groupUrn]),
          displayName: fc.constantFrom('dpo', 'Auditor', 'Legal', 'nope', 1),
          members,
        },
        ['schemas', 'displayName'],
      ),
      replaceScimGroup: object(
        { schemas: fc.constant([groupUrn]), displayName: fc.constantFrom(undefined, 'dpo'), members },
        ['schemas'],
      ),
      patchScimGroup: patchOf(groupOperation),
    },
    queries: {
      listScimUsers: listed(
        fc.oneof(
          email.map((text) => `userName eq "${text}"`),
          fc.constantFrom('externalId Eq "x1"', 'title eq "x"', 'x'),
        ),
      ),
      listScimGroups: listed(fc.constantFrom('displayName eq "Legal"', 'id eq "dpo"', 'x')),
      ...Object.fromEntries(
        ['getScimUser', 'getScimGroup', 'createScimUser', 'patchScimGroup'].map((id) => [id, projection]),
      ),
      listScimSchemas: fc.constantFrom({}, { filter: 'x' }),
    },
  }),
  defineArea({
    name: 'about controls',
    pattern: /Control|Framework|Evidence|Test(?:Result|Health)|Readiness|TestResults/,
    weights: /^(?:editControl|addEvidence|recordTestResult|addControlTest|createControl)$/,
    opening: [
      one('adoptFrameworks', 'POST', '/v1/control-framework/adopt', { frameworks: ['NDPA'] }),
      one('createControl', 'POST', '/v1/control-framework/controls', {
        code: 'OWN-1',
        title: 'x',
        description: 'x',
        domain: 'x',
        cadence: 'monthly',
      }),
      one('listControls', 'GET', '/v1/control-framework'),
      addUser(0),
      one('inviteUser', 'POST', '/v1/users/invitations', { email: 'person0.$run@example.com' }),
      { ...nothing, id: 'accept', path: '0' },
      one('addEvidence', 'POST', '/v1/control-framework/controls/$control0/evidence', {
        ...{ title: 'x', kind: 'log', collectedAt: '2026-11-20T12:00:00Z' },
      }),
      one('getEvidence', 'GET', '/v1/control-framework/controls/$control0/evidence/$evidence0'),
      one('withdrawEvidence', 'POST', '/v1/control-framework/controls/$control0/evidence/$evidence0/withdraw', {
        reason: 'wrong',
      }),
      one('addControlTest', 'POST', '/v1/control-framework/controls/$control0/tests', { title: 'x' }),
      one('recordTestResult', 'POST', '/v1/control-framework/controls/$control0/tests/$test0/results', {
        status: 'fail',
      }),
      one('listTestResults', 'GET', '/v1/control-framework/controls/$control0/tests/$test0/results'),
      one('retireControlTest', 'DELETE', '/v1/control-framework/controls/$control0/tests/$test0'),
      one('editControl', 'PATCH', '/v1/control-framework/controls/$control0', { status: 'implemented' }),
      one('getReadiness', 'GET', '/v1/control-framework/readiness'),
      one('getTestHealth', 'GET', '/v1/control-framework/test-health'),
    ],
    advances: [0, 0, 1000, 10 * day, 40 * day],
    runs: 4,
    bodies: {
      adoptFrameworks: object({ frameworks }, ['frameworks']),
      createControl: newControl,
      editControl: object({
        status: fc.oneof(settable, settable, fc.constant(undefined)),
        reason: fc.constantFrom('because', undefined),
        exceptionEndsAt: fc.constantFrom(undefined, undefined, '2027-11-01T00:00:00Z', '2040-01-01T00:00:00Z'),
        evidenceDueAt: fc.constantFrom(undefined, undefined, '2027-01-01T00:00:00Z'),
        cadence,
        title: fc.constantFrom(undefined, undefined, 'Other'),
        ownerUserId: fc.oneof(fc.constantFrom(null, undefined), idOf('user')),
      }),
      addEvidence: object(
        {
          title: fc.constant('x'),
          kind: fc.constantFrom('log', 'link'),
          collectedAt: time,
          expiresAt: fc.constantFrom(undefined, '2027-01-01T00:00:00Z', '2020-01-01T00:00:00Z'),
        },
        ['title', 'kind', 'collectedAt'],
      ),
      withdrawEvidence: fc.constant({ reason: 'wrong' }),
      addControlTest: object({ title: fc.constant('x'), cadence: fc.constantFrom(undefined, null, 'monthly') }, [
        'title',
      ]),
      recordTestResult: object(
        {
          status: fc.constantFrom('pass', 'fail', 'warning', 'manual', 'unknown'),
          testedAt: fc.oneof(fc.constant(undefined), time),
        },
        ['status'],
      ),
    },
    queries: { listControlTests: fc.constantFrom({}, { status: 'retired' }) },
  }),
  defineArea({
    name: 'about the deliveries of webhooks',
    pattern: /Webhook/,
    weights: /Deliver|testWebhook/,
    opening: [one('createWebhook', 'POST', '/v1/webhooks', { url: 'https://hooks.example.com/first' })],
    extra: fc.oneof(happen, happen, fc.constant({ ...nothing, id: 'settle' })),
    runs: 6,
    bodies: { createWebhook: anyWebhook, editWebhook: anyWebhook, redeliverWebhookDeliveries: selection },
    queries: {
      countWebhookRedelivery: selection,
      listWebhookDeliveries: object({
        status: fc.constantFrom('pending', 'dead', undefined),
        webhookId: idOf('webhooks'),
        limit: fc.constantFrom('2', '50'),
      }),
    },
  }),
  defineArea({
    name: 'about proofs of the ledgers',
    pattern: /Consent(?:Checkpoints?|Inclusion|Consistency|Ledger)$/,
    opening: [
      // The log of the real server begins with three events.
      one('createConsentNotice', 'POST', '/v1/consent/notices', {
        ...{ name: 'x', controllerName: 'x', language: 'en', domain: 'example.com' },
        purposes: [{ key: 'a', label: 'a', description: '', required: false }],
      }),
      one('publishConsentNotice', 'POST', '/v1/consent/$notice0/publish'),
    ],
    extra: fc.nat(1e9).map(
      (key): Step => ({
        ...one('captureConsentRecord', 'POST', '/v1/consent/$notice0/records', {
          subjectId: 'anna',
          purposes: { a: true },
        }),
        headers: { 'Idempotency-Key': `key-${key}-record` },
      }),
    ),
    bodies: {},
    queries: {
      proveConsentInclusion: object({ sequence: fc.constantFrom('1', '2', '5'), size }),
      proveConsentConsistency: object({ from: fc.constantFrom('0', '1', '3'), to: size }),
      exportConsentLedger: object({
        since: size,
        from: fc.constantFrom(undefined, '2026-11-21T12:00:01Z'),
        to: fc.constantFrom(undefined, '2030-01-01T00:00:00Z'),
      }),
    },
  }),
];
