import { displayPrefix, generateToken, isToken } from '../installation/token.ts';

export const keyEnvironments = ['live', 'test'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];

/** A new API key: `svc_<env>_` and what every token has. */
export function generateApiKey(environment: KeyEnvironment): string {
  return generateToken(`svc_${environment}_`);
}

/** Whether a text has the form and the checksum of an API key; says nothing about whether the key exists. */
export function isApiKey(text: string): boolean {
  return keyEnvironments.some((environment) => isToken(`svc_${environment}_`, text));
}

/** What may be shown of a key later: its prefix and four characters of the secret. */
export function displayApiKey(key: string): string {
  return displayPrefix('svc_live_', key);
}
