import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ApiDocument, type ApiOperation, listOperations } from '../../../../tools/types/write.ts';
import { leftOutOperations } from '../operations/left-out-operations.ts';

const folder = join(import.meta.dirname, '../../src/resources');
const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
const openapi = readFileSync(join(import.meta.dirname, '../../../../server/openapi.json'), 'utf8');
const operations = listOperations(JSON.parse(openapi) as ApiDocument)
  .map(({ operation }) => operation)
  .filter(({ operationId }) => !Object.hasOwn(leftOutOperations, operationId));

/** The names of ids in the code of the two ledgers, which share their methods. */
const ledgerIds = [
  /^(list|create|getLatest)(?:Audit|Consent)(Checkpoints?)$/,
  /^(prove|export)(?:Audit|Consent)(\w+)$/,
];

/** The documentation of the method of an operation, and of its class. */
function findText(operationId: string): { readonly method: string; readonly owner: string } {
  const ledger = ledgerIds.map((form) => form.exec(operationId)).find((match) => match !== null);
  const findPlace = (text: string): number =>
    ledger === undefined
      ? text.indexOf(`'${operationId}'`)
      : text.search(new RegExp(`\`${ledger[1]}\\$\\{[^}]+\\}${ledger[2]}\``));
  for (const text of files) {
    const place = findPlace(text);
    if (place === -1) continue;
    const owner = text.lastIndexOf('\nexport class', place);
    return {
      method: text.slice(text.lastIndexOf('/**', place), place),
      owner: text.slice(text.lastIndexOf('/**', owner), owner),
    };
  }
  throw new Error(`${operationId} has no method`);
}

/** Codes that only some operations return, by their prefix or whole. */
const ownCode =
  /^(?:(?:consent|dsr|breach|control|webhook|checkpoint)_\w+|invalid_cursor|invalidFilter|invalidPath|uniqueness|noTarget)$/;

function listOwnCodes({ operationId, responses }: ApiOperation): readonly string[] {
  const texts = Object.values(responses).map(({ description }) => description);
  const codes = texts.flatMap((text) => Array.from(text.matchAll(/^`(\w+)`:/gm), (match) => match[1] as string));
  // The pages there are those of a subject's records, which the method for notices does not fetch.
  return codes.filter((code) => ownCode.test(code) && !(operationId === 'getConsent' && code === 'invalid_cursor'));
}

test('each method names the scope that its operation needs, or its class does', () => {
  for (const { operationId, 'x-scope': scope } of operations) {
    const { method, owner } = findText(operationId);
    if (scope !== undefined) assert.ok((method + owner).includes(`\`${scope}\``), `${operationId} needs ${scope}`);
  }
});

test('each method names the errors that only some operations return, and no others of these', () => {
  for (const operation of operations) {
    const { method } = findText(operation.operationId);
    const named = Array.from(method.matchAll(/`(\w+)`/g), (match) => match[1] as string).filter((name) =>
      ownCode.test(name),
    );
    assert.deepEqual(new Set(named), new Set(listOwnCodes(operation)), operation.operationId);
  }
});
