import type { Tokens } from './access-tokens.ts';
import type { ByteQueue } from './byte-stream.ts';
import type { Call } from './call.ts';
import { checkRequestOptions } from './check-options.ts';
import { type Connection, type ConnectionPool, endStream } from './connection-pool.ts';
import type { Deprecations } from './deprecations.ts';
import {
  AbortError,
  ConfigurationError,
  DeadlineError,
  type RetryRefusal,
  refuseRetry,
  SvcError,
  setCall,
  wrapError,
} from './errors.ts';
import { Exchange } from './exchange.ts';
import { type HeaderList, redactHeaders } from './headers.ts';
import { type CallNote, notify } from './hooks.ts';
import { type PreparedRequest, prepareRequest, takesKey } from './prepare-request.ts';
import { createAttemptError, createTransportError } from './read-answer.ts';
import { chooseWait, isLasting, isPassing, type RetryBudget } from './retry.ts';
import { type Limits, longestTimer, readLimits, type Settings } from './settings.ts';

/** State that clients made from one another share. */
export interface Shared {
  readonly pool: ConnectionPool;
  readonly budget: RetryBudget | null;
  readonly tokens: Tokens | null;
  readonly deprecations: Deprecations;
}

/** A call with what holds for all its attempts. */
interface Run {
  readonly call: Call;
  readonly request: PreparedRequest;
  readonly limits: Limits;
  /** On the clock of the runtime. */
  readonly deadlineAt: number;
  /** Ends the listening to the signal. */
  readonly release: () => void;
  /** Receives the bytes of a stream; null where the whole response is read. */
  readonly Queue: typeof ByteQueue | null;
}

/** Sends calls until they succeed or must not be retried. */
export class Sender {
  readonly #settings: Settings;
  readonly #shared: Shared;

  constructor(settings: Settings, shared: Shared) {
    this.#settings = settings;
    this.#shared = shared;
  }

