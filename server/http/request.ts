import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { z } from 'zod';
import { lingerOnEnd } from './linger.ts';
import { invalidValues, Problem, type ProblemDetail } from './problem.ts';
import { encodePluses } from './query-plus.ts';
import type { LimitRule } from './rate-limit.ts';
import { findRepeatedName } from './repeated-name.ts';

/** The client of a request. Lives as long as the request; only hashes are stored. */
export interface Client {
  readonly address: string | null;
  /** The region that a trusted proxy names, in the form of ISO 3166-1 or ISO 3166-2; null for unknown. */
  readonly region: string | null;
  readonly userAgent: string | null;
  readonly origin: string | undefined;
  /** The Referer header: the page of a request of the same origin, which has no Origin. */
  readonly referer: string | undefined;
  /** The Cookie header. */
  readonly cookie: string | undefined;
  /** The Host header: what the client wrote, to be checked before it is used. */
  readonly host: string | undefined;
}

/**
 * Reads the client of a request.
 * @param trustedProxies the number of our own proxies in front: only their entries in X-Forwarded-For count, because a
 *   client may forge everything left of them.
 * @param regionHeaders the headers in which the outermost of them names a country, or a country and its subdivision.
 */
export function readClient(
  { headers, socket }: IncomingMessage,
  trustedProxies: number,
  regionHeaders: readonly string[] = [],
): Client {
  const forwarded = trustedProxies === 0 ? null : readForwarded(headers, trustedProxies);
  return {
    address: forwarded === null ? readPeer(socket).address : normalizeAddress(forwarded),
    // Without that address, the request did not come through the proxy, and a client can have written the header.
    region: forwarded === null || regionHeaders.length === 0 ? null : readRegion(headers, regionHeaders),
    userAgent: headers['user-agent'] ?? null,
    origin: headers.origin,
    referer: headers.referer,
    cookie: headers.cookie,
    host: headers.host,
  };
}

/** Reads the other end of a connection: the client, or a proxy. */
export function readPeer({ remoteAddress }: Pick<Socket, 'remoteAddress'>): Pick<Client, 'address'> {
  return { address: normalizeAddress(remoteAddress ?? null) };
}

/** The address that the outermost of our proxies added; null where it added none. */
function readForwarded(headers: IncomingMessage['headers'], trustedProxies: number): string | null {
  const hops = String(headers['x-forwarded-for'] ?? '').split(',');
  // Counted before it is looked at: what a client made up must not move up into the place of what a proxy added.
  const hop = hops.at(-trustedProxies)?.trim() ?? '';
  // Some proxies add the port of the client, and brackets around an IPv6 address.
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(hop) ?? [];
  const added = bracketed ?? plain ?? hop;
  return isIP(added) === 0 ? null : added;
}

function readRegion(headers: IncomingMessage['headers'], names: readonly string[]): string | null {
  const [country = '', subdivision = ''] = names.map((name) => String(headers[name] ?? ''));
  const isRegion = (text: string) => text.length <= 6 && /^[a-z]{2}(?:-[a-z0-9]{1,3})?$/i.test(text);
  const named = [`${country}-${subdivision}`, country].find(isRegion);
  return named?.toUpperCase() ?? null;
}

/** An IPv4 address that arrives over an IPv6 socket is the same address. */
function normalizeAddress(address: string | null): string | null {
  return address?.replace(/^::ffff:(?=.*\.)/i, '') ?? null;
}

/**
 * Identifies a client in counters: its address, or the network of an IPv6 address.
 * @param prefix 64 for one client, 48 for one site, 32 for one provider (for IPv4 a /16).
 */
export function clientBucket({ address }: Pick<Client, 'address'>, prefix: 64 | 48 | 32 = 64): string {
  if (address === null) return 'unknown';
  if (isIP(address) === 6) return `${networkOf(address, prefix / 16)}::/${prefix}`;
  return prefix === 32 ? `${address.split('.', 2).join('.')}.0.0/16` : address;
}

/** The limit of an IPv6 site (/48), as a multiple of the limit of an address. */
const addressesOfSite = 10;

/** Buckets of a client in counters of what it may have at once, each with its share, as a multiple of that of an address. */
export function shareBuckets(client: Pick<Client, 'address'>): readonly (readonly [bucket: string, factor: 1 | 2])[] {
  const [address, site] = [clientBucket(client), clientBucket(client, 48)];
  return site === address
    ? [[address, 1]]
    : [
        [address, 1],
        [site, 2],
      ];
}

/**
 * Limits the requests of a client address, and of the IPv6 site that it belongs to: a customer can have a whole site, and
 * some providers give each customer of a region a /64 of the same one.
 * @param sitePolicy the name of the limit of the site.
 */
