import type { SecretBox } from '../access/secret-box.ts';
import { secretPurpose, signingKeyPurpose } from './endpoint.ts';
import type { SendingEndpoint } from './endpoint-store.ts';
import type { ClaimedDelivery } from './queue-store.ts';
import { type EndpointSigner, readPrivateKey, readSigningKey, signatureHeaders } from './sign.ts';

/** What signs for an endpoint now; null when its secrets were sealed by another installation. */
export function openSigner(
  box: SecretBox,
  { id, secrets, signingKey }: Pick<SendingEndpoint, 'id' | 'secrets' | 'signingKey'>,
  now: string,
): EndpointSigner | null {
  const current = secrets.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
  try {
    return {
      keys: current.map(({ sealed }) => readSigningKey(box.open(sealed, secretPurpose(id)))),
      privateKey: signingKey === null ? null : readPrivateKey(box.open(signingKey, signingKeyPurpose(id))),
    };
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
