import { randomBytes } from 'node:crypto';
import type { ApiKey } from '../types/api.ts';
import type { Keys } from './keys.ts';
import type { TestClock } from './test-clock.ts';

const lifetime = 3_600_000;

interface Token {
  /** The key that it was made of. */
  readonly key: string;
  readonly scopes: ApiKey['scopes'];
  readonly expiresAt: number;
}

/** Access tokens (OAuth 2.0 client credentials, RFC 6749): made of an API key, good for an hour. */
export class AccessTokens {
  readonly #keys: Keys;
  readonly #clock: TestClock;
  readonly #tokens = new Map<string, Token>();

  constructor(keys: Keys, clock: TestClock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** The key that a bearer value stands for, with no more scopes than the token has. */
  use(bearer: string): ApiKey | undefined {
    const now = this.#clock.now();
    const token = this.#tokens.get(bearer);
    if (token === undefined) return this.#keys.use(bearer, now);
    const key = token.expiresAt > this.#clock.milliseconds() ? this.#keys.use(token.key, now) : undefined;
    return key && { ...key, scopes: token.scopes };
  }

  /**
   * Answers `POST /oauth/token` and `POST /oauth/revoke`.
   * @param authorization the header, where the client may show its credentials (section 2.3.1).
   */
  answer(path: string, form: URLSearchParams, authorization = ''): { readonly status: number; readonly body: object } {
    const credentials = readBasic(authorization) ?? [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
    const [id, secret] = credentials;
    const key = this.#keys.use(secret, this.#clock.now());
    if (key?.id !== id || key === undefined) return refuse(401, 'invalid_client');
    if (path === '/oauth/revoke') {
      this.#tokens.delete(form.get('token') ?? '');
      return { status: 200, body: {} };
    }
    if (form.get('grant_type') !== 'client_credentials') return refuse(400, 'unsupported_grant_type');
    const wanted = form.get('scope')?.split(' ').filter(Boolean) ?? key.scopes;
    const scopes = key.scopes.filter((scope) => (wanted as readonly string[]).includes(scope));
    if (scopes.length < wanted.length) return refuse(400, 'invalid_scope');
    const token = `svc_at_${randomBytes(24).toString('hex')}`;
    this.#tokens.set(token, { key: secret, scopes, expiresAt: this.#clock.milliseconds() + lifetime });
    const body = { access_token: token, token_type: 'Bearer', expires_in: lifetime / 1000, scope: scopes.join(' ') };
    return { status: 200, body };
  }
}

function refuse(status: number, error: string) {
  return { status, body: { error, error_description: `The test server refuses: ${error}.` } };
}

function readBasic(header: string): readonly [string, string] | null {
  const [, encoded] = /^basic +(\S+)$/i.exec(header) ?? [];
  if (encoded === undefined) return null;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':').map(decodeForm);
  return [id, secret];
}

function decodeForm(text: string): string {
  return new URLSearchParams(`text=${text}`).get('text') ?? '';
}
