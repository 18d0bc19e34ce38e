import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { scopes } from '../access/scopes.ts';
import { Problem, type ProblemCode, problemKinds } from './problem.ts';
import type { Access, Route } from './route.ts';
import { rest, type Surface } from './surface.ts';
import { knownVersions, latestVersion } from './versions.ts';

/** Codes that operations answer with because of who may call them. */
const accessCodes: Readonly<Record<Access, readonly ProblemCode[]>> = {
  scope: ['insufficient_scope', 'forbidden', 'tenant_not_allowed', 'second_factor_required'],
  session: ['forbidden'],
  scim: [],
  anonymous: ['forbidden'],
  public: [],
};
const keyCodes: readonly ProblemCode[] = [
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];

const description = `Consent notices and their ledger, the audit log, the people of a tenant and how they sign in, provisioning by an
identity provider, and public endpoints.

**Credentials.** Programs send an API key or an access token (\`Authorization: Bearer …\`) and need the scope that an
operation names. \`POST /oauth/token\` exchanges a key for an access token of an hour (OAuth 2.0 client credentials). People
sign in with a password, and a code where a second factor is on; their session is a cookie, and their role gives the
scopes. In a session, whatever changes something must come from a page of this server (\`Origin\`). An identity provider
sends the SCIM token of the tenant.

**Forms.** Below \`/v1\` answers stand in \`data\` and errors have the form of the schema Error. Below \`/scim/v2\` bodies are
those of SCIM 2.0 (RFC 7644), errors included, and below \`/oauth\` those of OAuth 2.0 (RFC 6749).

**Limits**, unless this server is set up otherwise: 600 requests a minute for each API key and each session; public captures
600 a minute for each notice and 60 a minute for each client address; sign-ins 10 a minute for each account and each
address; SCIM 1,200 a minute for each tenant; 16 exports at once for each tenant; 600 requests a minute that are refused (401, 403) for each client address.
Limited operations answer with \`RateLimit\` and \`RateLimit-Policy\`, a 429 also with \`Retry-After\`. A body may have 64 KiB,
one of SCIM 1 MiB. A session ends after 60 minutes without a request, and after 24 hours in any case.

**Retries.** An \`Idempotency-Key\` belongs to the account and is good for 24 hours: the same request with the same key gets
the first answer again and changes nothing. Only successful answers are stored; after an error the key is free.`;

/** The document as text, the same bytes for the same routes. */
export function writeDocument(routes: readonly Route[]): string {
  return `${JSON.stringify(describeRoutes(routes), null, 2)}\n`;
}

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
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: svc_live_… or svc_test_….',
        },
        accessToken: {
          type: 'oauth2',
          description:
            'An access token (svc_at_…), made of an API key: its id is the client id, the key the client secret.',
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: describeScopes() } },
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-svc_session',
          description:
            'The session of a signed-in person; svc_session on plain http. Changes need a same-origin Origin.',
        },
        scimToken: { type: 'http', scheme: 'bearer', description: 'The SCIM token of a tenant: scim_….' },
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
  const { surface } = route;
  const scope = route.scope === null ? '' : `Needs the scope \`${route.scope}\`.`;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, scope].filter((part) => part).join('\n\n'),
    security: securityOf(route),
    ...(route.scope !== null && { 'x-scope': route.scope }),
    requestParams: {
      ...(route.params && { path: route.params }),
      ...(route.query && { query: route.query }),
      header: describeHeaders(route),
    },
    ...(route.body && { requestBody: describeBody(route.body, surface) }),
    responses: {
      [route.status]: {
        description: successes[route.status],
        headers: describeAnswerHeaders(route),
        ...(route.status !== 204 && {
          content: describeContent([route.answerType ?? surface.answerType], describeResult(route)),
        }),
      },
      ...describeErrors(route),
    },
  } as ZodOpenApiOperationObject;
}

function describeBody(body: z.ZodType, { bodyTypes }: Surface) {
  return { required: !body.safeParse(undefined).success, content: describeContent(bodyTypes, body) };
}

const successes = { 200: 'OK', 201: 'Created', 204: 'No content' } as const;

function describeContent(types: readonly string[], schema: z.ZodType) {
  return Object.fromEntries(types.map((type) => [type.split(';')[0] as string, { schema }]));
}

/** The body of a success. */
function describeResult({ surface, isBare, result }: Route): z.ZodType {
  return surface === rest && isBare !== true ? z.strictObject({ data: result }) : result;
}

/** The credentials that an operation takes. */
function securityOf({ access, scope }: Route): Record<string, string[]>[] {
  switch (access) {
    case 'scope':
      return [{ apiKey: [] }, { accessToken: scope === null ? [] : [scope] }, { session: [] }];
    case 'session':
      return [{ session: [] }];
    case 'scim':
      return [{ scimToken: [] }];
    default:
      return [];
  }
}

function describeScopes(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    scopes.map((scope) => {
      const [area, kind] = scope.split(':');
      return [scope, kind === 'read' ? `Read ${area}` : `Change ${area}`];
    }),
  );
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
    ...(route.surface.isVersioned && { 'Svc-Version': version }),
    ...(route.scope !== null && { 'Svc-Tenant': tenant }),
    ...(route.idempotencyKey === 'required' && { 'Idempotency-Key': key }),
    ...(route.idempotencyKey === 'accepted' && { 'Idempotency-Key': key.optional() }),
  });
}

/** The headers of answers, which operations refer to. */
const answerHeaders = {
  'Svc-Request-Id': 'The id of the request, for support.',
  'Svc-Version': 'The API version that was applied.',
  Location: 'The address of what was created.',
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
    ...(route.surface.isVersioned ? (['Svc-Version'] as const) : []),
    ...(route.status === 201 && route.surface.text.tellsLocation ? (['Location'] as const) : []),
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
  return ['public', 'anonymous'].includes(route.access) && route.limits === null
    ? []
    : (['RateLimit', 'RateLimit-Policy'] as const);
}

function describeErrors(route: Route): Record<string, unknown> {
  const { surface } = route;
  const codes = new Set<ProblemCode>([
    ...surface.text.commonCodes,
    ...accessCodes[route.access],
    ...(route.body ? surface.text.bodyCodes : []),
    ...(route.idempotencyKey === 'required' ? (['idempotency_key_required'] as const) : []),
    ...(route.idempotencyKey === 'none' ? [] : keyCodes),
    ...(route.errors ?? []),
  ]);
  const byStatus = Map.groupBy(codes, (code) => surface.presentProblem(new Problem(code, ''), '').status);
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, ofStatus]) => [
      status,
      {
        description: ofStatus.map((code) => describeCode(surface, code)).join('\n\n'),
        headers: describeErrorHeaders(route, status),
        content: describeContent([surface.answerType], surface.text.errors),
      },
    ]),
  );
}

function describeCode({ text }: Surface, code: ProblemCode): string {
  const name = text.nameCode(code);
  return `${name === null ? '' : `\`${name}\`: `}${problemKinds[code].meaning}`;
}
