import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ApiDocument, type ApiOperation, listOperations } from '../../../../tools/types/type-writer.ts';

const folder = join(import.meta.dirname, '../../src/resources');
const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
const openapi = readFileSync(join(import.meta.dirname, '../../../../server/openapi.json'), 'utf8');
const operations = listOperations(JSON.parse(openapi) as ApiDocument)
  .map(({ operation, method }) => ({ ...operation, verb: method }))
  .filter((operation) => operation['x-sdk-method'] !== undefined);

/** The names of ids in the code of the two ledgers, which share their methods. */
const ledgerIds = [
  /^(list|create|getLatest)(?:Audit|Consent)(Checkpoints?)$/,
  /^(prove|export)(?:Audit|Consent)(\w+)$/,
];

/** A comment as one line. */
const readComment = (text: string): string => text.replaceAll(/\s+\*?\s*/g, ' ');

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
    const owner =
      Array.from(text.matchAll(/\n(?:export )?class/g), ({ index }) => index).findLast((at) => at < place) ?? 0;
    return {
      method: readComment(text.slice(text.lastIndexOf('/**', place), place)),
      owner: readComment(text.slice(text.lastIndexOf('/**', owner), owner)),
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

/** The scopes that a text names. */
const listScopes = (text: string): readonly string[] => text.match(/(?<=`)[a-z]+:[a-z]+(?=`)/g) ?? [];

/** The scopes that a method or its class documents: one, or those of both ledgers for a class that serves both. */
function findScopes({ method, owner }: ReturnType<typeof findText>, verb: string): readonly string[] {
  const own = listScopes(method);
  if (own.length > 0) return own;
  const [, reading, others] = /Reading needs the scope `([a-z:]+)`, the other methods `([a-z:]+)`/.exec(owner) ?? [];
  if (reading === undefined || others === undefined) return listScopes(owner);
  return [verb === 'GET' ? reading : others];
}

test('each method names the scope that its operation needs, or its class does for reading and for the others', () => {
  for (const { operationId, verb, 'x-scope': scope } of operations) {
    const scopes = findScopes(findText(operationId), verb);
    if (scope !== undefined) assert.ok(scopes.includes(scope), `${operationId} needs ${scope}, not ${scopes}`);
  }
});

test('each resource of the client has a comment, which names the scopes of its class', () => {
  const sources = [readFileSync(join(folder, '../client.ts'), 'utf8'), ...files];
  const fields = sources.flatMap((text) =>
    Array.from(text.matchAll(/\n(.*)\n {2}readonly (\w+) = new (\w+)\(this\b/g), ([, ...parts]) => parts as string[]),
  );
  assert.ok(fields.length > 25);
  for (const [comment = '', name, type] of fields) {
    assert.match(comment, /^ {2}\/\*\* .+ \*\/$/, `${name} has no comment`);
    if (type === 'Ledger') continue;
    const text = files.find((file) => file.includes(`class ${type} `)) ?? '';
    const place = text.indexOf(`class ${type} `);
    const scopes = listScopes(text.slice(text.lastIndexOf('/**', place), place));
    assert.deepEqual(
      scopes.filter((scope) => !listScopes(comment).includes(scope)),
      [],
      name,
    );
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
