import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** The credential of a request (RFC 6750 section 2.1). */
export function readBearer({ headers }: IncomingMessage): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

/** The 401 for a credential that is none. @param error as RFC 6750 section 3.1 names it. */
export function unauthenticated(message: string, error?: string): Refusal {
  const challenge = `Bearer realm="svc"${error === undefined ? '' : `, error="${error}"`}`;
  return new Refusal(401, 'unauthenticated', message, { headers: { 'WWW-Authenticate': challenge } });
}
