import type { ApiKeyRow } from './api-key-store.ts';

/** The last time that is written with a year of four digits, so that later times sort after earlier ones. */
const endOfTime = Date.parse('9999-12-31T23:59:59.999Z');

/** When a key that is made in place of another ends: it lives as long as that one was to live from the start. */
export function successorEnd({ created_at, expires_at }: Pick<ApiKeyRow, 'created_at' | 'expires_at'>, now: string) {
  if (expires_at === null) return null;
  const lifetime = Date.parse(expires_at) - Date.parse(created_at);
  return new Date(Math.min(Date.parse(now) + lifetime, endOfTime)).toISOString();
}

/** When a key that is replaced ends: after the overlap, and never later than it would have ended anyway. */
export function overlapEnd({ expires_at }: Pick<ApiKeyRow, 'expires_at'>, overlapHours: number, now: string): string {
  const end = new Date(Date.parse(now) + overlapHours * 3_600_000).toISOString();
  return expires_at !== null && expires_at < end ? expires_at : end;
}
