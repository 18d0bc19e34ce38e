import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { type ProblemCode, problemKinds } from './problem.ts';
import type { Route } from './route.ts';
import { knownVersions, latestVersion } from './versions.ts';

/** spec.md "Errors". */
const ErrorEnvelope = z
  .strictObject({
    error: z.looseObject({
      code: z.string().meta({ description: 'One of the codes of this operation.' }),
      message: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
      details: z
        .array(z.strictObject({ path: z.string(), issue: z.string() }))
        .optional()
        .meta({ description: 'Each value that breaks its rule, such as body.purposes.analytics; the first 100.' }),
      requestId: z.string().optional(),
    }),
  })
  .meta({ id: 'Error' });

/** What any operation may answer with; spec.md "Conventions" names the statuses. */
const commonCodes: readonly ProblemCode[] = [
  'invalid_json',
  'unsupported_version',
  'unauthenticated',
  'insufficient_scope',
  'tenant_not_allowed',
  'not_found',
  'method_not_allowed',
  'conflict',
  'validation_failed',
  'rate_limited',
  'internal_error',
];
const bodyCodes: readonly ProblemCode[] = ['payload_too_large', 'unsupported_media_type'];
const keyCodes: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

const description = `Consent notices and ledger, audit log and public endpoints. Errors have one form; see the schema Error.

**Limits**, unless this server is set up otherwise: 600 requests a minute for each API key; public captures 600 a minute
for each notice and 60 a minute for each client address. Limited operations answer with \`RateLimit\` and
\`RateLimit-Policy\`, a 429 also with \`Retry-After\`. A body may have 64 KiB.

**Retries.** An \`Idempotency-Key\` belongs to the account and is good for 24 hours: the same request with the same key gets
the first answer again and changes nothing. Only successful answers are stored; after an error the key is free.`;

/** Makes the OpenAPI 3.1 document from the very routes that answer. */
export function describeRoutes(routes: readonly Route[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Svc API',
      version: latestVersion,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      headers: headerComponents,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_… or svc_test_….' },
      },
    },
  };
  return createDocument(document, { override: dropSafeBounds });
}

/** Every integer of zod's is one that JavaScript holds exactly; readers need not be told with each. */
function dropSafeBounds({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

function describeRoute(route: Route): ZodOpenApiOperationObject {
  const scope = route.scope === null ? '' : `Needs the scope \`${route.scope}\`.`;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, scope].filter((part) => part).join('\n\n'),
    security: route.scope === null ? [] : [{ apiKey: [] }],
    ...(route.scope !== null && { 'x-scope': route.scope }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      header: describeHeaders(route),
    },
    ...(route.body && { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: {
      [route.status]: {
        description: route.status === 201 ? 'Created' : 'OK',
        headers: describeAnswerHeaders(route),
        content: { 'application/json': { schema: z.strictObject({ data: route.result }) } },
      },
      ...describeErrors(route),
    },
  } as ZodOpenApiOperationObject;
}

function describeHeaders(route: Route): z.ZodObject {
  const version = z
    .enum(knownVersions)
    .optional()
    .meta({ description: 'API version; default: the one of the account.' });
  const tenant = z.string().optional().meta({ description: 'Tenant id or slug, for keys that may act for several.' });
  const key = z
    .string()
    .regex(/^[A-Za-z0-9_-]{8,128}$/)
    .meta({ description: 'A retry with the same key within 24 hours gets the first answer.' });
  return z.object({
    'Svc-Version': version,
    ...(route.scope !== null && { 'Svc-Tenant': tenant }),
    ...(route.idempotencyKey === 'required' && { 'Idempotency-Key': key }),
    ...(route.idempotencyKey === 'accepted' && { 'Idempotency-Key': key.optional() }),
  });
}

/** The headers of answers, which operations refer to. */
const answerHeaders = {
  'Svc-Request-Id': 'The id of the request, for support.',
  'Svc-Version': 'The API version that was applied.',
  'Idempotent-Replayed': '`true` on an answer that was given before.',
  RateLimit: 'For each limit, how many requests are left (r) and the seconds until it starts anew (t).',
  'RateLimit-Policy': 'Each limit: requests (q) in a window of seconds (w).',
  'Retry-After': 'Seconds to wait.',
  'WWW-Authenticate': 'The credentials that are wanted: `Bearer`.',
  Allow: 'The methods that the path takes.',
} as const;

const headerComponents = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' as const } },
  ]),
);

function nameHeaders(names: readonly (keyof typeof answerHeaders)[]) {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function describeAnswerHeaders(route: Route) {
  return nameHeaders([
    'Svc-Request-Id',
    'Svc-Version',
    ...(route.idempotencyKey === 'none' ? [] : (['Idempotent-Replayed'] as const)),
    ...listLimitHeaders(route),
  ]);
}

function describeErrorHeaders(route: Route, status: number) {
  return nameHeaders([
    'Svc-Request-Id',
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 405 ? (['Allow'] as const) : []),
    ...(status === 429 ? (['Retry-After', ...listLimitHeaders(route)] as const) : []),
  ]);
}

function listLimitHeaders(route: Route) {
  return route.scope === null && route.limits === null ? [] : (['RateLimit', 'RateLimit-Policy'] as const);
}

function describeErrors(route: Route): Record<string, unknown> {
  const codes = new Set<ProblemCode>([
    ...commonCodes,
    ...(route.body ? bodyCodes : []),
    ...(route.idempotencyKey === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : keyCodes),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy([...codes], (code) => problemKinds[code].status);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => `\`${code}\`: ${problemKinds[code].meaning}`).join('\n\n'),
        headers: describeErrorHeaders(route, status),
        content: { 'application/json': { schema: ErrorEnvelope } },
      },
    ]),
  );
}
