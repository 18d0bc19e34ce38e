import type { Svc } from '../../packages/node-sdk/src/client.ts';
import { calledOperations, callOperation } from '../../packages/node-sdk/test/operations/calls.ts';
import type { Operation } from './reference.ts';
import { readRequestExample } from './request-examples.ts';
import { isVariable, nameVariable, readPathExamples } from './variables.ts';

/** Marks what every method takes at its end and no example needs. */
const noOptions = {};

/**
 * Writes the call of an operation with the Node SDK, by playing the call that the SDK's own tests pin to the operation on a
 * client that only takes notes.
 * @returns null for operations that the SDK leaves out.
 */
export function writeSdkCall(operation: Operation): string | null {
  const { operationId, path } = operation;
  if (!calledOperations.includes(operationId)) return null;
  const { body, query } = readRequestExample(operation);
  const notes: string[] = [];
  const sample = { path: readPathExamples(path), query, body, origin: 'https://example.com', options: noOptions };
  // The result of the call is not used.
  void callOperation(takeNotes('svc', notes) as Svc, operationId, sample);
  const [call = ''] = notes;
  const { name, isList } = nameResult(operation);
  if (operation.responses['204'] !== undefined) return `await ${call};`;
  if (isList) return `for await (const ${name} of ${call}) {\n  console.log(${name});\n}`;
  return `const ${name} = await ${call};`;
}

function takeNotes(name: string, notes: string[]): unknown {
  return new Proxy(() => undefined, {
    get: (_target, member) => takeNotes(`${name}.${String(member)}`, notes),
    apply: (_target, _self, given: readonly unknown[]) => {
      notes.push(`${name}(${writeArguments(given)})`);
      return undefined;
    },
  });
}

function writeArguments(given: readonly unknown[]): string {
  const wanted = given.map((one) => (isOptions(one) ? readOptions(one) : one));
  while (wanted.length > 0 && wanted.at(-1) === undefined) wanted.pop();
  return wanted.map((one) => writeLiteral(one)).join(', ');
}

function isOptions(value: unknown): value is object {
  return value === noOptions || (typeof value === 'object' && value !== null && 'origin' in value);
}

function readOptions(value: object): object | undefined {
  return value === noOptions ? undefined : value;
}

/** Writes a value as TypeScript: variables by their names, numbers of a query as numbers. */
function writeLiteral(value: unknown, indent = ''): string {
  const short = writeShort(value);
  if (typeof value !== 'object' || value === null || short.length + indent.length <= 60) return short;
  const inner = `${indent}  `;
  if (Array.isArray(value))
    return `[\n${value.map((item) => `${inner}${writeLiteral(item, inner)},\n`).join('')}${indent}]`;
  const fields = Object.entries(value).map(
    ([name, item]) => `${inner}${writeField(name, writeLiteral(item, inner))},\n`,
  );
  return `{\n${fields.join('')}${indent}}`;
}

function writeShort(value: unknown): string {
  if (isVariable(value)) return nameVariable(value);
  if (typeof value === 'string')
    return /^\d+$/.test(value) ? value : `'${value.replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  if (Array.isArray(value)) return `[${value.map(writeShort).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([name, item]) => writeField(name, writeShort(item)));
  return `{ ${fields.join(', ')} }`;
}

function writeField(name: string, value: string): string {
  if (name === value) return name;
  return /^[A-Za-z_]\w*$/.test(name) ? `${name}: ${value}` : `'${name}': ${value}`;
}

/** Name of the result: `notice`, `record`. */
function nameResult({ operationId, responses }: Operation): { readonly name: string; readonly isList: boolean } {
  const [, verb = '', noun = 'result'] = /^([a-z]+)(\w*)$/.exec(operationId) ?? [];
  const schema = Object.values(responses['200']?.content ?? {})[0]?.schema;
  const text = JSON.stringify(schema ?? {});
  const isList = verb === 'list' && /"nextCursor"|"totalResults"/.test(text);
  const singular = noun.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  const plain = isList ? singular : noun || 'result';
  return { name: plain.charAt(0).toLowerCase() + plain.slice(1), isList };
}
