import {
  createHmac,
  createPrivateKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
} from 'node:crypto';
import { randomText } from '../../installation/token.ts';
import type { SecretBox } from '../../storage/secrets.ts';
import { secretPurpose, signingKeyPurpose } from './endpoint.ts';
import { type Endpoint, listSecrets } from './store.ts';

const prefix = 'whsec_';
const publicPrefix = 'whpk_';
/** 44 base62 characters: 262 random bits. A multiple of four, so that the text is base64 too, of 33 bytes. */
const secretLength = 44;

/** A secret, ready to sign with. */
export interface SigningKey {
  /** The whole text, for `Svc-Signature`. */
  readonly whole: KeyObject;
  /** The text after the prefix, read as base64, for `webhook-signature`. */
  readonly decoded: KeyObject;
}

/** Everything that signs the deliveries of an endpoint. */
export interface EndpointSigner {
  /** One a secret, the newer first: more than one while a secret is rotated. */
  readonly keys: readonly SigningKey[];
  /** A private key of Ed25519; null where only secrets sign. */
  readonly privateKey: KeyObject | null;
}

/** A key of an endpoint that the secret of this installation does not open. */
export type UnopenedKey = 'secret' | 'private key';

/** One delivery and the secrets that sign it. */
interface SignedDelivery extends Pick<EndpointSigner, 'keys'> {
  /** Of the delivery, the same over all its tries. */
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: Uint8Array;
}

/**
 * A new secret of an endpoint. The whole text is the key of `Svc-Signature`; what follows the prefix, read as base64, is the
 * key of `webhook-signature` (24 to 64 bytes by the Standard Webhooks specification).
 */
export function generateWebhookSecret(): string {
  return prefix + randomText(secretLength);
}

/** Makes a secret ready to sign with; that costs as much as a signature, so do it once for many. */
export function readSigningKey(secret: string): SigningKey {
  return {
    whole: createSecretKey(Buffer.from(secret)),
    decoded: createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64')),
  };
}

/** A new pair of keys of Ed25519 (RFC 8032): the private one to be sealed, the public one to be shown. */
export function generateSigningKey(): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return {
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: publicPrefix + Buffer.from(x, 'base64url').toString('base64'),
  };
}

/** Reads a private key as {@link generateSigningKey} gives it. */
export function readPrivateKey(text: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' });
}

/** The value of `Svc-Signature`: `t=<unix seconds>,v1=<hex>` with one `v1` a secret (contract.md "Signatures"). */
export function signPayload({ keys, timestamp, body }: Omit<SignedDelivery, 'id'>): string {
  let value = `t=${timestamp}`;
  for (const { whole } of keys)
    value += `,v1=${createHmac('sha256', whole).update(`${timestamp}.`).update(body).digest('hex')}`;
  return value;
}

/** The value of `webhook-signature` of Standard Webhooks 1.0: `v1,<base64>` a secret, over `<id>.<t>.<body>`. */
export function signStandardPayload({ id, keys, timestamp, body }: SignedDelivery): string {
  const values: string[] = [];
  for (const { decoded } of keys)
    values.push(`v1,${createHmac('sha256', decoded).update(`${id}.${timestamp}.`).update(body).digest('base64')}`);
  return values.join(' ');
}

/**
 * Every header of a delivery (spec.md "Events", Webhooks 1): our signature and those of Standard Webhooks, so that a verifier
 * which a receiver has already works as well. `v1a` is a signature of Ed25519 over the same bytes as `v1`.
 * @param timestamp in Unix seconds.
 */
export function webhookHeaders(
  {
    id,
    event: { type, body, traceParent = null },
  }: { readonly id: string; readonly event: { type: string; body: Uint8Array; traceParent?: string | null } },
  { keys, privateKey }: EndpointSigner,
  timestamp: number,
): Readonly<Record<string, string>> {
  const delivery = { id, keys, timestamp, body };
  const signatures = [signStandardPayload(delivery)];
  if (privateKey !== null) {
    const bytes = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    signatures.push(`v1a,${signBytes(null, bytes, privateKey).toString('base64')}`);
  }
  return {
    'svc-signature': signPayload(delivery),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1',
    'svc-event': type,
    'svc-delivery': id,
    ...(traceParent !== null && { traceparent: traceParent }),
  };
}

/** The opened signer of an endpoint, kept for many deliveries: opening a key costs as much as signing with it. */
export interface OpenedSigner {
  /** The sealed keys, as they are stored with the endpoint. */
  readonly sealed: string;
  /** When the next of them expires; null for never. */
  readonly until: string | null;
  /** The signer, or the kind of key that does not open, so that the endpoint cannot be signed for. */
  readonly signer: EndpointSigner | UnopenedKey;
}

/**
 * Opens the keys that sign for an endpoint now. A previous secret that does not open is ignored: rotating a secret that
 * was sealed by another installation fixes it.
 * @param known the signer that was opened before; returned if the keys are the same and none has expired.
 */
export function openSigner(
  box: SecretBox,
  endpoint: Pick<Endpoint, 'id' | 'secret' | 'previous_secrets' | 'signing_key'>,
  now: string,
  known?: OpenedSigner,
): OpenedSigner {
  const { id, secret, previous_secrets: earlier, signing_key: signingKey } = endpoint;
  const sealed = `${secret} ${earlier} ${signingKey}`;
  if (known?.sealed === sealed && (known.until === null || now < known.until)) return known;
  const active = listSecrets(endpoint).filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
  const ends = active.map(({ expiresAt }) => expiresAt).filter((end) => end !== null);
  const opened = { sealed, until: ends.sort()[0] ?? null };
  const [current, ...previous] = active.map((secret) =>
    openOrNull(() => readSigningKey(box.open(secret.sealed, secretPurpose(id)))),
  );
  if (current === undefined || current === null) return { ...opened, signer: 'secret' };
  const keys = [current, ...previous.filter((key) => key !== null)];
  if (signingKey === null) return { ...opened, signer: { keys, privateKey: null } };
  const privateKey = openOrNull(() => readPrivateKey(box.open(signingKey, signingKeyPurpose(id))));
  return { ...opened, signer: privateKey === null ? 'private key' : { keys, privateKey } };
}

function openOrNull<Key>(open: () => Key): Key | null {
  try {
    return open();
  } catch {
    return null;
  }
}
