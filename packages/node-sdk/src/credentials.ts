import { isBrowser } from '#platform';
import type { ClientOptions, OauthOptions } from './client-options.ts';
import { ConfigurationError } from './errors.ts';

/** The Authorization header of each kind of credential. */
export interface Credentials {
  readonly key: string | null;
  readonly scim: string | null;
  readonly client: string | null;
}

/**
 * Reads the credentials. No message has a part of them in it.
 * @param environmentKey used where the options name neither a key nor a client.
 * @throws {ConfigurationError} for what cannot be a credential of its kind.
 */
export function readCredentials(options: ClientOptions, environmentKey: string | undefined): Credentials {
  const { apiKey, oauth, scimToken } = options;
  if (isBrowser)
    throw new ConfigurationError('A browser would show credentials to its user. Call the API from a server.');
  if (apiKey !== undefined && oauth !== undefined) throw new ConfigurationError('Set apiKey or oauth, not both.');
  const key = oauth === undefined ? (apiKey ?? environmentKey) : undefined;
  return {
    key: key === undefined ? null : `Bearer ${checkApiKey(apiKey === undefined ? 'SVC_API_KEY' : 'apiKey', key)}`,
    scim: scimToken === undefined ? null : `Bearer ${checkScimToken(scimToken)}`,
    client: oauth === undefined ? null : describeClient(oauth),
  };
}

function checkApiKey(name: string, key: unknown): string {
  const text = checkCharacters(name, key);
  if (text.startsWith('scim_')) throw new ConfigurationError(`${name} is a SCIM token: set it as scimToken.`);
  if (!/^svc_[a-z]+_[0-9A-Za-z]+$/.test(text))
    throw new ConfigurationError(`${name} is not an API key (svc_live_… or svc_test_…).`);
  return text;
}

function checkScimToken(token: unknown): string {
  const text = checkCharacters('scimToken', token);
  if (text.startsWith('svc_')) throw new ConfigurationError('scimToken is an API key: set it as apiKey.');
  if (!/^scim_[0-9A-Za-z]+$/.test(text)) throw new ConfigurationError('scimToken is not a SCIM token (scim_…).');
  return text;
}

function checkCharacters(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new ConfigurationError(`${name} must be a string.`);
  if (value === '') throw new ConfigurationError(`${name} is empty.`);
  if (/\s/.test(value)) throw new ConfigurationError(`${name} contains white space.`);
  if (/[^\x21-\x7e]/.test(value)) throw new ConfigurationError(`${name} contains invalid characters.`);
  return value;
}

/** RFC 6749 section 2.3.1: both parts encoded as in a form, then as HTTP Basic has it (RFC 7617). */
function describeClient({ clientId, clientSecret, scope }: OauthOptions): string {
  if (scope !== undefined && !/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(scope))
    throw new ConfigurationError('oauth.scope must be scopes separated by single spaces.');
  const id = checkCharacters('oauth.clientId', clientId);
  const secret = checkApiKey('oauth.clientSecret', clientSecret);
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return `Basic ${btoa(pair)}`;
}