export function limitAddress(
  client: Client,
  { sitePolicy, ...rule }: Omit<LimitRule, 'bucket'> & { readonly sitePolicy?: string },
): readonly LimitRule[] {
  const [address, site] = [clientBucket(client), clientBucket(client, 48)];
  const ofAddress = { ...rule, bucket: `${rule.policy} ${address}` };
  if (site === address) return [ofAddress];
  const policy = sitePolicy ?? `${rule.policy}_site`;
  return [ofAddress, { ...rule, policy, bucket: `${policy} ${site}`, limit: rule.limit * addressesOfSite }];
}

/** The first of the eight groups of an IPv6 address, each in its shortest form. */
function networkOf(address: string, groupCount: number): string {
  const [first = [], last = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const given = first.length + last.length + (address.includes('.') ? 1 : 0);
  const groups = [...first, ...Array.from({ length: 8 - given }, () => '0'), ...last];
  return groups
    .slice(0, groupCount)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** A name or an address, and a port (RFC 3986 section 3.2): all that a Host header may be. */
const authority = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * The address that this server has for a client, without a path.
 * @param baseUrl the public address of this server; null to take the Host header.
 * @throws {Problem} `validation_failed` for an invalid Host, which must not reach what others read or paste.
 */
export function readOwnAddress(baseUrl: string | null, { host = '' }: Pick<Client, 'host'>): string {
  if (baseUrl !== null) return baseUrl;
  if (authority.test(host)) return `http://${host}`;
  throw invalidValues([{ path: 'header.Host', issue: 'must be a host and a port' }]);
}

/**
 * Headers that have one value. Of most of them Node takes the first and drops the others, while a proxy in front may have
 * taken the last: the two would not agree on what the request is (RFC 9112 section 3.2 for Host, RFC 9110 section 5.3).
 */
const singleValued: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'origin',
  'sec-fetch-site',
  'svc-tenant',
  'svc-user',
  'svc-version',
]);

/** Connections whose request boundaries are uncertain: the parser hands over those behind a rejected one, too. */
const rejected = new WeakSet<Socket>();

/**
 * Rejects headers that could be read in two ways (request smuggling), and whatever follows them on the connection.
 * @throws {Problem} `invalid_header` for a header that has one value and comes twice, and for a missing or invalid Host.
 */
export function refuseSmuggling(request: IncomingMessage): void {
  const { socket } = request;
  const issue = rejected.has(socket) ? 'A request before this one had an invalid header.' : findIssue(request);
  if (issue === null) return;
  rejected.add(socket);
  throw new Problem('invalid_header', issue, { headers: { Connection: 'close' } });
}

function findIssue({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const { host } = headers;
  if (host === undefined ? httpVersion !== '1.0' : !authority.test(host))
    return 'Send a Host header with a host name or address, and a port where there is one.';
  if (rawHeaders.length === 2 * Object.keys(headers).length) return null;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (seen.has(name) && singleValued.has(name)) return `The header ${name} must be given only once.`;
    seen.add(name);
  }
  return null;
}

/** A body as it was read: the bytes as they came, for the fingerprint of the request, and the value. */
export interface ReadBody {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** True if the request announces a body. */
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
  // Parameters are ignored: JSON has none (RFC 8259 section 11), and a body is read as UTF-8 whatever they say.
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1);
  if (!types.includes(type.trim().toLowerCase()))
    throw new Problem('unsupported_media_type', `Send the body as Content-Type: ${types[0]}, in UTF-8.`);
  refuseEncoding(request);
}

function refuseEncoding(request: IncomingMessage): void {
  const list = request.headers['content-encoding'];
  if (list === undefined) return;
  // A list without case (RFC 9110 section 8.4), where an empty member means nothing (section 5.6.1).
  const codings = list.split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.some((coding) => coding !== '' && coding !== 'identity'))
    throw new Problem('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.', {
      headers: { 'Accept-Encoding': 'identity' },
    });
}

/** Requests whose body may take longer to arrive than JSON. */
const longRequests = new WeakSet<IncomingMessage>();

/** True if the body of a request may take long to arrive. */
export function mayTakeLong(request: IncomingMessage): boolean {
  return longRequests.has(request);
}

/**
 * Reads the body of an upload as it arrives, whatever its media type.
 * @param limit the most bytes it may have.
 * @throws {Problem} `payload_too_large`, before the whole body is read; `unsupported_media_type` for compressed bytes;
 *   `invalid_json` if it ends before it is complete.
 */
export async function* readUpload(request: IncomingMessage, limit: number): AsyncGenerator<Buffer> {
  refuseEncoding(request);
  if (announceSize(request, limit) > limit) throw tooLarge(limit);
  longRequests.add(request);
  startBody(request);
  let size = 0;
  try {
    // A caller that stops reading responds on the same connection, so the request is not destroyed.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) throw tooLarge(limit);
      yield chunk;
    }
  } catch (error) {
    throw request.destroyed && !(error instanceof Problem) ? endedEarly() : error;
  }
}

/** The bytes that a request announces; without an announcement, the most that it may have. */
export function announceSize({ headers }: IncomingMessage, limit: number): number {
  const length = headers['content-length'];
  return length === undefined ? limit : Number(length);
}

