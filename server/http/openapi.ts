import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Scope } from '../principal/scopes.ts';
import {
  describeOtherAnswers,
  headerComponents,
  isRevalidated,
  listErrorExamples,
  listSuccessHeaders,
  mediaType,
  nameHeaders,
} from './openapi-responses.ts';
import { type DocumentedEvent, describeWebhooks } from './openapi-webhooks.ts';
import type { Route } from './route.ts';
import { knownVersions, latestVersion, rest, type Surface } from './surface.ts';

const description = `Consent notices and their ledger, the audit log, the people of a tenant and how they sign in, provisioning by an
identity provider, and public endpoints.

**Credentials.** Programs send an API key or an access token (\`Authorization: Bearer …\`) and need the scope that an
operation names. \`POST /oauth/token\` exchanges a key for an access token of an hour (OAuth 2.0 client credentials). People
sign in with a password, and a code where a second factor is on; their session is a cookie, and their role gives the
scopes. In a session, whatever changes something must come from a page of this server (\`Origin\`). An identity provider
sends the SCIM token of the tenant.

**Forms.** Below \`/v1\` responses are in \`data\` and errors have the schema Error. Below \`/scim/v2\` bodies are
those of SCIM 2.0 (RFC 7644), errors included, and below \`/oauth\` those of OAuth 2.0 (RFC 6749).

**Limits**, unless this server is set up otherwise: 600 requests a minute for each API key and each session; public captures
600 a minute for each notice and 60 a minute for each client address; sign-ins 10 a minute for each account and each
address; SCIM 1,200 a minute for each tenant; 16 exports at once for each tenant; 600 requests a minute that are refused (401, 403) for each client address.
Limited operations answer with \`RateLimit\` and \`RateLimit-Policy\`; a 429 has \`Retry-After\`, and so has a 503. A body may have 64 KiB,
one of SCIM 1 MiB. A session ends after 60 minutes without a request, and after 24 hours in any case.

**Retries.** An \`Idempotency-Key\` belongs to the account and is good for 24 hours: the same request with the same key gets
the first answer again and changes nothing. Only successful answers are stored; after an error the key is free.`;

/** A request to an operation and its answer, as recorded. */
export interface RecordedCall {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  readonly answer?: unknown;
}

/** Everything that the document describes. */
export interface DocumentedApi {
  readonly routes: readonly Route[];
  readonly events: readonly DocumentedEvent[];
  /** The description of each tag, in the order of the document. */
  readonly tags: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<Scope, string>>;
  /** By `operationId`. */
  readonly examples: Readonly<Record<string, RecordedCall>>;
}

/** The document as text, the same bytes for the same API. */
export function writeDocument(api: DocumentedApi): string {
  return `${JSON.stringify(describeApi(api), null, 2)}\n`;
}

/** Makes the OpenAPI 3.1 document from the routes and events of the server. */
function describeApi({ routes, events, tags, scopes, examples }: DocumentedApi): unknown {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const operation = describeRoute(route, examples[route.operationId] ?? {});
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Svc API',
      version: latestVersion,
      summary: 'Consent, audit, controls, provisioning and public widgets on your own server.',
      description,
      contact: { name: 'The Svc project' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from.' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(events),
    components: {
      headers: headerComponents,
      examples: listErrorExamples(routes),
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `svc_live_…` or `svc_test_…`. Keep it on a server.',
        },
        accessToken: {
          type: 'oauth2',
          description:
            'An access token (`svc_at_…`, valid for one hour). Exchange an API key for it: its id is the client id, the key the client secret.',
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes } },
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-svc_session',
          description:
            'The session cookie of a signed-in user; `svc_session` over plain HTTP. Requests that change something need the Origin of this server.',
        },
        scimToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The SCIM token of a tenant: `scim_…`. An identity provider sends it.',
        },
      },
    },
  };
  return foldNulls(createDocument(document, { override: dropSafeBounds }));
}

