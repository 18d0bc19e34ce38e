import { fail, type Names, requireObject, requireOptions } from './error.ts';
import type {
  LimitOptions,
  NamedSecret,
  SignedDelivery,
  Verification,
  VerifierOptions,
  WebhookEvent,
} from './options.ts';

/** Eleven signatures, of ten successive rotations, are 761 characters; the rest is reserved for future schemes. */
const maxLength = 1024;
const grammar = /^t=(0|[1-9]\d{0,11})((,(v1=[0-9a-f]{64}|(?!t=|v1=)[\w-]+=[^,]*))+)$/;

/**
 * Reads `t=<unix seconds>,v1=<64 lower-case hex digits>[,v1=…]`: the time first and once, digits as a number is written,
 * no white space. Other schemes (`v2=…`) are skipped whatever their values, so that a new scheme breaks no installed
 * verifier. The work is bounded for any input.
 */
export function readSignatureHeader(header: unknown): Omit<Candidate, 'bytes'> {
  if ((header ?? '') === '') fail('signature_missing', 'No Svc-Signature header: not from Svc, or removed by a proxy.');
  // A repeated header comes as an array, or joined by ", ".
  const [, time, items = ''] = (typeof header === 'string' && header.length <= maxLength && grammar.exec(header)) || [];
  const [, ...signatures] = items.split(',v1=');
  if (signatures.length === 0)
    fail('signature_malformed', 'Svc-Signature must be one header: t=<unix seconds>,v1=<64 hex digits>.');
  return { time: time as string, signatures };
}

/** A delivery that is well formed and of this time; whether it is genuine, its signature decides. */
export interface Candidate {
  readonly bytes: Uint8Array;
  /** The digits of the time as they were signed. */
  readonly time: string;
  /** The `v1` signatures, each with 64 hex digits first; other schemes may follow them. */
  readonly signatures: readonly string[];
}

const deliveryNames: Names<SignedDelivery> = { body: 1, signature: 1 };

/** All that is checked before the signature. */
export function checkForm(limits: Limits, delivery: SignedDelivery): Candidate {
  const { body, signature } = requireOptions(delivery, deliveryNames);
  const bytes = readBytes(body);
  const { time, signatures } = readSignatureHeader(signature);
  checkAge(limits, time);
  return { bytes, time, signatures };
}

/** Checks that a time differs from now by no more than the tolerance, in both directions. */
export function checkAge({ toleranceSeconds, now }: Limits, time: string): void {
  const age = readSeconds(now) - Number(time);
  if (Math.abs(age) > toleranceSeconds)
    fail(
      age < 0 ? 'timestamp_too_new' : 'timestamp_too_old',
      `Signed ${Math.abs(age)} seconds ${age < 0 ? 'in the future' : 'ago'}; ${toleranceSeconds} are allowed. Synchronize the clock (NTP).`,
    );
}

/** Compares what each secret gives with each signature: all of them, in constant time. */
export function checkSignatures(
  { secrets }: Settings,
  { signatures, time }: Candidate,
  /** In hex, one a secret. */
  digests: readonly string[],
): Verification {
  let secretIndex = -1;
  for (let index = secrets.length - 1; index >= 0; index -= 1)
    for (const signature of signatures) if (isSame(digests[index] as string, signature)) secretIndex = index;
  if (secrets.length === 0) failSecret();
  if (secretIndex < 0) failMismatch();
  return { secretIndex, secretName: secrets[secretIndex]?.name ?? null, timestamp: Number(time) };
}

/** @param key what to look at: a secret or a public key. */
export function failMismatch(key = 'secret'): never {
  return fail(
    'signature_mismatch',
    `No signature matches: another ${key} (pass both during a rotation) or another body (parsed and written again?).`,
  );
}

/** Compares the first 64 characters, in the same time wherever they differ. */
function isSame(digest: string, signature: string): boolean {
  let difference = 0;
  for (let place = 0; place < 64; place += 1) difference |= digest.charCodeAt(place) ^ signature.charCodeAt(place);
  return difference === 0;
}

export const limitNames: Names<LimitOptions> = { toleranceSeconds: 1, now: 1, validate: 1 };
export const verifierNames: Names<VerifierOptions> = { secrets: 1, ...limitNames };

/** Options of a verifier apart from its keys, checked. */
export type Limits = Readonly<ReturnType<typeof readLimits>>;

/** The options of a verifier, checked. */
export interface Settings extends Limits {
  readonly secrets: readonly NamedOrNot[];
}

type NamedOrNot = Pick<NamedSecret, 'secret'> & Partial<NamedSecret>;

/** Separates what came in from the options of a verifier for one delivery. */
export function splitDelivery(delivery: SignedDelivery & VerifierOptions) {
  const { body, signature, ...options } = requireObject(delivery);
  return [{ body, signature }, options] as const;
}

/** @throws {WebhookVerificationError} `secret_invalid`, `options_invalid`: when the program starts, not at a delivery. */
export function readSettings(options: VerifierOptions): Settings {
  return { ...readLimits(options), secrets: readSecrets(options.secrets) };
}

