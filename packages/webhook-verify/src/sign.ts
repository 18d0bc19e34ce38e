import { readBytes } from './body.ts';
import { importKey, joinSigned, readMac } from './mac.ts';
import { readSettings } from './settings.ts';

export interface SignOptions {
  readonly body: Uint8Array | ArrayBuffer | string;
  /** The secret of the endpoint; several sign as during a rotation. */
  readonly secrets: string | readonly string[];
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** Makes the `Svc-Signature` header of a body, as the server does. */
export async function signPayload({ body, secrets, now }: SignOptions): Promise<string> {
  const settings = readSettings({ secrets, now });
  const time = `${Math.floor(settings.now() / 1000)}`;
  const signed = joinSigned(time, readBytes(body));
  const signatures = settings.secrets.map(async (secret) => {
    const digest = readMac(await crypto.subtle.sign('HMAC', await importKey(secret), signed));
    return `v1=${Array.from(digest, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')}`;
  });
  return [`t=${time}`, ...(await Promise.all(signatures))].join(',');
}
