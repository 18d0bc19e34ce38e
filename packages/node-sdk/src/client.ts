import type { Tokens } from './access-tokens.ts';
import type { ByteQueue } from './byte-stream.ts';
import { Call } from './call.ts';
import { checkClientOptions } from './check-options.ts';
import type { ClientOptions } from './client-options.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Deprecations } from './deprecations.ts';
import { rejectResponse } from './errors.ts';
import { PendingList } from './page.ts';
import { PendingCall, PendingStream } from './pending-call.ts';
import { readData } from './read-answer.ts';
import { Consent } from './resources/consent.ts';
import { Controls } from './resources/controls.ts';
import { Ledgers } from './resources/ledgers.ts';
import {
  ApiKeys,
  Audit,
  Breaches,
  DataSubjectRequests,
  Members,
  ScimTokens,
  TenantSettings,
  Trust,
} from './resources/methods.ts';
import { Public } from './resources/public.ts';
import { Scim } from './resources/scim.ts';
import { Users } from './resources/users.ts';
import { Webhooks } from './resources/webhooks.ts';
import { RetryBudget } from './retry.ts';
import { Sender, type Shared } from './sender.ts';
import { readSettings, type Settings } from './settings.ts';
import type {
  ApiPromise,
  ByteStream,
  ListOperation,
  ListOptions,
  Operation,
  PagePromise,
  RequestOptions,
  StreamPromise,
  Transport,
} from './transport.ts';

/** Leads from the options that `withOptions` makes to the client that they come from. */
const inherited = Symbol('inherited');

/**
 * A client without the methods for the operations. Pass it to the resources that you use (`new
 * ConsentRecords(client)`), and a bundler leaves the others out; `Svc` has them all.
 */
