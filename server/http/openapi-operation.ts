import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { knownVersions, latestVersion, rest, type Surface } from './answer.ts';
import { Problem, type ProblemCode, problemKinds } from './problem.ts';
import type { Auth, Route } from './route.ts';

/** A request to an operation and its answer, as recorded. */
export interface RecordedCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly answer?: unknown;
}

/** The credentials that operations take, and the codes besides those of the surface that follow from who may call them. */
const authKinds: Readonly<
  Record<Auth, { readonly credentials: readonly string[]; readonly codes: readonly ProblemCode[] }>
> = {
  scope: {
    credentials: ['apiKey', 'accessToken', 'session'],
    codes: ['insufficient_scope', 'tenant_not_allowed', 'second_factor_required'],
  },
  // A page of another tenant names that one in Svc-Tenant.
  session: { credentials: ['session'], codes: ['tenant_not_allowed'] },
  platform: { credentials: ['session'], codes: ['insufficient_scope', 'tenant_not_allowed', 'second_factor_required'] },
  scim: { credentials: ['scimToken'], codes: [] },
  // OAuth, whose surface has other codes, is anonymous, too.
  anonymous: { credentials: [], codes: ['forbidden'] },
  public: { credentials: [], codes: [] },
};
const keyCodes: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

const exampleRequestId = '5b0a4f64-7d1c-4f0e-9a57-3c1f2f6f4d21';

/** The fields that examples of some errors have besides a code and a message. */
const exampleOptions: { readonly [Code in ProblemCode]?: ConstructorParameters<typeof Problem>[2] } = {
  validation_failed: { details: [{ path: 'query.limit', issue: 'must be a whole number from 1 to 100' }] },
  consent_notice_not_published: { fields: { requiredStatus: 'published', actualStatus: 'draft' } },
  webhook_not_enabled: { fields: { requiredStatus: 'enabled', actualStatus: 'paused' } },
};

/** The headers of answers, which operations refer to: a description and an example of each. */
const answerHeaders = {
  'Svc-Request-Id': ['The id of the request, for support.', exampleRequestId],
  'Svc-Version': ['The API version that was applied.', '2026-11-01'],
  Location: [
    'The address of the created resource.',
    'http://localhost:8787/scim/v2/Users/01a1fe75-1116-7327-9fbc-afc916e187d1',
  ],
  'Idempotent-Replayed': ['`true` on the stored answer to an earlier request.', 'true'],
  RateLimit: [
    'For each limit: the requests that are left (`r`) and the seconds until it resets (`t`).',
    '"key";r=599;t=42',
  ],
  'RateLimit-Policy': [
    'For each limit: the requests (`q`) that it allows in a window of seconds (`w`).',
    '"key";q=600;w=60',
  ],
  'Retry-After': ['Seconds to wait before a retry.', '42'],
  'WWW-Authenticate': ['The authentication scheme that is required: `Bearer`.', 'Bearer'],
  Allow: ['The methods that the path has.', 'GET, HEAD'],
  ETag: [
    'The version of the body, for `If-None-Match`; of what can be edited, for `If-Match`.',
    '"1-5f0a7d5e3c0b4c55"',
  ],
  'Cache-Control': ['How long the answer may be cached.', 'no-cache'],
  'Svc-Region': [
    'The region of the visitor: ISO 3166-1 or ISO 3166-2. Absent if it is unknown, or the server has no `SVC_REGION_HEADER`.',
    'US-CA',
  ],
  Vary: ['The headers of requests that the answer depends on.', 'cf-ipcountry'],
  'Set-Cookie': ['The session cookie.', 'svc_session=…; Path=/; HttpOnly; SameSite=Lax'],
  'Content-Security-Policy': ['Keeps a browser from running the file.', 'sandbox'],
  'Content-Disposition': ['A name for the file.', 'attachment; filename="audit-1024.jsonl"'],
} as const satisfies Record<string, readonly [description: string, example: string]>;

type HeaderName = keyof typeof answerHeaders;

/** The components that responses refer to. */
export const headerComponents = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, [description, example]]) => [
    name,
    { description, schema: { type: 'string' as const }, example },
  ]),
);

const successes = { 200: 'OK', 201: 'Created', 204: 'No content' } as const;

