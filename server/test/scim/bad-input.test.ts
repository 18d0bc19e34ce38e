import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { requestText, sendRaw } from '../http/raw-socket.ts';
import {
  assertScimError,
  createScimClient,
  groupUrn,
  members,
  patchUrn,
  type ScimClient,
  scimType,
  userUrn,
} from './scim-client.ts';

const limit = 1024 * 1024;

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

describeOnOneDatabase('SCIM and bad input', (dialect) => {
  let server: TestServer;
  let scim: ScimClient;
  let id: string;
  before(async () => {
    server = await startTestServer(dialect);
    scim = await createScimClient(server);
    id = await scim.createUser('inside@example.com', { externalId: 'mine', roles: [{ value: 'dpo' }] });
  });
  after(() => server[Symbol.asyncDispose]());

  const readAll = async () => [(await scim.get('/Users')).body, (await scim.get('/Groups')).body];

  test('refuses a body that is no JSON, whatever it is sent to', async () => {
    for (const setting of ['strict', 'extended']) {
      await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: setting } });
      const before = await readAll();
      for (const [method, path] of [
        ['POST', '/Users'],
        ['PATCH', `/Users/${id}`],
        ['PUT', `/Users/${id}`],
        ['POST', '/Groups'],
        ['PATCH', '/Groups/dpo'],
        ['PUT', '/Groups/dpo'],
      ] as const)
        for (const rawBody of [
          '{',
          '{"schemas":[',
          `{"schemas":["${groupUrn}"],"members":[],}`,
          "{'members':[]}",
          'undefined',
          '{}{}',
          Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        ])
          assertScimError(await scim.send(method, path, undefined, { rawBody }), 400, 'invalidSyntax');
      assert.deepEqual(await readAll(), before);
    }
    await server.request('PATCH', '/v1/tenant', { body: { scimCompatibility: 'strict' } });
  });

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

  test('takes a mebibyte of a group and refuses more, also where the length is not announced', async () => {
    const text = JSON.stringify({
      schemas: [patchUrn],
      Operations: [{ op: 'add', path: 'members', value: members(id) }],
    });
    const fill = (size: number) => text + ' '.repeat(size - text.length);
    const sendWhole = (size: number) => scim.send('PATCH', '/Groups/dpo', undefined, { rawBody: fill(size) });
    const sendChunked = async (size: number) => {
      const headers = {
        Authorization: `Bearer ${scim.token}`,
        'Content-Type': scimType,
        'Transfer-Encoding': 'chunked',
      };
      const body = fill(size);
      const chunks = [body.slice(0, 100), body.slice(100), '']
        .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`)
        .join('');
      const [answer] = await sendRaw(server, requestText('PATCH', '/scim/v2/Groups/dpo', headers, chunks));
      assert.ok(answer);
      return answer;
    };
    for (const send of [sendWhole, sendChunked]) {
      assert.equal((await send(limit)).status, 200);
      assertScimError(await send(limit + 1), 413);
    }
    assert.deepEqual(await scim.membersOf('dpo'), [id]);
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
