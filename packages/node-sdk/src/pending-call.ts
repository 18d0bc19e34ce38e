import type { Call } from './call.ts';
import type { ApiPromise, ByteStream, StreamPromise, WithResponse } from './transport.ts';

/**
 * A promise for the data of a call that also leads to the rest of its answer. It holds one promise and makes others only
 * on demand, so that an unhandled failure is reported once.
 */
export class PendingCall<Data> implements ApiPromise<Data> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #call: Call;
  readonly #data: Promise<Data>;

  constructor(call: Call, data: Promise<Data>) {
    this.#call = call;
    this.#data = data;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = Data, Rejected = never>(
    onFulfilled?: ((data: Data) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#data.then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Data | Rejected> {
    return this.#data.catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Data> {
    return this.#data.finally(onFinally);
  }

  async withResponse(): Promise<WithResponse<Data>> {
    const data = await this.#data;
    return { data, response: this.#call.describeResponse() };
  }

  async asResponse(): Promise<Response> {
    await this.#data;
    const { status, headers } = this.#call.describeResponse();
    // Other statuses of a successful call may have a body.
    const body = status === 204 || status === 205 ? null : new Uint8Array(this.#call.exchange?.body ?? []);
    return new Response(body, { status, headers });
  }
}

/** A promise for a stream that can also be iterated at once. */
export class PendingStream implements StreamPromise {
  readonly [Symbol.toStringTag] = 'StreamPromise';
  readonly #stream: Promise<ByteStream>;

  constructor(stream: Promise<ByteStream>) {
    this.#stream = stream;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = ByteStream, Rejected = never>(
    onFulfilled?: ((stream: ByteStream) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#stream.then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<ByteStream | Rejected> {
    return this.#stream.catch(onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<ByteStream> {
    return this.#stream.finally(onFinally);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    yield* await this.#stream;
  }

  async *lines(): AsyncGenerator<string, void> {
    yield* (await this.#stream).lines();
  }
}
