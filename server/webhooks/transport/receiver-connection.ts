import type { Socket } from 'node:net';
import type { Client, Dispatcher } from 'undici';
import { describeFailure } from './outcome.ts';
import {
  type ConnectorOptions,
  type ConnectorStep,
  openConnection,
  type ReceiverAddress,
} from './receiver-connector.ts';

/** Shorter than the 5 seconds after which many servers close a connection, which would meet a delivery on its way. */
const keepAliveMilliseconds = 4_000;
const longestKeepAlive = 60_000;
const longestHeaders = 16 * 1024;

export interface Receiver extends ReceiverAddress {
  /** `https://hooks.example.com:8443`. */
  readonly origin: string;
  /** Whose deliveries go there: nobody else's use the same connection. */
  readonly owner: string;
}

/** One connection to a receiver, used by one delivery at a time; opens itself again when the receiver closed it. */
export class ReceiverConnection {
  readonly receiver: Receiver;
  readonly #client: Client;
  #opening: AbortController | null = null;
  #socket: Socket | null = null;
  #onStep: (step: ConnectorStep) => void = () => {};

  constructor(undici: typeof import('undici'), receiver: Receiver, options: ConnectorOptions) {
    this.receiver = receiver;
    this.#client = new undici.Client(receiver.origin, {
      connect: (_options, answer) => {
        this.#opening = new AbortController();
        openConnection({
          ...options,
          receiver,
          signal: this.#opening.signal,
          onStep: (step) => this.#onStep(step),
        }).then(
          (socket) => {
            this.#socket = socket;
            answer(null, socket);
          },
          (error: unknown) => answer(describeFailure(error), null),
        );
      },
      allowH2: false,
      pipelining: 1,
      // One limit over the whole exchange replaces these.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: longestHeaders,
      keepAliveTimeout: keepAliveMilliseconds,
      keepAliveMaxTimeout: longestKeepAlive,
    });
  }

  /** What came over it since it was opened last, also when it is closed by now. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0;
  }

  send(
    request: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    onStep: (step: ConnectorStep) => void,
  ): void {
    this.#onStep = onStep;
    this.#client.dispatch(request, handler);
  }

  onDisconnect(listener: () => void): void {
    this.#client.on('disconnect', listener);
  }

  /** Ends it at once, also while it is being opened. */
  async destroy(): Promise<void> {
    this.#opening?.abort();
    await this.#client.destroy();
  }
}
