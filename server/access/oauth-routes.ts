import { z } from 'zod';
import { type AuditSource, clientSource } from '../audit/source.ts';
import { type Client, clientBucket } from '../http/client.ts';
import { Problem } from '../http/problem.ts';
import { defineRoute, ReadyAnswer, type Route } from '../http/route.ts';
import { text } from '../http/schemas.ts';
import { runUnitOfWork } from '../storage/unit-of-work.ts';
import type { ApiKeyRow } from './api-key-store.ts';
import { authenticateClient } from './oauth-client.ts';
import { oauth } from './oauth-surface.ts';
import { chooseScopes, endToken, issueToken } from './oauth-token.ts';
import type { AccessServices } from './services.ts';

const credentials = {
  client_id: text(100).optional().meta({ description: 'The id of an API key; or send it with HTTP Basic.' }),
  client_secret: text(256).optional().meta({ description: 'The API key; or send it with HTTP Basic.' }),
};

// Unknown parameters are ignored (RFC 6749 section 3.2).
const TokenRequest = z
  .object({
    grant_type: z.string('is required').max(100, { abort: true }).meta({ description: '`client_credentials`' }),
    scope: text(1000)
      .optional()
      .meta({ description: 'Scopes of the key, separated by spaces; all of them when left out.' }),
    ...credentials,
  })
  .meta({ id: 'AccessTokenRequest' });

const TokenAnswer = z
  .strictObject({
    access_token: z.string().meta({ description: 'Send it as a bearer token: svc_at_….' }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().min(0).meta({ description: 'Seconds.' }),
    scope: z.string(),
  })
  .meta({ id: 'AccessToken' });

const RevocationRequest = z
  .object({
    token: z.string('is required').max(256, { abort: true }),
    token_type_hint: text(100).optional().meta({ description: 'Not needed: there is one kind of token.' }),
    ...credentials,
  })
  .meta({ id: 'AccessTokenRevocation' });

/** OAuth 2.0 for API keys: client credentials (RFC 6749 section 4.4) and revocation (RFC 7009). */
export function oauthRoutes({ database, hasher, lastUses, tokenLimit }: AccessServices): readonly Route[] {
  const open = {
    method: 'POST',
    tag: 'OAuth 2.0',
    auth: 'anonymous',
    surface: oauth,
    status: 200,
    limits: ({ client }: { readonly client: Client }) => [
      { policy: 'oauth', bucket: `oauth ${clientBucket(client)}`, limit: tokenLimit },
    ],
  } as const;
  const sourceOf = (key: ApiKeyRow, client: Client): AuditSource =>
    clientSource({ type: 'api_key', id: key.id, email: null }, client, hasher)(key.tenant_id);
  // Before the unit of work: who cannot say who they are must not make a writer wait.
  const authenticate = async (body: Parameters<typeof authenticateClient>[1], now: string): Promise<ApiKeyRow> => {
    const key = await authenticateClient(database.kysely, body, now);
    lastUses.note('api_keys', key.id, now);
    return key;
  };
  return [
    defineRoute({
      ...open,
      path: '/oauth/token',
      operationId: 'issueAccessToken',
      summary: 'Get an access token for an API key',
      description:
        'RFC 6749 section 4.4. The token lasts an hour, or until its key ends, and works wherever the key does, with the same or fewer scopes.',
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
        // Section 5.1 asks for it beside the Cache-Control that every answer here has.
        return new ReadyAnswer(200, oauth.present(token), { Pragma: 'no-cache' });
      },
    }),
    defineRoute({
      ...open,
      path: '/oauth/revoke',
      operationId: 'revokeAccessToken',
      summary: 'Revoke an access token of an API key',
      description: 'RFC 7009. The answer is the same when the key has no such token.',
      body: RevocationRequest,
      result: z.strictObject({}).meta({ id: 'RevokedAccessToken' }),
      errors: ['invalid_request', 'invalid_client'],
      async handle({ body, client, now }) {
        const key = await authenticate(body, now);
        await runUnitOfWork(database, now, (work) => endToken(work, sourceOf(key, client), key, body.token));
        return {};
      },
    }),
  ];
}
