import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeDocument } from '../../http/openapi-document.ts';
import { type ProblemCode, problemKinds } from '../../http/problem.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';

/** The operations of spec.md, tables "Audit", "Consent" and "Public endpoints", that there are so far. */
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
];
const statuses = ['400', '401', '403', '404', '409', '422', '429', '500'];

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Content; readonly headers: object }>
  >;
}
type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string; readonly required?: string[] } }>>;

describe('the OpenAPI document', () => {
  let server: TestServer;
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into every corner of it
  let document: any;
  let operations: [name: string, operation: Operation][];
  before(async () => {
    server = await startTestServer();
    const served = await server.request('GET', '/v1/openapi.json', { key: null });
    assert.equal(served.status, 200);
    document = served.body;
    operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, one]): [string, Operation] => [`${method.toUpperCase()} ${path}`, one]),
    );
  });
  after(() => server[Symbol.asyncDispose]());

  test('is the one that is checked in', () => {
    const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
    assert.ok(text === writeDocument(server.app.routes), 'server/openapi.json is not current: run npm run openapi');
    assert.deepEqual(document, JSON.parse(text));
  });

  test('may be read by anybody from anywhere', async () => {
    const served = await server.request('GET', '/v1/openapi.json', { key: null });
    assert.match(served.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(served.headers.get('access-control-allow-origin'), '*');
    const head = await server.request('HEAD', '/v1/openapi.json', { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
  });

  test('has its path for reading alone', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await server.request(method, '/v1/openapi.json', { key: null });
      assertProblem(response, 'method_not_allowed');
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
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

  test('documents every status of an error with the envelope, for every operation', () => {
    for (const [name, { responses }] of operations) {
      for (const status of statuses) {
        const schema = responses[status]?.content?.['application/json']?.schema;
        assert.deepEqual(schema, { $ref: '#/components/schemas/Error' }, `${name}: ${status}`);
      }
      const listed = Object.entries(responses).filter(([status]) => Number(status) >= 400);
      for (const [status, { description }] of listed) {
        const codes = [...description.matchAll(/`([a-z_]+)`:/g)].map(([, code]) => code as ProblemCode);
        assert.ok(codes.length > 0, `${name}: ${status} names no code`);
        for (const code of codes) assert.equal(String(problemKinds[code].status), status);
      }
    }
    assert.deepEqual(document.components.schemas.Error.properties.error.required, ['code', 'message']);
  });

  test('puts every success into data', () => {
    for (const [name, { responses }] of operations) {
      const success = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      assert.equal(success.length, 1, name);
      assert.deepEqual(success[0]?.[1].content?.['application/json']?.schema.required, ['data'], name);
    }
  });

  test('tells which operations need a key and which headers they take', () => {
    for (const [name, { security, parameters = [] }] of operations) {
      const headers = parameters.filter((parameter) => parameter.in === 'header').map((parameter) => parameter.name);
      const open = name.includes(' /v1/public/');
      assert.deepEqual(security, open ? [] : [{ apiKey: [] }]);
      assert.ok(headers.includes('Svc-Version'));
      assert.equal(headers.includes('Svc-Tenant'), !open);
      assert.equal(headers.includes('Idempotency-Key'), !open && name.startsWith('POST'), name);
    }
    const capture = operations.find(([name]) => name === 'POST /v1/consent/{id}/records')?.[1];
    assert.equal(capture?.parameters?.find(({ name }) => name === 'Idempotency-Key')?.required, true);
    assert.equal(capture?.requestBody?.required, true);
  });

  test('documents the headers of answers, and names none that is not there', () => {
    const limited = ['RateLimit', 'RateLimit-Policy'];
    for (const [name, { responses, security }] of operations) {
      const has = (status: string, ...wanted: readonly string[]) =>
        wanted.every((header) => Object.hasOwn(responses[status]?.headers ?? {}, header));
      const success = Object.keys(responses).find((status) => status.startsWith('2')) as string;
      const counts = security.length > 0 || name === 'POST /v1/public/consent/{noticeId}/records';
      assert.equal(has(success, ...limited), counts, name);
      assert.equal(has('429', ...limited), counts, name);
      assert.ok(has('429', 'Retry-After') && has('401', 'WWW-Authenticate') && has('405', 'Allow'), name);
      for (const status of Object.keys(responses)) assert.ok(has(status, 'Svc-Request-Id'), `${name} ${status}`);
    }
    const named = [...JSON.stringify(document).matchAll(/#\/components\/headers\/([\w-]+)/g)].map(([, name]) => name);
    assert.deepEqual(new Set(named), new Set(Object.keys(document.components.headers)));
  });

  test('tells the limits that hold unless a setting says otherwise', () => {
    for (const fact of ['600 requests a minute', '600 a minute', '60 a minute', '64 KiB', '24 hours', 'successful'])
      assert.ok(document.info.description.includes(fact), fact);
  });

  test('bounds its numbers by what they mean, not by what JavaScript can count', () => {
    assert.ok(!JSON.stringify(document).includes(String(Number.MAX_SAFE_INTEGER)));
    const { ConsentRecord, Notice } = document.components.schemas;
    assert.equal(ConsentRecord.properties.sequence.minimum, 1);
    assert.equal(Notice.properties.recordCount.minimum, 0);
  });

  test('has limits and defaults as the specification gives them', () => {
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
