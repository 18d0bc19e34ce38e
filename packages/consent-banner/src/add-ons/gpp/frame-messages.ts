import { attempt } from '../../state/attempt.ts';
import { createElement, findRoot } from '../create-element.ts';
import type { Gpp } from './gpp-api.ts';

const LOCATOR = '__gppLocator';

interface GppCall {
  readonly command?: unknown;
  readonly parameter?: unknown;
  readonly version?: unknown;
  readonly callId?: unknown;
}

/**
 * Answers the frames of the page, which call by message, each in the form it asked in: text or object. They find the
 * window that answers by its frame `__gppLocator`.
 */
export function answerFrames(call: Gpp): void {
  addEventListener('message', ({ data, source, origin }) => {
    const isText = typeof data === 'string';
    const message: unknown = isText ? attempt(() => JSON.parse(data)) : data;
    const { __gppCall: asked } = Object(message) as { readonly __gppCall?: GppCall };
    if (typeof asked !== 'object' || asked === null) return;
    const { command, parameter, version, callId } = asked;
    const reply = (returnValue: unknown, success: boolean): void => {
      const answer = { __gppReturn: { returnValue, success, callId } };
      // A sandboxed frame has no origin that could be named; any other frame's answer goes only to its origin.
      const target = origin === 'null' ? '*' : origin;
      source?.postMessage(isText ? JSON.stringify(answer) : answer, { targetOrigin: target });
    };
    call(command, reply, parameter, version);
  });
}

/** Adds the frame that marks this window: beside the body, which a client router may swap. */
export function addLocator(): void {
  const isThere = Document.prototype.querySelector.call(document, `:root > iframe[name="${LOCATOR}"]`) !== null;
  if (!isThere) findRoot().append(createElement('iframe', { name: LOCATOR, hidden: '' }));
}
