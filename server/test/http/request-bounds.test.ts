import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { z } from 'zod';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from './problems.ts';

// biome-ignore lint/suspicious/noExplicitAny: each type of schema has its own definition.
type Definition = any;

/** Texts whose length the handler checks, so that it can return a specific error. */
const checkedByReaders = ['query.cursor', 'query.filter'];

/** The missing bounds of a schema and of all nested ones. */
function findUnbounded(schema: z.core.$ZodType, where: string): readonly string[] {
  const definition = schema._zod.def as Definition;
  const [first, ...others] = (definition.checks ?? []).map(({ _zod }: Definition) => _zod.def);
  const isBounded = first?.check === 'max_length' && first.abort === true;
  const below = (inner: z.core.$ZodType, name = '') => findUnbounded(inner, where + name);
  switch (definition.type) {
    case 'string':
      return isBounded || checkedByReaders.includes(where) ? [] : [`${where}: no length is checked first`];
    case 'array':
      return [
        ...(isBounded ? [] : [`${where}: the number of items is not checked first`]),
        ...below(definition.element, '[]'),
      ];
    case 'record': {
      const hasLimit = [first, ...others].some((one) => one?.check === 'custom' && one.abort === true);
      return [
        ...(hasLimit ? [] : [`${where}: the number of keys is not checked`]),
        ...below(definition.keyType, '{key}'),
        ...below(definition.valueType, '{}'),
      ];
    }
    case 'object':
      return Object.entries<z.core.$ZodType>(definition.shape).flatMap(([name, inner]) => below(inner, `.${name}`));
    case 'union':
      return definition.options.flatMap((option: z.core.$ZodType) => below(option));
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
      return below(definition.innerType);
    // The output of the first was bounded there.
    case 'pipe':
      return below(definition.in);
    // Parsed by hand: below.
    case 'unknown':
    // A file, which was received within its bounds.
    case 'custom':
    case 'enum':
    case 'literal':
    case 'boolean':
    case 'number':
    case 'null':
      return [];
    default:
      return [`${where}: ${definition.type} is not known here`];
  }
}

describe('requests', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite');
  });
  after(() => server[Symbol.asyncDispose]());

  test('have every text, list and object bounded before it is processed', () => {
    // The table of routes bounds path parameters.
    const found = server.app.routes.flatMap(({ operationId, query, body }) =>
      Object.entries({ query, body }).flatMap(([part, schema]) =>
        schema === null ? [] : findUnbounded(schema, part).map((fault) => `${operationId}: ${fault}`),
      ),
    );
    assert.deepEqual(found, []);
  });

  test('have no name in a path of more than 512 characters', async () => {
    // No other check returns 404 here: a subject with more than 256 characters is rejected as such.
    const ask = (length: number) => server.request('GET', `/v1/consent/subjects/${'a'.repeat(length)}`);
    assertProblem(await ask(512), 'validation_failed');
    assertProblem(await ask(513), 'not_found');
  });
});