/** Describes an operation. @param example its recorded call, with the values of the examples. */
export function describeRoute(route: Route, example: RecordedCall): ZodOpenApiOperationObject {
  const { surface, scope, body, status } = route;
  const need = scope === null ? '' : `Needs the scope \`${scope}\`.`;
  // A body that is parsed by hand has a schema only for this document.
  const bodySchema = (body?.meta()?.documentedAs as z.ZodType | undefined) ?? body;
  const result = surface === rest && route.isBare !== true ? z.strictObject({ data: route.result }) : route.result;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, need].filter((part) => part).join('\n\n'),
    security: authKinds[route.auth].credentials.map((name) => ({
      [name]: name === 'accessToken' && scope !== null ? [scope] : [],
    })),
    ...(scope !== null && { 'x-scope': scope }),
    ...(route.sdkMethod && { 'x-sdk-method': route.sdkMethod }),
    requestParams: {
      ...(route.params && { path: addExamples(route.params, example.params) }),
      ...(route.query && { query: addExamples(route.query, example.query) }),
      header: describeHeaders(route),
    },
    ...(bodySchema && {
      requestBody: {
        required: !bodySchema.safeParse(undefined).success,
        content: describeContent(route.bodyType ? [route.bodyType] : surface.bodyTypes, bodySchema, example.body),
      },
    }),
    responses: {
      [status]: {
        description: successes[status],
        headers: nameHeaders(listSuccessHeaders(route)),
        ...(status !== 204 && {
          content: describeContent([route.answerType ?? surface.answerType], result, example.answer),
        }),
      },
      ...(isRevalidated(route) && {
        304: {
          description: 'The body is the one that `If-None-Match` names.',
          headers: nameHeaders(['Svc-Request-Id', 'Svc-Version', ...(route.headers ?? [])]),
        },
      }),
      ...Object.fromEntries(
        [...groupCodes(route)].map(([one, codes]) => [
          one,
          { $ref: `#/components/responses/${nameErrorResponse(route, one, codes)}` },
        ]),
      ),
    },
  } as ZodOpenApiOperationObject;
}

/** A schema of parameters in which each recorded value is an example. */
function addExamples(schema: z.ZodObject, values: Readonly<Record<string, unknown>> = {}): z.ZodObject {
  const parameters = Object.entries<z.ZodType>(schema.shape).map(([name, parameter]) => [
    name,
    name in values ? parameter.meta({ param: { example: values[name] } }) : parameter,
  ]);
  return z.object(Object.fromEntries(parameters));
}

function describeContent(types: readonly string[], schema: z.ZodType, example: unknown) {
  const content = { schema, ...(example !== undefined && { example }) };
  return Object.fromEntries(types.map((type) => [mediaType(type), content]));
}

function describeError(route: Route, status: number, codes: readonly ProblemCode[]) {
  const { text, answerType } = route.surface;
  const meanings = codes.map((code) => {
    const name = text.nameCode(code);
    return `${name === null ? '' : `\`${name}\`: `}${problemKinds[code].meaning}`;
  });
  const ownHeaders: Readonly<Record<number, readonly HeaderName[]>> = {
    401: ['WWW-Authenticate'],
    405: ['Allow'],
    429: ['Retry-After', ...listLimitHeaders(route)],
    503: ['Retry-After'],
  };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${prefixName(route.surface, code)}` }]);
  return {
    description: meanings.join('\n\n'),
    headers: nameHeaders(['Svc-Request-Id', ...(ownHeaders[status] ?? [])]),
    content: { [mediaType(answerType)]: { schema: text.errors, examples: Object.fromEntries(examples) } },
  };
}

/** Every status that an operation answers with. */
export function listStatuses(route: Route): readonly number[] {
  return [route.status, ...(isRevalidated(route) ? [304] : []), ...groupCodes(route).keys()];
}

