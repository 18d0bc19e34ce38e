import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type ProblemCode, problemKinds } from '../../http/problem.ts';
import { scopes } from '../../http/roles.ts';
import type { Route } from '../../http/route.ts';
import { writeApiDocument } from '../../site/documentation/api-document.ts';
import { eventTypes } from '../../webhooks/deliveries/event.ts';
import { startTestServer, type TestServer } from '../harness.ts';

/** The operations of spec.md, tables "Audit", "Consent", "Second factor", "Public endpoints" and "SCIM 2.0", that exist so far. */
const specified = [
  'GET /v1/audit',
  'GET /v1/audit/{id}',
  'GET /v1/consent',
  'GET /v1/consent/{id}',
  'GET /v1/consent/{id}/records',
  'POST /v1/consent/{id}/records',
  'GET /v1/consent/{id}/records/{recordId}',
  'POST /v1/consent/{id}/publish',
  'POST /v1/consent',
  'GET /v1/public/consent/{noticeId}',
  'POST /v1/public/consent/{noticeId}/records',
  'GET /v1/public/trust/{slug}/widget',
  'GET /v1/control-framework',
  'GET /v1/control-framework/frameworks',
  'GET /v1/control-framework/readiness',
  'GET /v1/control-framework/test-health',
  'POST /v1/me/mfa/totp/enroll',
  'POST /v1/me/mfa/totp/verify',
  'DELETE /v1/me/mfa/totp',
  'GET /v1/me/mfa',
  'GET /scim/v2/ServiceProviderConfig',
  'GET /scim/v2/Users',
  'POST /scim/v2/Users',
  'GET /scim/v2/Users/{id}',
  'PATCH /scim/v2/Users/{id}',
  'DELETE /scim/v2/Users/{id}',
  'GET /scim/v2/Groups',
  'GET /scim/v2/Groups/{role}',
  'POST /scim/v2/Groups',
  'PUT /scim/v2/Groups/{role}',
  'PATCH /scim/v2/Groups/{role}',
  'DELETE /scim/v2/Groups/{role}',
];
const statuses = ['400', '401', '403', '404', '409', '422', '429', '500'];

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content; readonly headers: object }>
  >;
}
type Content = Readonly<
  Record<
    string,
    { readonly schema: { readonly $ref?: string; readonly required?: string[]; readonly properties?: object } }
  >
>;

