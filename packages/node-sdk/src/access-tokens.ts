import type { OauthOptions } from './client-options.ts';
import type { Runtime } from './runtime.ts';
import type { Transport } from './transport.ts';

/** The answer of `POST /oauth/token` (RFC 6749 section 5.1). */
interface IssuedToken {
  readonly access_token: string;
  /** Seconds. */
  readonly expires_in: number;
}

interface HeldToken {
  readonly value: string;
  /** On the clock of the runtime. */
  readonly renewAt: number;
}

/** A token is renewed while it is still good, as long before its end as a request may take, and never at once. */
const mostAhead = 60_000;

/** Gets access tokens and keeps them. All calls of a client share one, also while it is on its way. */
export class AccessTokens {
  readonly #transport: Pick<Transport, 'request'>;
  readonly #runtime: Runtime;
  readonly #scope: string | undefined;
  #held: HeldToken | null = null;
  #pending: Promise<HeldToken> | null = null;

  constructor(transport: Pick<Transport, 'request'>, runtime: Runtime, { scope }: OauthOptions) {
    this.#transport = transport;
    this.#runtime = runtime;
    this.#scope = scope;
  }

  /** The token that may still be used; null where one has to be asked for. */
  get current(): string | null {
    return this.#held !== null && this.#runtime.now() < this.#held.renewAt ? this.#held.value : null;
  }

  /** Asks for a token, once for all who wait. */
  async fetch(): Promise<string> {
    this.#pending ??= this.#request().finally(() => {
      this.#pending = null;
    });
    return (await this.#pending).value;
  }

  /** Forgets a token that the server does not take; another one may have come in the meantime. */
  drop(value: string): void {
    if (this.#held?.value === value) this.#held = null;
  }

  /** Ends the token on the server (RFC 7009). Nothing happens where there is none. */
  async revoke(): Promise<void> {
    const token = this.#held?.value;
    if (token === undefined) return;
    this.drop(token);
    await this.#transport.request({
      id: 'revokeAccessToken',
      method: 'POST',
      path: '/oauth/revoke',
      body: { token },
      media: 'form',
      credential: 'client',
      answer: 'bare',
      idempotent: true,
    });
  }

  async #request(): Promise<HeldToken> {
    const asked = this.#runtime.now();
    const { access_token, expires_in } = await this.#transport.request<IssuedToken>({
      id: 'issueAccessToken',
      method: 'POST',
      path: '/oauth/token',
      body: { grant_type: 'client_credentials', scope: this.#scope },
      media: 'form',
      credential: 'client',
      answer: 'bare',
      // A second token does no harm; the first one ends by itself.
      idempotent: true,
    });
    const lifetime = Math.max(0, expires_in * 1000);
    this.#held = { value: access_token, renewAt: asked + lifetime - Math.min(mostAhead, lifetime / 10) };
    return this.#held;
  }
}
