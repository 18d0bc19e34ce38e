import { type Answer, presentPayload, presentTold, statusOfOther, type ToldAnswer } from './answer.ts';
import { answerScim } from './answer-scim.ts';
import type { Incoming } from './recorded-request.ts';
import { notFound, notTold } from './refusal.ts';
import { scimBase } from './scim.ts';
import type { ServerState } from './server-state.ts';

/**
 * Answers what is not in the table of rules: access tokens, SCIM, the key of the ledgers, and operations of newer servers.
 * @throws {Refusal}
 */
export function answerOther(state: ServerState, incoming: Incoming, told: ToldAnswer | undefined): Answer {
  const { request, recorded, bytes } = incoming;
  const { method, path, operation } = recorded;
  if (path.startsWith(`${scimBase}/`)) return answerScim(state, incoming, told);
  const status = statusOfOther(operation);
  if (told !== undefined) return presentTold(told, recorded, status);
  if (operation === 'getLedgerKey') {
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Access-Control-Allow-Origin': '*' };
    return { status, body: `${state.signer.publicKey}\n`, headers };
  }
  if (method === 'POST' && /^\/oauth\/(token|revoke)$/.test(path)) {
    const form = new URLSearchParams(bytes.toString());
    const { status, body } = state.tokens.answer(path, form, request.headers.authorization);
    return presentPayload(body, status, path);
  }
  if (/^\/(v1\/(me|auth)|oauth|\.well-known)\b/.test(path)) throw notTold(`${method} ${path}`);
  throw notFound('path');
}
