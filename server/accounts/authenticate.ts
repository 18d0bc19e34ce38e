import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { requireScope, requireUser, unauthenticated } from '../http/authorize.ts';
import type { Credential, Principal } from '../http/principal.ts';
import { Problem } from '../http/problem.ts';
import type { LimitRule } from '../http/rate-limit.ts';
import { scopesOf, staffRole } from '../http/roles.ts';
import type { Authenticate, Operation } from '../http/router.ts';
import type { Installation } from '../installation/installation.ts';
import type { Settings } from '../settings.ts';
import type { Queries } from '../storage/queries.ts';
import { findAccessTokenHolder, findKeyHolder, findScimTokenHolder, isApiKey, type LastUses } from './credentials.ts';
import { findSession, type HostCookie, listTenantIds, type StoredSession } from './sign-in/session-store.ts';
import { findTenant } from './tenants/store.ts';

/** Makes the authentication of all routes: by API key, access token, SCIM token or session. */
export function createAuthenticate(
  { database: { kysely: queries }, seal, settings }: Installation,
  sessionCookie: HostCookie,
  lastUses: LastUses,
): Authenticate {
  const { baseUrl, sessionLifetime, limits } = settings;

  const authenticateScim = async (request: IncomingMessage, now: string): Promise<Principal> => {
    const token = readBearer(request);
    if (token === undefined) throw unauthenticated('Send the SCIM token: Authorization: Bearer scim_…');
    const principal = await findScimTokenHolder(queries, token);
    if (principal === undefined) throw unauthenticated('The SCIM token is unknown or was replaced.', 'invalid_token');
    lastUses.note('scim_tokens', principal.credential, now);
    return principal;
  };

  const authenticateBearer = async (token: string, now: string): Promise<Principal> => {
    // The checksum rejects a mistyped key without a query.
    const principal = isApiKey(token)
      ? await findKeyHolder(queries, token, now)
      : await findAccessTokenHolder(queries, token, now);
    if (principal === undefined)
      throw unauthenticated('The API key or access token is unknown, expired or revoked.', 'invalid_token');
    lastUses.note('api_keys', principal.credential, now);
    return principal;
  };

  const hasEnded = ({ id, last_seen_at, expires_at }: StoredSession, now: string): boolean => {
    const lastSeen = lastUses.latest('sessions', id, last_seen_at);
    return expires_at <= now || Date.parse(lastSeen) + sessionLifetime.idle <= Date.parse(now);
  };

  const authenticateSession = async (
    request: IncomingMessage,
    operation: Operation,
    now: string,
  ): Promise<Principal> => {
    const token = sessionCookie.read(request.headers.cookie);
    if (token === undefined)
      throw unauthenticated('Send an API key (Authorization: Bearer svc_live_…) or the cookie of a session.');
    const session = await findSession(queries, seal, token);
    if (session === undefined || hasEnded(session, now)) throw unauthenticated('The session has ended; sign in again.');
    // Browsers add the cookie to requests of any page: changes must come from a page of this server.
    if (!isSafe(operation.method) && readSite(request, baseUrl) !== 'own')
      throw new Problem(
        'forbidden',
        'A change in a session must come from a page of this server: send its address as the Origin header.',
      );
    if (operation.auth !== 'session' && session.lacksSecondFactor)
      throw new Problem(
        'second_factor_required',
        'This tenant requires a second factor: enroll with POST /v1/me/mfa/totp/enroll.',
      );
    const credential = { kind: 'session', id: session.id, tenantId: session.tenant_id } as const;
    lastUses.note('sessions', credential, now);
    const isStaff = session.role === staffRole;
    return {
      tenantId: session.tenant_id,
      actor: { type: isStaff ? 'staff' : 'user', id: session.user_id, email: session.email },
      scopes: scopesOf(session.role),
      apiVersion: session.api_version,
      credential,
      otherTenantIds: isStaff ? await listTenantIds(queries, session.user_id, [staffRole]) : [],
    };
  };

  const authenticateCaller = async (
    request: IncomingMessage,
    operation: Operation,
    now: string,
  ): Promise<Principal> => {
    const token = readBearer(request);
    const principal =
      token === undefined ? await authenticateSession(request, operation, now) : await authenticateBearer(token, now);
    const needsSession = operation.auth === 'session' || operation.auth === 'platform';
    if (needsSession && token !== undefined)
      throw new Problem('forbidden', 'This operation is for signed-in users: send the cookie of a session.');
    requireUser(principal, request.headers['svc-user'], 'header.Svc-User');
    const tenant = request.headers['svc-tenant'];
    if (tenant === undefined) return principal;
    const acting = await actFor(queries, principal, String(tenant));
    if (needsSession && acting.tenantId !== principal.tenantId)
      throw new Problem('tenant_not_allowed', 'This operation takes no other tenant than that of the session.');
    return acting;
  };

  return async (request, operation, now) => {
    switch (operation.auth) {
      case 'public':
        return null;
      case 'anonymous':
        if (!isSafe(operation.method) && readSite(request, baseUrl) === 'foreign')
          throw new Problem('forbidden', 'This operation cannot be called from the pages of another site.');
        return null;
      case 'scim': {
        const principal = await authenticateScim(request, now);
        const { tenantId } = principal;
        const ofScim = { policy: 'scim', bucket: `scim ${tenantId}`, limit: limits.scim };
        return { principal, limits: [ofScim, limitTenant(tenantId, limits)] };
      }
      default: {
        const principal = await authenticateCaller(request, operation, now);
        if (operation.scope !== null) requireScope(principal, operation.scope);
        return { principal, limits: limitCredential(principal.credential, principal.tenantId, limits) };
      }
    }
  };
}

