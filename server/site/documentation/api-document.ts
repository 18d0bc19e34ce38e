import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiPathItemObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { userEvents } from '../../accounts/members/membership-store.ts';
import { mfaEvents } from '../../accounts/mfa/second-factor.ts';
import { noticeEvents } from '../../consent/notice.ts';
import { consentRecordEvents } from '../../consent/record.ts';
import { controlEvents } from '../../controls/control.ts';
import { latestVersion } from '../../http/answer.ts';
import {
  describeRoute,
  headerComponents,
  listErrorExamples,
  listErrorResponses,
  type RecordedCall,
} from '../../http/openapi-operation.ts';
import { scopeDescriptions } from '../../http/roles.ts';
import type { Route } from '../../http/route.ts';
import { Id, UtcTime } from '../../http/schemas.ts';
import { verificationEvents } from '../../ledger/verification.ts';
import { breachEvents } from '../../privacy/breach.ts';
import { dsrEvents } from '../../privacy/dsr.ts';
import { erasureEvents } from '../../privacy/erasure/erasure.ts';
import { type EventType, eventOccasions, eventTypes } from '../../webhooks/deliveries/event.ts';
import { endpointEvents } from '../../webhooks/endpoints/endpoint.ts';
import { writeJson } from './write-json.ts';

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
address; SCIM 1,200 a minute for each tenant; 16 exports, uploads and downloads of files at once for each tenant; 600 requests a minute that are refused (401, 403) for each client address.
Limited operations answer with \`RateLimit\` and \`RateLimit-Policy\`; a 429 has \`Retry-After\`, and so has a 503. A body may have 64 KiB,
one of SCIM 1 MiB, an uploaded file 25 MiB. A session ends after 60 minutes without a request, and after 24 hours in any case.

**Retries.** An \`Idempotency-Key\` belongs to the account and is good for 24 hours: the same request with the same key gets
the first answer again and changes nothing. Only successful answers are stored; after an error the key is free.`;

/** Descriptions of the operations of each tag, in the order of the document. */
const tagDescriptions = {
  'Consent notices': 'Write, publish and archive the notices that visitors see. A published version never changes.',
  'Consent records': 'The append-only ledger of decisions: capture, withdraw and read records.',
  Public: 'Endpoints of the banner and the trust badge: no credentials, open to the pages of every site (CORS).',
  Audit: 'The tamper-evident log of everything that was changed, by whom and when.',
  Proofs: 'Signed checkpoints of the ledgers, proofs against them, and exports that can be verified offline.',
  Controls: 'Controls of the tenant with their evidence and tests, mapped to compliance frameworks.',
  'Sign-in': 'Sign in and out, change the password, accept an invitation, and manage your own sessions.',
  'Second factor': 'Enrol an authenticator (TOTP) and replace backup codes, for the signed-in user.',
  Users: 'Members of the tenant, their roles and sessions, and invitations.',
  'Data-subject requests': 'Requests of persons about their data, with due dates and outcomes.',
  Breaches: 'Breach incidents with the 72-hour deadline for notifying the authority.',
  Tenant: 'The tenant of the caller and its settings.',
  'Trust center': 'The public page that shows which frameworks the tenant has achieved.',
  Webhooks: 'Endpoints that receive signed events, their deliveries, attempts and dead letters.',
  'API keys': 'Credentials of programs: create, rotate and revoke.',
  'SCIM token': 'The credential of the identity provider. A tenant has one.',
  Platform:
    'For the people who run the server, in a session only: its tenants and its state, and what is overdue in those of a portfolio.',
  'OAuth 2.0': 'Exchange an API key for an access token (client credentials, RFC 6749) and revoke it (RFC 7009).',
  SCIM: 'Provisioning of users and role groups by an identity provider (SCIM 2.0, RFC 7644).',
} as const;

/** The schema of the data of every type of event. */
export const eventData = {
  ...consentRecordEvents,
  ...noticeEvents,
  ...dsrEvents,
  ...breachEvents,
  ...erasureEvents,
  ...controlEvents,
  ...verificationEvents,
  ...userEvents,
  ...mfaEvents,
  ...endpointEvents,
} as const satisfies Readonly<Record<EventType, z.ZodType>>;

/** Recorded calls and deliveries, which are the examples of the document. */
interface RecordedExamples {
  /** By `operationId`. */
  readonly operations: Readonly<Record<string, RecordedCall>>;
  /** The body of a delivery, by the type of its event. */
  readonly events: Readonly<Record<string, unknown>>;
}

/** The examples as they are checked in; `npm run examples` records them. */
export function readExamples(): RecordedExamples {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'openapi-examples.json'), 'utf8'));
}

/** Writes the OpenAPI 3.1 document of the routes and events of the server: the same bytes for the same API. */
export function writeApiDocument(routes: readonly Route[], examples = readExamples()): string {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    const operation = describeRoute(route, examples.operations[route.operationId] ?? {});
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
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(eventTypes.map((type) => [type, describeWebhook(type, examples.events[type])])),
    components: {
      headers: headerComponents,
      responses: listErrorResponses(routes),
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
          flows: { clientCredentials: { tokenUrl: '/oauth/token', scopes: scopeDescriptions } },
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
  return `${writeJson(described, 120)}\n`;
}

/** Every integer of zod is a safe integer; readers need not see that for each. */
function dropSafeBounds({ jsonSchema }: { readonly jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/**
 * `anyOf` of a plain type and null as one type with two names, which generators of clients read as a nullable value.
 * An enum stays apart: with null among its values it would be a separate type.
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
  traceparent: text(
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    'W3C Trace Context: that of the authenticated request that caused the event, if it had one.',
  ).optional(),
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

/** Describes the deliveries of one type of event. @param example the body of one; undefined where none was recorded. */
function describeWebhook(type: EventType, example: unknown) {
  const occasion = eventOccasions[type];
  const name = type.replace(/(?:^|[._])(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const body = z
    .strictObject({
      id: Id.meta({ description: 'The id of the event.' }),
      type: z.literal(type),
      createdAt: UtcTime,
      tenantId: Id,
      data: eventData[type],
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
