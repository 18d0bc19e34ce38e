import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The most that is discarded, and the longest time: a file that is somewhat too large arrives within both. */
const mostDiscarded = 256 * 1024 * 1024;
const longestDiscarding = 30_000;

/**
 * Ends a connection after its last answer, and discards what still arrives. Closing a connection with unread bytes resets
 * it, so that a client that first sends everything, as browsers do, would lose the answer (RFC 9112 section 9.6).
 * @param request the request to read to its end; null to discard everything until the client closes the connection.
 */
export function lingerOnEnd(socket: Socket, request: IncomingMessage | null): void {
  const [most, until] = [socket.bytesRead + mostDiscarded, performance.now() + longestDiscarding];
  const check = setInterval(() => {
    if (socket.bytesRead > most || performance.now() > until) socket.destroy();
  }, 1000).unref();
  socket.once('close', () => clearInterval(check));
  if (request === null) {
    // The parser of the connection has failed, or must not read another request.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.once('end', () => socket.destroy());
    socket.resume();
  } else {
    request.once('end', () => socket.destroy());
    request.resume();
  }
  socket.end();
}
