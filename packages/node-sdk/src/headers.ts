import { ConfigurationError } from './errors.ts';

type Headers = Readonly<Record<string, string | null>>;

const ownOptions: Readonly<Record<string, string>> = {
  authorization: 'apiKey, oauth or scimToken',
  'idempotency-key': 'idempotencyKey',
  'if-match': 'ifMatch',
  'svc-tenant': 'tenant',
  'svc-version': 'version',
};

/** Headers that the operation, the body and the connection determine. */
const notToBeSet =
  /^(?:host|connection|content-(?:length|type)|transfer-encoding|expect|upgrade|keep-alive|te|trailer|accept)$/;

/**
 * Headers by names in lower case.
 * @throws {ConfigurationError} for an invalid header, and for those that the caller may not set.
 */
export function checkHeaders(headers: Headers): Headers {
  if (typeof headers !== 'object' || headers === null) throw new ConfigurationError('headers must be an object.');
  const checked: Record<string, string | null> = Object.create(null);
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    if (!isToken(name)) throw new ConfigurationError(`${JSON.stringify(given)} is not a header name.`);
    if (Object.hasOwn(ownOptions, name))
      throw new ConfigurationError(`Set ${ownOptions[name]} instead of the header ${name}.`);
    if (notToBeSet.test(name)) throw new ConfigurationError(`The header ${name} cannot be set.`);
    checked[name] = value === null ? null : checkValue(`header ${name}`, value);
  }
  return checked;
}

/** RFC 9110 section 5.6.2. */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(text);
}

/** @throws {ConfigurationError} for a value with line ends or characters that no header can have. */
export function checkValue(what: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/.test(value))
    return value;
  throw new ConfigurationError(`The ${what} must be a string that a header can carry.`);
}

/** Flat, as undici takes them: name, value, name, value. */
export type HeaderList = readonly string[];

/** The names of a list with their values. */
export function toPairs(list: HeaderList): [name: string, value: string][] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] as string]] : []));
}

/** Puts headers over others. */
export function mergeHeaders(list: HeaderList, over: Headers): HeaderList {
  const kept = toPairs(list).filter(([name]) => over[name] === undefined);
  return [...kept, ...Object.entries(over)].flatMap(([name, value]) => (value === null ? [] : [name, value]));
}

/** The headers whose values are never secret; what a program adds may carry the key of a gateway. */
const openHeaders = /^(?:accept|accept-encoding|content-type|user-agent|idempotency-key|svc-tenant|svc-version)$/;

/** The headers as a hook may see them. */
export function redactHeaders(list: HeaderList): Readonly<Record<string, string>> {
  return Object.fromEntries(
    toPairs(list).map(([name, value]) => [name, openHeaders.test(name) ? value : '[redacted]']),
  );
}
