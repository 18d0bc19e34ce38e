import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import type { z } from 'zod';
import type { Route } from '../../http/route.ts';
import { writeApiDocument } from '../../site/documentation/api-document.ts';
import { describeOnOneDatabase, type RequestOptions, startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';
import { acceptedCall, addQuery, join, onlyWithoutTenants } from './route-samples.ts';
import { createScene, type Scene } from './scene.ts';
import { readStoredState } from './stored-rows.ts';

/** A schema of the OpenAPI document, without references. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}
type Place = readonly (string | number)[];

/** Texts that are none of a format. */
const malformed: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['', 'now', '2026-11-01', '2026-11-01T10:00:00', '2026-02-30T00:00:00Z'],
  email: ['', 'unknown', 'a@b', 'javascript:alert(1)', 'a@example.com\nBcc: b@example.com'],
  uri: ['', 'example.com', 'javascript:alert(1)', 'https://user@example.com/'],
  uuid: ['', 'me', '0190a000-0000-7000-8000-00000000000g'],
};

/** Texts that are empty, or are displayed differently from how they are written. */
const hostileTexts = ['\u200b', ' ', 'a\u0007', 'a\u001b[31m', 'a\nb', 'a\tb', 'a\u2028b', 'a\u202eb', 'a\u2066b'];

/** The fields whose texts are shown to many, by the hostile texts that they accept. */
const textFields = {
  none: `
    createConsentNotice(language domain purposes.0.trackers.0.name purposes.0.trackers.0.provider
    purposes.0.storage.locations.0 purposes.0.recipients.0.country jurisdictions.0 texts.title texts.intro
    texts.accept texts.reject texts.preferences texts.panelTitle texts.panelIntro texts.save texts.trigger)
    editConsentNotice(language domain purposes.0.trackers.0.name purposes.0.trackers.0.provider
    purposes.0.storage.locations.0 purposes.0.recipients.0.country texts.title texts.intro texts.accept
    texts.reject texts.preferences texts.panelTitle texts.panelIntro texts.save texts.trigger jurisdictions.0)
    capturePublicConsentRecord(language region) adoptFrameworks(frameworks.0) createControl(title domain)
    editControl(title domain) addEvidence(title) addControlTest(title cadence) editMe(givenName familyName)
    createPublicDsr(name) replaceTrustCenter(headline frameworks.0.code links.0.label subprocessors.0.name
    subprocessors.0.purpose subprocessors.0.country) saveTrustDraft(headline frameworks.0.code links.0.label
    subprocessors.0.name subprocessors.0.purpose subprocessors.0.country) createWebhook(description)
    editWebhook(description)
  `,
  'several lines': `
    replaceTrustCenter(description) saveTrustDraft(description)
  `,
  'all that are visible': `
    createConsentNotice(purposes.0.storage.criteria purposes.0.recipients.0.name purposes.0.recipients.0.address
    controllerContact.address) editConsentNotice(purposes.0.storage.criteria purposes.0.recipients.0.name
    purposes.0.recipients.0.address controllerContact.address) createControl(description) editControl(reason
    description) addEvidence(description) withdrawEvidence(reason) addControlTest(procedure)
    recordTestResult(notes) editTenant(name) createApiKey(name) createDsr(notes) editDsr(notes
    identityCheck.method) extendDsr(reason) completeDsr(reason) createPublicDsr(message) reportBreach(title
    description dataCategories.0) editBreach(title description dataCategories.0 notificationReason)
    eraseSubject(reason) eraseUser(reason) eraseDsr(reason) eraseBreach(reason) eraseEvidence(reason)
    createTenant(name)
  `,
};

const typesOf = ({ type, anyOf = [] }: Schema): readonly string[] => [
  ...[type ?? []].flat(),
  ...anyOf.flatMap((one) => typesOf(one)),
];

/** Values that a schema does not allow. */
function listInvalid(schema: Schema): readonly unknown[] {
  const types = typesOf(schema);
  const wrong = Object.entries({ string: 'text', integer: 7, boolean: true, array: [], object: {}, null: null });
  const isOfType = (type: string) => types.includes(type) || (type === 'integer' && types.includes('number'));
  // Null and one other type.
  const values =
    types.length === 0
      ? []
      : wrong
          .filter(([type]) => !isOfType(type))
          .map(([, value]) => value)
          .slice(-2);
  if (types.includes('string')) {
    values.push(...(malformed[schema.format ?? ''] ?? []));
    if (schema.enum !== undefined) values.push('', 'constructor', `${schema.enum[0]}`.toUpperCase());
    if ((schema.minLength ?? 0) > 0) values.push('');
    if (schema.maxLength !== undefined) values.push('x'.repeat(schema.maxLength + 1));
  }
  if (types.includes('integer')) {
    values.push(1.5);
    if (schema.minimum !== undefined) values.push(schema.minimum - 1);
    if (schema.maximum !== undefined) values.push(schema.maximum + 1);
  }
  const { items, minItems = 0, maxItems } = schema;
  if (items !== undefined && minItems > 0) values.push([]);
  if (items !== undefined && maxItems !== undefined)
    values.push(Array.from({ length: maxItems + 1 }, (_, index) => makeValue(items, index)));
  return values;
}

