import type { OauthOptions } from './client-options.ts';
import type { rejectResponse } from './errors.ts';
import type { Runtime } from './runtime.ts';
import type { Operation, ResponseDetails } from './transport.ts';

type Request = <Data>(operation: Operation) => Promise<Data>;

interface HeldToken {
  readonly value: string;
  /** On the clock of the runtime. */
  readonly renewAt: number;
}

/** A token is renewed while it is still good, as long before its end as a request may take, and never at once. */
const mostAhead = 60_000;

/** For a token without a lifetime (RFC 6749 section 5.1). One that expires earlier is renewed when it is rejected. */
const usualLifetime = 300_000;

/** The access tokens of a client. Their module is loaded by the first call that needs one: most programs send their key. */
export interface Tokens {
  loaded: AccessTokens | null;
  readonly load: () => Promise<AccessTokens>;
}

/** Gets access tokens and keeps them. All calls of a client share one, also while it is on its way. */
export class AccessTokens {
  readonly #send: Request;
  readonly #runtime: Runtime;
  readonly #scope: string | undefined;
  readonly #reject: typeof rejectResponse;
  #held: HeldToken | null = null;
  #pending: Promise<HeldToken> | null = null;

  /** @param reject makes an error: importing it would pull its modules into what is loaded for OAuth. */
  constructor(send: Request, runtime: Runtime, { scope }: OauthOptions, reject: typeof rejectResponse) {
    this.#reject = reject;
    this.#send = send;
    this.#runtime = runtime;
    this.#scope = scope;
  }

  /** The token that may still be used; null if one has to be fetched. */
  get current(): string | null {
    return this.#held !== null && this.#runtime.now() < this.#held.renewAt ? this.#held.value : null;
  }

  /** Fetches a token, once for all waiting calls. */
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
    await this.#send({
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
    this.#held = await this.#send<HeldToken>({
      id: 'issueAccessToken',
      method: 'POST',
      path: '/oauth/token',
      body: { grant_type: 'client_credentials', scope: this.#scope },
      media: 'form',
      credential: 'client',
      answer: 'bare',
      // A second token does no harm; the first one ends by itself.
      idempotent: true,
      read: (answer, response) => this.#read(answer, response, asked),
    });
    return this.#held;
  }

  /**
   * The token of the answer of `POST /oauth/token` (RFC 6749 section 5.1).
   * @throws {ResponseError} for an answer without a token that a header can carry. Nothing of the answer is in it.
   */
  #read(answer: unknown, response: ResponseDetails, asked: number): HeldToken {
    const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = Object(answer);
    // RFC 6750 section 2.1.
    const isToken = typeof value === 'string' && /^[\w.~+/-]+=*$/.test(value) && /^bearer$/i.test(type);
    if (!isToken) throw this.#reject('The response has no bearer token.', 'issueAccessToken', response);
    const lifetime = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : usualLifetime;
    return { value, renewAt: asked + lifetime - Math.min(mostAhead, lifetime / 10) };
  }
}