describe('the OpenAPI document', () => {
  let server: TestServer;
  // biome-ignore lint/suspicious/noExplicitAny: the test reads every part of it
  let document: any;
  let operations: [name: string, operation: Operation][];
  const isRest = ([name]: readonly [string, ...unknown[]]) => name.includes(' /v1/');
  const isScim = ([name]: readonly [string, ...unknown[]]) => name.includes(' /scim/v2/');
  const isExport = (name: string) => /^GET \/v1\/ledgers\/(?:audit|consent)\/export$/.test(name);
  const routeOf = (name: string) => server.app.routes.find(({ method, path }) => `${method} ${path}` === name) as Route;
  /** A parameter or a response, or the one of the components that it refers to. */
  const resolve = <Part extends object>(part: Part): Part => {
    if (!('$ref' in part)) return part;
    const [, , kind, name] = String(part.$ref).split('/');
    return document.components[kind as string][name as string];
  };
  const resolveEach = <Part extends object>(parts: Readonly<Record<string, Part>>) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, resolve(part)]));
  before(async () => {
    server = await startTestServer();
    const served = await server.request('GET', '/v1/openapi.json', { key: null });
    assert.equal(served.status, 200);
    document = served.body;
    operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, one]): [string, Operation] => [
          `${method.toUpperCase()} ${path}`,
          { ...one, parameters: (one.parameters ?? []).map(resolve), responses: resolveEach(one.responses) },
        ]),
    );
  });
  after(() => server[Symbol.asyncDispose]());

  test('equals the file in the repository', () => {
    const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
    assert.ok(text === writeApiDocument(server.app.routes), 'server/openapi.json is not current: run npm run openapi');
    assert.deepEqual(document, JSON.parse(text));
  });

  test('can be read without credentials from any origin', async () => {
    const served = await server.request('GET', '/v1/openapi.json', { key: null });
    assert.match(served.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(served.headers.get('access-control-allow-origin'), '*');
    const head = await server.request('HEAD', '/v1/openapi.json', { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('has every operation of the specification, and every route', () => {
    const names = operations.map(([name]) => name);
    assert.deepEqual(
      specified.filter((name) => !names.includes(name)),
      [],
    );
    assert.deepEqual(names.sort(), server.app.routes.map(({ method, path }) => `${method} ${path}`).sort());
  });

  test('names each operation once', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    assert.equal(new Set(ids).size, ids.length);
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/);
  });

  test('documents every status of an error with the envelope, for every operation of the REST API', () => {
    for (const [name, { responses }] of operations.filter(isRest)) {
      for (const status of statuses) {
        const schema = responses[status]?.content?.['application/json']?.schema;
        assert.deepEqual(schema, { $ref: '#/components/schemas/ErrorEnvelope' }, `${name}: ${status}`);
      }
      const listed = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      for (const [status, { description }] of listed) {
        const codes = [...description.matchAll(/`([a-z_]+)`:/g)].map(([, code]) => code as ProblemCode);
        assert.ok(codes.length > 0, `${name}: ${status} names no code`);
        for (const code of codes) assert.equal(String(problemKinds[code].status), status);
        assert.doesNotMatch(description, /SCIM:|OAuth:/);
      }
    }
    assert.deepEqual(document.components.schemas.Problem.required, ['code', 'message']);
  });

  test('lists the errors of each operation', () => {
    const named = (name: string) =>
      operations.find(([other]) => other === name)?.[1].responses['403']?.description ?? '';
    for (const { method, path, scope, auth } of server.app.routes.filter(({ surface }) => surface.base === '/v1')) {
      const description = named(`${method} ${path}`);
      for (const code of ['insufficient_scope', 'tenant_not_allowed', 'second_factor_required'])
        assert.equal(
          description.includes(`\`${code}\``),
          scope !== null || (auth === 'session' && code === 'tenant_not_allowed'),
          `${method} ${path}: ${code}`,
        );
      assert.ok(auth === 'public' || description.includes('`forbidden`'), `${method} ${path}`);
    }
  });

  test('returns errors in the format of the surface, and only its codes', () => {
    for (const operation of operations.filter((one) => !isRest(one))) {
      const [name, { responses }] = operation;
      const [type, schema] = isScim(operation)
        ? ['application/scim+json', { $ref: '#/components/schemas/ScimError' }]
        : ['application/json', { $ref: '#/components/schemas/OauthError' }];
      const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      for (const wanted of ['400', '404', '405', '429', '500']) assert.ok(wanted in responses, `${name} ${wanted}`);
      for (const [status, { content, description }] of errors) {
        assert.deepEqual(Object.keys(content ?? {}), [type], `${name} ${status}`);
        assert.deepEqual(content?.[type]?.schema, schema, `${name} ${status}`);
        assert.doesNotMatch(description, /`(?:validation_failed|unauthenticated|idempotency\w+|tenant_not_allowed)`/);
      }
      assert.ok(!('422' in responses), name);
    }
    const { ScimError, OauthError } = document.components.schemas;
    assert.deepEqual(ScimError.required, ['schemas', 'status', 'detail']);
    assert.deepEqual(OauthError.required, ['error', 'error_description']);
  });

  test('wraps every success of the REST API with content in data, except the status of the second factor, exports and receipts', () => {
    for (const [name, { responses }] of operations.filter(isRest)) {
      if (isExport(name) || routeOf(name).answerType === 'application/octet-stream') continue;
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      assert.equal(success.length, 1, name);
      if (success[0]?.[0] === '204') continue;
      const content = success[0]?.[1].content;
      const schema = content?.['application/json']?.schema;
      if (name === 'GET /v1/me/mfa') assert.equal(schema?.$ref, '#/components/schemas/MfaStatus');
      // A document in a format of others has no envelope.
      else if (name === 'GET /v1/consent/records/{recordId}/receipt')
        assert.equal(content?.['application/ld+json']?.schema?.$ref, '#/components/schemas/ConsentReceipt');
      else assert.deepEqual(schema?.required, ['data'], name);
    }
  });

  test('has bodies and responses in the media types of the surface, and none for a response without content', () => {
    for (const operation of operations) {
      const [name, { responses, requestBody }] = operation;
      const scim = ['application/scim+json', 'application/json'];
      const bodies = isScim(operation)
        ? scim
        : [routeOf(name).bodyType ?? (isRest(operation) ? 'application/json' : 'application/x-www-form-urlencoded')];
      if (requestBody !== undefined) assert.deepEqual(Object.keys(requestBody.content), bodies, name);
      const [[status, success]] = Object.entries(responses) as [[string, (typeof responses)[string]]];
      const bare = routeOf(name).answerType?.split(';')[0] ?? 'application/json';
      const answers = status === '204' ? [] : [isScim(operation) ? scim[0] : bare];
      assert.deepEqual(Object.keys(success.content ?? {}), answers, name);
    }
    assert.ok(operations.some(([, { responses }]) => '204' in responses));
  });

  test('lists the credentials and headers of operations', () => {
    for (const [name, { security, parameters = [] }] of operations) {
      const { auth, scope, surface, idempotencyKey } = routeOf(name);
      const headers = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name);
      const taken = {
        scope: [{ apiKey: [] }, { accessToken: [scope] }, { session: [] }],
        session: [{ session: [] }],
        platform: [{ session: [] }],
        scim: [{ scimToken: [] }],
        anonymous: [],
        public: [],
      };
      assert.deepEqual(security, taken[auth], name);
      assert.equal(headers.includes('Svc-Version'), surface.isVersioned, name);
      assert.equal(headers.includes('Svc-Tenant'), auth === 'scope', name);
      const repeats = ['scope', 'platform'].includes(auth) && name.startsWith('POST');
      assert.equal(headers.includes('Idempotency-Key'), repeats, name);
      assert.equal(idempotencyKey === 'none', !headers.includes('Idempotency-Key'), name);
    }
    const capture = operations.find(([name]) => name === 'POST /v1/consent/{id}/records')?.[1];
    assert.equal(capture?.parameters?.find(({ name }) => name === 'Idempotency-Key')?.required, true);
    assert.equal(capture?.requestBody?.required, true);
  });

  test('lists every scope at the token URL', () => {
    const { accessToken } = document.components.securitySchemes;
    const { tokenUrl, scopes: described } = accessToken.flows.clientCredentials;
    assert.ok(`POST ${tokenUrl}` in Object.fromEntries(operations));
    assert.deepEqual(Object.keys(described), scopes);
  });

  test('documents the headers of responses, and names none that is never sent', () => {
    const limited = ['RateLimit', 'RateLimit-Policy'];
    for (const [name, { responses }] of operations) {
      const { auth, limits, surface } = routeOf(name);
      const has = (status: string, ...wanted: readonly string[]) =>
        wanted.every((header) => Object.hasOwn(responses[status]?.headers ?? {}, header));
      const success = Object.keys(responses).find((status) => status.startsWith('2')) as string;
      const counts = ['scope', 'session', 'platform', 'scim'].includes(auth) || limits !== undefined;
      assert.equal(has(success, ...limited), counts, name);
      assert.equal(has('429', ...limited), counts, name);
      assert.ok(has('429', 'Retry-After') && has('405', 'Allow'), name);
      if (surface.base !== '/oauth') assert.ok(has('401', 'WWW-Authenticate'), name);
      for (const status of Object.keys(responses)) assert.ok(has(status, 'Svc-Request-Id'), `${name} ${status}`);
      assert.equal(has(success, 'Svc-Version'), surface.isVersioned, name);
      assert.equal(has(success, 'Location'), surface.base === '/scim/v2' && success === '201', name);
    }
    const revalidated = operations.filter(([, { responses }]) => '304' in responses).map(([name]) => name);
    assert.deepEqual(revalidated, ['GET /v1/public/consent/{noticeId}', 'GET /v1/public/trust/{slug}/widget']);
    const named = [...JSON.stringify(document).matchAll(/#\/components\/headers\/([\w-]+)/g)].map(([, name]) => name);
    assert.deepEqual(new Set(named), new Set(Object.keys(document.components.headers)));
  });

  test('describes itself, every tag, operation, scope and scheme', () => {
    const { info, servers, tags, components } = document;
    for (const text of [info.summary, info.description, info.contact.name, info.license.name, servers[0].description])
      assert.ok(text.length > 2);
    for (const { name, description } of tags) assert.match(description, /^[A-Z].+\.$/, name);
    for (const [scheme, { description }] of Object.entries<{ description: string }>(components.securitySchemes))
      assert.match(description, /^A|^The/, scheme);
    const { scopes: described } = components.securitySchemes.accessToken.flows.clientCredentials;
    for (const [scope, text] of Object.entries(described)) assert.match(String(text), /^[A-Z].+\.$/, scope);
    const known = tags.map(({ name }: { name: string }) => name);
    const used = operations.flatMap(([name, { tags: named, summary, description }]) => {
      assert.match(summary, /^[A-Z].*[^.]$/, name);
      assert.match(description, /^[A-Z`].*[.]$/s, name);
      return named;
    });
    assert.deepEqual(new Set(used), new Set(known));
  });

  test('has one webhook for each type of event, with its headers and the schema of its data', () => {
    assert.deepEqual(Object.keys(document.webhooks), eventTypes);
    for (const [type, { post }] of Object.entries<{ post: Operation }>(document.webhooks)) {
      const headers = (post.parameters ?? []).filter((one) => one.in === 'header').map(({ name }) => name);
      for (const name of ['Svc-Event', 'Svc-Delivery', 'Svc-Signature']) assert.ok(headers.includes(name), type);
      const { $ref = '' } = post.requestBody?.content['application/json']?.schema ?? {};
      const envelope = document.components.schemas[$ref.split('/').at(-1) as string];
      assert.deepEqual(envelope.required, ['id', 'type', 'createdAt', 'tenantId', 'data']);
      assert.equal(envelope.properties.type.const, type);
      const data = document.components.schemas[envelope.properties.data.$ref.split('/').at(-1)];
      assert.ok(data.required.length > 0, type);
      assert.deepEqual(Object.keys(post.responses).sort(), ['2XX', '410', '429', '503', 'default'].sort());
    }
  });

  test('has a name for every object and only constructs that client generators support', () => {
    const problems: string[] = [];
    const look = (schema: unknown, place: string, mayBeNameless = false): void => {
      if (Array.isArray(schema)) {
        for (const [index, one] of schema.entries()) look(one, `${place}/${index}`);
        return;
      }
      if (typeof schema !== 'object' || schema === null) return;
      if ('properties' in schema && !mayBeNameless) problems.push(`${place}: an object without a name`);
      for (const [key, value] of Object.entries(schema)) {
        if (key === 'prefixItems') problems.push(`${place}: a tuple`);
        if (key === 'items' && typeof value === 'boolean') problems.push(`${place}: items are ${value}`);
        if (key === 'example') continue;
        if (key !== 'properties') look(value, `${place}/${key}`);
        else for (const [name, one] of Object.entries(value)) look(one, `${place}.${name}`);
      }
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.match(name, /^[A-Z][A-Za-z0-9]+$/);
      look(schema, name, true);
    }
    for (const [name, { requestBody, responses, parameters }] of operations) {
      look(parameters, name);
      look(requestBody?.content, name);
      for (const { content = {} } of Object.values(responses))
        for (const { schema } of Object.values(content)) {
          const isEnvelope = Object.keys(schema.properties ?? {}).join() === 'data';
          look(schema, name, isEnvelope);
        }
    }
    assert.deepEqual(problems, []);
  });

  test('lists the default limits', () => {
    const text = document.info.description.replaceAll('\n', ' ');
    const limits = ['600 requests a minute', '600 a minute', '60 a minute', '10 a minute', '1,200 a minute'];
    for (const fact of [...limits, '64 KiB', '1 MiB', '60 minutes', '24 hours', 'successful'])
      assert.ok(text.includes(fact), fact);
  });

  test('bounds its numbers by their meaning, not by the range of JavaScript', () => {
    assert.ok(!JSON.stringify(document).includes(String(Number.MAX_SAFE_INTEGER)));
    const { ConsentRecord, Notice } = document.components.schemas;
    assert.equal(ConsentRecord.properties.sequence.minimum, 1);
    assert.equal(Notice.properties.recordCount.minimum, 0);
  });

  test('has the limits and defaults of the specification', () => {
    const limitOf = (path: string) => {
      const { schema } = document.paths[path].get.parameters.find(({ name }: { name: string }) => name === 'limit');
      return [schema.type, schema.minimum, schema.maximum, schema.default];
    };
    assert.deepEqual(limitOf('/v1/audit'), ['integer', 1, 200, 50]);
    assert.deepEqual(limitOf('/v1/consent'), ['integer', 1, 100, 25]);
    assert.deepEqual(limitOf('/v1/consent/{id}/records'), ['integer', 1, 200, 50]);
  });

  test('allows an audit event no more properties than the specification', () => {
    const { AuditEvent, AuditEventDetail } = document.components.schemas;
    const item = 'id at actorId actorEmail actorType action module targetId targetRef hash prevHash'.split(' ');
    assert.equal(AuditEvent.additionalProperties, false);
    assert.deepEqual(Object.keys(AuditEvent.properties), item);
    assert.deepEqual(AuditEvent.required, item);
    assert.deepEqual(
      Object.keys(AuditEventDetail.properties).sort(),
      [...item, 'ip', 'userAgent', 'diff', 'reason'].sort(),
    );
    assert.deepEqual(AuditEventDetail.required.toSorted(), [...item, 'ip', 'userAgent', 'reason'].sort());
  });
});
