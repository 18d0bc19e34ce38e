import type { Call } from './call.ts';
import type { ApiPromise, WithResponse } from './transport.ts';

const withoutBody: ReadonlySet<number> = new Set([204, 205]);

/**
 * A promise for the data of a call that also leads to the rest of its answer. It holds one promise and makes others only
 * when it is asked, so that a failure that nobody looks at is reported once.
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
    const body = withoutBody.has(status) ? null : new Uint8Array(this.#call.exchange?.body ?? []);
    return new Response(body, { status, headers });
  }
}
