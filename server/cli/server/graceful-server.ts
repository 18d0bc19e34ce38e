import { type RequestListener, Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Problem } from '../../http/problem.ts';
import { deferContinue, mayTakeLong, readPeer, shareBuckets } from '../../http/request.ts';
import {
  describeParserError,
  mostHeaderBytes,
  type ParserError,
  refuseConnection,
  refuseTunnel,
  requestTimeout,
} from './refuse-connection.ts';

/** How long the server waits for its clients (in milliseconds), and how much it holds for them. */
export interface ServerLimits {
  /** Connections at once; further ones are closed when they are accepted. */
  readonly connections: number;
  /** The same of each client address, and twice as many of its IPv6 site; null behind proxies, which have all of them. */
  readonly connectionsOfAddress: number | null;
  /** From the first byte of a request, or the connection, to the end of its headers. */
  readonly headers: number;
  /** From the first byte of a request to the end of its body. */
  readonly request: number;
  /** The same for the body of an upload. */
  readonly upload: number;
  /** How long nothing may move on a connection while a request is under way: the client neither sends nor reads. */
  readonly stall: number;
  /** How long a connection is kept for the next request. */
  readonly keepAlive: number;
  /** Bytes of answers that all clients together have not read yet. */
  readonly unsentBytes: number;
  /**
   * How long nothing was sent on a connection that a stop closes: then no request is on its way on it. Tests need not wait,
   * for their clients are done.
   */
  readonly quiet: number;
  /** How often the above are checked. */
  readonly checkEvery: number;
}

/** The state of a connection. */
interface Connection {
  /** Requests under way; with pipelining more than one. */
  readonly responses: Set<ServerResponse>;
  /** The latest request, the only one whose body may still arrive, and when it began. */
  newest: ServerResponse | null;
  startedAt: number;
  /** When the connection last carried bytes, and how many it had received by then. */
  activeAt: number;
  bytesRead: number;
  /**
   * Called at the end of each response. One function per connection: one per request would cost as much as the rest.
   */
  noteEnd(this: ServerResponse): void;
}

/** The most requests that a client may send ahead of their answers: each may hold a whole answer in memory. */
const mostPipelined = 32;
const sweepMilliseconds = 20;
/** In each of which one connection is accepted: as many as the queue of the system holds, twice. */
const mostTurns = 1024;

/** An HTTP server that waits for no client without bound, and stops without cutting an answer off. */
export class GracefulServer extends Server {
  readonly #connections = new Map<Socket, Connection>();
  /** The connections of each address and site. */
  readonly #shares = new Map<string, number>();
  readonly #quiet: number;
  readonly #checking: NodeJS.Timeout;
  #accepted = 0;
  /** Requests that wait until the last connections are accepted; null at any other time. */
  #held: (() => void)[] | null = null;

