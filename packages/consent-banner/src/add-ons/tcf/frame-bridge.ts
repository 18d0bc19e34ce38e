import { attempt } from '../../stub/attempt.ts';
import { createElement, findRoot } from '../create-element.ts';
import type { TcfApiFunction } from './take-over.ts';

interface Call {
  readonly command?: unknown;
  readonly version?: unknown;
  readonly parameter?: unknown;
  readonly callId?: unknown;
}

/**
 * Lets frames ask by message: they find the page by a frame of the name `__tcfapiLocator` ("CMP API v2", section "Using
 * postMessage"). A stub on the page has a bridge of its own, which goes on, and would answer everything a second time.
 */
export function bridgeFrames(name: string, answer: TcfApiFunction, hasBridge: boolean): void {
  if (!(`${name}Locator` in window.frames)) {
    // Beside the body, which a client router may swap.
    findRoot().append(createElement('iframe', { name: `${name}Locator`, hidden: '', 'aria-hidden': 'true' }));
  }
  if (!hasBridge) addEventListener('message', (event) => answerMessage(event, name, answer));
}

function answerMessage({ data, source, origin }: MessageEvent, name: string, answer: TcfApiFunction): void {
  const isText = typeof data === 'string';
  const message = isText ? (data.includes(`${name}Call`) ? attempt(() => JSON.parse(data)) : null) : data;
  const call = Object(Object(message)[`${name}Call`]) as Call;
  if (call.command === undefined) return;
  const reply = (returnValue: unknown, success?: boolean): void => {
    const returned = { [`${name}Return`]: { returnValue, success: success ?? returnValue, callId: call.callId } };
    // A sandboxed frame has no origin that it could be addressed by.
    const target = origin === 'null' ? '*' : origin;
    attempt(() => (source as Window).postMessage(isText ? JSON.stringify(returned) : returned, target));
  };
  answer(call.command, call.version, reply, call.parameter);
}