/** @throws {WebhookVerificationError} `options_invalid`. */
export function readLimits(options: LimitOptions) {
  const { toleranceSeconds = 300, now = Date.now, validate } = requireObject(options);
  // 0 is a tolerance; NaN is none.
  if (
    typeof toleranceSeconds !== 'number' ||
    !(toleranceSeconds >= 0) ||
    typeof now !== 'function' ||
    typeof (validate ?? now) !== 'function'
  )
    fail('options_invalid', 'toleranceSeconds must be a number from 0, now and validate functions.');
  return { toleranceSeconds, now, validate };
}

/**
 * Checks secrets. None at all is no error yet but an empty list, which fails at the first delivery: builds load modules
 * where the variables of the server are not set.
 * @throws {WebhookVerificationError} `secret_invalid`.
 */
export function readSecrets(secrets: VerifierOptions['secrets'] | undefined): readonly NamedOrNot[] {
  const list = [secrets ?? ''].flat().map((one) => (typeof one === 'string' ? { secret: one } : one));
  if (list.every((one) => one?.secret === '')) return [];
  if (!list.every((one) => typeof one?.secret === 'string' && /^whsec_[!-~]+$/.test(one.secret))) failSecret();
  return list;
}

export function failSecret(): never {
  return fail('secret_invalid', 'A secret must be the whole whsec_… text. Is its variable set?');
}

/** The seconds of a clock; one that throws or gives no number is a mistake in the set-up, and never lets anything in. */
export function readSeconds(now: () => number): number {
  try {
    const time: unknown = now();
    if (Number.isFinite(time)) return Math.floor((time as number) / 1000);
  } catch {
    // The error of the clock could contain anything.
  }
  return fail('options_invalid', 'now must give milliseconds.');
}

const encoder = new TextEncoder();
// A byte order mark stays in the text, where JSON does not allow it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a body. Nothing is decoded before the signature is known to be right. */
export function readBytes(body: unknown): Uint8Array {
  try {
    const given = typeof body === 'string' ? encoder.encode(body) : body;
    // Neither minds which realm an object comes from; a buffer that was transferred has no bytes.
    const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(given) ? given : new DataView(given as ArrayBuffer);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    return fail(
      'body_not_bytes',
      'Pass the raw body. Express: express.raw({ type: "*/*" }) before express.json(). Koa: no body parser. Fastify: parseAs: "buffer". Next.js pages: bodyParser: false. Others: request.arrayBuffer().',
    );
  }
}

/** The event in a body whose signature is valid, if it passes `validate`. */
export function readEvent(bytes: Uint8Array, { validate }: Limits): WebhookEvent {
  const event = parseEvent(bytes);
  const result: unknown = validate?.(event);
  if (result !== undefined) {
    // An unhandled rejection would end the process.
    Promise.resolve(result).catch(() => undefined);
    fail('options_invalid', 'validate must not be async: it throws or returns undefined.');
  }
  return event;
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(decoder.decode(bytes));
    const isWhole = ['id', 'type', 'createdAt', 'tenantId'].every(
      (name) => event[name] && typeof event[name] === 'string',
    );
    // An object as in JSON: neither an array nor null.
    if (isWhole && Object.getPrototypeOf(event.data) === Object.prototype) return event;
  } catch {
    // The message of the parser may quote the body, so it is dropped.
  }
  return fail('body_invalid', 'Signed, but no event in JSON and UTF-8 without byte order mark.');
}

export type MacKey = Parameters<typeof crypto.subtle.sign>[1];

/** The key of a secret: the bytes of the whole of it. */
export function importKey({ secret }: { readonly secret: string }): Promise<MacKey> {
  return importBytes(encoder.encode(secret), 'sign');
}

export function importBytes(bytes: Uint8Array<ArrayBuffer>, use: 'sign' | 'verify'): Promise<MacKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [use]);
}

/** The signed bytes: `<t>.<body>`. An id may precede the time; all before the body must be ASCII. */
export function joinSigned(time: string, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const signed = new Uint8Array(time.length + 1 + bytes.length);
  encoder.encodeInto(`${time}.`, signed);
  signed.set(bytes, time.length + 1);
  return signed;
}

export function writeHex(bytes: ArrayBuffer): string {
  // One text of all codes: digits put together one by one take twice as long to compare.
  const codes: number[] = [];
  for (const byte of new Uint8Array(bytes)) codes.push(digits.charCodeAt(byte >> 4), digits.charCodeAt(byte & 15));
  return String.fromCharCode(...codes);
}

const digits = '0123456789abcdef';

/**
 * The key of `webhook-signature`: what follows `whsec_`, read as base64 (Standard Webhooks 1.0). Undefined when it is no
 * base64; a secret that the server made is.
 */
export function decodeSecret(secret: string): Uint8Array<ArrayBuffer> | undefined {
  return readBase64(secret.slice('whsec_'.length).replaceAll('-', '+').replaceAll('_', '/'));
}

/** The bytes in base64; undefined when it is none, or empty. */
export function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}
