import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';
import type { HostileRequest } from './inputs.ts';

/** Sends what it is given, in a separate thread: the work of a client is none of the server's. */
const agent = new Agent({ keepAlive: true });

parentPort?.on('message', async ({ port, sent }: { readonly port: number; readonly sent: HostileRequest }) => {
  parentPort?.postMessage(await send(port, sent).catch((error: unknown) => String(error)));
});

function send(port: number, { method, target, headers, body }: HostileRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      { agent, host: '127.0.0.1', port, method, path: target, headers: { ...headers, ...length } },
      (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
