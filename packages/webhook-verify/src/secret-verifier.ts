import { createWebhookVerifier } from '#verifier';
import { checkForm, readLimits, readSecrets, readSignatureHeader } from './check.ts';
import { fail, type Names, requireOptions, WebhookVerificationError } from './error.ts';
import type { KeyLookup, LimitOptions, LookupRequest, ReceivedDelivery, RequestVerifier, Secrets } from './options.ts';
import type { ReplayGuard } from './replay.ts';

/** Options of a verifier with secrets. */
export interface SecretOptions<Request> extends LimitOptions {
  /** The whole `whsec_…` secret of the endpoint; several while it is being rotated; or what finds them for a request. */
  readonly secrets: Secrets | KeyLookup<Request, Secrets>;
}

/** Makes what verifies requests by `Svc-Signature`, and the id of the delivery where that is wanted. */
export function createSecretVerifier<Request>(
  options: SecretOptions<Request>,
  createIdReader?: ReplayGuard['createIdReader'],
): RequestVerifier<Request> {
  const limits = readLimits(options);
  const find = createKeyLookup({
    keys: options.secrets,
    read: readSecrets,
    prepare: (secrets) => {
      // The age is judged before the look-up, and not again after it.
      const settings = { ...limits, toleranceSeconds: Number.POSITIVE_INFINITY, secrets: secrets as Secrets };
      return { verifier: createWebhookVerifier(settings), readId: createIdReader?.(secrets) };
    },
    placeholder: () => `whsec_${crypto.randomUUID()}`,
  });
  return {
    checkHeaders: (header) => void readSignatureHeader(header('svc-signature')),
    constructEvent: async (delivery) => {
      const { header } = delivery;
      const signature = header('svc-signature');
      // Checks that any sender can fail come first, so that responses do not reveal whether the look-up found keys.
      const { bytes: body } = checkForm(limits, { body: delivery.body, signature });
      const { verifier, readId } = await find(delivery);
      const found = await verifier.constructEvent({ body: body as Uint8Array<ArrayBuffer>, signature });
      if (readId === undefined) return found;
      const proof = { id: header('svc-delivery'), timestamp: found.timestamp, signature: header('webhook-signature') };
      return { ...found, deliveryId: await readId({ ...proof, body }) };
    },
  };
}

/** So many lists of keys are kept ready to verify with; then the one that was not used for longest goes. */
const maxPrepared = 1000;

const receivedNames: Names<ReceivedDelivery<unknown>> = { body: 1, header: 1, request: 1 };

/** Requires a delivery whose keys may be looked up. @throws {WebhookVerificationError} `options_invalid`. */
export function requireReceived<Request>(delivery: ReceivedDelivery<Request>): ReceivedDelivery<Request> {
  if (typeof requireOptions(delivery, receivedNames).header !== 'function')
    fail('options_invalid', 'header must be a function of the name of a header.');
  return delivery;
}

/** Errors of look-ups that look like ours: they are the caller's. */
export const lookupErrors = new WeakSet<object>();

export interface KeySource<Request, Keys, List, Prepared> {
  readonly keys: Keys | KeyLookup<Request, Keys>;
  /** Checks what was given or found. */
  readonly read: (keys: Keys) => List;
  /** Makes keys ready to verify with, which costs as much as a signature. */
  readonly prepare: (list: List) => Prepared;
  /** Makes keys that no client can sign with. Called at a request, since some platforms have nothing random before. */
  readonly placeholder: () => Keys;
}

/**
 * Gives keys that are ready to verify with: the same for every request, or found for each. Where a look-up finds none, it
 * uses keys that no client can sign with, so that neither responses nor their time reveal which tenants exist.
 */
export function createKeyLookup<Request, Keys, List, Prepared>({
  keys,
  read,
  prepare,
  placeholder,
}: KeySource<Request, Keys, List, Prepared>): (of: LookupRequest<Request>) => Promise<Prepared> {
  if (typeof keys !== 'function') {
    const prepared = prepare(read(keys));
    return async () => prepared;
  }
  const kept = new Map<string, Prepared>();
  let spare: Keys | undefined;
  return async (of) => {
    spare ??= placeholder();
    const list = read((await callLookup(keys as KeyLookup<Request, Keys>, of)) ?? spare);
    const text = JSON.stringify(list);
    const prepared = kept.get(text) ?? prepare(list);
    // Last in the order of the map, which is the order of forgetting.
    kept.delete(text);
    kept.set(text, prepared);
    if (kept.size > maxPrepared) kept.delete(kept.keys().next().value as string);
    return prepared;
  };
}

async function callLookup<Request, Keys>(
  lookUp: KeyLookup<Request, Keys>,
  { header, request }: LookupRequest<Request>,
): Promise<Keys | null | undefined> {
  try {
    return await lookUp({ header, request });
  } catch (error) {
    if (WebhookVerificationError.isInstance(error)) lookupErrors.add(error);
    throw error;
  }
}
