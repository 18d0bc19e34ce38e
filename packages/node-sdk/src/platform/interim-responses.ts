import type { Socket } from 'node:net';

/** Of all interim responses before one final response. */
const mostBytes = 64 * 1024;

/**
 * Hides interim responses (RFC 9110 section 15.2) from what reads the socket: undici closes the connection after a 100
 * that it did not ask for, and sets no limit to the others. A 101 or more than 64 KiB destroys the socket. Requests must
 * not be pipelined.
 * @returns to be called before each further request on this socket.
 */
export function skipInterimResponses(socket: Socket): () => void {
  const read = socket.read;
  /** The start of a response, which the next chunk continues; null once the final response has begun. */
  let held: string | null = '';
  let skipped = 0;
  socket.read = (size) => {
    const chunk: Buffer | null = read.call(socket, size);
    // Most responses have no interim one before them.
    if (!held && chunk && chunk.length > 12 && chunk[0] === 0x48 && chunk[9] !== 0x31) held = null;
    if (chunk === null || held === null) return chunk;
    // One character for each byte.
    const text = (held + chunk.toString('latin1')).replace(/^(?:[\r\n]|HTTP\/1\.[01] 1(?!01)\d\d[\s\S]*?\n\r?\n)*/, '');
    if (/^(?:[^H]|(?!HTTP\/1\.[01] 1\d\d)[\s\S]{13})/.test(text)) {
      held = null;
      return Buffer.from(text, 'latin1');
    }
    // Of an unfinished one, only its last two characters can matter.
    held = text.slice(0, 12) + text.slice(12).slice(-2);
    skipped += chunk.length;
    if (skipped > mostBytes || text.startsWith('101', 9)) socket.destroy(new Error('invalid interim response'));
    return socket.read(size);
  };
  return () => {
    held = '';
    skipped = 0;
  };
}
