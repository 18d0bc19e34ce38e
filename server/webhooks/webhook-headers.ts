import type { SecretBox } from '../access/secret-box.ts';
import { secretPurpose } from './endpoint.ts';
import type { SendingEndpoint } from './endpoint-store.ts';
import type { ClaimedDelivery } from './queue-store.ts';
import { readSigningKey, type SigningKey, signatureHeaders } from './sign.ts';

/** The keys that sign now, the newer first; null when their secrets were sealed by another installation. */
export function openKeys(
  box: SecretBox,
  { id, secrets }: Pick<SendingEndpoint, 'id' | 'secrets'>,
  now: string,
): readonly SigningKey[] | null {
  const current = secrets.filter(({ expiresAt }) => expiresAt === null || now < expiresAt);
  try {
    return current.map(({ sealed }) => readSigningKey(box.open(sealed, secretPurpose(id))));
  } catch {
    return null;
  }
}

/** Every header of a delivery (spec.md "Events", Webhooks 1). */
export function webhookHeaders(
  { id, event }: ClaimedDelivery,
  keys: readonly SigningKey[],
  body: Uint8Array,
  now: string,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(Date.parse(now) / 1000);
  return {
    'content-type': 'application/json',
    'user-agent': 'Svc-Webhooks/1',
    'svc-event': event.type,
    'svc-delivery': id,
    ...signatureHeaders({ id, keys, timestamp, body }),
  };
}
