import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../types/api.ts';
import { readBearer, unauthenticated } from './bearer.ts';
import { readHeader } from './recorded-request.ts';
import { Refusal } from './refusal.ts';
import type { ServerState } from './server-state.ts';
import type { Call } from './world.ts';

/** The API key that a request may act by. @throws {Refusal} where it has none, for another tenant, and without the scope. */
export function admitKey({ tokens, world }: ServerState, request: IncomingMessage, scope: string): ApiKey {
  const key = tokens.use(readBearer(request) ?? '');
  if (key === undefined)
    throw unauthenticated('The API key or access token is unknown, expired or revoked.', 'invalid_token');
  const tenant = readHeader(request, 'svc-tenant');
  if (tenant !== undefined && tenant !== world.slug && tenant !== world.tenantId) {
    const message = 'These credentials may not act for the tenant that Svc-Tenant names.';
    throw new Refusal(403, 'tenant_not_allowed', message);
  }
  if (!(key.scopes as readonly string[]).includes(scope))
    throw new Refusal(403, 'insufficient_scope', `The API key lacks the scope ${scope}.`);
  return key;
}

/** The id of the SCIM token of a request. @throws {Refusal} where it has none that is good. */
export function admitScimToken({ features, clock }: ServerState, request: IncomingMessage): string {
  const token = readBearer(request);
  if (token === undefined) throw unauthenticated('Send the SCIM token: Authorization: Bearer scim_…');
  const id = features.scimTokens.use(token, clock.now());
  if (id === undefined) throw unauthenticated('The SCIM token is unknown or was replaced.', 'invalid_token');
  return id;
}

/** Who makes a request, when, and from where. */
export function describeCaller(
  { clock, baseUrl }: ServerState,
  request: IncomingMessage,
  { keyId, scopes }: Pick<Call, 'keyId' | 'scopes'>,
) {
  return {
    now: clock.now(),
    keyId,
    scopes,
    baseUrl,
    origin: request.headers.origin,
    address: request.socket.remoteAddress ?? null,
    userAgent: request.headers['user-agent'] ?? null,
  };
}
