import { type RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';

/** An HTTP server that ends without cutting an answer off, and without waiting for clients that want nothing. */
export class GracefulServer extends Server {
  readonly #sockets = new Set<Socket>();

  constructor(answer: RequestListener) {
    // A missing Host is refused like an invalid one, with the error envelope.
    super({ requireHostHeader: false }, answer);
    this.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Takes no more connections and closes each as soon as nothing is under way on it, all after the grace. */
  async closeWithin(milliseconds: number): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.close(() => resolve());
    });
    // Browsers open connections ahead of requests; to Node, one that has carried none is not idle.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    const sweep = setInterval(() => this.closeIdleConnections(), sweepMilliseconds);
    // A client that keeps its connection busy may not keep the process alive.
    const grace = setTimeout(() => this.closeAllConnections(), milliseconds);
    await closed;
    clearInterval(sweep);
    clearTimeout(grace);
  }

  /** To Node, a connection is idle whose answer was written, although its end may not have been sent. */
  override closeIdleConnections(): void {
    for (const socket of this.#sockets) if (socket.writableLength > 0) return;
    super.closeIdleConnections();
  }
}

const sweepMilliseconds = 50;
