import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { assertIntact } from '../accounts/keys/keys.ts';
import { describeServer } from '../consent/helpers.ts';
import { createScimClient, errorUrn, groupUrn, patchUrn, type ScimClient, scimType, userUrn } from './scim-client.ts';

describeServer('SCIM, whatever it is asked', (server) => {
  let scim: ScimClient;
  const ids: string[] = [];
  before(async () => {
    scim = await createScimClient(server);
    for (let index = 0; index < 4; index += 1) ids.push(await scim.createUser(`user-${index}@example.com`));
  });

  const odd = fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    '',
    'x',
    '__proto__',
    [],
    [null],
    [[]],
    {},
    { value: null },
  );
  const id = fc.constantFrom('{0}', '{1}', '{2}', '{3}', 'unknown', '\\u0000', '\\ud800');
  const role = fc.constantFrom('admin', 'dpo', 'engineer', 'auditor', 'cs_agent', 'dpco_principal', 'unknown');
  /** One of the first, or now and then anything. */
  const mostly = (...good: readonly fc.Arbitrary<unknown>[]) =>
    fc.oneof(...good.map((arbitrary) => ({ weight: 3, arbitrary })), odd);
  const memberList = mostly(fc.array(fc.record({ value: id }), { maxLength: 4 }));
  const op = mostly(fc.constantFrom('add', 'Remove', 'replace', 'Replace'));
  const userOperation = mostly(
    fc.record({ op, path: fc.constantFrom('active', 'ACTIVE'), value: fc.oneof(fc.boolean(), odd) }),
    fc.record({ op, path: fc.constant('roles'), value: fc.oneof(fc.array(fc.record({ value: role })), odd) }),
    fc.record({ op, path: odd, value: odd }, { requiredKeys: [] }),
  );
  const groupOperation = mostly(
    fc.record({ op, path: fc.constant('members'), value: memberList }, { requiredKeys: ['op'] }),
    fc.record({
      op: fc.constantFrom('remove', 'Remove', 'add'),
      path: id.map((value) => `members[value eq "${value}"]`),
    }),
    fc.record({ op, value: fc.record({ members: memberList, displayName: role }, { requiredKeys: [] }) }),
    fc.record({ op, path: odd, value: odd }, { requiredKeys: [] }),
  );
  const message = (operation: fc.Arbitrary<unknown>) =>
    fc.oneof(
      {
        weight: 9,
        arbitrary: fc.record({
          schemas: fc.constant([patchUrn]),
          Operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ schemas: odd, Operations: odd }) },
      { weight: 1, arbitrary: odd },
    );
  const userBody = fc.record(
    {
      schemas: fc.oneof(fc.constant([userUrn]), odd),
      userName: fc.oneof(fc.constantFrom('user-0@example.com', 'user-3@example.com', 'user-9@example.com'), odd),
      name: fc.oneof(fc.record({ givenName: fc.oneof(fc.string(), odd) }), odd),
      externalId: fc.oneof(fc.string({ unit: 'grapheme' }), odd),
      active: fc.oneof(fc.boolean(), odd),
      roles: fc.oneof(fc.array(fc.record({ value: role, primary: fc.boolean() })), odd),
    },
    { requiredKeys: [] },
  );
  const text = fc.string({ unit: 'grapheme' }).map(encodeURIComponent);
  const query = fc.oneof(
    fc.constant(''),
    text.map((value) => `?filter=${value}`),
    text.map((value) => `?filter=externalId%20eq%20%22${value}%22`),
    fc.tuple(text, text).map(([startIndex, count]) => `?startIndex=${startIndex}&count=${count}`),
    fc.integer().map((startIndex) => `?startIndex=${startIndex}`),
    text.map((value) => `?attributes=${value}`),
  );
  const pathOf = (list: string, one: fc.Arbitrary<string>) =>
    fc.tuple(one, query).map(([name, rest]) => `${list}/${name}${rest}`);
  const request = fc.oneof(
    fc.tuple(fc.constant('PATCH'), pathOf('/Users', id), message(userOperation)),
    fc.tuple(fc.constant('PATCH'), pathOf('/Groups', role), message(groupOperation)),
    fc.tuple(fc.constant('POST'), fc.constant('/Users'), userBody),
    fc.tuple(fc.constant('PUT'), pathOf('/Users', id), userBody),
    fc.tuple(
      fc.constantFrom('POST', 'PUT'),
      role.map((name) => `/Groups/${name}`),
      fc.record({ schemas: fc.constant([groupUrn]), members: memberList, displayName: fc.oneof(role, odd) }),
    ),
    fc.tuple(
      fc.constant('GET'),
      query.map((rest) => `/Users${rest}`),
      fc.constant(undefined),
    ),
    fc.tuple(
      fc.constant('GET'),
      query.map((rest) => `/Groups${rest}`),
      fc.constant(undefined),
    ),
    fc.tuple(
      fc.constant('DELETE'),
      fc.oneof(fc.constant('/Users/{3}'), pathOf('/Groups', role)),
      fc.constant(undefined),
    ),
  );

  for (const setting of ['strict', 'extended'] as const) {
    test(`answers in SCIM form, keeps its rules and audits everything (${setting})`, async () => {
      await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: setting } });
      const fill = (value: string) => value.replace(/\{(\d)\}/g, (_, index) => ids[index] as string);
      let state = await readState();
      const send = async ([method, path, body]: readonly [string, string, unknown]) => {
        const sent = body === undefined ? {} : { rawBody: fill(JSON.stringify(body)) };
        const answer = await scim.send(method, fill(path), undefined, sent);
        assert.ok(answer.status < 500 || answer.status === 501, `${answer.status} ${answer.text}`);
        if (answer.status !== 204) assert.equal(answer.headers.get('content-type'), scimType);
        const now = method === 'GET' ? state : await readState();
        if (answer.status >= 400) {
          assert.deepEqual(answer.body.schemas, [errorUrn], answer.text);
          assert.deepEqual(now, state, `${method} ${path} was refused with ${answer.status}, and changed something`);
        }
        state = now;
      };
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 40, size: 'max' }), async (requests) => {
          for (const one of requests) await send(one);
          await assertConsistent();
        }),
        { numRuns: 20 },
      );
      await assertIntact(server);
    });
  }

  /** The state that SCIM shows, and the latest in the audit log. */
  async function readState(): Promise<unknown> {
    const [users, groups] = [await scim.get('/Users'), await scim.get('/Groups')];
    const audit = await server.request('GET', '/v1/audit?limit=1');
    return [users.body, groups.body, audit.body.data.items[0].id];
  }

  /** Groups and users agree, and no user is in two groups. */
  async function assertConsistent(): Promise<void> {
    const users = (await scim.get('/Users')).body.Resources;
    const groups = (await scim.get('/Groups')).body.Resources;
    const pairs = groups.flatMap((group: { id: string; members: { value: string }[] }) =>
      group.members.map(({ value }) => `${value} ${group.id}`),
    );
    const ofUsers = users.flatMap((user: { id: string; groups: { value: string }[]; active: boolean }) => {
      assert.ok(user.groups.length <= 1);
      assert.ok(!user.active || user.groups.length === 1, 'an active user is in a group');
      return user.groups.map(({ value }) => `${user.id} ${value}`);
    });
    assert.deepEqual(pairs.sort(), ofUsers.sort());
  }
});
