import { readBytes, readEvent } from './body.ts';
import { checkAge, failMismatch } from './check.ts';
import type { Ed25519, VerifyEd25519 } from './ed25519.ts';
import { type Names, requireOptions } from './error.ts';
import { createKeyLookup, requireReceived } from './key-lookup.ts';
import { joinSigned } from './mac.ts';
import type {
  KeyLookup,
  LimitOptions,
  ReceivedDelivery,
  RequestVerifier,
  Verification,
  VerifiedEvent,
} from './options.ts';
import { failPublicKey, type PublicKey, type PublicKeys, readKeyBytes, readPublicKeys } from './public-keys.ts';
import { limitNames, readLimits } from './settings.ts';
import { readStandardHeaders } from './standard-headers.ts';
import { readBase64 } from './standard-key.ts';

export interface AsymmetricOptions<Request> extends LimitOptions {
  /** The `whpk_…` public key of the endpoint; several while one replaces the other; or what finds them for a request. */
  readonly publicKeys: PublicKeys | KeyLookup<Request, PublicKeys>;
}

/** A delivery that is genuine; `secretIndex` and `secretName` say which of the public keys matched. */
export interface AsymmetricVerification extends Verification {
  /** The `webhook-id`, which is signed: the same for each try of one delivery. */
  readonly deliveryId: string;
}

/** Verifies deliveries by public keys; adapters take it as their `verifier`. */
export interface AsymmetricVerifier<Request> extends RequestVerifier<Request> {
  /**
   * Whether a delivery is genuine and of this time; says which public key matched.
   * @throws {WebhookVerificationError} when it is not; and whatever a look-up throws.
   */
  verifySignature(delivery: ReceivedDelivery<Request>): Promise<AsymmetricVerification>;
  /**
   * The same, and the event in the body.
   * @throws {WebhookVerificationError} when the delivery is not genuine, or its body is no event; and whatever a look-up
   * throws.
   */
  constructEvent(delivery: ReceivedDelivery<Request>): Promise<AsymmetricVerification & VerifiedEvent>;
}

const optionNames: Names<AsymmetricOptions<unknown>> = { publicKeys: 1, ...limitNames };

/** Makes such a verifier over the Ed25519 of a platform. */
export function createVerifierOver<Request>(
  ed25519: Ed25519,
  options: AsymmetricOptions<Request>,
): AsymmetricVerifier<Request> {
  const limits = readLimits(requireOptions(options, optionNames));
  const find = createKeyLookup({
    keys: options.publicKeys,
    read: readPublicKeys,
    prepare: (keys) => keys.map((key) => ({ name: key.name, verify: keepVerify(ed25519, key) })),
    placeholder: () => placeholderKey,
  });
  const check = async (delivery: ReceivedDelivery<Request>) => {
    const { body, header, request } = requireReceived(delivery);
    const { id, time, signatures } = readStandardHeaders(header);
    // A copy: a change of the body meanwhile changes nothing.
    const signed = joinSigned(`${id}.${time}`, readBytes(body));
    checkAge(limits, time);
    const keys = await find({ header, request });
    if (keys.length === 0) failPublicKey();
    for (const [secretIndex, { name, verify }] of keys.entries())
      for (const signature of signatures)
        if (await verify(readBase64(signature) as Uint8Array<ArrayBuffer>, signed)) {
          const found = { secretIndex, secretName: name, timestamp: Number(time), deliveryId: id };
          return { found, bytes: signed.subarray(id.length + time.length + 2) };
        }
    return failMismatch('public key');
  };
  return {
    checkHeaders: (header) => void readStandardHeaders(header),
    verifySignature: async (delivery) => (await check(delivery)).found,
    constructEvent: async (delivery) => {
      const { found, bytes } = await check(delivery);
      return { ...found, event: readEvent(bytes, limits) };
    },
  };
}

/** A point of the curve (of twice the order of its base point) without a known private key. */
const placeholderKey = `whpk_${'c'.repeat(43)}=`;

/** Imports the key at the first delivery, since some platforms refuse that while a module loads. */
function keepVerify(ed25519: Ed25519, key: PublicKey): VerifyEd25519 {
  // What was imported is kept and not the promise of it, because a promise may belong to one request.
  let verify: VerifyEd25519 | undefined;
  return async (signature, signed) => {
    verify ??= await ed25519.importKey(readKeyBytes(key));
    return verify(signature, signed);
  };
}
