import type { IncomingMessage } from 'node:http';
import { Problem } from '../http/problem.ts';
import type { Principal } from './principal.ts';
import type { Scope } from './scopes.ts';

/**
 * The token of an Authorization header (`Bearer <token>`, RFC 6750); undefined without a header.
 * @throws {Problem} `unauthenticated` for any other header, and for two of them.
 */
export function readBearer(request: IncomingMessage): string | undefined {
  const [header, ...more] = request.headersDistinct.authorization ?? [];
  if (header === undefined || (header === '' && more.length === 0)) return undefined;
  const token = more.length > 0 ? undefined : /^bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw unauthenticated('Send one Authorization header that reads: Bearer <token>.');
  return token;
}

/** A 401 with the challenge of RFC 6750 section 3. @param reason why credentials that were sent are refused. */
export function unauthenticated(message: string, reason?: 'invalid_token'): Problem {
  const error = reason === undefined ? '' : `, error="${reason}"`;
  return new Problem('unauthenticated', message, { headers: { 'WWW-Authenticate': `Bearer realm="svc"${error}` } });
}

/** @throws {Problem} `insufficient_scope` naming the scope that is missing. */
export function requireScope({ scopes, credential }: Principal, scope: Scope): void {
  if (scopes.has(scope)) return;
  const holder = credential.kind === 'session' ? 'Your role' : 'The API key';
  throw new Problem('insufficient_scope', `${holder} lacks the scope ${scope}.`, {
    headers: { 'WWW-Authenticate': `Bearer realm="svc", error="insufficient_scope", scope="${scope}"` },
  });
}
