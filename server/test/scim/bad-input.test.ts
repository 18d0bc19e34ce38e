import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeServer } from '../consent/helpers.ts';
import {
  assertScimError,
  createScimClient,
  groupUrn,
  members,
  patchUrn,
  type ScimClient,
  userUrn,
} from './scim-client.ts';

/** Texts that do something where they are made part of a statement. */
const injections = [
  `' or '1'='1`,
  `'; drop table memberships; --`,
  `" or ""="`,
  `\\'; delete from users; --`,
  `x') union select hash from scim_tokens --`,
  '%',
  '_______________',
  '$1',
  '?',
  ':tenantId',
] as const;

describeServer('SCIM and bad input', (server) => {
  let scim: ScimClient;
  let id: string;
  before(async () => {
    scim = await createScimClient(server);
    id = await scim.createUser('inside@example.com', { externalId: 'mine', roles: [{ value: 'dpo' }] });
  });

  const readAll = async () => [(await scim.get('/Users')).body, (await scim.get('/Groups')).body];

  // A second of the processor for each hundred kilobytes, and more than that for each further one, when it is composed.
  test('refuses a userName of combining marks without composing it', { timeout: 60_000 }, async () => {
    const userName = `a${'\u0301\u0316'.repeat(200_000)}@example.com`;
    assertScimError(await scim.send('POST', '/Users', { schemas: [userUrn], userName }), 400, 'invalidValue');
    const Operations = Array.from({ length: 1001 }, () => ({ op: 'replace', path: 'active', value: true }));
    assertScimError(
      await scim.send('PATCH', `/Users/${id}`, { schemas: [patchUrn], Operations }),
      400,
      'invalidSyntax',
    );
  });

  test('takes text that looks like a statement as text', async () => {
    const before = await readAll();
    for (const text of injections) {
      const path = encodeURIComponent(text);
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'members', value: [] }] }],
        ['PUT', { schemas: [groupUrn], members: [] }],
        ['DELETE', undefined],
      ] as const)
        assertScimError(await scim.send(method, `/Groups/${path}`, body), 404);
      for (const method of ['GET', 'DELETE']) assertScimError(await scim.send(method, `/Users/${path}`), 404);
      for (const attribute of ['userName', 'externalId'])
        assert.equal(
          (await scim.get('/Users', { filter: `${attribute} eq ${JSON.stringify(text)}` })).body.totalResults,
          0,
        );
      assert.equal(
        (await scim.get('/Groups', { filter: `displayName eq ${JSON.stringify(text)}` })).body.totalResults,
        0,
      );
      const remove = { op: 'remove', path: `members[value eq ${JSON.stringify(text)}]` };
      assert.equal((await scim.patch('/Groups/dpo', remove)).status, 200);
      const add = { op: 'add', path: 'members', value: members(text) };
      assertScimError(await scim.patch('/Groups/dpo', add), 400, 'invalidValue');
      const named = { schemas: [groupUrn], displayName: text };
      assertScimError(await scim.send('POST', '/Groups', named), 400, 'invalidValue');
      assertScimError(await scim.send('POST', '/Users', { schemas: [userUrn], userName: text }), 400, 'invalidValue');
    }
    assert.deepEqual(await readAll(), before);
    for (const [index, text] of injections.entries()) {
      const name = { givenName: text, familyName: text };
      const created = await scim.createUser(`text-${index}@example.com`, { externalId: text, name });
      const { body } = await scim.get('/Users', { filter: `externalId eq ${JSON.stringify(text)}` });
      assert.deepEqual(
        body.Resources.map((user: { id: string }) => user.id),
        [created],
      );
      assert.deepEqual(body.Resources[0].name, { ...name, formatted: `${text} ${text}` });
    }
  });

  test('removes no member by an id that no database can store', async () => {
    for (const unstorable of ['\\u0000', '\\ud800', `${id}\\u0000`, '\\udc00\\ud800']) {
      const remove = { op: 'remove', path: `members[value eq "${unstorable}"]` };
      const { status, text } = await scim.patch('/Groups/dpo', remove);
      assert.equal(status, 200, text);
    }
    const filter = { op: 'remove', path: 'members[value eq "\\u00"]' };
    assertScimError(await scim.patch('/Groups/dpo', filter), 400, 'invalidFilter');
    assert.deepEqual(await scim.membersOf('dpo'), [id]);
  });

  test('does not pass over a parameter that is written in another case', async () => {
    for (const [path, name, spelling] of [
      ['/Users', 'Filter', 'filter'],
      ['/Users', 'StartIndex', 'startIndex'],
      ['/Users', 'startindex', 'startIndex'],
      ['/Users', 'COUNT', 'count'],
      ['/Groups', 'Filter', 'filter'],
      ['/Groups/dpo', 'excludedattributes', 'excludedAttributes'],
      [`/Users/${id}`, 'Attributes', 'attributes'],
      ['/Schemas', 'Filter', 'filter'],
      ['/ServiceProviderConfig', 'FILTER', 'filter'],
    ] as const) {
      const answer = await scim.get(path, { [name]: '1' });
      assertScimError(answer, 400, 'invalidValue');
      assert.match(answer.body.detail, new RegExp(`${name}: must be written ${spelling}`));
    }
    const active = { schemas: [patchUrn], Operations: [{ op: 'replace', path: 'active', value: false }] };
    assertScimError(await scim.send('PATCH', `/Users/${id}?Attributes=id`, active), 400, 'invalidValue');
    assert.equal(await scim.isActive(id), true);
    for (const query of [{ aadOptscim062020: '' }, { filters: 'x' }, { constructor: 'x' }, { sortBy: 'userName' }])
      assert.equal((await scim.get('/Users', query)).status, 200, JSON.stringify(query));
  });
});
