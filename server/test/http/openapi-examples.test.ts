import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Content {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly $ref: string }>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}
interface Response {
  readonly content?: Readonly<Record<string, Content>>;
}
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: object;
  readonly example?: unknown;
}

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap((methods) =>
  Object.values(methods as Readonly<Record<string, Operation>>),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'api', components: document.components });

const validators = new Map<string, ValidateFunction>();

function findErrors(schema: object, value: unknown): unknown {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
  const validate = validators.get(text) ?? ajv.compile(JSON.parse(text));
  validators.set(text, validate);
  return validate(value) ? null : validate.errors;
}

function resolve<Thing>(thing: Thing | { readonly $ref: string }): Thing {
  if (typeof thing !== 'object' || thing === null || !('$ref' in thing)) return thing as Thing;
  const steps = thing.$ref.slice(2).split('/');
  return steps.reduce((place, step) => place[step], document);
}

describe('the examples of the OpenAPI document', () => {
  test('exist for every request body, and match its schema', () => {
    for (const { operationId, requestBody } of operations)
      for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
        assert.notEqual(example, undefined, `${operationId}: npm run examples records its example`);
        assert.deepEqual(findErrors(schema, example), null, operationId);
      }
  });

  test('exist for every success with a body, and match its schema', () => {
    for (const { operationId, responses } of operations)
      for (const [status, response] of Object.entries(responses))
        for (const { schema, example } of Object.values(resolve<Response>(response).content ?? {})) {
          if (!status.startsWith('2')) continue;
          assert.notEqual(example, undefined, `${operationId}: npm run examples records its example`);
          assert.deepEqual(findErrors(schema, example), null, `${operationId} ${status}`);
        }
  });

  test('exist for every error, and match its envelope', () => {
    for (const { operationId, responses } of operations)
      for (const [status, response] of Object.entries(responses))
        for (const { schema, examples = {} } of Object.values(resolve<Response>(response).content ?? {})) {
          if (status < '400') continue;
          assert.ok(Object.keys(examples).length > 0, `${operationId} ${status}`);
          for (const example of Object.values(examples)) {
            const { value } = resolve<{ readonly value: unknown }>(example);
            assert.deepEqual(findErrors(schema, value), null, `${operationId} ${status}`);
          }
        }
  });

  test('exist for every path parameter and every required one, and match their schemas', () => {
    for (const { operationId, parameters = [] } of operations)
      for (const parameter of parameters) {
        const { name, in: place, required = false, schema, example } = resolve<Parameter>(parameter);
        if (place === 'path' || required) assert.notEqual(example, undefined, `${operationId}: ${name}`);
        if (example !== undefined) assert.deepEqual(findErrors(schema, example), null, `${operationId}: ${name}`);
      }
  });

  test('are checked by a validator that rejects invalid ones', () => {
    assert.notEqual(findErrors({ $ref: '#/components/schemas/Notice' }, { id: 'x' }), null);
    assert.notEqual(findErrors({ type: 'string', format: 'date-time' }, 'yesterday'), null);
  });
});

test('the OpenAPI document is valid OpenAPI 3.1, by a validator that reports errors', async () => {
  const validator = new Validator();
  assert.deepEqual(await validator.validate(document), { valid: true });
  assert.equal(validator.version, '3.1');
  const { valid } = await new Validator().validate({ openapi: '3.1.0', info: { title: 'x' }, paths: {} });
  assert.equal(valid, false);
});
