import { attempt } from '../../stub/attempt.ts';
import { RefusedEventSource, RefusedWebSocket } from './refused-connections.ts';
import { type Method, replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

type StandIn = RefusedWebSocket | RefusedEventSource;

/** Holds connections: what the page gets is of its class, tells of an error, and never reaches a network. */
export function holdConnections(gate: RequestGate): readonly Undo[] {
  return [
    ...holdClass('WebSocket', (target, [address, protocols]) => new RefusedWebSocket(target, address, protocols)),
    ...holdClass('EventSource', (target, [address, options]) => new RefusedEventSource(target, address, options)),
  ];

  function holdClass(
    name: 'WebSocket' | 'EventSource',
    createStandIn: (target: EventTarget, args: readonly unknown[]) => StandIn,
  ): readonly Undo[] {
    const standIns = new WeakMap<object, StandIn>();
    const { prototype } = window[name];
    const replace = (native: Method): Method =>
      new Proxy(native, {
        construct(target, args, newTarget) {
          const address = gate.isOpen ? '' : (attempt(() => String(args[0])) ?? '');
          if (!address || !gate.findHold(address)) return Reflect.construct(target, args, newTarget);
          // An event target of that class: whatever is below it answers as it does.
          const refused = Reflect.construct(EventTarget, [], newTarget);
          standIns.set(refused, createStandIn(refused, args));
          return refused;
        },
      });
    const undo = replaceMethod(window, name, replace);
    const connection: unknown = window[name];
    const members = Object.getOwnPropertyNames(prototype).filter((member) => member !== 'constructor');
    return [
      undo,
      replaceMethod(prototype, 'constructor', () => connection as Method),
      ...members.map((member) => answerMember(prototype, member, standIns)),
    ];
  }
}

/** Lets the stand-in answer where there is one; everybody else's member stays native. */
function answerMember(prototype: object, name: string, standIns: WeakMap<object, object>): Undo {
  if (typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function') {
    return replaceMethod(
      prototype,
      name,
      (native) =>
        ({
          call(this: object, ...args: unknown[]) {
            const standIn = standIns.get(this);
            return standIn ? (Reflect.get(standIn, name) as Method).apply(standIn, args) : native.apply(this, args);
          },
        }).call,
    );
  }
  return replaceAccessors(prototype, name, (get, set) => ({
    get(this: object) {
      const standIn = standIns.get(this);
      return standIn ? Reflect.get(standIn, name) : get.call(this);
    },
    set(this: object, value: unknown) {
      const standIn = standIns.get(this);
      if (standIn) Reflect.set(standIn, name, value);
      else set.call(this, value);
    },
  }));
}
