import type { Call } from './call.ts';
import type { ApiPromise, ByteStream, StreamPromise, WithResponse } from './transport.ts';

/** A promise that forwards to another one, which is made when it is first needed. */
export abstract class Pending<Data> implements Promise<Data> {
  abstract readonly [Symbol.toStringTag]: string;
  readonly #start: () => Promise<Data>;
  #promise: Promise<Data> | null = null;

  constructor(start: () => Promise<Data>) {
    this.#start = start;
  }

  protected get promise(): Promise<Data> {
    this.#promise ??= this.#start();
    return this.#promise;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = Data, Rejected = never>(
    onFulfilled?: ((data: Data) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.promise.then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Data | Rejected> {
    return this.promise.catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Data> {
    return this.promise.finally(onFinally);
  }
}

/**
 * A promise for the data of a call that also leads to the rest of its response. It holds one promise and makes others
 * only on demand, so that an unhandled failure is reported once.
 */
export class PendingCall<Data> extends Pending<Data> implements ApiPromise<Data> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #call: Call;

  constructor(call: Call, data: Promise<Data>) {
    super(() => data);
    this.#call = call;
  }

  async withResponse(): Promise<WithResponse<Data>> {
    const data = await this.promise;
    return { data, response: this.#call.describeResponse() };
  }

  async asResponse(): Promise<Response> {
    await this.promise;
    const { status, headers } = this.#call.describeResponse();
    // Other statuses of a successful call may have a body.
    const body = status === 204 || status === 205 ? null : new Uint8Array(this.#call.exchange?.body ?? []);
    return new Response(body, { status, headers });
  }
}

/** A promise for a stream that can also be iterated at once. */
export class PendingStream extends Pending<ByteStream> implements StreamPromise {
  readonly [Symbol.toStringTag] = 'StreamPromise';

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    yield* await this.promise;
  }

  async *lines(): AsyncGenerator<string, void> {
    yield* (await this.promise).lines();
  }
}
