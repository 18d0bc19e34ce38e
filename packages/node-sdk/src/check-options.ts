import type { ClientOptions } from './client-options.ts';
import { ConfigurationError } from './errors.ts';
import type { Hooks } from './hooks.ts';
import type { RequestOptions } from './transport.ts';

/** Every name of a type, so that the compiler sees one that is forgotten. */
type Names<Options> = Readonly<Record<keyof Required<Options>, 1>>;

type Common = Omit<RequestOptions, 'signal' | 'idempotencyKey'>;
const common: Names<Common> = { timeout: 1, deadline: 1, retries: 1, tenant: 1, version: 1, headers: 1 };
const requestNames: Names<RequestOptions> = { ...common, signal: 1, idempotencyKey: 1 };
const clientNames: Names<ClientOptions> = {
  ...common,
  apiKey: 1,
  oauth: 1,
  scimToken: 1,
  baseUrl: 1,
  allowInsecure: 1,
  retryBudget: 1,
  maxResponseBytes: 1,
  connections: 1,
  hooks: 1,
  dispatcher: 1,
  appInfo: 1,
  runtime: 1,
};
const hookNames: Names<Hooks> = { onRequest: 1, onResponse: 1, onRetry: 1, onError: 1, onDeprecation: 1 };

/**
 * Checks the form of the options of a client; what they say is checked where it is used.
 * @throws {ConfigurationError} naming what is wrong, never its value.
 */
export function checkClientOptions(options: ClientOptions): void {
  checkNames('The options of a client', options, clientNames);
  const { oauth, retryBudget, appInfo, hooks = {}, dispatcher, runtime, allowInsecure = false } = options;
  if (oauth !== undefined) checkNames('oauth', oauth, { clientId: 1, clientSecret: 1, scope: 1 });
  if (retryBudget !== undefined && retryBudget !== null)
    checkNames('retryBudget', retryBudget, { capacity: 1, refill: 1 });
  if (appInfo !== undefined) checkNames('appInfo', appInfo, { name: 1, version: 1 });
  checkNames('hooks', hooks, hookNames);
  const given = Object.keys(hooks).filter((name) => hooks[name as keyof Hooks] !== undefined);
  checkMethods('hooks', hooks, given);
  if (dispatcher !== undefined) checkMethods('dispatcher', dispatcher, ['dispatch']);
  if (runtime !== undefined) checkMethods('runtime', runtime, ['now', 'wallClock', 'random', 'setTimer', 'clearTimer']);
  if (typeof allowInsecure !== 'boolean') throw new ConfigurationError('allowInsecure must be true or false.');
}

/** Checks the form of the options of a call. @throws {ConfigurationError} naming what is wrong. */
export function checkRequestOptions(options: RequestOptions): void {
  checkNames('The options of a call', options, requestNames);
  if (options.signal !== undefined) checkMethods('signal', options.signal, ['addEventListener', 'removeEventListener']);
}

/** @throws {ConfigurationError} for a value that is not an object, and for an unknown name, which is a typing error. */
function checkNames(what: string, value: unknown, names: object): void {
  if (typeof value !== 'object' || value === null) throw new ConfigurationError(`${what} must be an object.`);
  for (const name of Object.keys(value))
    if (!Object.hasOwn(names, name))
      throw new ConfigurationError(
        `${what}: unknown option ${JSON.stringify(name)}.${suggest(name, Object.keys(names))}`,
      );
}

/** Suggests a known option that contains the unknown one, is contained in it, or starts with the same three letters. */
function suggest(unknown: string, names: readonly string[]): string {
  const given = unknown.toLowerCase();
  const match = names.find((name) => {
    const known = name.toLowerCase();
    return given.includes(known) || (given.length > 2 && known.includes(given)) || known.startsWith(given.slice(0, 3));
  });
  return match === undefined ? '' : ` Did you mean ${JSON.stringify(match)}?`;
}

function checkMethods(what: string, value: object, names: readonly string[]): void {
  for (const name of names)
    if (typeof Object(value)[name] !== 'function')
      throw new ConfigurationError(`${what} must have a function ${name}.`);
}
