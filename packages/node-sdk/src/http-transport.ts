import type { ByteQueue } from './byte-stream.ts';
import { Call } from './call.ts';
import { PendingList } from './page.ts';
import { PendingCall, PendingStream } from './pending-call.ts';
import { createResponseError, readData } from './read-answer.ts';
import { Sender, type Shared } from './sender.ts';
import type { Settings } from './settings.ts';
import type {
  ApiPromise,
  ByteStream,
  ListOperation,
  ListOptions,
  Operation,
  PagePromise,
  RequestOptions,
  StreamPromise,
  Transport,
} from './transport.ts';

/** The transport over HTTP. Everything that it has is private, so that printing it shows no key. */
export class HttpTransport implements Transport {
  readonly #sender: Sender;

  constructor(settings: Settings, shared: Shared) {
    this.#sender = new Sender(settings, shared);
  }

  request<Data>(operation: Operation, options?: RequestOptions): ApiPromise<Data> {
    const call = new Call(operation, options);
    return new PendingCall<Data>(
      call,
      this.#sender.send(call, null, (exchange) => readData(exchange, call) as Data),
    );
  }

  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item> {
    return new PendingList<Item>((page, pageOptions) => this.request(page, pageOptions), operation, options);
  }

  stream(operation: Operation, options?: RequestOptions): StreamPromise {
    return new PendingStream(this.#open(new Call({ ...operation, answer: 'stream' }, options)));
  }

  async #open(call: Call): Promise<ByteStream> {
    // Loaded here, because few programs stream.
    const { ByteQueue, checkStreamType, QueuedStream } = await import('./byte-stream.ts');
    return await this.#sender.send(call, ByteQueue, (exchange) => {
      const queue = exchange.sink as ByteQueue;
      try {
        checkStreamType(exchange, call);
      } catch (error) {
        queue.cancel();
        throw error;
      }
      const makeError = (message: string) => this.#sender.note(call, createResponseError(message, exchange, call));
      return new QueuedStream(queue, call.describeResponse(), makeError);
    });
  }
}
