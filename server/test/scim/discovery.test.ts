import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';
import { requestText, sendRaw } from '../http/raw-socket.ts';
import { assertScimError, createScimClient, groupUrn, type ScimClient, scimType, userUrn } from './scim-client.ts';

interface Attribute {
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly uniqueness?: string;
  readonly mutability: string;
  readonly subAttributes?: readonly Attribute[];
}

describeOnOneDatabase('SCIM discovery', (dialect) => {
  let server: TestServer;
  let scim: ScimClient;
  before(async () => {
    server = await startTestServer(dialect);
    scim = await createScimClient(server);
  });
  after(() => server[Symbol.asyncDispose]());

  test('returns the configuration without a token', async () => {
    for (const key of [null, scim.token, server.tenant.key]) {
      const { status, headers, body } = await server.request('GET', '/scim/v2/ServiceProviderConfig', { key });
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), scimType);
      const { authenticationSchemes, meta, ...features } = body;
      assert.deepEqual(features, {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
        patch: { supported: true },
        bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
        filter: { supported: true, maxResults: 100 },
        changePassword: { supported: false },
        sort: { supported: false },
        etag: { supported: false },
      });
      assert.equal(authenticationSchemes.length, 1);
      assert.equal(authenticationSchemes[0].type, 'oauthbearertoken');
      assert.match(authenticationSchemes[0].description, /scim_/);
      assert.deepEqual(meta, {
        resourceType: 'ServiceProviderConfig',
        location: `${server.url}/scim/v2/ServiceProviderConfig`,
      });
    }
  });

  test('lists the types of resources, each of which is at its endpoint', async () => {
    const { body } = await scim.get('/ResourceTypes');
    assert.equal(body.totalResults, 2);
    assert.deepEqual(
      body.Resources.map(({ id, schema }: { id: string; schema: string }) => [id, schema]),
      [
        ['User', userUrn],
        ['Group', groupUrn],
      ],
    );
    for (const type of body.Resources) {
      assert.deepEqual((await scim.get(`/ResourceTypes/${type.id}`)).body, type);
      assert.equal((await scim.get(type.endpoint)).status, 200);
      assert.equal((await scim.get(`/Schemas/${type.schema}`)).status, 200);
    }
    assertScimError(await scim.get('/ResourceTypes/Device'), 404);
  });

  test('describes every attribute that resources have', async () => {
    const { body } = await scim.get('/Schemas');
    assert.equal(body.totalResults, 2);
    for (const schema of body.Resources) assert.deepEqual((await scim.get(`/Schemas/${schema.id}`)).body, schema);
    assertScimError(await scim.get('/Schemas/urn:nothing'), 404);
    const id = await scim.createUser('all@example.com', {
      name: { givenName: 'A', familyName: 'B' },
      externalId: 'x',
    });
    const [user, group] = body.Resources as { readonly attributes: readonly Attribute[] }[];
    assertDescribed((await scim.get(`/Users/${id}`)).body, user?.attributes ?? []);
    assertDescribed((await scim.get('/Groups/cs_agent')).body, group?.attributes ?? []);
    const mutability = new Map(user?.attributes.map((attribute) => [attribute.name, attribute.mutability]));
    for (const name of ['userName', 'name', 'externalId']) assert.equal(mutability.get(name), 'immutable');
    for (const name of ['active', 'roles']) assert.equal(mutability.get(name), 'readWrite');
  });

  test('describes the characteristics of each attribute', async () => {
    const { body } = await scim.get('/Schemas');
    const [user, group] = body.Resources as { readonly attributes: readonly Attribute[] }[];
    assert.deepEqual(
      user?.attributes.flatMap((attribute) => listCharacteristics(attribute)),
      [
        'userName: string required immutable unique',
        'externalId: string immutable caseExact',
        'name: complex immutable',
        'name.formatted: string readOnly',
        'name.givenName: string immutable',
        'name.familyName: string immutable',
        'displayName: string readOnly',
        'emails: complex[] readOnly',
        'emails.value: string readOnly',
        'emails.type: string readOnly',
        'emails.primary: boolean readOnly',
        'active: boolean readWrite',
        'roles: complex[] readWrite',
        'roles.value: string readWrite caseExact',
        'roles.primary: boolean readWrite',
        'groups: complex[] readOnly',
        'groups.value: string readOnly caseExact',
        'groups.type: string readOnly',
      ],
    );
    assert.deepEqual(
      group?.attributes.flatMap((attribute) => listCharacteristics(attribute)),
      [
        'displayName: string required immutable unique',
        'members: complex[] readWrite',
        'members.value: string immutable caseExact',
        'members.display: string readOnly',
      ],
    );
  });

  test('is not filtered', async () => {
    for (const path of ['/ServiceProviderConfig', '/Schemas', '/ResourceTypes', `/Schemas/${userUrn}`])
      assertScimError(await scim.get(path, { filter: 'id eq "x"' }), 403);
  });

  test('gives addresses with a Host that can be one, and refuses any other', async () => {
    const config = (host: string) =>
      sendRaw(server, requestText('GET', '/scim/v2/ServiceProviderConfig', { Host: host }));
    for (const host of ['scim.example.com', 'localhost:8787', '127.0.0.1:1', '[::1]:8787']) {
      const [answer] = await config(host);
      assert.equal(answer?.body.meta.location, `http://${host}/scim/v2/ServiceProviderConfig`);
    }
    for (const host of ['', 'a b', 'evil.com/path', 'user@evil.com', '"><script>', 'a:b', 'a:123456', 'ä.example']) {
      const [answer] = await config(host);
      assert.equal(answer?.status, 400, host);
    }
  });

  test('gives addresses with the public address where one is set', async () => {
    await using behind = await startTestServer(dialect, { SVC_BASE_URL: 'https://svc.example.com' });
    const client = await createScimClient(behind);
    const location = (await client.get('/ServiceProviderConfig')).body.meta.location;
    assert.equal(location, 'https://svc.example.com/scim/v2/ServiceProviderConfig');
    const id = await client.createUser('a@example.com');
    const user = (await client.get(`/Users/${id}`)).body;
    assert.equal(user.meta.location, `https://svc.example.com/scim/v2/Users/${id}`);
  });
});

/** One line for an attribute and one for each of its sub-attributes. */
function listCharacteristics(attribute: Attribute, parent = ''): readonly string[] {
  const { name, type, multiValued, required, mutability, caseExact, uniqueness, subAttributes = [] } = attribute;
  const words = [
    `${parent}${name}: ${type}${multiValued ? '[]' : ''}`,
    required && 'required',
    mutability,
    caseExact && 'caseExact',
    uniqueness === 'server' && 'unique',
  ];
  const line = words.filter((word) => typeof word === 'string').join(' ');
  return [line, ...subAttributes.flatMap((part) => listCharacteristics(part, `${name}.`))];
}

/** Checks that the schema has all attributes of a resource, except the common ones (RFC 7643 section 3.1). */
function assertDescribed(value: object, attributes: readonly Attribute[]): void {
  const { schemas: _schemas, id: _id, meta: _meta, ...rest } = value as Record<string, unknown>;
  for (const [name, part] of Object.entries(rest)) {
    const attribute = attributes.find((candidate) => candidate.name === name);
    assert.ok(attribute, name);
    for (const item of [part].flat())
      if (typeof item === 'object' && item !== null) assertDescribed(item, attribute.subAttributes ?? []);
  }
}
