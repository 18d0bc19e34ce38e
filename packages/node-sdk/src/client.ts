import { AccessTokens } from './access-tokens.ts';
import { checkClientOptions } from './check-options.ts';
import type { ClientOptions } from './client-options.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Deprecations } from './deprecations.ts';
import { HttpTransport } from './http-transport.ts';
import { ApiKeys } from './resources/api-keys.ts';
import { Audit } from './resources/audit.ts';
import { Breaches } from './resources/breaches.ts';
import { Consent } from './resources/consent.ts';
import { Controls } from './resources/controls.ts';
import { DataSubjectRequests } from './resources/dsr.ts';
import { Ledgers } from './resources/ledgers.ts';
import { Public } from './resources/public.ts';
import { Scim } from './resources/scim.ts';
import { ScimTokens } from './resources/scim-token.ts';
import { TenantSettings } from './resources/tenant.ts';
import { Trust } from './resources/trust.ts';
import { Users } from './resources/users.ts';
import { Webhooks } from './resources/webhooks.ts';
import { RetryBudget } from './retry.ts';
import type { Shared } from './sender.ts';
import { readSettings, type Settings } from './settings.ts';
import type {
  ApiPromise,
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
 * The client of a Svc server. A program makes one and keeps it, because it keeps connections open. Its options are checked
 * here, so that a wrong one shows when the program starts; a missing address or key shows at the first call.
 */
export class Svc implements AsyncDisposable {
  readonly apiKeys: ApiKeys;
  readonly audit: Audit;
  readonly breaches: Breaches;
  readonly consent: Consent;
  readonly controls: Controls;
  readonly dsr: DataSubjectRequests;
  readonly ledgers: Ledgers;
  /** What needs no credentials. */
  readonly public: Public;
  /** What takes the SCIM token. */
  readonly scim: Scim;
  readonly scimToken: ScimTokens;
  readonly tenant: TenantSettings;
  readonly trust: Trust;
  readonly users: Users;
  readonly webhooks: Webhooks;
  readonly #options: ClientOptions;
  readonly #settings: Settings;
  readonly #shared: Shared;
  readonly #transport: Transport;

  /** @throws {ConfigurationError} naming the option that cannot be used, never its value. */
  constructor(options: ClientOptions = {}) {
    this.#settings = readSettings(options);
    const { [inherited]: base, ...own } = options as InheritingOptions;
    this.#options = own;
    this.#shared = shareParts(this.#settings, own, base ?? null);
    const transport = new HttpTransport(this.#settings, this.#shared);
    this.#transport = transport;
    this.apiKeys = new ApiKeys(transport);
    this.audit = new Audit(transport);
    this.breaches = new Breaches(transport);
    this.consent = new Consent(transport);
    this.controls = new Controls(transport);
    this.dsr = new DataSubjectRequests(transport);
    this.ledgers = new Ledgers(transport);
    this.public = new Public(transport);
    this.scim = new Scim(transport);
    this.scimToken = new ScimTokens(transport);
    this.tenant = new TenantSettings(transport);
    this.trust = new Trust(transport);
    this.users = new Users(transport);
    this.webhooks = new Webhooks(transport);
  }

  /**
   * A client that differs in some options, such as the tenant, and shares the connections of this one.
   * @param options what is undefined stays as it is; null takes the tenant away.
   * @throws {ConfigurationError} naming the option that cannot be used, never its value.
   */
  withOptions(options: ClientOptions): Svc {
    checkClientOptions(options);
    const { apiKey, oauth, ...others } = this.#options;
    // A new credential takes the place of the one of the other kind.
    const credential = options.apiKey === undefined && options.oauth === undefined ? { apiKey, oauth } : {};
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const inheriting: InheritingOptions = { ...others, ...credential, ...given, [inherited]: this.#parts };
    return new Svc(inheriting);
  }

  /** Calls an operation that this version of the package has no method for. */
  request<Data>(operation: Operation, options?: RequestOptions): ApiPromise<Data> {
    return this.#transport.request<Data>(operation, options);
  }

  /** Lists with an operation that this version of the package has no method for. */
  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item> {
    return this.#transport.list<Item>(operation, options);
  }

  /** Streams from an operation that this version of the package has no method for. */
  stream(operation: Operation, options?: RequestOptions): StreamPromise {
    return this.#transport.stream(operation, options);
  }

  /** Ends the access token at hand, with `oauth`; the next call asks for another one. */
  async revokeAccessToken(): Promise<void> {
    await this.#shared.tokens?.revoke();
  }

  /**
   * Waits for the answers that are under way, gives up streams that were not read to their end, and ends the connections, also
   * for the clients that share them.
   */
  async close(): Promise<void> {
    await this.#shared.pool.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** What may be shown of the client: no key. */
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

  get #parts(): Parts {
    return { shared: this.#shared, settings: this.#settings, options: this.#options };
  }
}

interface InheritingOptions extends ClientOptions {
  readonly [inherited]?: Parts;
}

interface Parts {
  readonly shared: Shared;
  readonly settings: Settings;
  readonly options: ClientOptions;
}

/** What is missing is null here, for printing. */
function readIfSet<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch {
    return null;
  }
}

/** Takes over from another client what would be the same. */
function shareParts(settings: Settings, options: ClientOptions, base: Parts | null): Shared {
  const { runtime, connections } = settings;
  const { dispatcher } = options;
  const readOrigin = () => settings.baseUrl().origin;
  const isSameServer =
    base !== null &&
    readIfSet(base.settings.baseUrl)?.origin === readIfSet(settings.baseUrl)?.origin &&
    base.options.dispatcher === dispatcher &&
    base.settings.connections === connections &&
    !base.shared.pool.isClosed;
  const pool = isSameServer ? base.shared.pool : new ConnectionPool({ readOrigin, dispatcher, connections });
  const isSameBudget = isSameServer && base.options.retryBudget === options.retryBudget;
  const budget = settings.retryBudget === null ? null : new RetryBudget(settings.retryBudget);
  const isSameHook = isSameServer && base.options.hooks?.onDeprecation === options.hooks?.onDeprecation;
  const deprecations = isSameHook ? base.shared.deprecations : new Deprecations(settings.hooks);
  const shared = { pool, deprecations, budget: isSameBudget ? base.shared.budget : budget };
  if (options.oauth === undefined) return { ...shared, tokens: null };
  const isSameClient =
    isSameServer &&
    base.options.oauth === options.oauth &&
    readIfSet(base.settings.baseUrl)?.prefix === readIfSet(settings.baseUrl)?.prefix;
  if (isSameClient) return { ...shared, tokens: base.shared.tokens };
  // Asked for by a transport of its own, which needs no token.
  const transport = new HttpTransport(settings, { ...shared, tokens: null });
  return { ...shared, tokens: new AccessTokens(transport, runtime, options.oauth) };
}