/** A value that a schema allows, another for each index. */
function makeValue(schema: Schema, index = 0): unknown {
  if (schema.anyOf?.[0] !== undefined) return makeValue(schema.anyOf[0], index);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[index % schema.enum.length];
  const [type] = typesOf(schema);
  if (type === 'object')
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, makeValue(schema.properties?.[name] ?? {}, index)]),
    );
  if (type === 'array') return [makeValue(schema.items ?? {}, index)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return (schema.minimum ?? 0) + index;
  const texts: Readonly<Record<string, string>> = {
    'date-time': '2026-03-01T00:00:00.000Z',
    email: `a${index}@example.com`,
    uri: `https://example.com/${index}`,
    uuid: `0190a000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  };
  return texts[schema.format ?? ''] ?? `item${index}`;
}

/** Every part of a schema below the whole. */
function listPlaces(schema: Schema, place: Place = []): readonly { readonly place: Place; readonly schema: Schema }[] {
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => [
      { place: [...place, name], schema: part },
      ...listPlaces(part, [...place, name]),
    ]),
    ...(schema.items === undefined
      ? []
      : [{ place: [...place, 0], schema: schema.items }, ...listPlaces(schema.items, [...place, 0])]),
    ...(schema.anyOf ?? []).flatMap((part) => listPlaces(part, place)),
  ];
}

/** A copy of a value that has another one at a place, and valid ones on the way there. */
function setAt(value: unknown, schema: Schema, [key, ...rest]: Place, wanted: unknown): unknown {
  if (key === undefined) return wanted;
  const part = (schema.anyOf ?? [schema]).find(({ properties, items }) => (properties ?? items) !== undefined) ?? {};
  if (typeof key === 'number') return [setAt((value as unknown[])?.[0], part.items ?? {}, rest, wanted)];
  const fields = (typeof value === 'object' && value !== null ? value : makeValue(part)) as Record<string, unknown>;
  return { ...fields, [key]: setAt(fields[key], part.properties?.[key] ?? {}, rest, wanted) };
}

describeOnOneDatabase('every field of every operation', (dialect) => {
  let server: TestServer;
  let scene: Scene;
  let operations: ReadonlyMap<string, Operation>;
  before(async () => {
    server = await startTestServer(dialect);
    scene = await createScene(server);
    const document = JSON.parse(writeApiDocument(server.app.routes));
    const resolve = (part: unknown): unknown => {
      if (typeof part !== 'object' || part === null) return part;
      const { $ref } = part as { readonly $ref?: string };
      if ($ref !== undefined)
        return resolve(
          $ref
            .slice(2)
            .split('/')
            .reduce((at, key) => at[key], document),
        );
      if (Array.isArray(part)) return part.map(resolve);
      return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, resolve(inner)]));
    };
    const methods = Object.values(document.paths).flatMap((one) => Object.values(one as object));
    operations = new Map(
      methods.map(({ operationId, parameters, requestBody }) => [
        operationId,
        resolve({ parameters, requestBody }) as Operation,
      ]),
    );
  });
  after(() => server[Symbol.asyncDispose]());

  const schemaOf = ({ operationId }: Route) =>
    operations.get(operationId)?.requestBody?.content['application/json']?.schema;

  /** Runs a subtest for each route of the REST API, with a call that it accepts; nothing may be written. */
  async function onRoutes(
    context: TestContext,
    fits: (route: Route) => boolean,
    check: (
      route: Route,
      path: string,
      request: RequestOptions,
      send: (path: string, options: RequestOptions) => ReturnType<TestServer['request']>,
    ) => Promise<void>,
  ): Promise<void> {
    for (const route of server.app.routes) {
      if (route.surface.base !== '/v1' || onlyWithoutTenants.has(route.operationId) || !fits(route)) continue;
      await context.test(route.operationId, async () => {
        // Nothing changes, so the routes share a scene; only the start of a sign-in needs a person who is at its beginning.
        const own = route.auth === 'anonymous' ? await createScene(server) : scene;
        const { path, request, credentials } = await acceptedCall(route, own);
        const stored = await readStoredState(server);
        const send = (to: string, options: RequestOptions) =>
          server.request(route.method, to, join(credentials, options));
        await check(route, path, request, send);
        assert.equal(await readStoredState(server), stored);
      });
    }
  }
  const named = (details: readonly { readonly path: string }[]) => [...new Set(details.map(({ path }) => path))];

  test('of its body rejects each value that its schema does not allow, by its path', async (context) => {
    await onRoutes(
      context,
      (route) => schemaOf(route) !== undefined,
      async (route, path, request, send) => {
        const schema = schemaOf(route) as Schema;
        const refuse = async (body: unknown, at: string, isOnly: boolean) => {
          const response = await send(path, { ...request, body });
          const shown = `${at}: ${JSON.stringify(body).slice(0, 300)} ${response.text.slice(0, 500)}`;
          assert.equal(response.status, 422, shown);
          const { details } = assertProblem(response, 'validation_failed');
          if (isOnly) assert.deepEqual(named(details), [at], shown);
          else
            assert.ok(
              named(details).some((one) => `${one}.`.startsWith(`${at}.`)),
              shown,
            );
        };
        await refuse({ ...(request.body as object), surprise: 1 }, 'body.surprise', true);
        for (const name of schema.required ?? [])
          await refuse({ ...(request.body as object), [name]: undefined }, `body.${name}`, false);
        for (const { place, schema: part } of listPlaces(schema)) {
          const at = `body.${place.join('.')}`;
          for (const value of listInvalid(part)) await refuse(setAt(request.body, schema, place, value), at, false);
          if (part.additionalProperties === false) {
            const value = { ...(makeValue(part) as object), surprise: 1 };
            await refuse(setAt(request.body, schema, place, value), `${at}.surprise`, false);
          }
        }
      },
    );
  });

  test('of its query and its path rejects each value that its schema does not allow, by its name', async (context) => {
    await onRoutes(
      context,
      ({ operationId }) => (operations.get(operationId)?.parameters ?? []).some(({ in: part }) => part !== 'header'),
      async ({ operationId, path: pattern }, path, request, send) => {
        const [plain = '', query = ''] = path.split('?');
        for (const { name, in: part, schema } of operations.get(operationId)?.parameters ?? []) {
          for (const value of listInvalid(schema).filter((one) => typeof one !== 'object')) {
            const isText = typesOf(schema).includes('string');
            if (typeof value !== (isText ? 'string' : 'number') || value === 7) continue;
            if (part === 'query') {
              const fields = new URLSearchParams(query);
              fields.set(name, String(value));
              const { details } = assertProblem(await send(`${plain}?${fields}`, request), 'validation_failed');
              assert.deepEqual(named(details), [`query.${name}`], `${value}`);
            } else if (part === 'path' && schema.format === 'uuid' && value !== '') {
              const segments = plain.split('/');
              segments[pattern.split('/').indexOf(`{${name}}`)] = String(value);
              const { details } = assertProblem(
                await send(addQuery(segments.join('/'), query), request),
                'validation_failed',
              );
              assert.deepEqual(named(details), [`path.${name}`]);
            }
          }
        }
      },
    );
  });

  test('of text accepts no hostile texts, or only those that it can show', async () => {
    const kinds = { none: [], 'several lines': [4, 5, 6], 'all that are visible': [2, 3, 4, 5, 6, 7, 8] };
    const found: Record<string, Map<string, readonly string[]>> = {};
    for (const route of server.app.routes) {
      const schema = schemaOf(route);
      if (schema === undefined || route.surface.base !== '/v1' || onlyWithoutTenants.has(route.operationId)) continue;
      const { request } = await acceptedCall(route, await createScene(server));
      for (const { place, schema: part } of listPlaces(schema)) {
        if (!typesOf(part).includes('string') || part.enum || part.format || part.pattern || part.const) continue;
        const accepts = (text: string) => {
          const { error } = (route.body as z.ZodType).safeParse(setAt(request.body, schema, place, text));
          return !error?.issues.some(({ path }) => path.join('.') === place.join('.'));
        };
        const accepted = hostileTexts.flatMap((text, index) => (accepts(text) ? [index] : []));
        const [kind] = Object.entries(kinds).find(([, all]) => all.join() === accepted.join()) ?? ['other'];
        found[kind] ??= new Map();
        found[kind].set(route.operationId, [...(found[kind].get(route.operationId) ?? []), place.join('.')]);
      }
    }
    for (const [kind, expected] of Object.entries(textFields)) {
      const fields = [...(found[kind] ?? [])].map(([operationId, names]) => `${operationId}(${names.join(' ')})`);
      assert.equal(fields.join(' '), expected.trim().replace(/\s+/g, ' '), kind);
    }
  });
});