/** The limits of a credential, and of the tenant that it acts for: credentials can be created without end. */
export function limitCredential(
  { kind, id }: Pick<Credential, 'kind' | 'id'>,
  tenantId: string,
  limits: Settings['limits'],
): readonly LimitRule[] {
  return [{ policy: kind, bucket: `${kind} ${id}`, limit: limits.apiKey }, limitTenant(tenantId, limits)];
}

function limitTenant(tenantId: string, limits: Settings['limits']): LimitRule {
  return { policy: 'tenant', bucket: `tenant ${tenantId}`, limit: limits.tenant };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

const longestTenantName = 100;

/** The caller, acting for the tenant that Svc-Tenant names. @throws {Problem} `tenant_not_allowed`. */
async function actFor(queries: Queries, principal: Principal, idOrSlug: string): Promise<Principal> {
  const tenant = idOrSlug.length <= longestTenantName ? await findTenant(queries, idOrSlug) : undefined;
  if (tenant?.id === principal.tenantId) return principal;
  if (tenant !== undefined && principal.otherTenantIds.includes(tenant.id))
    return { ...principal, tenantId: tenant.id, apiVersion: tenant.apiVersion };
  throw new Problem('tenant_not_allowed', 'These credentials cannot act for the tenant that Svc-Tenant names.');
}

/** The token of `Bearer <token>` (RFC 6750). @throws {Problem} `unauthenticated` for any other Authorization header. */
function readBearer({ headers: { authorization } }: IncomingMessage): string | undefined {
  if (!authorization) return undefined;
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw unauthenticated('Send one Authorization header: Bearer <token>.');
  if (!/^[!-~]+$/.test(token))
    throw unauthenticated(
      'The token has a character that no token has, perhaps an invisible one. Copy it again.',
      'invalid_token',
    );
  return token;
}

/**
 * The origin of the page that sent a request: `own` for a page of this server, `foreign` for any other, `unknown` for
 * clients that send no origin. Sec-Fetch-Site takes precedence, because only the browser can set it; without it, Origin
 * is compared with ours (OWASP Cross-Site Request Forgery Prevention, "Fetch Metadata headers").
 * @param baseUrl the public address of this server; null to use the Host of the request.
 */
export function readSite(request: IncomingMessage, baseUrl: string | null): 'own' | 'foreign' | 'unknown' {
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  if (origin === undefined) return 'unknown';
  const scheme = (request.socket as TLSSocket).encrypted ? 'https' : 'http';
  return origin === (baseUrl ?? `${scheme}://${host}`) ? 'own' : 'foreign';
}