export class SvcClient implements Transport, AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #settings: Settings;
  readonly #shared: Shared;
  readonly #sender: Sender;

  /** @throws {ConfigurationError} naming the option that is invalid, never its value. */
  constructor(options: ClientOptions = {}) {
    this.#settings = readSettings(options);
    const { [inherited]: base = null, ...own } = options as InheritingOptions;
    this.#options = own;
    this.#shared = this.#share(base);
    this.#sender = new Sender(this.#settings, this.#shared);
  }

  /**
   * A client that differs in some options, such as the tenant, and shares the connections of this one.
   * @param options undefined keeps a value; null removes the tenant.
   * @throws {ConfigurationError} naming the option that is invalid, never its value.
   */
  withOptions(options: ClientOptions): this {
    checkClientOptions(options);
    const { apiKey, oauth, ...others } = this.#options;
    // A new credential takes the place of the one of the other kind.
    const credential = options.apiKey === undefined && options.oauth === undefined ? { apiKey, oauth } : {};
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const inheriting: InheritingOptions = { ...others, ...credential, ...given, [inherited]: this };
    return new (this.constructor as new (given: ClientOptions) => this)(inheriting);
  }

  /** Calls an operation that this version of the package has no method for. */
  request<Data>(operation: Operation, options?: RequestOptions): ApiPromise<Data> {
    return request<Data>(this.#sender, operation, options);
  }

  /** Lists with an operation that this version of the package has no method for. */
  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item> {
    return new PendingList<Item>((page, pageOptions) => this.request(page, pageOptions), operation, options);
  }

  /** Streams from an operation that this version of the package has no method for. */
  stream(operation: Operation, options?: RequestOptions): StreamPromise {
    const stream = openStream(this.#sender, new Call({ ...operation, answer: 'stream' }, options));
    return new PendingStream(() => stream);
  }

  /** Revokes the access token in use, with `oauth`; the next call requests another one. */
  async revokeAccessToken(): Promise<void> {
    await this.#shared.tokens?.loaded?.revoke();
  }

  /**
   * Waits for the responses that are under way, cancels streams that were not read to their end, and closes the
   * connections, also for the clients that share them.
   */
  async close(): Promise<void> {
    await this.#shared.pool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** For logs: no credentials. */
  toJSON(): object {
    const { tenant, version } = this.#settings;
    const baseUrl = readIfSet(this.#settings.baseUrl);
    const credentials = readIfSet(this.#settings.credentials);
    return {
      baseUrl: baseUrl && baseUrl.origin + baseUrl.prefix,
      credentials: {
        apiKey: typeof credentials?.key === 'string',
        oauth: this.#options.oauth !== undefined,
        scimToken: typeof credentials?.scim === 'string',
      },
      tenant,
      version,
    };
  }

  [Symbol.for('nodejs.util.inspect.custom')](
    _depth: number,
    options: object,
    inspect: (value: unknown, options: object) => string,
  ): string {
    return `Svc ${inspect(this.toJSON(), options)}`;
  }

  /** Takes over from another client what would be the same. */
  #share(base: SvcClient | null): Shared {
    const { runtime, connections, hooks, retryBudget, ...settings } = this.#settings;
    const { dispatcher, oauth } = this.#options;
    const given = base && { options: base.#options, settings: base.#settings, shared: base.#shared };
    const [address, before] = [settings.baseUrl, given?.settings.baseUrl].map((read) => read && readIfSet(read));
    const isSameServer =
      before?.origin === address?.origin &&
      given?.options.dispatcher === dispatcher &&
      given?.settings.connections === connections &&
      !given.shared.pool.isClosed;
    const kept = isSameServer ? given : null;
    const isSameHook = kept?.options.hooks?.onDeprecation === this.#options.hooks?.onDeprecation;
    const isSameBudget = kept?.options.retryBudget === this.#options.retryBudget;
    const readOrigin = () => settings.baseUrl().origin;
    const shared: Shared = {
      pool: kept?.shared.pool ?? new ConnectionPool({ readOrigin, dispatcher, connections }),
      deprecations: kept && isSameHook ? kept.shared.deprecations : new Deprecations(hooks),
      budget: kept && isSameBudget ? kept.shared.budget : retryBudget && new RetryBudget(retryBudget),
      tokens: null,
    };
    if (oauth === undefined) return shared;
    if (kept?.options.oauth === oauth && before?.prefix === address?.prefix)
      return { ...shared, tokens: kept.shared.tokens };
    // Requested by a separate sender, which needs no token.
    const sender = new Sender(this.#settings, shared);
    const tokens: Tokens = {
      loaded: null,
      load: async () => {
        const { AccessTokens } = await import('./access-tokens.ts');
        tokens.loaded ??= new AccessTokens((operation) => request(sender, operation), runtime, oauth, rejectResponse);
        return tokens.loaded;
      },
    };
    return { ...shared, tokens };
  }
}

/**
 * The client of a Svc server. Create one and keep it, because it keeps connections open. The constructor checks the
 * options, so that a wrong one shows when the program starts; a missing address or key shows at the first call.
 */
export class Svc extends SvcClient {
  /** The API keys of the tenant. Scopes: `keys:read`, `keys:write`. */
  readonly apiKeys = new ApiKeys(this);
  /** The audit log. Scope: `audit:read`. */
  readonly audit = new Audit(this);
  /** Breaches of personal data. Scopes: `breach:read`, `breach:write`. */
  readonly breaches = new Breaches(this);
  /** Consent notices, records and subjects. Scopes: `consent:read`, `consent:write`; `dsr:write` to erase. */
  readonly consent = new Consent(this);
  /** Controls with their evidence and tests, and frameworks. Scopes: `controls:read`, `controls:write`. */
  readonly controls = new Controls(this);
  /** Requests of data subjects. Scopes: `dsr:read`, `dsr:write`. */
  readonly dsr = new DataSubjectRequests(this);
  /** The checkpoints, proofs and exports of the two ledgers. Scopes: `audit:read`, `consent:read`. */
  readonly ledgers = new Ledgers(this);
  /** The members of the tenant by name. Scope: `members:read`. */
  readonly members = new Members(this);
  /** Operations that need no credentials. */
  readonly public = new Public(this);
  /** SCIM 2.0. Needs the SCIM token, no scope. */
  readonly scim = new Scim(this);
  /** The SCIM token of the tenant. Scopes: `keys:read`, `keys:write`. */
  readonly scimToken = new ScimTokens(this);
  /** The tenant and its settings. Scopes: `users:read`, `members:read` for the overview, `tenant:write`. */
  readonly tenant = new TenantSettings(this);
  /** The trust center. Scopes: `trust:read`, `trust:write`. */
  readonly trust = new Trust(this);
  /** The members of the tenant, with their sessions and invitations. Scopes: `users:read`, `users:write`. */
  readonly users = new Users(this);
  /** Webhooks with their deliveries. Scopes: `webhooks:read`, `webhooks:write`. */
  readonly webhooks = new Webhooks(this);
}

interface InheritingOptions extends ClientOptions {
  readonly [inherited]?: SvcClient;
}

/** Null instead of an error for a setting that is missing, for printing and comparisons. */
function readIfSet<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

function request<Data>(sender: Sender, operation: Operation, options?: RequestOptions): ApiPromise<Data> {
  const call = new Call(operation, options);
  return new PendingCall<Data>(
    call,
    sender.send(call, null, (exchange) => readData(exchange, call) as Data),
  );
}

async function openStream(sender: Sender, call: Call): Promise<ByteStream> {
  // Loaded here, because few programs stream.
  const { ByteQueue } = await import('./byte-stream.ts');
  const stream = await sender.send(call, ByteQueue, ({ sink }) => sink as ByteQueue);
  return stream.requireType(call.target);
}
