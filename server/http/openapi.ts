import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
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
        .meta({ description: 'Each value that breaks its rule, such as body.purposes.analytics.' }),
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

/** Makes the OpenAPI 3.1 document from the very routes that answer. */
export function describeRoutes(routes: readonly Route[]) {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Svc API',
      version: latestVersion,
      description:
        'Consent notices and ledger, audit log and public endpoints. Errors have one form; see the schema Error.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: svc_live_… or svc_test_….' },
      },
    },
  });
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

function describeAnswerHeaders(route: Route) {
  const text = (description: string) => ({ description, schema: { type: 'string' as const } });
  return {
    'Svc-Request-Id': text('The id of the request, for support.'),
    'Svc-Version': text('The API version that was applied.'),
    ...(route.idempotencyKey !== 'none' && {
      'Idempotent-Replayed': text('`true` on an answer that was given before.'),
    }),
  };
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
        content: { 'application/json': { schema: ErrorEnvelope } },
      },
    ]),
  );
}
