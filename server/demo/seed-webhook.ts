import type { AuditSource } from '../audit/source.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { createEndpoint, type EndpointRules } from '../webhooks/endpoints/changes.ts';
import { EndpointInput } from '../webhooks/endpoints/endpoint.ts';

/** Where `npm run receiver` listens. */
export const receiverPort = 8789;

/** Sends the events of the demo to a receiver on this machine. @returns the secret that they are signed with. */
export async function seedWebhook(
  work: UnitOfWork,
  source: AuditSource,
  { box }: Pick<EndpointRules, 'box'>,
): Promise<string> {
  const rules = { box, policy: { allowPrivate: true } };
  const input = EndpointInput.parse({ url: `http://127.0.0.1:${receiverPort}/`, description: 'npm run receiver' });
  const { secret } = await createEndpoint(work, source, rules, input);
  return secret;
}
