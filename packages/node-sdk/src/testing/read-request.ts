import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { invalidValues, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import type { OperationRow } from './rules.ts';
import { type Detail, validatePart } from './validate.ts';

/** The most bytes of a body under /v1. */
export const bodyLimit = 64 * 1024;

/** An operation with the path parameters of one request. */
export interface Match {
  readonly operation: OperationRow;
  readonly params: Readonly<Record<string, string>>;
}

const patterns = requestRules.operations
  // A written segment before a parameter, as the server has it.
  .toSorted((one, other) => (one[2].replaceAll('{', '\uffff') < other[2].replaceAll('{', '\uffff') ? -1 : 1))
  .map((operation) => ({ operation, matches: compilePath(operation[2]) }));

/** Makes of a path with parameters in braces what reads their values; null for a path that does not fit. */
export function compilePath(template: string): (path: string) => Readonly<Record<string, string>> | null {
  const pattern = new RegExp(
    `^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`,
  );
  return (path) => {
    const found = pattern.exec(path);
    return found && Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, text]) => [name, decode(text)]));
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Names nothing, like a NUL character.
    return '\0';
  }
}

/** @throws {Refusal} for a parameter that names nothing. */
export function requireNames(params: Readonly<Record<string, string>>): void {
  if (Object.values(params).some((value) => findUnstorable(value) !== null))
    throw new Refusal(404, 'not_found', 'There is no such path.');
}

/** Finds the operation of a request; undefined where none has its path. Another method than the path has is refused. */
export function findOperation(method: string, path: string): Match | undefined {
  const fitting = patterns.flatMap(({ operation, matches }) => {
    const params = matches(path);
    return params === null ? [] : [{ operation, params }];
  });
  // A written segment wins, whatever methods it has.
  const found = fitting.filter(({ operation }) => shapeOf(operation) === shapeOf(fitting[0]?.operation));
  const match = found.find(({ operation }) => operation[1] === method);
  if (match !== undefined) requireNames(match.params);
  if (match !== undefined || found.length === 0) return match;
  const methods = found.flatMap(({ operation: [, one] }) => (one === 'GET' ? ['GET', 'HEAD'] : [one]));
  const allow = [...new Set(methods)].sort().join(', ');
  throw new Refusal(405, 'method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

function shapeOf(operation: OperationRow | undefined): string | undefined {
  return operation?.[2].replace(/\{\w+\}/g, '{}');
}

const others = requestRules.others.map((operation) => ({ operation, matches: compilePath(operation[2]) }));

/** Finds an operation that is known by name alone, with the path parameters of the request. */
export function findOther(method: string, path: string) {
  for (const { operation, matches } of others) {
    const params = operation[1] === method ? matches(path) : null;
    if (params !== null) return { operation, params };
  }
  return undefined;
}

/** Reads the body; of one that is longer than the limit no more is kept than shows it. */
export async function readBytes(request: IncomingMessage, limit: number = bodyLimit): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (size <= limit) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** What a body may be. */
interface BodyRules {
  readonly limit: number;
  readonly types: readonly string[];
}

/** Reads the value of a JSON body, refusing what the server refuses. */
export function parseBody(
  { headers }: IncomingMessage,
  bytes: Buffer,
  { limit, types }: BodyRules = { limit: bodyLimit, types: ['application/json'] },
): unknown {
  const given = headers['content-type'] ?? '';
  const [, type = given, charset = ''] = /^([^;\s]+)\s*;\s*charset="?([^";\s]+)"?\s*$/i.exec(given) ?? [];
  if (!types.includes(type.trim().toLowerCase()) || !['', 'utf-8'].includes(charset.toLowerCase()))
    throw unsupported(`Send the body as Content-Type: ${types[0]} in UTF-8.`);
  if (!['identity', undefined].includes(headers['content-encoding']))
    throw unsupported('Send the body uncompressed, without Content-Encoding.');
  if (bytes.length > limit)
    throw new Refusal(413, 'payload_too_large', `The body may have at most ${limit} bytes.`, {
      headers: { Connection: 'close' },
    });
  if (!isUtf8(bytes)) throw new Refusal(400, 'invalid_json', 'The body is not UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString());
  } catch (error) {
    throw new Refusal(400, 'invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
  refuseUnstorable(value, 'body');
  return value;
}

function unsupported(message: string): Refusal {
  return new Refusal(415, 'unsupported_media_type', message);
}

function refuseUnstorable(value: unknown, path: string): void {
  if (typeof value === 'string') requireStorable(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    requireStorable(key, `${path}.${key.toWellFormed()}`);
    if (key === '__proto__') throw invalidValues([{ path: `${path}.${key}`, issue: 'is not a known field' }]);
    refuseUnstorable(member, `${path}.${key}`);
  }
}

/** @throws {Refusal} for a text that no database keeps. */
function requireStorable(text: string, path: string): void {
  const issue = findUnstorable(text);
  if (issue !== null) throw invalidValues([{ path, issue }]);
}

function findUnstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character';
  return text.isWellFormed() ? null : 'must be well-formed Unicode, without lone surrogates';
}

/** The parts of a request as the server understands them, all that is wrong named at once. */
export function validateRequest({ operation, params }: Match, search: string, body: unknown) {
  const [, , , , , , pathRule, queryRule, bodyRule] = operation;
  const path = check(pathRule, params, 'path');
  const query = queryRule === null ? refuseFields(readQuery(search)) : check(queryRule, readQuery(search), 'query');
  requireBody(bodyRule, body);
  const content = check(bodyRule, body, 'body');
  const details = [...path.details, ...query.details, ...content.details];
  if (details.length > 0) throw invalidValues(details);
  return { params: path.value, query: query.value, body: content.value };
}

function check(rule: number | null, value: unknown, where: string) {
  return rule === null ? { value, details: [] } : validatePart(rule, value, where);
}

function requireBody(rule: number | null, body: unknown): void {
  if (rule === null) {
    const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
    if (body !== undefined && !isEmpty)
      throw invalidValues([{ path: 'body', issue: 'must be empty: this operation takes no fields' }]);
  } else if (body === undefined && validatePart(rule, body, 'body').details.length > 0)
    throw invalidValues([{ path: 'body', issue: 'is required: send it as application/json' }]);
}

function refuseFields(query: Readonly<Record<string, string>>) {
  const details = Object.keys(query).map((name) => ({ path: `query.${name}`, issue: 'is not a known field' }));
  return { value: query, details };
}

/** Reads the parameters, each of which may come once. */
export function readQuery(search: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  const details: Detail[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const text = name === 'cursor' ? null : findUnstorable(value);
    const issue = Object.hasOwn(fields, name) ? 'is given more than once' : text;
    const isOdd = name === '__proto__';
    if (issue === null && !isOdd) fields[name] = value;
    else details.push({ path: `query.${name}`, issue: issue ?? 'is not a known field' });
  }
  if (details.length > 0) throw invalidValues(details);
  return fields;
}
