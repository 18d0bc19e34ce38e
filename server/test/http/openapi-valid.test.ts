import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
  const validator = new Validator();
  assert.deepEqual(await validator.validate(document), { valid: true });
  assert.equal(validator.version, '3.1');
  assert.match(document.openapi, /^3\.1\./);
});

test('the validator reports errors', async () => {
  const { valid } = await new Validator().validate({ openapi: '3.1.0', info: { title: 'x' }, paths: {} });
  assert.equal(valid, false);
});
