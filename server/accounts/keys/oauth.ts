import { z } from 'zod';
import { ReadyAnswer, type Surface } from '../../http/answer.ts';
import type { AuditSource } from '../../http/principal.ts';
import { Problem, type ProblemCode } from '../../http/problem.ts';
import { type Client, limitAddress, readFormBody } from '../../http/request.ts';
import { readScopes, type Scope } from '../../http/roles.ts';
import { type Call, defineRoute, type Route } from '../../http/route.ts';
import { namedObject, text } from '../../http/schemas.ts';
import { compactPasted } from '../../http/typed-text.ts';
import type { Installation } from '../../installation/installation.ts';
import { generateToken, hashToken } from '../../installation/token.ts';
import { clientSource, recordEvent } from '../../ledger/audit/store.ts';
import { runTransaction, type Transaction } from '../../storage/database.ts';
import type { Queries } from '../../storage/queries.ts';
import { countDeleted, findRow, insertRow } from '../../storage/rows.ts';
import { limitCredential } from '../authenticate.ts';
import { accessTokenPrefix, type LastUses } from '../credentials.ts';
import { findTenant } from '../tenants/store.ts';
import { type ApiKeyRow, expiryAfter, statusOf } from './api-key.ts';

const credentials = {
  client_id: text(100)
    .transform(compactPasted)
    .optional()
    .meta({ description: 'The id of an API key; can be sent with HTTP Basic instead.' }),
  client_secret: text(256)
    .transform(compactPasted)
    .optional()
    .meta({ description: 'The API key; can be sent with HTTP Basic instead.' }),
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

const TokenAnswer = namedObject('AccessToken', {
  access_token: z.string().meta({ description: 'To send as a bearer token: svc_at_….' }),
  token_type: z.literal('Bearer'),
  expires_in: z.int().min(0).meta({ description: 'Seconds.' }),
  scope: z.string(),
});

const RevocationRequest = z
  .object({
    token: z.string('is required').max(256, { abort: true }).transform(compactPasted),
    token_type_hint: text(100).optional().meta({ description: 'Ignored: there is only one kind of token.' }),
    ...credentials,
  })
  .meta({ id: 'AccessTokenRevocation' });

/** Client credentials (RFC 6749 section 4.4) and revocation (RFC 7009) for API keys. */
export function oauthRoutes({ database, hasher, settings }: Installation, lastUses: LastUses): readonly Route[] {
  const common = {
    tag: 'OAuth 2.0',
    auth: 'anonymous',
    surface: oauth,
    limits: ({ client }: { readonly client: Client }) =>
      limitAddress(client, { policy: 'oauth', limit: settings.limits.apiKey }),
  } as const;
  const sourceOf = (key: ApiKeyRow, client: Client): AuditSource =>
    clientSource({ type: 'api_key', id: key.id, email: null }, client, hasher)(key.tenant_id);
  /** The API key of the client, read outside of the transaction so that unknown clients do not hold the writer. */
  const authenticate = async ({
    body,
    now,
    takeLimit,
  }: Pick<
    Call<unknown, unknown, z.output<typeof RevocationRequest | typeof TokenRequest>>,
    'body' | 'now' | 'takeLimit'
  >): Promise<ApiKeyRow> => {
    const { client_id, client_secret = '' } = body;
    const key = await findRow(database.kysely, 'api_keys', { hash: hashToken(client_secret) });
    if (key === undefined || key.id !== client_id || statusOf(key, now) !== 'active') throw invalidClient();
    if ((await findTenant(database.kysely, key.tenant_id)) === undefined) throw invalidClient();
    for (const rule of limitCredential({ kind: 'api_key', id: key.id }, key.tenant_id, settings.limits))
      takeLimit(rule);
    lastUses.note('api_keys', { id: key.id, tenantId: key.tenant_id }, now);
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
      errors: oauthCodes,
      async handle(call) {
        const { body, client, now } = call;
        const key = await authenticate(call);
        if (body.grant_type !== 'client_credentials')
          throw new Problem('unsupported_grant_type', 'The grant type must be client_credentials.');
        const scopes = chooseScopes(key, body.scope);
        const token = await runTransaction(database, now, (tx) => issueToken(tx, sourceOf(key, client), key, scopes));
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
      result: namedObject('RevokedAccessToken', {}),
      errors: ['invalid_request', 'invalid_client'],
      async handle(call) {
        const { body, client, now } = call;
        const key = await authenticate(call);
        await runTransaction(database, now, (tx) => revokeToken(tx, sourceOf(key, client), key, body.token));
        return {};
      },
    }),
  ];
}

/** Issues an access token for a key: it expires after an hour, or with the key. @returns RFC 6749 section 5.1. */
async function issueToken(tx: Transaction, source: AuditSource, key: ApiKeyRow, scopes: readonly Scope[]) {
  const expiresAt = expiryAfter(key, 1, tx.now);
  const token = generateToken(accessTokenPrefix);
  const hash = hashToken(token);
  const scope = scopes.join(' ');
  await insertRow(tx.queries, 'access_tokens', {
    tenant_id: key.tenant_id,
    hash,
    key_id: key.id,
    scopes: scope,
    expires_at: expiresAt,
  });
  await recordEvent(tx, source, { ...tokenEvent('issued', key), diff: { scopes, expiresAt } });
  const seconds = Math.floor((Date.parse(expiresAt) - Date.parse(tx.now)) / 1000);
  return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope } as const;
}

