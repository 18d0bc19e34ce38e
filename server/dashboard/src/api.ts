import { PendingList } from '../../../packages/node-sdk/src/page.ts';
import type {
  ApiPromise,
  ListOperation,
  ListOptions,
  Method,
  Operation,
  PagePromise,
  RequestOptions,
  ResponseDetails,
  Transport,
  WithResponse,
} from '../../../packages/node-sdk/src/transport.ts';
import type { OperationResults } from './api-types.ts';

/** An error that the server returned, or a request that it did not answer (status 0). */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  /** The values that break a rule: `body.email`. */
  readonly details: readonly { readonly path: string; readonly issue: string }[];
  readonly requestId: string | null;

  constructor(status: number, error: Partial<RequestError>) {
    super(error.message ?? '');
    this.status = status;
    this.code = error.code ?? 'unreadable_error';
    this.details = error.details ?? [];
    this.requestId = error.requestId ?? null;
  }
}

/** Signs the user in again in the middle of their work. @returns whether they did. */
type Renew = () => Promise<boolean>;

/**
 * The transport of the dashboard: same origin, with the session cookie. A call whose session has ended waits for the user
 * to sign in again and is then repeated with the same Idempotency-Key, so that no input is lost and none is taken twice.
 */
export class SessionTransport implements Transport {
  /** Set while pages are shown; the sign-in page itself has none. */
  renew: Renew | null = null;

  request<Data>(operation: Operation, options: RequestOptions = {}): ApiPromise<Data> {
    const answer = this.#send<Data>(operation, options);
    const data = answer.then((given) => given.data);
    // A caller of `withResponse` handles the error there.
    data.catch(() => undefined);
    return Object.assign(data, {
      withResponse: () => answer,
      asResponse: async () => Response.json((await answer).data),
    });
  }

  list<Item>(operation: ListOperation, options?: ListOptions): PagePromise<Item> {
    return new PendingList<Item>((page, pageOptions) => this.request(page, pageOptions), operation, options);
  }

  stream(): never {
    throw new TypeError('Exports are downloaded through links.');
  }

  async #send<Data>(operation: Operation, options: RequestOptions): Promise<WithResponse<Data>> {
    const { method } = operation;
    const idempotencyKey = method === 'POST' ? (options.idempotencyKey ?? crypto.randomUUID()) : null;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#try<Data>(operation, options, idempotencyKey, attempts);
      } catch (error) {
        const hasEnded = error instanceof RequestError && error.code === 'unauthenticated';
        if (!hasEnded || this.renew === null || !(await this.renew())) throw error;
      }
    }
  }

  async #try<Data>(
    { method, path, parameters, query, body, read, answer = 'data' }: Operation,
    { signal }: RequestOptions,
    idempotencyKey: string | null,
    attempts: number,
  ): Promise<WithResponse<Data>> {
    const headers: Record<string, string> = { Accept: 'application/json' };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (idempotencyKey !== null) headers['Idempotency-Key'] = idempotencyKey;
    const init: RequestInit = { method, headers, signal: signal ?? null };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(addressOf(path, parameters, query), init).catch((cause: unknown) => {
      if (signal?.aborted) throw cause;
      throw new RequestError(0, { code: 'unreachable' });
    });
    const content = response.status === 204 ? { data: null } : await response.json().catch(() => ({}));
    const requestId = response.headers.get('svc-request-id');
    if (!response.ok) throw new RequestError(response.status, { requestId, ...content.error });
    const details: ResponseDetails = {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      requestId,
      idempotencyKey,
      idempotentReplayed: response.headers.get('idempotent-replayed') === 'true',
      version: response.headers.get('svc-version'),
      attempts,
    };
    const data = answer === 'bare' ? content : content.data;
    return { data: (read ? read(data, details) : data) as Data, response: details };
  }
}

function addressOf(path: string, parameters: Operation['parameters'], query: object | undefined): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parameters?.[name])));
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length === 0 ? filled : `${filled}?${search}`;
}

export const transport = new SessionTransport();

/** Calls an operation of the session, which the SDK has no method for. */
export function call<Id extends keyof OperationResults>(
  id: Id,
  method: Method,
  path: string,
  more: Pick<Operation, 'body' | 'answer'> = {},
): ApiPromise<OperationResults[Id]> {
  return transport.request<OperationResults[Id]>({ id, method, path, ...more });
}
