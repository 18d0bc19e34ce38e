import { reportProblem } from '../../report-problem.ts';
import { attempt } from '../../stub/attempt.ts';
import { type Method, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

/** Holds what scripts send by a call: it fails as if the network had refused it, and nothing leaves. */
export function holdCalls(gate: RequestGate): readonly Undo[] {
  const readUrl = Object.getOwnPropertyDescriptor(Request.prototype, 'url')?.get as Method;
  const isHeld = (input: unknown): boolean => {
    if (gate.isOpen) return false;
    // A request of another frame is one, too. What throws here throws in the native call.
    const address = typeof input === 'string' ? input : attempt(() => readUrl.call(input));
    const text = address ?? attempt(() => String(input)) ?? '';
    const isOne = gate.findHold(text) !== '';
    if (isOne && text.includes('/v1/public/consent/')) reportOwn(text);
    return isOne;
  };
  return [
    replaceMethod(
      window,
      'fetch',
      (native) =>
        ({
          fetch(this: unknown, ...args: unknown[]) {
            return isHeld(args[0]) ? refuseFetch(args) : native.apply(this, args);
          },
        }).fetch,
    ),
    replaceMethod(
      window,
      'fetchLater',
      (native) =>
        ({
          fetchLater(this: unknown, ...args: unknown[]) {
            return isHeld(args[0]) ? withdrawFetchLater(native, this, args) : native.apply(this, args);
          },
        }).fetchLater,
    ),
    replaceMethod(
      Navigator.prototype,
      'sendBeacon',
      (native) =>
        ({
          sendBeacon(this: unknown, ...args: unknown[]) {
            if (!isHeld(args[0])) return native.apply(this, args);
            Reflect.get(Navigator.prototype, 'onLine', this); // It throws what the native one throws for no navigator.
            return false;
          },
        }).sendBeacon,
    ),
  ];
}

/** Only the banner calls its API, and must not be held: it would get no notice, and could not record the decision. */
function reportOwn(address: string): void {
  reportProblem(
    `data-requests holds ${address}, which is the consent API. Name it as data-api-base (in code: apiBase).`,
  );
}

/** Invalid or aborted calls are reported as by the native function. */
async function refuseFetch([input, init]: readonly unknown[]): Promise<never> {
  const { signal } = new Request(input as RequestInfo, init as RequestInit);
  signal.throwIfAborted();
  throw new TypeError('Failed to fetch');
}

/** Queued and withdrawn in one: the answer is the browser's own, and it is never sent. */
function withdrawFetchLater(native: Method, self: unknown, [input, init]: readonly unknown[]): unknown {
  const controller = new AbortController();
  const request = new Request(input as RequestInfo, init as RequestInit);
  request.signal.throwIfAborted();
  const later = native.call(self, request, { signal: controller.signal });
  controller.abort();
  return later;
}
