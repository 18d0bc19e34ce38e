import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { invalidValues, Problem, type ProblemDetail } from './problem.ts';
import type { Route } from './route.ts';
import type { ReadBody } from './surface.ts';

/** Whether the request announces a body at all. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/**
 * Reads a JSON body.
 * @param limit the most bytes it may have.
 * @param types the media types that it may have.
 * @throws {Problem} `unsupported_media_type`, `payload_too_large`, `invalid_json`, or `validation_failed` for text that
 *   a database cannot keep.
 */
export async function readJsonBody(
  request: IncomingMessage,
  limit: number,
  types: readonly string[],
): Promise<ReadBody> {
  const bytes = await readBytes(request, limit, types);
  return { bytes, value: parseJson(bytes) };
}

/**
 * Reads a form (application/x-www-form-urlencoded) of fields that each come once at most.
 * @throws {Problem} `unsupported_media_type`, `payload_too_large`, `validation_failed`.
 */
export async function readFormBody(request: IncomingMessage, limit: number): Promise<ReadBody> {
  const bytes = await readBytes(request, limit, ['application/x-www-form-urlencoded']);
  return { bytes, value: readFields(bytes.toString(), 'body') };
}

function requireType(request: IncomingMessage, types: readonly string[]): void {
  const given = request.headers['content-type'] ?? '';
  const [, type = given, charset = ''] = /^([^;\s]+)\s*;\s*charset="?([^";\s]+)"?\s*$/i.exec(given) ?? [];
  if (!types.includes(type.trim().toLowerCase()) || !['', 'utf-8'].includes(charset.toLowerCase())) {
    throw new Problem('unsupported_media_type', `Send the body as Content-Type: ${types[0]} in UTF-8.`);
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
  }
}

async function readBytes(request: IncomingMessage, limit: number, types: readonly string[]): Promise<Buffer> {
  requireType(request, types);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        request.pause();
        reject(tooLarge(limit));
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => reject(new Problem('invalid_json', 'The body ended before it was complete.')));
  });
}

function tooLarge(limit: number): Problem {
  // The rest of the body is not read, so the connection cannot carry another request.
  return new Problem('payload_too_large', `The body may have at most ${limit} bytes.`, {
    headers: { Connection: 'close' },
  });
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not UTF-8.');
  const text = bytes.toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem('invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
  if (suspect.test(text)) refuseUnstorable(value);
  return value;
}

/** NUL, surrogates and __proto__ can only come as these; nearly every body is done after this one look. */
const suspect = /\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/;

/**
 * PostgreSQL cannot store NUL, UTF-8 cannot hold a lone surrogate, and a key __proto__ vanishes on the way. The walk has
 * a list of its own, because 64 KiB of brackets nest deeper than calls can.
 */
function refuseUnstorable(body: unknown): void {
  const waiting = [{ value: body, path: 'body' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path } = next;
    if (typeof value === 'string') {
      const issue = findUnstorable(value);
      if (issue !== null) throw invalidValues([{ path, issue }]);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        const issue = key === '__proto__' ? 'is not a known field' : findUnstorable(key);
        if (issue !== null) throw invalidValues([{ path: `${path}.${key.toWellFormed()}`, issue }]);
        waiting.push({ value: member, path: `${path}.${key}` });
      }
    }
  }
}

/** Why a text cannot be stored; null when it can. */
export function findUnstorable(text: string): string | null {
  if (text.includes('\0')) return 'must not contain a NUL character';
  return text.isWellFormed() ? null : 'must be well-formed Unicode, without lone surrogates';
}

/**
 * Reads the fields of a query string or a form.
 * @param where prefix of a field's path in a message.
 * @param opaque the field that is only decoded and never stored; what is wrong with its text is for its reader to say.
 * @throws {Problem} `validation_failed` for a field that is given twice or cannot be stored.
 */
export function readFields(text: string, where: string, opaque?: string): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  if (text === '') return fields;
  const details: ProblemDetail[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    let issue = name === opaque ? null : findUnstorable(value);
    if (name === '__proto__') issue ??= 'is not a known field';
    if (Object.hasOwn(fields, name)) issue = 'is given more than once';
    if (issue === null) fields[name] = value;
    else details.push({ path: `${where}.${name}`, issue });
  }
  if (details.length > 0) throw invalidValues(details);
  return fields;
}

/** The parts of a request: as they came, or as the handler gets them. */
export interface RequestParts<Params = unknown, Query = unknown> {
  readonly params: Params;
  readonly query: Query;
  /** Undefined where there is none. */
  readonly body: unknown;
}

const noFields = z.strictObject({});

/**
 * Makes the validation of a route: all parts together, so that one answer names everything that is wrong.
 * The validation throws `validation_failed` (Problem).
 * @param bodyType the media type of bodies, for messages.
 */
export function createValidator({ params, query, body }: Pick<Route, 'params' | 'query' | 'body'>, bodyType: string) {
  const querySchema = query ?? noFields;
  const opaque = 'cursor' in querySchema.shape ? 'cursor' : undefined;
  // Most requests have no query string; what it stands for is worked out once, by the first: a schema costs memory when
  // it is first used.
  let emptyQuery: ReturnType<typeof querySchema.safeParse> | undefined;
  return (given: RequestParts<Readonly<Record<string, string>>, string>): RequestParts => {
    const details: ProblemDetail[] = [];
    const check = (name: string, schema: z.ZodType | null, value: unknown): unknown => {
      if (schema === null) return value;
      const parsed = schema.safeParse(value);
      if (!parsed.success) details.push(...describeIssues(name, parsed.error.issues));
      return parsed.data;
    };
    if (given.query === '') emptyQuery ??= querySchema.safeParse({});
    const valid = {
      params: check('path', params, given.params),
      query:
        given.query === '' && emptyQuery?.success
          ? emptyQuery.data
          : check('query', querySchema, readFields(given.query, 'query', opaque)),
      body: check('body', body, requireBody(body, given.body, bodyType)),
    };
    if (details.length > 0) throw invalidValues(details);
    return valid;
  };
}

/** A missing body is its own message, clearer than a complaint about `undefined`. */
function requireBody(schema: z.ZodType | null, value: unknown, type: string): unknown {
  if (schema !== null && value === undefined && !schema.safeParse(undefined).success) {
    throw invalidValues([{ path: 'body', issue: `is required: send it as ${type}` }]);
  }
  if (schema === null && value !== undefined && !isEmptyObject(value)) {
    throw invalidValues([{ path: 'body', issue: 'must be empty: this operation takes no fields' }]);
  }
  return value;
}

/** Without JSON.stringify, which fails on a body that nests too deep. */
function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function describeIssues(name: string, issues: readonly z.core.$ZodIssue[]): readonly ProblemDetail[] {
  return issues.flatMap((issue) => {
    const path = [name, ...issue.path.map(String)].join('.');
    // What is wrong with a key, and not only that something is.
    if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, issue: message }));
    if (issue.code !== 'unrecognized_keys') return [{ path, issue: issue.message }];
    return issue.keys.map((key) => ({ path: `${path}.${key}`, issue: 'is not a known field' }));
  });
}
