import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { noticeEvents } from '../consent/notice.ts';
import { recordEvents } from '../consent/record.ts';
import { controlEvents } from '../controls/control.ts';
import { writeDocument } from '../http/openapi.ts';
import type { RecordedCall } from '../http/openapi-operation.ts';
import type { Route } from '../http/route.ts';
import { userEvents } from '../identity/membership.ts';
import { mfaEvents } from '../identity/mfa/second-factor.ts';
import { scopeDescriptions } from '../principal/scopes.ts';
import { breachEvents } from '../privacy/breach.ts';
import { dsrEvents } from '../privacy/dsr.ts';
import { type EventType, eventOccasions, eventTypes } from '../webhooks/deliveries/event.ts';
import { endpointEvents } from '../webhooks/endpoints/endpoint.ts';

/** What the operations of each tag are about, in the order of the document. */
export const tagDescriptions = {
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
  'OAuth 2.0': 'Exchange an API key for an access token (client credentials, RFC 6749) and revoke it (RFC 7009).',
  SCIM: 'Provisioning of users and role groups by an identity provider (SCIM 2.0, RFC 7644).',
} as const;

/** The schema of the data of every type of event. */
export const eventData = {
  ...recordEvents,
  ...noticeEvents,
  ...dsrEvents,
  ...breachEvents,
  ...controlEvents,
  ...userEvents,
  ...mfaEvents,
  ...endpointEvents,
} as const satisfies Readonly<Record<EventType, z.ZodType>>;

/** Recorded calls and deliveries, which are the examples of the document. */
export interface RecordedExamples {
  /** By `operationId`. */
  readonly operations: Readonly<Record<string, RecordedCall>>;
  /** The body of a delivery, by the type of its event. */
  readonly events: Readonly<Record<string, unknown>>;
}

/** The examples as they are checked in; `npm run examples` records them. */
export function readExamples(): RecordedExamples {
  return JSON.parse(readFileSync(join(import.meta.dirname, 'openapi-examples.json'), 'utf8'));
}

/** The OpenAPI document of the server. */
export function writeApiDocument(routes: readonly Route[], examples: RecordedExamples = readExamples()): string {
  return writeDocument({
    routes,
    tags: tagDescriptions,
    scopes: scopeDescriptions,
    examples: examples.operations,
    events: eventTypes.map((type: EventType) => ({
      type,
      occasion: eventOccasions[type],
      data: eventData[type],
      example: examples.events[type],
    })),
  });
}
