import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Scope } from '../principal/scopes.ts';
import { latestVersion } from './answer.ts';
import { describeRoute, headerComponents, listErrorExamples, type RecordedCall } from './openapi-operation.ts';
import type { Route } from './route.ts';
import { Id, UtcTime } from './schemas.ts';

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

/** What the document says about one type of event. */
export interface DocumentedEvent {
  readonly type: string;
  /** When it is sent. */
  readonly occasion: string;
  readonly data: z.ZodType;
  /** The body of a delivery; undefined where none was recorded yet. */
  readonly example: unknown;
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

/** Writes the OpenAPI 3.1 document of the routes and events of the server: the same bytes for the same API. */
export function writeDocument({ routes, events, tags, scopes, examples }: DocumentedApi): string {
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
    webhooks: Object.fromEntries(events.map((event) => [event.type, describeWebhook(event)])),
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
  const described = foldNulls(createDocument(document, { override: dropSafeBounds }));
  return `${JSON.stringify(described, null, 2)}\n`;
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

const signature =
  'HMAC-SHA256 over `<t>.<raw body>` with the secret of the webhook as the key. During a rotation of the secret there are two `v1`.';
const text = (example: string, description: string) => z.string().meta({ description, param: { example } });
const delivery = '01a1fe75-1160-7cb4-9aec-889ac858d528';
const headers = z.object({
  'Svc-Event': text('consent.recorded', 'The type of the event.'),
  'Svc-Delivery': z.uuid().meta({
    description: 'The id of the delivery: the same for every attempt, so a receiver can ignore repeats.',
    override: ({ jsonSchema }) => void delete jsonSchema.pattern,
    param: { example: delivery },
  }),
  'Svc-Signature': text(`t=1795271647,v1=${'5f'.repeat(32)}`, `\`t=<unix seconds>,v1=<hex>\`: ${signature}`),
  'webhook-id': text(delivery, 'Standard Webhooks: the id of the delivery.'),
  'webhook-timestamp': text('1795271647', 'Standard Webhooks: the time of the attempt in Unix seconds.'),
  'webhook-signature': text(
    `v1,${'X1'.repeat(21)}8=`,
    'Standard Webhooks: `v1,<base64>` for each secret, and `v1a,<base64>` (Ed25519) if the webhook is asymmetric.',
  ),
});

const pausing = (receiver: string) => ({
  description: `The receiver is ${receiver}. The server pauses the webhook for \`Retry-After\` and tries again.`,
  headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
});
const answers = {
  '2XX': { description: 'The receiver accepted the event. The delivery is complete.' },
  '410': { description: 'The receiver no longer wants events. The server disables the webhook.' },
  '429': pausing('busy'),
  '503': pausing('unavailable'),
  default: {
    description:
      'Any other status, a redirect, or no answer in 15 seconds is a failure. The server retries with exponential backoff for 24 hours, then moves the delivery to the dead letters.',
  },
};

function describeWebhook({ type, occasion, data, example }: DocumentedEvent) {
  const name = type.replace(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const body = z
    .strictObject({
      id: Id.meta({ description: 'The id of the event.' }),
      type: z.literal(type),
      createdAt: UtcTime,
      tenantId: Id,
      data,
    })
    .meta({ id: `${name}Event`, description: occasion });
  return {
    post: {
      operationId: `receive${name}`,
      tags: ['Webhooks'],
      summary: type,
      description: `${occasion} Verify the signature before you read the body.`,
      security: [],
      requestParams: { header: headers },
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, ...(example !== undefined && { example }) } },
      },
      responses: answers,
    },
  } as ZodOpenApiPathItemObject;
}
