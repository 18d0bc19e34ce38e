import { z } from 'zod';
import { type AuditSource, clientSource } from '../audit/source.ts';
import { ReadyAnswer } from '../http/answer.ts';
import { Problem } from '../http/problem.ts';
import { type Client, clientBucket } from '../http/request.ts';
import { defineRoute, type Route } from '../http/route.ts';
import { text } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import { readScopes, type Scope } from '../principal/scopes.ts';
import { runUnitOfWork } from '../storage/database.ts';
import { issueToken, revokeToken } from './access-token-store.ts';
import { type ApiKeyRow, findKey, findKeyHolder } from './api-key-store.ts';
import type { LastUses } from './last-uses.ts';
import { invalidClient, oauth } from './oauth-surface.ts';

const credentials = {
  client_id: text(100).optional().meta({ description: 'The id of an API key; can be sent with HTTP Basic instead.' }),
  client_secret: text(256).optional().meta({ description: 'The API key; can be sent with HTTP Basic instead.' }),
};

// Unknown parameters are ignored (RFC 6749 section 3.2).
const TokenRequest = z
  .object({
    grant_type: z.string('is required').max(100, { abort: true }).meta({ description: '`client_credentials`' }),
    scope: text(1000)
      .optional()
      .meta({ description: 'Scopes of the key, separated by spaces; by default all of them.' }),
    ...credentials,
  })
  .meta({ id: 'AccessTokenRequest' });

const TokenAnswer = z
  .strictObject({
    access_token: z.string().meta({ description: 'To send as a bearer token: svc_at_….' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(0).meta({ description: 'Seconds.' }),
    scope: z.string(),
  })
  .meta({ id: 'AccessToken' });

const RevocationRequest = z
  .object({
    token: z.string('is required').max(256, { abort: true }),
    token_type_hint: text(100).optional().meta({ description: 'Ignored: there is only one kind of token.' }),
    ...credentials,
  })
  .meta({ id: 'AccessTokenRevocation' });

/**
 * OAuth 2.0 for API keys: client credentials (RFC 6749 section 4.4) and revocation (RFC 7009).
 * @param tokenLimit token requests a minute for each client address.
 */
export function oauthRoutes(
  { database, hasher }: Pick<Installation, 'database' | 'hasher'>,
  lastUses: LastUses,
  tokenLimit: number,
): readonly Route[] {
  const common = {
    tag: 'OAuth 2.0',
    auth: 'anonymous',
    surface: oauth,
    limits: ({ client }: { readonly client: Client }) => [
      { policy: 'oauth', bucket: `oauth ${clientBucket(client)}`, limit: tokenLimit },
    ],
  } as const;
  const sourceOf = (key: ApiKeyRow, client: Client): AuditSource =>
    clientSource({ type: 'api_key', id: key.id, email: null }, client, hasher)(key.tenant_id);
  /** The API key of the client, read outside of the unit of work so that unknown clients do not hold the writer. */
  const authenticate = async (
    { client_id, client_secret = '' }: z.output<typeof RevocationRequest | typeof TokenRequest>,
    now: string,
  ): Promise<ApiKeyRow> => {
    const holder = await findKeyHolder(database.kysely, client_secret, now);
    if (holder === undefined || holder.credential.id !== client_id) throw invalidClient();
    const key = await findKey(database.kysely, holder.tenantId, client_id);
    if (key === undefined) throw invalidClient();
    lastUses.note('api_keys', key.id, now);
    return key;
  };
  return [
    defineRoute('POST /oauth/token', {
      ...common,
      operationId: 'issueAccessToken',
      summary: 'Get an access token for an API key',
      description:
        'RFC 6749 section 4.4. The token is valid for an hour, at most as long as its key, and works wherever the key does, with the same or fewer scopes.',
      body: TokenRequest,
      result: TokenAnswer,
      errors: ['invalid_request', 'invalid_client', 'invalid_scope', 'unsupported_grant_type'],
      async handle({ body, client, now }) {
        const key = await authenticate(body, now);
        if (body.grant_type !== 'client_credentials')
          throw new Problem('unsupported_grant_type', 'The grant type must be client_credentials.');
        const scopes = chooseScopes(key, body.scope);
        const token = await runUnitOfWork(database, now, (work) =>
          issueToken(work, sourceOf(key, client), key, scopes),
        );
        // Section 5.1 requires it in addition to Cache-Control.
        return new ReadyAnswer(200, oauth.present(token), { Pragma: 'no-cache' });
      },
    }),
    defineRoute('POST /oauth/revoke', {
      ...common,
      operationId: 'revokeAccessToken',
      summary: 'Revoke an access token of an API key',
      description: 'RFC 7009. The answer is the same when the key has no such token.',
      body: RevocationRequest,
      result: z.strictObject({}).meta({ id: 'RevokedAccessToken' }),
      errors: ['invalid_request', 'invalid_client'],
      async handle({ body, client, now }) {
        const key = await authenticate(body, now);
        await runUnitOfWork(database, now, (work) => revokeToken(work, sourceOf(key, client), key, body.token));
        return {};
      },
    }),
  ];
}

/**
 * The scopes of an access token.
 * @param wanted scopes of the key, separated by spaces; undefined for all of them.
 * @throws {Problem} `invalid_scope` for a scope that the key lacks.
 */
function chooseScopes(key: ApiKeyRow, wanted: string | undefined): readonly Scope[] {
  const held = [...readScopes(key.scopes)];
  if (wanted === undefined) return held;
  const words = new Set(wanted.split(' '));
  const lacking = [...words].filter((word) => !held.some((scope) => scope === word));
  if (lacking.length > 0)
    throw new Problem('invalid_scope', `The key does not have: ${lacking.join(' ') || '(an empty scope)'}.`);
  return held.filter((scope) => words.has(scope));
}
