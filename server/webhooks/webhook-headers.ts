import type { SecretBox } from '../access/secret-box.ts';
import { secretPurpose, signingKeyPurpose } from './endpoint.ts';
import type { SendingEndpoint } from './endpoint-store.ts';
import type { ClaimedDelivery } from './queue-store.ts';
import { type EndpointSigner, readPrivateKey, readSigningKey, signatureHeaders, type UnopenedKey } from './sign.ts';

/**
 * What signs for an endpoint now. A previous secret that does not open is passed over: whoever rotates a secret that was sealed
 * by another installation has mended it.
 * @returns the name of what does not open, where the endpoint cannot be signed for.
 */
export function openSigner(
  box: SecretBox,
  { id, secrets, signingKey }: Pick<SendingEndpoint, 'id' | 'secrets' | 'signingKey'>,
  now: string,
): EndpointSigner | UnopenedKey {
  const [current, ...previous] = secrets
    .filter(({ expiresAt }) => expiresAt === null || now < expiresAt)
    .map(({ sealed }) => openOrNull(() => readSigningKey(box.open(sealed, secretPurpose(id)))));
  if (current === undefined || current === null) return 'secret';
  const keys = [current, ...previous.filter((key) => key !== null)];
  if (signingKey === null) return { keys, privateKey: null };
  const privateKey = openOrNull(() => readPrivateKey(box.open(signingKey, signingKeyPurpose(id))));
  return privateKey === null ? 'private key' : { keys, privateKey };
}

function openOrNull<Key>(open: () => Key): Key | null {
  try {
    return open();
  } catch {
    return null;
  }
}

/** Every header of a delivery (spec.md "Events", Webhooks 1). */
export function webhookHeaders(
  { id, event }: Pick<ClaimedDelivery, 'id' | 'event'>,
  signer: EndpointSigner,
  body: Uint8Array,
  now: string,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.parse(now) / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1',
    'svc-event': event.type,
    'svc-delivery': id,
    ...signatureHeaders({ ...signer, id, timestamp, body }),
  };
}
