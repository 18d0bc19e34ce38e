import { createWebhookVerifier } from '#verifier';
import { checkForm, readLimits, readSecrets, readSignatureHeader } from './check.ts';
import type { CreateDeliveryIdReader } from './delivery-id.ts';
import { createKeyLookup } from './key-lookup.ts';
import type { KeyLookup, LimitOptions, RequestVerifier, Secrets } from './options.ts';

/** Options of a verifier with secrets. */
export interface SecretOptions<Request> extends LimitOptions {
  /** The whole `whsec_…` secret of the endpoint; several while it is being rotated; or what finds them for a request. */
  readonly secrets: Secrets | KeyLookup<Request, Secrets>;
}

/** Makes what verifies requests by `Svc-Signature`, and the id of the delivery where that is wanted. */
export function createSecretVerifier<Request>(
  options: SecretOptions<Request>,
  createIdReader?: CreateDeliveryIdReader | undefined,
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
