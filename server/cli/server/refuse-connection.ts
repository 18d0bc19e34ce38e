import type { Socket } from 'node:net';
import { writeRefusal } from '../../http/answer.ts';
import { lingerOnEnd } from '../../http/linger.ts';
import { Problem } from '../../http/problem.ts';

/** The most bytes of a request line and its headers. */
export const mostHeaderBytes = 16 * 1024;

/** An error of Node's HTTP parser. */
export type ParserError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

const refused = new WeakSet<Socket>();

/**
 * Answers a connection whose bytes are no request that the server can read, and ends it.
 * @param mayAnswer false if a part of another answer was sent.
 */
export function refuseConnection(socket: Socket, problem: Problem, mayAnswer: boolean): void {
  // The parser reports its failure again with every packet.
  if (refused.has(socket)) return;
  refused.add(socket);
  if (!mayAnswer || !socket.writable) return void socket.destroy();
  socket.write(writeRefusal(problem));
  lingerOnEnd(socket, null);
}

/** The problem that a failure of the parser is to the client. */
export function describeParserError({ code, message, rawPacket }: ParserError): Problem {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new Problem('payload_too_large', 'The extensions of the chunks of the body are too long.');
  if (code === 'HPE_HEADER_OVERFLOW')
    return isRequestLine(rawPacket)
      ? new Problem('uri_too_long', `The address and the headers together may have at most ${mostHeaderBytes} bytes.`)
      : new Problem('headers_too_large', `The headers and the address may have at most ${mostHeaderBytes} bytes.`);
  return new Problem('invalid_header', `The request is not HTTP/1.1: ${message.replace(/^Parse Error:? */, '')}.`);
}

/** True if the address by itself is too long, as far as the packet shows it: it is a request line without an end. */
function isRequestLine(packet: Buffer | undefined): boolean {
  const start = packet?.subarray(0, mostHeaderBytes).toString('latin1') ?? '';
  return /^[A-Z]+ [^\s]*$/.test(start);
}

export function requestTimeout(): Problem {
  return new Problem('request_timeout', 'The request did not arrive in time. Send it again.');
}

export function refuseTunnel(): Problem {
  return new Problem('method_not_allowed', 'This server is no proxy: CONNECT is not supported.', {
    headers: { Allow: 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT' },
  });
}