  constructor(answer: RequestListener, limits: ServerLimits) {
    const options = {
      // A missing Host is refused like an invalid one, with the error envelope.
      requireHostHeader: false,
      maxHeaderSize: mostHeaderBytes,
      headersTimeout: limits.headers,
      // Node has one limit for all requests; those without an upload are closed earlier, by `#closeSlow`.
      requestTimeout: limits.upload,
      keepAliveTimeout: limits.keepAlive,
      connectionsCheckingInterval: limits.checkEvery,
    };
    const take: RequestListener = (request, response) => {
      if (!this.#track(request.socket, response)) return;
      if (this.#held === null) answer(request, response);
      else this.#held.push(() => answer(request, response));
    };
    super(options, take);
    this.on('checkContinue', (request, response) => {
      deferContinue(request, response);
      take(request, response);
    });
    // The pipeline refuses other expectations.
    this.on('checkExpectation', take);
    this.on('connect', (_request, socket) => refuseConnection(socket as Socket, refuseTunnel(), true));
    this.on('clientError', (error: ParserError, socket) => {
      if (error.code === 'ECONNRESET') return void socket.destroy();
      this.#refuse(socket as Socket, describeParserError(error));
    });
    this.#quiet = limits.quiet;
    this.maxConnections = limits.connections;
    this.timeout = limits.stall;
    // Bounded by their size; Node would drop those beyond a number without a word.
    this.maxHeadersCount = 0;
    this.on('connection', (socket) => {
      this.#accepted += 1;
      if (!this.#takeShare(socket, limits.connectionsOfAddress)) {
        socket.destroy();
        this.emit('shareExceeded');
        return;
      }
      const connection: Connection = {
        responses: new Set(),
        newest: null,
        startedAt: 0,
        activeAt: performance.now(),
        bytesRead: 0,
        noteEnd() {
          connection.responses.delete(this);
          connection.activeAt = performance.now();
          connection.bytesRead = socket.bytesRead;
        },
      };
      this.#connections.set(socket, connection);
      socket.once('close', () => this.#connections.delete(socket));
    });
    this.#checking = setInterval(() => {
      this.#shedUnsent(limits.unsentBytes);
      this.#closeSlow(limits.request);
    }, limits.checkEvery).unref();
  }

  /**
   * Stops: as long as connections are open that were when it began, and in use, requests are taken as before, for the
   * answers to say that their connections end. Then it takes no more connections, and closes each as soon as nothing is
   * under way on it; all of them at the end of the limits.
   * @param announce the longest time of the first phase, in milliseconds; `finish` is that of the second.
   */
  async closeWithin({ announce, finish }: { readonly announce: number; readonly finish: number }): Promise<void> {
    const announced = performance.now() + announce;
    const before = [...this.#connections];
    const isInUse = ([socket, connection]: [Socket, Connection]) =>
      !socket.destroyed && !this.#isQuiet(socket, connection);
    while (performance.now() < announced && before.some(isInUse)) await wait(sweepMilliseconds);
    await this.#acceptQueued();
    const closed = new Promise<void>((resolve) => {
      this.close(() => resolve());
    });
    const held = this.#held ?? [];
    this.#held = null;
    for (const answer of held) answer();
    const sweep = setInterval(() => this.closeIdleConnections(), sweepMilliseconds);
    // A client that keeps its connection busy may not keep the process alive.
    const grace = setTimeout(() => this.closeAllConnections(), finish);
    await closed;
    clearInterval(this.#checking);
    clearInterval(sweep);
    clearTimeout(grace);
  }

  /** Closes what is quiet. To Node, a connection is idle as soon as its answer ended, and on which one was just opened. */
  override closeIdleConnections(): void {
    for (const [socket, connection] of this.#connections) if (this.#isQuiet(socket, connection)) socket.destroy();
  }

  /** Counts a connection until it closes. @returns false where its address or site has as many as it may have. */
  #takeShare(socket: Socket, most: number | null): boolean {
    if (most === null) return true;
    const buckets = shareBuckets(readPeer(socket));
    const countOf = (bucket: string) => this.#shares.get(bucket) ?? 0;
    if (buckets.some(([bucket, factor]) => countOf(bucket) >= most * factor)) return false;
    for (const [bucket] of buckets) this.#shares.set(bucket, countOf(bucket) + 1);
    socket.once('close', () => {
      for (const [bucket] of buckets)
        if (countOf(bucket) > 1) this.#shares.set(bucket, countOf(bucket) - 1);
        else this.#shares.delete(bucket);
    });
    return true;
  }

  /** Keeps count of the requests under way on a connection. @returns false for one that is not to be answered. */
  #track(socket: Socket, response: ServerResponse): boolean {
    const connection = this.#connections.get(socket);
    if (connection === undefined || connection.responses.size >= mostPipelined) {
      socket.destroy();
      return false;
    }
    connection.responses.add(response);
    connection.newest = response;
    connection.startedAt = performance.now();
    response.on('close', connection.noteEnd);
    return true;
  }

  /** Refuses requests whose body takes too long to arrive. */
  #closeSlow(most: number): void {
    const latest = performance.now() - most;
    for (const [socket, { newest, startedAt }] of this.#connections) {
      if (newest === null || newest.req.complete || startedAt > latest || mayTakeLong(newest.req)) continue;
      this.#refuse(socket, requestTimeout());
    }
  }

  /** Refuses what arrives on a connection. The answer is that of the requests under way on it, whose own are dropped. */
  #refuse(socket: Socket, problem: Problem): void {
    const responses = [...(this.#connections.get(socket)?.responses ?? [])];
    const mayAnswer = responses.every(({ headersSent }) => !headersSent);
    if (mayAnswer) for (const response of responses) if (response.socket === socket) response.detachSocket(socket);
    refuseConnection(socket, problem, mayAnswer);
  }

  /** Drops the answers that hold the most memory until the rest fits: their clients do not read them. */
  #shedUnsent(most: number): void {
    const unsent = [...this.#connections].map(([socket, { responses }]) => {
      const waiting = [...responses].filter((response) => response.socket === null);
      return { socket, bytes: waiting.reduce((sum, one) => sum + one.writableLength, socket.writableLength) };
    });
    let total = unsent.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total <= most) return;
    for (const { socket, bytes } of unsent.sort((one, other) => other.bytes - one.bytes)) {
      if (total <= most) return;
      socket.destroy();
      total -= bytes;
    }
  }

  /**
   * Accepts all connections that clients have opened: those in the queue of the system are reset by the close. Each
   * turn of the event loop accepts one, so requests are answered only afterwards: a client that was answered would open
   * another connection.
   */
  async #acceptQueued(): Promise<void> {
    this.#held = [];
    for (let turn = 0, before = -1; this.#accepted !== before && turn < mostTurns; turn += 1) {
      before = this.#accepted;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** True if a connection has no response in progress and has carried nothing for the `quiet` period. */
  #isQuiet(socket: Socket, connection: Connection): boolean {
    const now = performance.now();
    if (socket.bytesRead !== connection.bytesRead) {
      // A part of a request.
      connection.bytesRead = socket.bytesRead;
      connection.activeAt = now;
    }
    const isBusy = connection.responses.size > 0 || socket.writableLength > 0;
    return !isBusy && now - connection.activeAt >= this.#quiet;
  }
}
