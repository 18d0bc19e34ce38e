import {
  checkAge,
  failMismatch,
  joinSigned,
  limitNames,
  readBase64,
  readBytes,
  readEvent,
  readLimits,
} from './check.ts';
import { fail, type Names, requireOptions } from './error.ts';
import type {
  HeaderGetter,
  KeyLookup,
  LimitOptions,
  ReceivedDelivery,
  RequestVerifier,
  Verification,
  VerifiedEvent,
} from './options.ts';
import { createKeyLookup, requireReceived } from './secret-verifier.ts';

/** A public key of an endpoint, with a name to distinguish keys during a rotation. */
export interface NamedPublicKey {
  readonly name: string;
  readonly publicKey: string;
}

/** The `whpk_…` text of the endpoint; several while another endpoint, or another pair, takes over. */
export type PublicKeys = string | readonly (string | NamedPublicKey)[];

type Bytes = Uint8Array<ArrayBuffer>;

/** Returns true if the signature of some bytes is that of the key. */
export type VerifyEd25519 = (signature: Bytes, signed: Bytes) => boolean | Promise<boolean>;

/** Ed25519 (RFC 8032, section 5.1.7) as a platform has it. */
export interface Ed25519 {
  /** Makes what verifies by a public key: the 32 bytes of RFC 8032, section 5.1.5. */
  importKey(bytes: Bytes): VerifyEd25519 | Promise<VerifyEd25519>;
}

/** Options of a verifier with public keys. */
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
   * Verifies that a delivery is genuine and recent. The result names the public key that matched.
   * @throws {WebhookVerificationError} if it is not; an error of a look-up is passed on.
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
    prepare: (keys) => keys.map(({ name, base64 }) => ({ name, verify: keepVerify(ed25519, base64) })),
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
        if (await verify(readBase64(signature) as Bytes, signed)) {
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
function keepVerify(ed25519: Ed25519, base64: string): VerifyEd25519 {
  // Cache the imported key and not its promise, because a promise may belong to one request.
  let verify: VerifyEd25519 | undefined;
  return async (signature, signed) => {
    verify ??= await ed25519.importKey(readBase64(base64) as Bytes);
    return verify(signature, signed);
  };
}

// 32 bytes in base64: the last digit before the padding has only its upper four bits (RFC 4648, section 3.5).
const keyGrammar = /^whpk_[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/;

/**
 * Checks public keys. None at all is an empty list, which fails at the first delivery, as for secrets.
 * @throws {WebhookVerificationError} `public_key_invalid`.
 */
function readPublicKeys(publicKeys: PublicKeys | undefined) {
  const list = [publicKeys ?? ''].flat().map((one) => (typeof one === 'string' ? { name: null, publicKey: one } : one));
  if (list.every((one) => one?.publicKey === '')) return [];
  if (!list.every((one) => typeof one?.publicKey === 'string' && keyGrammar.test(one.publicKey))) failPublicKey();
  return list.map(({ name, publicKey }) => ({ name: name ?? null, base64: publicKey.slice('whpk_'.length) }));
}

function failPublicKey(): never {
  return fail(
    'public_key_invalid',
    'A public key must be the whole whpk_… text: base64 of 32 bytes. Is its variable set, and asymmetric: true at the endpoint?',
  );
}

/** Eleven shared-key signatures beside one of these are 620 characters; the rest is room for schemes to come. */
const maxLength = 1024;
/** 64 bytes in base64: the last digit before the padding has only its upper two bits (RFC 4648, section 3.5). */
const grammar = /^v1a,[A-Za-z0-9+/]{85}[AQgw]==$/;
/** Skipped whatever its value, so that a new scheme breaks no installed verifier; headers joined by ", " end with a comma. */
const otherScheme = /^(?!v1a,)[\w-]+,(.*[^,])?$/;

/**
 * Reads the headers of Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and `webhook-signature` (`v1a,<base64>`
 * and other schemes, one space between them). The id has no dot, so that what is signed (`<id>.<t>.<body>`) can be taken
 * apart in one way only. The work is bounded, whatever is sent.
 * @returns the digits of the time as they were signed, and the `v1a` signatures in base64.
 */
function readStandardHeaders(header: HeaderGetter) {
  const [id, time, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value: unknown = header(name);
    if ((value ?? '') === '') fail('signature_missing', `No ${name} header: not from Svc, or removed by a proxy.`);
    // A repeated header comes as an array, or joined by ", ".
    return typeof value === 'string' && value.length <= maxLength ? value : '';
  }) as [string, string, string];
  const items = signature.split(' ');
  const signatures = items.filter((item) => grammar.test(item)).map((item) => item.slice(4));
  if (!/^[!-\-/-~]{1,128}$/.test(id)) fail('signature_malformed', 'webhook-id must be one header: an id without dots.');
  if (!/^(0|[1-9]\d{0,11})$/.test(time))
    fail('signature_malformed', 'webhook-timestamp must be one header: Unix seconds.');
  if (signatures.length === 0 || !items.every((item) => grammar.test(item) || otherScheme.test(item)))
    fail(
      'signature_malformed',
      'webhook-signature must be one header with v1a,<base64 of 64 bytes>: has the endpoint asymmetric: true?',
    );
  return { id, time, signatures };
}
