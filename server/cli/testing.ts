import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { findNode24 } from './node-24.js';

// Checked here: an older Node fails later on a missing function, with a message that does not mention the version.
if (Number.parseInt(process.versions.node, 10) < 22)
  throw new Error(`@svc/server/testing needs Node 22 or newer, not ${process.versions.node}.`);

/** A tenant with what a program needs to use it. */
export interface TestTenant {
  readonly id: string;
  readonly slug: string;
  /** An API key with every scope. */
  readonly apiKey: string;
  /** The id of that key: with the key as the secret, it is an OAuth client. */
  readonly clientId: string;
  /** The token of `/scim/v2`. */
  readonly scimToken: string;
  /** A published notice for `example.com` with the purposes `necessary` (required), `analytics` and `marketing`. */
  readonly noticeId: string;
}

/** A fault in requests to an operation. Without `status` and `reset`, the response is only late. */
export interface Fault {
  /** The operationId (`captureConsentRecord`), or method and path of the API document (`GET /v1/audit`). Default: any. */
  readonly operation?: string;
  /** How many requests fail; default 1. `Infinity` for all until `reset()`. */
  readonly times?: number;
  /** Answers with this error status, 400 to 599. */
  readonly status?: number;
  /** The header Retry-After of that answer, in seconds or as an HTTP date. */
  readonly retryAfter?: number | string;
  /** Resets the connection instead of answering. */
  readonly reset?: boolean;
  /** Waits for so many milliseconds first. */
  readonly delay?: number;
  /** True if the operation takes effect before the status or the reset, so that a retry repeats it; default false. */
  readonly isProcessed?: boolean;
}

/** A request that the server received. */
export interface RecordedRequest {
  /** The operationId; null if the API has no such operation. */
  readonly operation: string | null;
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names in lower case; without Authorization and Cookie. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The parsed JSON; the text if it is not JSON; undefined without a body. */
  readonly body: unknown;
  /** The status of the answer; null while there is none, and after a reset. */
  readonly status: number | null;
}

/** A webhook delivery as it arrived. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  /** The bytes that the signature covers. */
  readonly body: Buffer;
}

/** Receives webhooks on this machine, in the process of the test. */
export interface WebhookReceiver {
  /** The address to create a webhook with. */
  readonly url: string;
  /** Every delivery so far, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** The status of the answers; default 204. */
  status: number;
  /** The oldest delivery that was not taken yet; waits for it. @throws {Error} after 10 seconds without one. */
  take(): Promise<ReceivedDelivery>;
}

/** A server with its own tenant; end it with `close()`, or declare it with `await using`. */
export interface TestServer extends AsyncDisposable {
  readonly baseUrl: string;
  readonly tenant: TestTenant;
  /** Receives what is sent to webhooks that are created with its `url`. */
  readonly receiver: WebhookReceiver;
  /** The clock of the server. It follows that of the machine until it is set; then it stands still. */
  readonly clock: {
    /** Sets the time; null follows the machine again. @returns the time in RFC 3339, like `advance`. */
    set(time: string | Date | null): Promise<string>;
    advance(milliseconds: number): Promise<string>;
  };
  /** Creates another tenant: tests that share a server do not see each other's data. */
  createTenant(): Promise<TestTenant>;
  /** Lets one of the next requests fail; faults meet them in the order of the calls. @throws {Error} for an unknown operation or status. */
  fail(fault: Fault): Promise<void>;
  /** The faults that have not met all their requests, with the number that is left: none at the end of a test. */
  pendingFaults(): Promise<readonly Fault[]>;
  /** Every request so far, oldest first. */
  requests(): Promise<readonly RecordedRequest[]>;
  /** Forgets requests and faults, and lets the clock follow the machine. Stored data stays. */
  reset(): Promise<void>;
  /** Ends every connection, and removes the database. */
  close(): Promise<void>;
}

/**
 * Starts a real server for tests: a separate process on a temporary SQLite file, which listens on 127.0.0.1 only and exits
 * with the process that started it.
 * @param settings by the names of their environment variables, such as `{ SVC_LIMIT_API_KEY: '10' }`. The environment is not
 *   read, and the address and the database cannot be set. Default: requests are not limited, webhooks may go to this machine.
 * @throws {Error} without Node 24, and for settings that cannot be used.
 */
export async function createTestServer(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const program = join(import.meta.dirname, `testing-process${extname(import.meta.filename)}`);
  const options = ['-C', '@svc/source', '--import', join(import.meta.dirname, 'compile-cache.js')];
  const child = spawn(findNode24(), [...options, program, JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
    // Those of the test are for another program, and maybe another Node.
    env: { ...process.env, NODE_OPTIONS: undefined, NODE_V8_COVERAGE: undefined },
  });
  const { started, call, end } = connect(child);
  const [{ baseUrl, tenant }, receiver] = await Promise.all([started, startReceiver()]);
  const close = () => {
    receiver.close();
    return end();
  };
  return {
    baseUrl,
    tenant,
    receiver,
    clock: {
      set: (time) => call('setTime', time === null ? null : new Date(time).toISOString()),
      advance: (milliseconds) => call('advanceTime', milliseconds),
    },
    createTenant: () => call('createTenant'),
    fail: (fault) => call('addFault', fault),
    pendingFaults: () => call('listFaults'),
    requests: () => call('listRequests'),
    reset: () => call('reset'),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Calls of the server process. Only while one is open does it keep the process of the test alive; disconnected, it exits. */
function connect(child: ChildProcess) {
  const open = new Map<number, PromiseWithResolvers<never>>();
  let count = 0;
  const hold = (how: 'ref' | 'unref') => {
    child[how]();
    child.channel?.[how]();
  };
  const wait = () => {
    const answer = Promise.withResolvers<never>();
    open.set(count++, answer);
    hold('ref');
    return answer.promise;
  };
  const exited = new Promise<void>((resolve) => {
    const fail = (reason: string) => {
      for (const { reject } of open.values()) reject(new Error(`The test server ${reason}.`));
      resolve();
    };
    child.on('error', ({ message }) => fail(`failed: ${message}`));
    child.on('exit', (code, signal) => fail(`exited (${signal ?? code})`));
  });
  child.on('message', ({ id, result, error }: { id: number; result: never; error?: string }) => {
    if (error === undefined) open.get(id)?.resolve(result);
    else open.get(id)?.reject(new Error(error));
    open.delete(id);
    if (open.size === 0) hold('unref');
  });
  return {
    started: wait() as Promise<Pick<TestServer, 'baseUrl' | 'tenant'>>,
    call: (name: string, ...words: unknown[]): Promise<never> => {
      if (!child.connected) return Promise.reject(new Error('The test server was closed.'));
      child.send({ id: count, name, words });
      return wait();
    },
    end: () => {
      hold('ref');
      if (child.connected) child.disconnect();
      return exited;
    },
  };
}

/** Starts a receiver. It keeps the process alive only while a delivery is awaited. */
async function startReceiver(): Promise<WebhookReceiver & { close(): void }> {
  const deliveries: ReceivedDelivery[] = [];
  const arrivals = new EventEmitter();
  let taken = 0;
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) });
    response.writeHead(receiver.status).end();
    arrivals.emit('delivery');
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    deliveries,
    status: 204,
    async take() {
      const late = AbortSignal.timeout(10_000);
      server.ref();
      try {
        while (taken === deliveries.length) await once(arrivals, 'delivery', { signal: late });
      } catch (cause) {
        throw new Error('No webhook came within 10 s.', { cause });
      } finally {
        server.unref();
      }
      return deliveries[taken++] as ReceivedDelivery;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
