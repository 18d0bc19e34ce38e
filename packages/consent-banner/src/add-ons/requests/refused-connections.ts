import { readBaseUri } from './read-host.ts';

/** What answers for a connection that is never made. */
class RefusedConnection {
  url: string;
  readyState = 0;
  protected readonly target: EventTarget;

  /** @param types of events that have a handler. */
  constructor(target: EventTarget, address: unknown, types: readonly string[]) {
    this.target = target;
    this.url = new URL(String(address), readBaseUri()).href;
    for (const type of types) this.#addHandler(type);
  }

  protected tell(event: Event): void {
    EventTarget.prototype.dispatchEvent.call(this.target, event);
  }

  /** A handler takes its turn among the listeners by the moment when it is first set. */
  #addHandler(type: string): void {
    let handler: unknown = null;
    let isListening = false;
    const { target } = this;
    Object.defineProperty(this, `on${type}`, {
      get: () => handler,
      set: (value: unknown) => {
        handler = typeof value === 'function' || (typeof value === 'object' && value) ? value : null;
        if (!isListening) EventTarget.prototype.addEventListener.call(target, type, call);
        isListening = true;
      },
    });
    const call = (event: Event): void => {
      if (typeof handler === 'function') handler.call(target, event);
    };
  }
}

/** Fails as https://websockets.spec.whatwg.org/#fail-the-websocket-connection has it. */
export class RefusedWebSocket extends RefusedConnection {
  readonly bufferedAmount = 0;
  readonly extensions = '';
  readonly protocol = '';
  #binaryType = 'blob';

  /** @throws DOMException SyntaxError for protocols that are none, or come twice. */
  constructor(target: EventTarget, address?: unknown, protocols: unknown = []) {
    super(target, address, ['open', 'error', 'message', 'close']);
    this.url = writeSocketAddress(this.url);
    checkProtocols(typeof protocols === 'string' ? [protocols] : [...(protocols as Iterable<unknown>)]);
    setTimeout(() => {
      this.readyState = 3;
      this.tell(new Event('error'));
      this.tell(new CloseEvent('close', { code: 1006 }));
    });
  }

  get binaryType(): string {
    return this.#binaryType;
  }

  set binaryType(value: unknown) {
    if (value === 'blob' || value === 'arraybuffer') this.#binaryType = value;
  }

  send(): void {
    if (this.readyState === 0) throw new DOMException('Still in CONNECTING state.', 'InvalidStateError');
  }

  close(code?: number): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw new DOMException(`The code must be either 1000, or between 3000 and 4999.`, 'InvalidAccessError');
    }
    this.readyState ||= 2;
  }
}

/** Fails as https://html.spec.whatwg.org/multipage/server-sent-events.html#fail-the-connection has it. */
export class RefusedEventSource extends RefusedConnection {
  readonly withCredentials: boolean;

  constructor(target: EventTarget, address?: unknown, options?: unknown) {
    super(target, address, ['open', 'error', 'message']);
    this.withCredentials = Boolean((options as EventSourceInit | null | undefined)?.withCredentials);
    setTimeout(() => {
      if (this.readyState === 2) return;
      this.readyState = 2;
      this.tell(new Event('error'));
    });
  }

  close(): void {
    this.readyState = 2;
  }
}

/** Fails as https://websockets.spec.whatwg.org/#the-websocketstream-interface has it. */
export class RefusedWebSocketStream {
  readonly url: string;
  readonly opened: Promise<never>;
  readonly closed: Promise<never>;

  /** @throws DOMException SyntaxError for protocols that are none, or come twice. */
  constructor(address?: unknown, options?: unknown) {
    const { protocols = [], signal } = { ...(options as { protocols?: Iterable<unknown>; signal?: AbortSignal }) };
    this.url = writeSocketAddress(new URL(String(address), readBaseUri()).href);
    checkProtocols([...protocols]);
    this.opened = failLater('WebSocket closed before handshake complete.', signal);
    this.closed = failLater('WebSocket was not cleanly closed.', signal);
  }

  close(): void {}
}

/** A caller that ignores the reason must not cause an unhandled rejection. */
function failLater(message: string, signal: AbortSignal | undefined): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    setTimeout(() =>
      reject(signal?.aborted ? signal.reason : Reflect.construct(Reflect.get(window, 'WebSocketError'), [message])),
    );
  });
  failed.catch(() => {});
  return failed;
}

function writeSocketAddress(address: string): string {
  return address.replace(/#.*/s, '').replace(/^http/, 'ws');
}

function checkProtocols(protocols: readonly unknown[]): void {
  const names = protocols.map(String);
  if (new Set(names).size < names.length || !names.every((one) => /^[!#$%&\x27*+\-.^\x60|~\w]+$/.test(one))) {
    throw new DOMException(`Failed to construct 'WebSocket': The subprotocols are invalid.`, 'SyntaxError');
  }
}