async function readBytes(request: IncomingMessage, limit: number, types: readonly string[]): Promise<Buffer> {
  requireType(request, types);
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  startBody(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else if (size - chunk.length <= limit) reject(tooLarge(limit));
    });
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.on('error', () => reject(endedEarly()));
  });
}

function endedEarly(): Problem {
  return new Problem('invalid_json', 'The body ended before it was complete.');
}

function tooLarge(limit: number): Problem {
  // The rest of the body is no request, so the connection cannot carry another one.
  return new Problem('payload_too_large', `The body may have at most ${limit} bytes.`, {
    headers: { Connection: 'close' },
  });
}

/** The rest of a body that is read after an answer, for the connection to carry the next request. */
const mostSkipped = 64 * 1024;

/**
 * True if the connection of a request must end because of its body: the rest is too much to discard, has an unknown
 * length, or waits for a 100 that is not sent.
 */
export function leavesTooMuch(request: IncomingMessage): boolean {
  if (!leavesBody(request)) return false;
  return waitingForContinue.has(request) || announceSize(request, Number.POSITIVE_INFINITY) > mostSkipped;
}

function leavesBody(request: IncomingMessage): boolean {
  return hasBody(request) && !request.complete;
}

/** Lets the client read the last answer of a connection, whatever it still sends. */
export function lingerAfterAnswer(request: IncomingMessage): void {
  const { socket } = request;
  if (!leavesBody(request) && !rejected.has(socket)) return;
  // Node calls this when the last answer of the connection is written.
  socket.destroySoon = () => {
    if (rejected.has(socket)) lingerOnEnd(socket, null);
    else if (request.complete) socket.end(() => socket.destroy());
    else lingerOnEnd(socket, request);
  };
}

/** Requests whose clients send the body only after a 100 (RFC 9110 section 10.1.1), with their responses. */
const waitingForContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Sends the 100 of a request when its body is read, so that a refusal comes before a large body. */
export function deferContinue(request: IncomingMessage, response: ServerResponse): void {
  waitingForContinue.set(request, response);
}

function startBody(request: IncomingMessage): void {
  waitingForContinue.get(request)?.writeContinue();
  waitingForContinue.delete(request);
}

/** @throws {Problem} `expectation_failed` for an expectation that is not 100-continue; HTTP/1.0 has none. */
export function refuseExpectation({ headers: { expect }, httpVersion }: IncomingMessage): void {
  if (expect === undefined || httpVersion === '1.0' || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return;
  throw new Problem('expectation_failed', 'Send the request without Expect, or with Expect: 100-continue.');
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new Problem('invalid_json', 'The body is not UTF-8.');
  const text = bytes.toString();
  if (text.startsWith('\uFEFF'))
    throw new Problem('invalid_json', 'The body starts with a byte order mark. Send the JSON without it.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Problem('invalid_json', `The body is not JSON: ${(error as Error).message}.`);
  }
  refuseRepeated(text, value);
  if (suspect.test(text)) refuseUnstorable(value);
  return value;
}

/** The longest path in a message: names may be as long as the body. */
const longestPath = 256;

function refuseRepeated(text: string, value: unknown): void {
  const repeated = findRepeatedName(text, value);
  if (repeated === null) return;
  const path = `body.${repeated}`.slice(0, longestPath).toWellFormed();
  throw new Problem('invalid_json', `${path} is given twice in one object. Send each name once.`, {
    details: [{ path, issue: 'is given more than once' }],
  });
}

/** NUL, surrogates and __proto__ can only come as these; nearly every body is done after this one look. */
const suspect = /\\u(?:0000|[dD][89a-fA-F])|__proto__|\\u005[fF]/;

/**
 * PostgreSQL cannot store NUL, UTF-8 cannot hold a lone surrogate, and a key __proto__ vanishes on the way. The walk has
 * a separate list, because 64 KiB of brackets nest deeper than calls can.
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
 * @param opaque the field that is only decoded and never stored; its reader checks its text.
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

/** The schemas of a request of a route; null for a part that it does not have. */
export interface RequestSchemas {
  readonly params: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly body: z.ZodType | null;
}

const noFields = z.strictObject({});

/**
 * Makes the validation of a route: all parts together, so that one answer names everything that is wrong.
 * The validation throws `validation_failed` (Problem).
 * @param bodyType the media type of bodies, for messages.
 */
export function createValidator({ params, query, body }: RequestSchemas, bodyType: string) {
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
          : check('query', querySchema, readFields(encodePluses(given.query), 'query', opaque)),
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
    // An invalid key has issues of its own, which say what is wrong with it.
    if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, issue: message }));
    if (issue.code !== 'unrecognized_keys') return [{ path, issue: issue.message }];
    return issue.keys.map((key) => ({ path: `${path}.${key}`, issue: 'is not a known field' }));
  });
}
