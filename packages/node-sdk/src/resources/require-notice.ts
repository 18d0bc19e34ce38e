import { NotFoundError } from '../api-error.ts';
import type { ApiPromise, WithResponse } from '../transport.ts';
import type { ConsentRecord, Notice } from '../types/consent.ts';

/** What `GET /v1/consent/{id}` answers for an id that is no notice: the records of the subject with that id. */
interface SubjectLedger {
  readonly data: readonly ConsentRecord[];
  readonly page: { readonly total: number };
}

/** Takes the answer of `GET /v1/consent/{id}` for a notice, and anything else for none. */
export function requireNotice(call: ApiPromise<Notice | SubjectLedger>): ApiPromise<Notice> {
  return new NoticeCall(call);
}

/** A call that fails where its answer is no notice. It holds one promise, so that a failure is reported once. */
class NoticeCall implements ApiPromise<Notice> {
  readonly [Symbol.toStringTag] = 'ApiPromise';
  readonly #call: ApiPromise<Notice | SubjectLedger>;
  readonly #answer: Promise<WithResponse<Notice>>;

  constructor(call: ApiPromise<Notice | SubjectLedger>) {
    this.#call = call;
    this.#answer = readNotice(call);
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise
  then<Fulfilled = Notice, Rejected = never>(
    onFulfilled?: ((notice: Notice) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#answer.then(({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Notice | Rejected> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Notice> {
    return this.then().finally(onFinally);
  }

  withResponse(): Promise<WithResponse<Notice>> {
    return this.#answer;
  }

  async asResponse(): Promise<Response> {
    await this.#answer;
    return this.#call.asResponse();
  }
}

async function readNotice(call: ApiPromise<Notice | SubjectLedger>): Promise<WithResponse<Notice>> {
  const { data, response } = await call.withResponse();
  if (!('page' in data)) return { data, response };
  const { requestId, headers, idempotencyKey, attempts } = response;
  const message = 'There is no such consent notice.';
  const content = { code: 'not_found', message, details: [], fields: {}, requestId, headers, retryAfterMs: null };
  throw new NotFoundError({ ...content, status: 404 }, { operation: 'getConsent', idempotencyKey, attempts });
}