/** Every integer of zod is a safe integer; readers need not see that for each. */
function dropSafeBounds({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/**
 * `anyOf` of a plain type and null as one type with two names, which generators of clients read as a nullable value.
 * An enum stays apart: with null among its values it would be a type of its own.
 */
function foldNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(foldNulls);
  if (typeof value !== 'object' || value === null) return value;
  const folded = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, foldNulls(inner)]));
  const { anyOf, ...rest } = folded as { anyOf?: readonly Readonly<Record<string, unknown>>[] };
  const [plain, nothing] = anyOf ?? [];
  if (anyOf?.length !== 2 || nothing?.type !== 'null' || typeof plain?.type !== 'string' || plain.enum !== undefined)
    return folded;
  return { ...plain, ...rest, type: [plain.type, 'null'] };
}

function describeRoute(route: Route, example: RecordedCall): ZodOpenApiOperationObject {
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
      ...(route.params && { path: addExamples(route.params, example.params) }),
      ...(route.query && { query: addExamples(route.query, example.query) }),
      header: describeHeaders(route),
    },
    ...(route.body && { requestBody: describeBody(route.body, surface, example.body) }),
    responses: {
      [route.status]: {
        description: successes[route.status],
        headers: nameHeaders(listSuccessHeaders(route)),
        ...(route.status !== 204 && {
          content: describeContent([route.answerType ?? surface.answerType], describeResult(route), example.answer),
        }),
      },
      ...describeOtherAnswers(route),
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

function describeBody(body: z.ZodType, { bodyTypes }: Surface, example: unknown) {
  // A body that is parsed by hand has a schema only for this document.
  const schema = (body.meta()?.documentedAs as z.ZodType | undefined) ?? body;
  return { required: !schema.safeParse(undefined).success, content: describeContent(bodyTypes, schema, example) };
}

const successes = { 200: 'OK', 201: 'Created', 204: 'No content' } as const;

function describeContent(types: readonly string[], schema: z.ZodType, example: unknown) {
  const content = { schema, ...(example !== undefined && { example }) };
  return Object.fromEntries(types.map((type) => [mediaType(type), content]));
}

/** The body of a success. */
function describeResult({ surface, isBare, result }: Route): z.ZodType {
  return surface === rest && isBare !== true ? z.strictObject({ data: result }) : result;
}

/** The credentials that an operation takes. */
function securityOf({ auth, scope }: Route): Record<string, string[]>[] {
  switch (auth) {
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

const ApiVersion = z.enum(knownVersions).meta({ id: 'ApiVersion' });
const versionHeader = ApiVersion.optional().meta({
  description: 'The API version. Default: the version of the tenant.',
  param: { id: 'SvcVersion', example: latestVersion },
});
const tenantHeader = z
  .string()
  .optional()
  .meta({
    description: 'The id or slug of a tenant, for keys that may act for several.',
    param: { id: 'SvcTenant', example: 'acme' },
  });
const keyMeta = { description: 'A retry with the same key within 24 hours gets the first answer again.' };
const key = z.string().regex(/^[A-Za-z0-9_-]{8,128}$/);
const requiredKey = key.meta({ ...keyMeta, param: { id: 'RequiredIdempotencyKey', example: 'order-4711-capture' } });
const acceptedKey = key.optional().meta({ ...keyMeta, param: { id: 'IdempotencyKey', example: 'order-4711-capture' } });
const ifNoneMatch = z
  .string()
  .optional()
  .meta({
    description: 'The `ETag` of an earlier answer; 304 if the body is still the same.',
    param: { id: 'IfNoneMatch', example: headerComponents.ETag?.example },
  });

function describeHeaders(route: Route): z.ZodObject {
  return z.object({
    ...(route.surface.isVersioned && { 'Svc-Version': versionHeader }),
    ...(route.scope !== null && { 'Svc-Tenant': tenantHeader }),
    ...(route.idempotencyKey === 'required' && { 'Idempotency-Key': requiredKey }),
    ...(route.idempotencyKey === 'accepted' && { 'Idempotency-Key': acceptedKey }),
    ...(isRevalidated(route) && { 'If-None-Match': ifNoneMatch }),
  });
}
