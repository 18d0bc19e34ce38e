/** Why a delivery was refused, or what is wrong with the set-up. Codes stay; messages may become clearer. */
export type WebhookErrorCode =
  | 'options_invalid'
  | 'secret_invalid'
  | 'public_key_invalid'
  | 'algorithm_unsupported'
  | 'body_not_bytes'
  | 'body_too_large'
  | 'body_incomplete'
  | 'body_invalid'
  | 'event_data_invalid'
  | 'signature_missing'
  | 'signature_malformed'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'delivery_id_unsigned'
  | 'store_invalid'
  | 'delivery_in_progress';

const brand = Symbol.for('@svc/webhook-verify');

/** The one error of this package. Its message names the fix and never holds a secret or any of the body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super(message);
    this.code = code;
  }

  /** True if a value is such an error, also from another copy of this package, for which `instanceof` is false. */
  static isInstance(value: unknown): value is WebhookVerificationError {
    return (value as { readonly [brand]?: unknown } | null | undefined)?.[brand] === true;
  }

  /** Brand by which copies of this package recognize each other's errors. */
  get [brand](): true {
    return true;
  }
}

/** Every name of a type, so that the compiler finds one that is missing. */
export type Names<Options> = Readonly<Record<keyof Options, 1>>;

/**
 * Requires one object with known names: a misspelt option (`tolerance`) would silently leave the default in force.
 * @throws {WebhookVerificationError} `options_invalid`.
 */
export function requireOptions<Given>(given: Given, names: object): Given {
  // Every delivery comes through here, so no list of its names is made.
  for (const name in requireObject(given))
    if (!Object.hasOwn(names, name))
      fail('options_invalid', `There is no option ${name}. Known: ${Object.keys(names).join(', ')}.`);
  return given;
}

/** Requires one object as the argument: rejects a missing one, and positional arguments. */
export function requireObject<Given>(given: Given): Given {
  // Bytes are objects too: a body passed without the rest.
  if (Object(given) !== given || 'byteLength' in (given as object))
    fail('options_invalid', 'Pass one object: { body, signature, secrets }.');
  return given;
}

export function fail(code: WebhookErrorCode, message: string): never {
  throw new WebhookVerificationError(code, message);
}

export const bodyTooLarge = () => new WebhookVerificationError('body_too_large', 'The body is over maxBytes.');
export const bodyIncomplete = () => new WebhookVerificationError('body_incomplete', 'The body does not end.');