  /**
   * Sends a call.
   * @param Queue receives the bytes of a stream; null reads the whole response.
   * @param read receives the response, which is no error; that of a stream has begun.
   * @throws {SvcError}
   */
  async send<Result>(call: Call, Queue: Run['Queue'], read: (exchange: Exchange) => Result): Promise<Result> {
    let release = () => {};
    try {
      checkRequestOptions(call.options);
      release = listen(call);
      const { runtime } = this.#settings;
      const request = prepareRequest(call, this.#settings);
      const limits = readLimits(call.options, this.#settings);
      const deadlineAt = runtime.now() + limits.deadline;
      const exchange = await this.#tryUntilDone({ call, request, limits, deadlineAt, release, Queue });
      if (exchange.sink === null) release();
      return read(exchange);
    } catch (error) {
      release();
      throw error instanceof SvcError ? this.#note(call, error) : error;
    }
  }

  /** Reports a call that failed for good, also after its response began. */
  #note(call: Call, error: SvcError): SvcError {
    // One that was made before its call was known.
    if (error.operation === null) setCall(error, call);
    notify(this.#settings.hooks, 'onError', () => ({ ...describeCall(call), error }));
    return error;
  }

  async #tryUntilDone(run: Run): Promise<Exchange> {
    const { call, limits } = run;
    const { maxResponseBytes, runtime, hooks } = this.#settings;
    let isRenewed = false;
    for (;;) {
      this.#checkRunning(run);
      const authorization = this.#findAuthorization(call) ?? (await this.#fetchAuthorization(run));
      const connection = this.#shared.pool.take() ?? (await this.#waitForConnection(run));
      const exchange = await this.#try(run, connection, authorization);
      if (exchange.isSent && (exchange.failure !== null || exchange.status === 408 || exchange.status >= 500))
        call.isOutcomeUnknown = true;
      if (exchange.isStale && run.request.isIdempotent) {
        // The server closed the connection while it was idle, or it ended after it had read the request. The same
        // connection is taken again and opens a new socket.
        call.attempts -= 1;
        continue;
      }
      if (exchange.failure === null && exchange.status < 300) {
        this.#shared.budget?.succeed();
        // It began while the client was being closed.
        if (exchange.sink !== null && this.#shared.pool.isClosed) endStream(exchange);
        return exchange;
      }
      const error = createAttemptError(exchange, call, { ...limits, maxResponseBytes, wallClock: runtime.wallClock() });
      const { tokens } = this.#shared;
      if (exchange.status === 401 && !isRenewed && tokens !== null && takesKey(call.target)) {
        // It may have been revoked, so that a new one may be accepted.
        tokens.loaded?.drop(authorization.slice('Bearer '.length));
        isRenewed = true;
        continue;
      }
      if (isGone(call, exchange, error)) {
        this.#shared.budget?.succeed();
        return exchange;
      }
      const wait = this.#chooseWait(run, exchange, error);
      if (typeof wait !== 'number') {
        if (wait) refuseRetry(error, wait);
        throw error;
      }
      call.lastError = error;
      notify(hooks, 'onRetry', () => ({ ...describeCall(call), error, wait }));
      // A hook may have aborted the call.
      this.#checkRunning(run);
      await this.#pause(call, wait);
    }
  }

  /** Sends one request. Resolves when the response is complete or will not come. */
  async #try(run: Run, connection: Connection, authorization: string): Promise<Exchange> {
    const { call, request, limits, Queue } = run;
    const { runtime, maxResponseBytes, hooks, baseUrl } = this.#settings;
    const openSink = Queue && ((opened: Exchange) => this.#openQueue(Queue, run, opened, connection));
    const exchange = new Exchange({ connection, limit: maxResponseBytes, openSink });
    call.exchange = exchange;
    call.attempts += 1;
    call.useAuthorization(authorization);
    call.interrupt = () => exchange.fail('aborted', undefined);
    const headers: HeaderList =
      authorization === '' ? request.headers : ['authorization', authorization, ...request.headers];
    const begun = runtime.now();
    const left = run.deadlineAt - begun;
    const [kind, time] = left < limits.timeout ? (['deadline', left] as const) : (['timeout', limits.timeout] as const);
    const timer = time > longestTimer ? null : runtime.setTimer(() => exchange.fail(kind, undefined), time);
    notify(hooks, 'onRequest', () => ({ ...describeCall(call), headers: redactHeaders(headers) }));
    try {
      connection.dispatcher.dispatch(
        {
          origin: baseUrl().origin,
          path: request.path,
          method: call.target.method,
          headers: headers as string[],
          // The types of undici lack what it also takes: a Blob and an async iterable.
          body: request.body as string | null,
          // Our own timer covers everything from here to the last byte.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        exchange,
      );
    } catch (error) {
      exchange.fail('connection', error);
    }
    await exchange.settled;
    if (timer !== null) runtime.clearTimer(timer);
    if (exchange.sink === null) {
      call.interrupt = null;
      this.#shared.pool.release(connection);
    }
    if (exchange.failure !== null) return exchange;
    this.#shared.deprecations.look(call.operation, exchange, request.version);
    notify(hooks, 'onResponse', () => {
      const { status, requestId } = call.describeResponse();
      const duration = runtime.now() - begun;
      return { ...describeCall(call), status, requestId, headers: call.describeHeaders(), duration };
    });
    return exchange;
  }

  #openQueue(Queue: typeof ByteQueue, run: Run, exchange: Exchange, connection: Connection): ByteQueue {
    const { call, limits, release } = run;
    this.#shared.pool.streams.add(exchange);
    return new Queue(exchange, call.describeResponse(), {
      runtime: this.#settings.runtime,
      timeout: limits.timeout,
      onClosed: () => {
        release();
        this.#shared.pool.streams.delete(exchange);
        this.#shared.pool.release(connection);
      },
      onFailed: (kind, cause) => this.#note(call, createTransportError(exchange, kind, cause, call, limits)),
    });
  }

  /** @throws {SvcError} where no further request may be sent. */
  #checkRunning({ call, limits, deadlineAt }: Run): void {
    const { signal } = call.options;
    if (signal?.aborted) throw new AbortError(call, signal.reason);
    if (this.#shared.pool.isClosed) throw new ConfigurationError('The client is closed.', call);
    if (this.#settings.runtime.now() >= deadlineAt) throw new DeadlineError(limits.deadline, call, call.lastError);
  }

  /** The Authorization header: empty for none, null if a token has to be fetched first. */
  #findAuthorization({ target }: Call): string | null {
    const { credential = 'key' } = target;
    if (credential === 'none') return '';
    const { tokens } = this.#shared;
    if (credential === 'key' && tokens !== null) {
      const token = tokens.loaded?.current;
      return token ? `Bearer ${token}` : null;
    }
    const header = this.#settings.credentials()[credential];
    if (header !== null) return header;
    const names = { key: 'apiKey or SVC_API_KEY', scim: 'scimToken', client: 'oauth' };
    throw new ConfigurationError(`${target.id} needs a credential: set ${names[credential]}.`);
  }

  /** Waits for the token that all calls share, no longer than this call may take. */
  async #fetchAuthorization(run: Run): Promise<string> {
    const { call } = run;
    try {
      const { load } = this.#shared.tokens as Tokens;
      const fetching = load().then((tokens) => tokens.fetch());
      return `Bearer ${await this.#waitWithin(run, fetching, '')}`;
    } catch (error) {
      // All waiting calls get the same error, which names another operation.
      if (!(error instanceof SvcError) || error.operation === call.operation) throw error;
      throw wrapError(error, `There is no access token: ${error.message}`, call);
    }
  }

  async #waitForConnection(run: Run): Promise<Connection> {
    const { pool } = this.#shared;
    const opening = pool.open();
    if (opening !== null) {
      await opening;
      this.#checkRunning(run);
    }
    const free = pool.take();
    if (free !== null) return free;
    const { granted, leave } = pool.enqueue();
    try {
      const detail = ` All ${this.#settings.connections} connections were in use (option connections).`;
      const connection = await this.#waitWithin(run, granted, detail);
      // The signal may have come in the same turn.
      const { signal } = run.call.options;
      if (signal?.aborted) throw new AbortError(run.call, signal.reason);
      return connection;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Waits for something no longer than the call may take. */
  async #waitWithin<Value>({ call, limits, deadlineAt }: Run, wanted: Promise<Value>, detail: string): Promise<Value> {
    const { runtime } = this.#settings;
    const { promise, reject } = Promise.withResolvers<never>();
    call.interrupt = () => reject(new AbortError(call, call.options.signal?.reason));
    const left = deadlineAt - runtime.now();
    const stop = () => reject(new DeadlineError(limits.deadline, call, call.lastError, detail));
    const timer = left > longestTimer ? null : runtime.setTimer(stop, left);
    try {
      return await Promise.race([wanted, promise]);
    } finally {
      call.interrupt = null;
      if (timer !== null) runtime.clearTimer(timer);
    }
  }

  /** How long to wait before the next attempt, or why there is none; null if it would not help. */
  #chooseWait(run: Run, exchange: Exchange, error: SvcError): number | RetryRefusal | null {
    const { call, request, limits, deadlineAt } = run;
    const { failure, status } = exchange;
    const mayPass =
      failure === null
        ? isPassing(status, error.code)
        : failure === 'timeout' || (failure === 'connection' && !isLasting(exchange.cause));
    if (!mayPass) return null;
    if (!request.isIdempotent) return 'unsafe';
    if (call.attempts > limits.retries) return 'exhausted';
    const { runtime } = this.#settings;
    const { retryAfterMs } = error as { readonly retryAfterMs?: number | null };
    const wait = (retryAfterMs ?? 0) + chooseWait(call.attempts, runtime.random());
    // A retry after the deadline is useless, and one before the time that the server named would be rejected again.
    if (wait > longestTimer || runtime.now() + wait >= deadlineAt) return 'deadline';
    return this.#shared.budget?.take() === false ? 'budget' : wait;
  }

  async #pause(call: Call, milliseconds: number): Promise<void> {
    const { runtime } = this.#settings;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = runtime.setTimer(resolve, milliseconds);
    call.interrupt = resolve;
    await promise;
    call.interrupt = null;
    runtime.clearTimer(timer);
  }
}

/** True if a DELETE gets a 404 because an earlier attempt, whose response was lost, has deleted the resource. */
function isGone({ target, isOutcomeUnknown }: Call, { failure, status }: Exchange, { code }: SvcError): boolean {
  const isDeleted = failure === null && status === 404 && code !== 'unreadable_error';
  return isDeleted && isOutcomeUnknown && target.method === 'DELETE' && target.answer === 'none';
}

/** Lets the signal of a call end what it waits for. @returns what ends the listening. */
function listen(call: Call): () => void {
  const { signal } = call.options;
  if (signal === undefined) return () => {};
  const onAbort = () => call.interrupt?.();
  signal.addEventListener('abort', onAbort);
  return () => signal.removeEventListener('abort', onAbort);
}

function describeCall({ target, attempts, idempotencyKey }: Call): CallNote {
  return { operation: target.id, method: target.method, path: target.path, attempt: attempts, idempotencyKey };
}
