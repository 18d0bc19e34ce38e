import { attempt, reportProblem } from '../../page/browser.ts';
import { type RequestGate, replaceMember, type Undo } from './request-gate.ts';

/** Fails calls to blocked hosts as without a network; nothing is sent, then or later. */
export function blockCalls(gate: RequestGate): readonly Undo[] {
  const isBlocked = (input: unknown): boolean => {
    // An input that throws here throws in the native call, too.
    const address = attempt(() => String((input as Partial<Request> | null)?.url ?? input)) ?? '';
    const isOne = gate.findPurposes(address) !== '';
    // Without the consent API the banner has no notice, and cannot record a decision.
    if (isOne && address.includes('/v1/public/consent/'))
      reportProblem(
        `data-requests holds ${address}, which is the consent API. Name it as data-api-base (in code: apiBase).`,
      );
    return isOne;
  };
  return [
    replaceMember(window, 'fetch', ({ value: native }) => ({
      value(...args) {
        return isBlocked(args[0]) ? Promise.reject(new TypeError('Failed to fetch')) : native.apply(this, args);
      },
    })),
    replaceMember(Navigator.prototype, 'sendBeacon', ({ value: native }) => ({
      value(...args) {
        return !isBlocked(args[0]) && native.apply(this, args);
      },
    })),
    ...blockXhr(isBlocked),
  ];
}

interface Opened {
  readonly address: string;
  readonly isSync: boolean;
}

/** Checked on `send`, because a consent may be withdrawn after `open`. Ends as the browser ends a network error. */
function blockXhr(isBlocked: (address: string) => boolean): readonly Undo[] {
  const opened = new WeakMap<XMLHttpRequest, Opened>();
  const fail = (xhr: XMLHttpRequest, one: Opened): void => {
    if (one.isSync) throw new DOMException(`Failed to load '${one.address}'.`, 'NetworkError');
    xhr.dispatchEvent(new ProgressEvent('loadstart'));
    setTimeout(() => {
      if (opened.get(xhr) !== one) return; // Aborted, or opened again.
      Object.defineProperty(xhr, 'readyState', { value: 4, configurable: true });
      xhr.dispatchEvent(new Event('readystatechange'));
      for (const type of ['error', 'loadend']) xhr.dispatchEvent(new ProgressEvent(type));
    });
  };
  return [
    replaceMember(XMLHttpRequest.prototype, 'open', ({ value: native }) => ({
      value(...args) {
        Reflect.deleteProperty(this, 'readyState');
        const result = native.apply(this, args);
        const address = new URL(String(args[1]), document.baseURI).href; // As the base is now.
        opened.set(this, { address, isSync: args.length > 2 && !args[2] });
        return result;
      },
    })),
    replaceMember(XMLHttpRequest.prototype, 'send', ({ value: native }) => ({
      value(...args) {
        const one = opened.get(this);
        return one && isBlocked(one.address) ? fail(this, one) : native.apply(this, args);
      },
    })),
    replaceMember(XMLHttpRequest.prototype, 'abort', ({ value: native }) => ({
      value(...args) {
        opened.delete(this);
        return native.apply(this, args);
      },
    })),
  ];
}
