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

/** Lets the user go on in the middle of their work. @returns whether the call can be repeated. */
type Resume = () => Promise<boolean>;

/** Operations on the session itself, whichever tenant it is in. */
const ofAnyTenant = ['switchTenant', 'signOut'];

/** True if another user has signed in since, in another tab. */
export function isOtherUser(error: unknown): boolean {
  return error instanceof RequestError && error.details[0]?.path === 'header.Svc-User';
}

/**
 * The transport of the dashboard: same origin, with the session cookie. A call whose session has ended waits for the user
 * to sign in again and is then repeated with the same Idempotency-Key, so that no input is lost and none is taken twice.
 */
export class SessionTransport implements Transport {
  /** Called when the role of the user no longer allows what a page offered. */
  denied: (() => void) | null = null;
  /** Called when the tenant requires a second factor that the user has not set up. */
  requireFactor: (() => void) | null = null;
  /** Signs the user in again. Set while pages are shown; the sign-in page itself has none. */
  renew: Resume | null = null;
  /** The same after another user signed in in another tab. */
  reclaim: Resume | null = null;
  /** Asks the user what to do after a switch to another tenant in another tab. */
  askTenant: Resume | null = null;
  /** The id of the tenant that the pages show: calls are rejected if the session is in another one. */
  tenantId: string | null = null;
  /** The id of the user that the pages show: nothing is done as another one. */
  userId: string | null = null;
  /** Called when the server has answered: an idle session ends later. */
  noteUse: (response?: Response) => void = () => undefined;

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

  /**
   * Sends a file with one POST. Only XMLHttpRequest reports how much was sent.
   * @param progress called with the part that was sent, from 0 to 1.
   */
  async upload<Data>(path: string, query: object, file: File, progress: (part: number) => void): Promise<Data> {
    const idempotencyKey = crypto.randomUUID();
    for (;;) {
      try {
        const headers = {
          'Idempotency-Key': idempotencyKey,
          ...this.#nameViewer('uploadEvidenceFile'),
        };
        return await sendFile<Data>(addressOf(path, {}, query), file, headers, progress);
      } catch (error) {
        if (!(await this.#isResumed(error, { id: 'uploadEvidenceFile' }))) throw error;
      }
    }
  }

  /** True if a call that failed can be repeated, because the user has removed the cause. */
  async #isResumed(error: unknown, operation: Pick<Operation, 'id'>): Promise<boolean> {
    if (!(error instanceof RequestError)) return false;
    if (error.code === 'insufficient_scope') this.denied?.();
    if (error.code === 'second_factor_required') this.requireFactor?.();
    const resume = this.#findResume(error, operation);
    return resume !== null && (await resume());
  }

  async #send<Data>(operation: Operation, options: RequestOptions): Promise<WithResponse<Data>> {
    const { method } = operation;
    const idempotencyKey = method === 'POST' ? (options.idempotencyKey ?? crypto.randomUUID()) : null;
    for (let attempts = 1; ; attempts += 1) {
      try {
        return await this.#try<Data>(operation, options, idempotencyKey, attempts);
      } catch (error) {
        if (!(await this.#isResumed(error, operation))) throw error;
      }
    }
  }

  /** Names whom and what the pages show, for the server to compare with the session, which tabs share. */
  #nameViewer(operationId: string): Record<string, string> {
    const headers: Record<string, string> = {};
    if (this.tenantId !== null && !ofAnyTenant.includes(operationId)) headers['Svc-Tenant'] = this.tenantId;
    if (this.userId !== null && operationId !== 'signOut') headers['Svc-User'] = this.userId;
    return headers;
  }

  #findResume(error: RequestError, { id }: Pick<Operation, 'id'>): Resume | null {
    const { code } = error;
    if (id === 'signOut') return null;
    if (code === 'unauthenticated') return this.renew;
    if (isOtherUser(error)) return this.reclaim;
    return code === 'tenant_not_allowed' && id !== 'switchTenant' ? this.askTenant : null;
  }

  async #try<Data>(
    { id, method, path, parameters, query, body, ifMatch, read, answer = 'data' }: Operation,
    { signal }: RequestOptions,
    idempotencyKey: string | null,
    attempts: number,
  ): Promise<WithResponse<Data>> {
    const headers: Record<string, string> = { Accept: 'application/json', ...this.#nameViewer(id) };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
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
    this.noteUse(response);
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

function sendFile<Data>(
  address: string,
  file: File,
  headers: Readonly<Record<string, string>>,
  progress: (part: number) => void,
): Promise<Data> {
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.open('POST', address);
    request.responseType = 'json';
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => progress(total === 0 ? 0 : loaded / total);
    request.onerror = () => reject(new RequestError(0, { code: 'unreachable' }));
    request.onload = () => {
      const { status, response } = request;
      const requestId = request.getResponseHeader('svc-request-id');
      if (status >= 200 && status < 300) resolve(response.data);
      else reject(new RequestError(status, { requestId, ...response?.error }));
    };
    request.send(file);
  });
}

function addressOf(path: string, parameters: Operation['parameters'], query: object | undefined): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = String(parameters?.[name]);
    // Encoded or not, these lead to another path (URL Standard, double-dot path segments).
    if (value === '.' || value === '..') throw new RequestError(404, { code: 'not_found' });
    return encodeURIComponent(value);
  });
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