/** The headers of a success that an operation declares. */
export function listSuccessHeaders(route: Route): readonly HeaderName[] {
  return [
    'Svc-Request-Id',
    ...(route.surface.isVersioned ? (['Svc-Version'] as const) : []),
    ...(route.status === 201 && route.surface.text.sendsLocation ? (['Location'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : (['Idempotent-Replayed'] as const)),
    ...listLimitHeaders(route),
    ...(route.headers ?? []),
  ];
}

function listLimitHeaders({ auth, limits }: Route): readonly HeaderName[] {
  return ['public', 'anonymous'].includes(auth) && limits === undefined ? [] : ['RateLimit', 'RateLimit-Policy'];
}

function nameHeaders(names: readonly HeaderName[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** True if a client can request a body only if it has changed. */
function isRevalidated({ auth, headers = [] }: Route): boolean {
  return auth === 'public' && headers.includes('ETag');
}

/** The codes of an operation by their status, in ascending order. */
function groupCodes(route: Route): ReadonlyMap<number, readonly ProblemCode[]> {
  const { surface } = route;
  const codes = new Set<ProblemCode>([
    ...surface.text.commonCodes,
    ...authKinds[route.auth].codes,
    ...(route.body ? surface.text.bodyCodes : []),
    ...(route.idempotencyKey === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : keyCodes),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => surface.presentProblem(new Problem(code, ''), '').status);
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

/** Every response that reports an error. Operations refer to it by its name. */
export function listErrorResponses(routes: readonly Route[]) {
  const responses = routes.flatMap((route) =>
    [...groupCodes(route)].map(
      ([status, codes]) => [nameErrorResponse(route, status, codes), describeError(route, status, codes)] as const,
    ),
  );
  return Object.fromEntries(responses.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * `NotFound`, `Conflict.record_erased`, `scim.BadRequest.invalidFilter`: the surface, the status, and the codes that not
 * every operation of the surface has. Visitors without a limit of their own get a 429 without its headers.
 */
function nameErrorResponse(route: Route, status: number, codes: readonly ProblemCode[]): string {
  const { surface } = route;
  const own = codes.filter((code) => !surface.text.commonCodes.includes(code));
  const variant = status === 429 && listLimitHeaders(route).length === 0 ? ['visitor'] : [];
  const phrase = STATUS_CODES[status] ?? String(status);
  const isSaid = own.join() === phrase.toLowerCase().replaceAll(' ', '_');
  return prefixName(surface, [phrase.replaceAll(' ', ''), ...(isSaid ? [] : own), ...variant].join('.'));
}

/** An example of every error, in the form of each surface that answers with it. */
export function listErrorExamples(routes: readonly Route[]): Record<string, { summary: string; value: unknown }> {
  const examples = routes.flatMap((route) =>
    [...groupCodes(route).values()].flat().map((code) => {
      // The name of the surface is in that of the example.
      const meaning = problemKinds[code].meaning.replace(/^(?:SCIM|OAuth): /, '');
      const summary = meaning.replace(/^./, (letter) => letter.toUpperCase());
      const { body } = route.surface.presentProblem(new Problem(code, summary, exampleOptions[code]), exampleRequestId);
      return [prefixName(route.surface, code), { summary, value: body }] as const;
    }),
  );
  return Object.fromEntries(examples.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** `not_found`, and of other surfaces `scim.not_found`. */
function prefixName(surface: Surface, name: string): string {
  return surface === rest ? name : `${surface.base.split('/')[1]}.${name}`;
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0] as string;
}

function header(schema: z.ZodType, id: string, example: string, description: string) {
  return schema.meta({ description, param: { id, example } });
}

const text = z.string().optional();
const key = z.string().regex(/^[A-Za-z0-9_-]{8,128}$/);
const keyUse = 'A retry with the same key within 24 hours gets the first answer again.';
const tenantUse = 'The id or slug of a tenant, for keys that may act for several.';
const versionUse = 'The API version. Default: the version of the tenant.';
const matchUse = 'The `ETag` of an earlier answer; 304 if the body is still the same.';
const preconditionUse =
  'The `ETag` of the state that you change; 409 if it has changed meanwhile (RFC 9110 section 13.1.1).';
const ApiVersion = z.enum(knownVersions).meta({ id: 'ApiVersion' });
const requestHeaders = {
  version: header(ApiVersion.optional(), 'SvcVersion', latestVersion, versionUse),
  tenant: header(text, 'SvcTenant', 'acme', tenantUse),
  required: header(key, 'RequiredIdempotencyKey', 'order-4711-capture', keyUse),
  accepted: header(key.optional(), 'IdempotencyKey', 'order-4711-capture', keyUse),
  ifNoneMatch: header(text, 'IfNoneMatch', answerHeaders.ETag[1], matchUse),
  ifMatch: header(text, 'IfMatch', '"5f0a7d5e3c0b4c55"', preconditionUse),
};

function describeHeaders(route: Route): z.ZodObject {
  const { surface, auth, idempotencyKey, hasPrecondition } = route;
  return z.object({
    ...(surface.isVersioned && { 'Svc-Version': requestHeaders.version }),
    ...(auth === 'scope' && { 'Svc-Tenant': requestHeaders.tenant }),
    ...(idempotencyKey !== 'none' && { 'Idempotency-Key': requestHeaders[idempotencyKey] }),
    ...(isRevalidated(route) && { 'If-None-Match': requestHeaders.ifNoneMatch }),
    ...(hasPrecondition && { 'If-Match': requestHeaders.ifMatch }),
  });
}
