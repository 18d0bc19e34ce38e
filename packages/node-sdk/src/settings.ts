import { platformHeaders, platformName, readEnvironment } from '#platform';
import { checkClientOptions } from './check-options.ts';
import type { AppInfo, ClientOptions } from './client-options.ts';
import { type Credentials, readCredentials } from './credentials.ts';
import { ConfigurationError } from './errors.ts';
import { checkHeaders, checkValue, type HeaderList, isToken, mergeHeaders } from './headers.ts';
import type { Hooks } from './hooks.ts';
import type { RetryBudgetOptions } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import type { RequestOptions } from './transport.ts';
import { apiVersion, packageVersion } from './version.ts';

/** Longest delay of a timer, in milliseconds; with a longer one it would fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** How long a call may take and how often it is tried. */
export interface Limits {
  readonly timeout: number;
  readonly deadline: number;
  readonly retries: number;
}

/** The options of a client, checked and complete. */
export interface Settings extends Limits {
  /** @throws {ConfigurationError} where no address is given or set, or one that cannot be used. */
  readonly baseUrl: () => BaseUrl;
  /** @throws {ConfigurationError} for an empty credential. */
  readonly credentials: () => Credentials;
  readonly version: string | null;
  readonly tenant: string | null;
  readonly retryBudget: RetryBudgetOptions | null;
  readonly maxResponseBytes: number;
  /** How many requests are sent at once. */
  readonly connections: number;
  /** For every request. */
  readonly headers: HeaderList;
  readonly hooks: Hooks;
  readonly runtime: Runtime;
}

/**
 * Checks the options. A missing address or credential is no error before it is used: builds load modules where the
 * variables of the server are not set.
 * @throws {ConfigurationError}
 */
export function readSettings(options: ClientOptions): Settings {
  checkClientOptions(options);
  const { retryBudget = { capacity: 20, refill: 0.1 }, maxResponseBytes = 16 * 1024 * 1024 } = options;
  const { connections = 100, allowInsecure = false } = options;
  checkCount('connections', connections, 1);
  checkCount('maxResponseBytes', maxResponseBytes, 1);
  if (retryBudget !== null) checkBudget(retryBudget);
  const findAddress = () => options.baseUrl ?? readEnvironment('SVC_BASE_URL');
  const own = ['user-agent', describeAgent(options.appInfo), ...platformHeaders];
  return {
    ...readLimits(options, { timeout: 30_000, deadline: 100_000, retries: 2 }),
    baseUrl: readOnce(() => readBaseUrl(findAddress(), allowInsecure), !findAddress()),
    credentials: readOnce(() => readCredentials(options, readEnvironment('SVC_API_KEY')), !hasCredentials(options)),
    version: chooseVersion(options.version, apiVersion),
    tenant: chooseTenant(options.tenant, null),
    retryBudget,
    maxResponseBytes,
    connections,
    headers: options.headers === undefined ? own : mergeHeaders(own, checkHeaders(options.headers)),
    hooks: options.hooks ?? {},
    runtime: options.runtime ?? systemRuntime,
  };
}

/** Reads a value now, or at its first use. */
function readOnce<Value>(read: () => Value, isLater: boolean): () => Value {
  let value = isLater ? undefined : read();
  return () => {
    value ??= read();
    return value;
  };
}

/** True if there is a credential, and none is empty. */
function hasCredentials({ apiKey, oauth, scimToken }: ClientOptions): boolean {
  const key = oauth === undefined ? (apiKey ?? readEnvironment('SVC_API_KEY')) : apiKey;
  const given: unknown[] = [key, scimToken, ...(oauth === undefined ? [] : [oauth.clientId, oauth.clientSecret])];
  return given.some((text) => text !== undefined) && !given.includes('');
}

/**
 * The limits of one call.
 * @param defaults those of the client.
 * @throws {ConfigurationError} for an invalid limit. 0 retries are 0.
 */
export function readLimits(options: Pick<RequestOptions, keyof Limits>, defaults: Limits): Limits {
  const { timeout = defaults.timeout, deadline = defaults.deadline, retries = defaults.retries } = options;
  checkDuration('timeout', timeout);
  checkDuration('deadline', deadline);
  checkCount('retries', retries, 0);
  return { timeout, deadline, retries };
}

/** @throws {ConfigurationError} for anything but a whole number of at least `least`. */
export function checkCount(name: string, value: unknown, least: number): asserts value is number {
  if (!Number.isSafeInteger(value) || (value as number) < least)
    throw new ConfigurationError(`${name} must be a whole number, ${least} or more.`);
}

function checkDuration(name: string, value: number): void {
  const isTimer = typeof value === 'number' && value > 0 && value <= longestTimer;
  if (!isTimer && value !== Number.POSITIVE_INFINITY)
    throw new ConfigurationError(`${name} must be above 0 and at most ${longestTimer} ms, or Infinity.`);
}

function checkBudget({ capacity, refill }: RetryBudgetOptions): void {
  const isBudget = Number.isFinite(capacity) && capacity >= 0 && Number.isFinite(refill) && refill >= 0;
  if (!isBudget) throw new ConfigurationError('retryBudget needs a capacity and a refill of 0 or more, or null.');
}

/** The tenant to act for; null for that of the key. @throws {ConfigurationError} */
export function chooseTenant(tenant: string | null | undefined, inherited: string | null): string | null {
  if (tenant === undefined) return inherited;
  return tenant === null ? null : checkValue('tenant', tenant);
}

/** The version to send; null for that of the tenant. @throws {ConfigurationError} for an invalid date. */
export function chooseVersion(version: string | null | undefined, inherited: string | null): string | null {
  if (version === undefined) return inherited;
  if (version === null) return null;
  if (typeof version === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(version)) return version;
  throw new ConfigurationError('version must be a date such as 2026-11-01.');
}

/** RFC 9110 section 10.1.5: products, the one that matters most first. */
function describeAgent(appInfo: AppInfo | undefined): string {
  const own = `svc-node/${packageVersion} ${platformName}`;
  if (appInfo === undefined) return own;
  const { name, version } = appInfo;
  for (const text of [name, version ?? 'x'])
    if (!isToken(text)) throw new ConfigurationError('appInfo must be single words, such as my-app and 1.0.');
  return `${name}${version === undefined ? '' : `/${version}`} ${own}`;
}

/** Where the server is: its origin, and what comes before every path, without a slash at its end. */
export interface BaseUrl {
  readonly origin: string;
  readonly prefix: string;
}

/**
 * Reads the address of the server.
 * @throws {ConfigurationError} for an invalid address, and for one that would send keys in the clear over a network.
 */
function readBaseUrl(text: unknown, allowInsecure: boolean): BaseUrl {
  if (text === undefined || text === '')
    throw new ConfigurationError('Set baseUrl or SVC_BASE_URL to the address of your server.');
  const url = typeof text === 'string' && !/\s/.test(text) ? URL.parse(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ConfigurationError('baseUrl must be an https:// address, or http:// on this machine.');
  if (url.username + url.password + url.search + url.hash !== '')
    throw new ConfigurationError('baseUrl must not contain a user, a password, a query or a fragment.');
  const isLoopback = /^(?:(?:.*\.)?localhost|\[::1\]|127(?:\.\d+){3})$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLoopback && !allowInsecure)
    throw new ConfigurationError(
      `baseUrl ${url.origin} would send keys unencrypted. Use https://, or set allowInsecure on a network that you trust.`,
    );
  return { origin: url.origin, prefix: url.pathname.replace(/(?<!\/)\/+$/, '') };
}
