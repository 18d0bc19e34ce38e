import { attempt, toJson } from '../../page/browser.ts';
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
      source?.postMessage(isText ? toJson(answer) : answer, { targetOrigin: target });
    };
    call(command, reply, parameter, version);
  });
}

/**
 * Adds the frame that marks this window: beside the body, which a client router may replace. Through the prototype, because an
 * image named `createElement` would shadow the method on `document`.
 */
export function addLocator(): void {
  const { prototype } = Document;
  if (prototype.querySelector.call(document, `:root > iframe[name="${LOCATOR}"]`)) return;
  const frame = prototype.createElement.call(document, 'iframe');
  const root = Reflect.get(prototype, 'documentElement', document) as HTMLElement;
  root.append(Object.assign(frame, { name: LOCATOR, hidden: true }));
}
