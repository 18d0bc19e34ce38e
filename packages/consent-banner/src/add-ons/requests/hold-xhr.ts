import { attempt } from '../../stub/attempt.ts';
import { readHost } from './read-host.ts';
import { type Method, replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

interface Opened {
  readonly address: string;
  /** As the page's base was then. */
  readonly host: string;
  readonly isSync: boolean;
  /** What the page reads as `readyState` of one that was refused; undefined before it is sent. */
  readyState?: 0 | 1 | 4;
}

/**
 * Holds requests of XMLHttpRequest: they are opened and never sent, and end as https://xhr.spec.whatwg.org/#request-error-steps
 * has it for an error of the network.
 */
export function holdXhr(gate: RequestGate): readonly Undo[] {
  const { prototype } = XMLHttpRequest;
  const opened = new WeakMap<XMLHttpRequest, Opened>();
  const readUpload = Object.getOwnPropertyDescriptor(prototype, 'upload')?.get as Method;

  function refuse(xhr: XMLHttpRequest, one: Opened, hasBody: boolean): void {
    const tellBoth = (type: string): void => {
      if (hasBody) tell(readUpload.call(xhr), type, 'loadend');
      tell(xhr, type, 'loadend');
    };
    one.readyState = 1;
    if (one.isSync) {
      one.readyState = 4;
      throw new DOMException(`Failed to load '${one.address}'.`, 'NetworkError');
    }
    // Before any event, because a listener may abort.
    aborts.set(one, () => {
      one.readyState = 4;
      dispatch(xhr, new Event('readystatechange'));
      tellBoth('abort');
    });
    tell(xhr, 'loadstart');
    if (hasBody && one.readyState === 1) tell(readUpload.call(xhr), 'loadstart');
    setTimeout(() => {
      if (opened.get(xhr) !== one || one.readyState !== 1) return;
      one.readyState = 4;
      dispatch(xhr, new Event('readystatechange'));
      tellBoth('error');
    });
  }

  const aborts = new WeakMap<Opened, () => void>();
  const isSent = (xhr: XMLHttpRequest): boolean => opened.get(xhr)?.readyState !== undefined;
  return [
    replaceMethod(
      prototype,
      'open',
      (native) =>
        ({
          open(this: XMLHttpRequest, ...args: unknown[]) {
            const answer = native.apply(this, args);
            // Always, for it may be sent after a withdrawal.
            const address = attempt(() => String(args[1])) ?? '';
            opened.set(this, { address, host: readHost(address), isSync: args.length > 2 && !args[2] });
            return answer;
          },
        }).open,
    ),
    replaceMethod(
      prototype,
      'send',
      (native) =>
        ({
          send(this: XMLHttpRequest, ...args: unknown[]) {
            const one = opened.get(this);
            if (one?.readyState !== undefined) refuseState('send');
            if (!one || !gate.findHoldOfHost(one.host)) {
              opened.delete(this); // The browser's own from here on.
              return native.apply(this, args);
            }
            return refuse(this, one, args[0] !== undefined && args[0] !== null);
          },
        }).send,
    ),
    replaceMethod(
      prototype,
      'setRequestHeader',
      (native) =>
        ({
          setRequestHeader(this: XMLHttpRequest, ...args: unknown[]) {
            if (isSent(this)) refuseState('setRequestHeader');
            return native.apply(this, args);
          },
        }).setRequestHeader,
    ),
    replaceMethod(
      prototype,
      'abort',
      (native) =>
        ({
          abort(this: XMLHttpRequest, ...args: unknown[]) {
            const one = opened.get(this);
            if (one?.readyState === undefined) return native.apply(this, args);
            if (one.readyState === 1) aborts.get(one)?.();
            if (opened.get(this) === one && one.readyState === 4) one.readyState = 0;
          },
        }).abort,
    ),
    replaceAccessors(prototype, 'readyState', (native) => ({
      get(this: XMLHttpRequest) {
        return opened.get(this)?.readyState ?? native.call(this);
      },
    })),
  ];
}

function refuseState(name: string): never {
  const problem = `Failed to execute '${name}' on 'XMLHttpRequest': The object's state must be OPENED.`;
  throw new DOMException(problem, 'InvalidStateError');
}

function tell(target: EventTarget, ...types: readonly string[]): void {
  for (const type of types) dispatch(target, new ProgressEvent(type));
}

function dispatch(target: EventTarget, event: Event): void {
  EventTarget.prototype.dispatchEvent.call(target, event);
}
