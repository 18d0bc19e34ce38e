import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestResponse, TestServer } from '../harness.ts';

/** Opens a connection to a server, for requests that fetch cannot send. */
export async function openSocket(server: TestServer): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  // A server that closes early resets the connection; what was received until then is returned.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Sends raw bytes and reads the responses until the server closes the connection. */
export async function sendRaw(server: TestServer, ...parts: readonly (string | Uint8Array)[]): Promise<TestResponse[]> {
  const socket = await openSocket(server);
  for (const part of parts) socket.write(part);
  return readAnswers(socket);
}

/** Reads the responses until the server closes the connection. */
export async function readAnswers(socket: Socket): Promise<TestResponse[]> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return parseAnswers(Buffer.concat(chunks));
}

function parseAnswers(bytes: Buffer): TestResponse[] {
  const answers: TestResponse[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`not a whole answer: ${rest}`);
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n');
    const headers = new Headers(lines.map((line) => splitHeader(line)));
    const length = Number(headers.get('content-length') ?? 0);
    const text = rest.toString('utf8', end + 4, end + 4 + length);
    const isJson = headers.get('content-type')?.includes('json') === true && text !== '';
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : null });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** The text of a request. By default it closes the connection. */
export function requestText(
  method: string,
  target: string,
  headers: Readonly<Record<string, string | number>> = {},
  body = '',
): string {
  const all = { Host: 'localhost', Connection: 'close', ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
