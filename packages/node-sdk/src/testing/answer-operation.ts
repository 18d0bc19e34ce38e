import { admitKey, describeCaller } from './admit-caller.ts';
import { type Answer, presentPayload, presentTold, requireVersion } from './answer.ts';
import { hasBody, type Match, parseBody, validateRequest } from './read-request.ts';
import { type Incoming, type OpenRecord, readHeader } from './recorded-request.ts';
import { notTold } from './refusal.ts';
import type { ServerState } from './server-state.ts';
import { fingerprintRequest, readIdempotencyKey } from './stored-answers.ts';
import type { Call } from './world.ts';

/** Answers an operation of the table of rules: who, may, again, what, in the order of the server. @throws {Refusal} */
export function answerOperation(state: ServerState, incoming: Incoming, match: Match): Answer {
  const { request, recorded, url, bytes } = incoming;
  const { method } = recorded;
  const [, , , scope, keyUse, status] = match.operation;
  const apiKey = scope === null ? null : admitKey(state, request, scope);
  requireVersion(readHeader(request, 'svc-version'));
  const key = readIdempotencyKey(readHeader(request, 'idempotency-key'), apiKey === null ? 'none' : keyUse);
  const body = hasBody(request) && method !== 'GET' ? parseBody(request, bytes) : undefined;
  const valid = validateRequest(match, url.search, body);
  const fingerprint = fingerprintRequest(method, request.url, bytes);
  const earlier = key === null ? undefined : state.stored.find(key, fingerprint);
  recorded.isReplay = earlier !== undefined;
  if (earlier !== undefined)
    return { status: earlier.status, body: earlier.body, headers: { 'Idempotent-Replayed': 'true' } };
  const caller = describeCaller(state, request, { keyId: apiKey?.id ?? null, scopes: apiKey?.scopes ?? [] });
  const answer = runOperation(state, { ...valid, operation: match.operation, ...caller } as Call, recorded, status);
  if (key !== null) state.stored.keep(key, fingerprint, answer);
  return answer;
}

function runOperation(state: ServerState, call: Call, recorded: OpenRecord, status: number): Answer {
  const [id, method, path] = call.operation;
  const told = state.findAnswer(id);
  if (told !== undefined) return presentTold(told, recorded, status);
  const handle = state.features.handlers[id];
  if (handle === undefined) throw notTold(`${method} ${path}`);
  return presentPayload(handle(call), status, path);
}
