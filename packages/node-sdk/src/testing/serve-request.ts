import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerOrRefuse, findTold, sendAnswer, spoil } from './answer.ts';
import { answerOperation } from './answer-operation.ts';
import { answerOther } from './answer-other.ts';
import { mustProcess } from './faults.ts';
import { bodyLimit, findOperation, findOther, readBytes } from './read-request.ts';
import { recordRequest } from './recorded-request.ts';
import { Refusal } from './refusal.ts';
import { scimBase, scimBodyLimit } from './scim.ts';
import type { ServerState } from './server-state.ts';

/** Records a request and answers it, or fails as the test ordered. */
export async function serveRequest(
  state: ServerState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
  const isScim = url.pathname.startsWith(`${scimBase}/`);
  const bytes = await readBytes(request, isScim ? scimBodyLimit : bodyLimit);
  const found = attempt(() => findOperation(method, url.pathname));
  const match = found instanceof Refusal ? undefined : found;
  const other = match === undefined ? findOther(method, url.pathname) : undefined;
  const told = found === undefined && other === undefined ? findTold(state.answers, method, url.pathname) : undefined;
  const recorded = recordRequest(request, method, url, match ?? other ?? told, bytes);
  state.keepRequest(recorded);
  const incoming = { request, recorded, url, bytes };
  const met = state.faults.take(recorded.operation ?? told?.told.operation ?? null);
  const requestId = randomUUID();
  const answer = mustProcess(met)
    ? answerOrRefuse(requestId, url.pathname, () => {
        if (found instanceof Refusal) throw found;
        if (match !== undefined) return answerOperation(state, incoming, match);
        return answerOther(state, incoming, told?.told ?? state.findAnswer(recorded.operation));
      })
    : { status: 200, body: '{"data":{}}', headers: {} };
  const sent = met === undefined ? answer : spoil(met.kind, met.fault, answer, url.pathname, requestId);
  sendAnswer(response, requestId, recorded, sent, met?.kind);
}

function attempt<Result>(run: () => Result): Result | Refusal {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
