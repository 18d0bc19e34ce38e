import { admitScimToken, describeCaller } from './admit-caller.ts';
import { type Answer, presentPayload, presentTold, statusOfOther, type ToldAnswer } from './answer.ts';
import type { Incoming } from './recorded-request.ts';
import { Located, readScimParts, refuseScimPath, scimBase } from './scim.ts';
import type { ServerState } from './server-state.ts';

/** Answers a request of an identity provider. @throws {Refusal} */
export function answerScim(
  state: ServerState,
  { request, recorded, url, bytes }: Incoming,
  told: ToldAnswer | undefined,
): Answer {
  const { path, operation, params } = recorded;
  const isOpen = operation === 'getScimServiceProviderConfig';
  const keyId = isOpen ? null : admitScimToken(state, request);
  const status = statusOfOther(operation);
  if (told !== undefined) return presentTold(told, recorded, status);
  const handle = state.features.scim[operation ?? ''];
  if (handle === undefined || operation === null) refuseScimPath(path);
  const locate = (resource: string) => state.baseUrl + scimBase + resource;
  const parts = readScimParts(operation, params, request, url.search, bytes);
  const found = handle({ ...describeCaller(state, request, { keyId, scopes: [] }), ...parts, params, locate });
  if (!(found instanceof Located)) return presentPayload(found, status, path);
  return { ...presentPayload(found.resource, status, path), headers: { Location: found.location } };
}
