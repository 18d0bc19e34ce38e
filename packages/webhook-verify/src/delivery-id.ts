import { readBytes } from './body.ts';
import { fail } from './error.ts';
import { decodeSecret, importBytes, joinSigned, type MacKey, readBase64 } from './mac.ts';
import type { NamedSecret, SignedDelivery } from './options.ts';

/** Eleven signatures, of ten rotations one after the other, are 527 characters; the rest is room for schemes to come. */
const maxLength = 1024;

/** What proves the id of a delivery. */
interface DeliveryIdClaim extends Pick<SignedDelivery, 'body'> {
  readonly id: string | null | undefined;
  /** Of the `Svc-Signature`, which was verified. */
  readonly timestamp: number;
  /** The `webhook-signature` header. */
  readonly signature: string | null | undefined;
}

export type CreateDeliveryIdReader = typeof createDeliveryIdReader;

/**
 * Makes what gives the id of a delivery, once that is proven: `Svc-Signature` does not cover it, `webhook-signature`
 * (Standard Webhooks 1.0: `v1,<base64>` over `<id>.<t>.<body>`, one a secret) does. The work is bounded.
 * @param given the secrets, of which one must have signed.
 * @throws {WebhookVerificationError} `secret_invalid`: when the program starts.
 */
export function createDeliveryIdReader(given: readonly Pick<NamedSecret, 'secret'>[]) {
  const secrets = given.flatMap(({ secret }) => decodeSecret(secret) ?? []);
  if (given.length > 0 && secrets.length === 0)
    fail('secret_invalid', 'With a replay guard, what follows whsec_ must be base64, as the server makes it.');
  let keys: readonly MacKey[] | undefined;
  return async ({ id, timestamp, body, signature }: DeliveryIdClaim): Promise<string> => {
    if (id && /^[!-~]{1,128}$/.test(id) && signature && signature.length <= maxLength) {
      const signed = joinSigned(`${id}.${timestamp}`, readBytes(body));
      // The keys are kept and not the promise of them, because a promise may belong to one request.
      keys ??= await Promise.all(secrets.map((secret) => importBytes(secret, 'verify')));
      for (const item of signature.split(' ')) {
        const mac = /^v1,.{44}$/.test(item) ? readBase64(item.slice(3)) : undefined;
        if (mac !== undefined)
          for (const key of keys) if (await crypto.subtle.verify('HMAC', key, mac, signed)) return id;
      }
    }
    return fail(
      'delivery_id_unsigned',
      'webhook-signature does not prove Svc-Delivery: a proxy must let both through, or let the guard go by the event (by: "event").',
    );
  };
}
