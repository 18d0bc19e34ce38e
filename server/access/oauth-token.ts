import type { AuditSource } from '../audit/source.ts';
import { recordEvent } from '../audit/store.ts';
import { Problem } from '../http/problem.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { createAccessToken, deleteAccessToken } from './access-token-store.ts';
import type { ApiKeyRow } from './api-key-store.ts';

const lifetimeMilliseconds = 60 * 60 * 1000;

/**
 * The scopes that a client asks for, separated by spaces: some of its key's, or all where it names none.
 * @throws {Problem} `invalid_scope`.
 */
export function chooseScopes(key: Pick<ApiKeyRow, 'scopes'>, wanted: string | undefined): readonly Scope[] {
  const held = readScopes(key.scopes);
  if (wanted === undefined) return [...held];
  const words = new Set(wanted.split(' '));
  const chosen = [...held].filter((scope) => words.has(scope));
  if (chosen.length < words.size) {
    const lacking = [...words].filter((word) => !(held as ReadonlySet<string>).has(word));
    throw new Problem('invalid_scope', `The key does not have: ${lacking.join(' ') || '(an empty scope)'}.`);
  }
  return chosen;
}

/** An access token as it is handed over (RFC 6749 section 5.1). */
export interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
}

/** Issues an access token for a key: an hour at most, and never longer than the key. */
export async function issueToken(
  work: UnitOfWork,
  source: AuditSource,
  key: ApiKeyRow,
  scopes: readonly Scope[],
): Promise<IssuedToken> {
  const end = new Date(Date.parse(work.now) + lifetimeMilliseconds).toISOString();
  const expiresAt = key.expires_at !== null && key.expires_at < end ? key.expires_at : end;
  const token = await createAccessToken(work, { keyId: key.id, scopes, expiresAt });
  await recordEvent(work, source, {
    module: 'access',
    action: 'access_token.issued',
    targetId: key.id,
    targetRef: key.name,
    diff: { scopes, expiresAt },
  });
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: Math.floor((Date.parse(expiresAt) - Date.parse(work.now)) / 1000),
    scope: scopes.join(' '),
  };
}

/** Ends an access token of a key; nothing happens when the key has no such token (RFC 7009 section 2.2). */
export async function endToken(work: UnitOfWork, source: AuditSource, key: ApiKeyRow, token: string): Promise<void> {
  if (!(await deleteAccessToken(work, key.id, token))) return;
  const event = { module: 'access', action: 'access_token.revoked', targetId: key.id, targetRef: key.name } as const;
  await recordEvent(work, source, event);
}
