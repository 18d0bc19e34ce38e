import { attempt } from '../../stub/attempt.ts';
import type { OpenConnections } from './open-connections.ts';
import { RefusedEventSource, RefusedWebSocket, RefusedWebSocketStream } from './refused-connections.ts';
import { type Method, replaceAccessors, replaceMethod, type Undo } from './replace-member.ts';
import type { RequestGate } from './request-gate.ts';

type Arguments = readonly unknown[];
/** Makes what answers for a connection that is refused. */
type CreateStandIn = (target: EventTarget, args: Arguments) => object;

/** Holds connections: the page gets an object of the same class, which reports an error and never reaches a network. */
export function holdConnections(gate: RequestGate, open: OpenConnections): readonly Undo[] {
  return [
    ...holdClass('WebSocket', EventTarget, (target, args) => new RefusedWebSocket(target, ...args)),
    ...holdClass('EventSource', EventTarget, (target, args) => new RefusedEventSource(target, ...args)),
    ...holdClass('WebSocketStream', Object, (_, args) => new RefusedWebSocketStream(...args)),
  ];

  /** @param base what objects of that class are below. */
  function holdClass(name: string, base: new () => object, create: CreateStandIn): readonly Undo[] {
    const prototype = Reflect.get(window, name)?.prototype;
    if (!prototype) return [];
    const { close } = prototype;
    const standIns = new WeakMap<object, object>();
    let hasStandIns = false;
    const replace = (native: Method): Method =>
      new Proxy(native, {
        construct(target, args, asked) {
          const address = attempt(() => String(args[0])) ?? '';
          if (gate.findHold(address)) {
            // Of the class that was asked for: whatever is below it answers as it does.
            const refused = Reflect.construct(base, [], asked) as EventTarget;
            standIns.set(refused, create(refused, args));
            hasStandIns = true;
            return refused;
          }
          const connection = Reflect.construct(target, args, asked);
          open.add(connection, address, close);
          return connection;
        },
      });
    const undo = replaceMethod(window, name, replace);
    const connection: Method = Reflect.get(window, name);
    const members = Object.getOwnPropertyNames(prototype).filter((member) => member !== 'constructor');
    const undoMembers = members.map((member) => answerMember(prototype, member, standIns));
    return [
      undo,
      replaceMethod(prototype, 'constructor', () => connection),
      // What was refused has no other members, so these stay with it.
      ...undoMembers.map((one) => () => hasStandIns || one()),
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