/** Revokes an access token of a key; does nothing when the key has no such token (RFC 7009 section 2.2). */
async function revokeToken(tx: Transaction, source: AuditSource, key: ApiKeyRow, token: string): Promise<void> {
  const { numDeletedRows } = await tx.queries
    .deleteFrom('access_tokens')
    .where('tenant_id', '=', key.tenant_id)
    .where('hash', '=', hashToken(token))
    .where('key_id', '=', key.id)
    .executeTakeFirstOrThrow();
  if (numDeletedRows > 0n) await recordEvent(tx, source, tokenEvent('revoked', key));
}

function tokenEvent(verb: string, { id, name }: ApiKeyRow) {
  return { module: 'access', action: `access_token.${verb}`, targetId: id, targetRef: name } as const;
}

export async function deleteExpiredTokens(queries: Queries, now: string): Promise<number> {
  return countDeleted(queries.deleteFrom('access_tokens').where('expires_at', '<=', now));
}

/** @param wanted scopes of the key, separated by spaces; undefined for all. @throws {Problem} `invalid_scope`. */
function chooseScopes(key: ApiKeyRow, wanted: string | undefined): readonly Scope[] {
  const held = [...readScopes(key.scopes)];
  if (wanted === undefined) return held;
  const words = new Set(wanted.split(' '));
  const lacking = [...words].filter((word) => !held.some((scope) => scope === word));
  if (lacking.length > 0)
    throw new Problem('invalid_scope', `The key does not have: ${lacking.join(' ') || '(an empty scope)'}.`);
  return held.filter((scope) => words.has(scope));
}

/** The most bytes of a token request; a key, an id and every scope need much less. */
const bodyLimit = 8 * 1024;

/** The codes of RFC 6749 section 5.2 that the REST API has too. */
const oauthCodes: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_client',
  'invalid_scope',
  'unsupported_grant_type',
];

/** RFC 6749 section 5.2. */
const OauthError = namedObject('OauthError', {
  error: z.enum([...oauthCodes, 'temporarily_unavailable', 'server_error']),
  error_description: z.string().meta({ description: 'What is wrong and what to do about it, for people.' }),
});

/**
 * OAuth 2.0: form requests, JSON answers, errors in the form of RFC 6749 section 5.2. A client sends its credentials in
 * the Authorization header or in the form (section 2.3.1); operations read them from the form in both cases.
 */
export const oauth: Surface = {
  base: '/oauth',
  answerType: 'application/json; charset=utf-8',
  bodyTypes: ['application/x-www-form-urlencoded'],
  text: {
    errors: OauthError,
    commonCodes: ['not_found', 'method_not_allowed', 'rate_limited', 'internal_error', 'unavailable'],
    bodyCodes: ['payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => nameError(new Problem(code, '')),
    sendsLocation: false,
  },
  authenticatesFirst: false,
  isVersioned: false,
  async readBody(request) {
    const { bytes, value } = await readFormBody(request, bodyLimit);
    // "Parameters sent without a value MUST be treated as if they were omitted" (section 3.2).
    const given = Object.entries(value as Record<string, string>).filter(([, text]) => text !== '');
    return { bytes, value: withClientCredentials(Object.fromEntries(given), request.headers.authorization) };
  },
  present: (result) => JSON.stringify(result),
  presentProblem: (problem) => ({
    status: problem.code === 'validation_failed' ? 400 : problem.status,
    body: {
      error: nameError(problem),
      // The characters that section 5.2 allows.
      error_description: problem.message.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'"),
    },
  }),
};

/** The OAuth code of an error of any surface (RFC 6749 sections 5.2 and 4.1.2.1). */
function nameError({ code, status }: Problem): string {
  if (oauthCodes.includes(code)) return code;
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}

/** @throws {Problem} `invalid_request` for credentials in two places (RFC 6749 section 2.3), `invalid_client`. */
function withClientCredentials(form: Readonly<Record<string, string>>, header: string | undefined) {
  if (header === undefined) return form;
  const credentials = readBasic(header);
  const isOtherId = form.client_id !== undefined && form.client_id !== credentials.client_id;
  if (form.client_secret !== undefined || isOtherId)
    throw new Problem(
      'invalid_request',
      'Send the client credentials in the Authorization header or the form, not both.',
    );
  return { ...form, ...credentials };
}

/** RFC 6749 section 2.3.1: each part is encoded as in a form, then both as in HTTP Basic (RFC 7617). */
function readBasic(header: string): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? '';
  const parts = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString());
  if (parts === null) throw invalidClient();
  try {
    const decoded = parts.slice(1).map((part) => decodeURIComponent(part.replaceAll('+', ' ')));
    const [client_id = '', client_secret = ''] = decoded;
    return { client_id, client_secret };
  } catch {
    throw invalidClient();
  }
}

/** RFC 6749 section 5.2: the same error for an unknown id and a wrong secret. */
function invalidClient(): Problem {
  return new Problem(
    'invalid_client',
    'Send the id of an API key as client_id and the key as client_secret; these are unknown, expired or revoked.',
    { headers: { 'WWW-Authenticate': 'Basic realm="svc"' } },
  );
}
