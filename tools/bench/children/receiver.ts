// Takes deliveries at every loopback address, each a separate origin: answers 204 at once, and never to paths that begin with /hang. Remembers when each one came.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './answer.ts';

/** Deliveries since the last question: their number, ids, and nanoseconds of the clock that all processes share. */
export interface Arrivals {
  readonly count: number;
  readonly times: readonly (readonly [id: string, nanoseconds: string])[];
}

let count = 0;
let times: [string, string][] = [];
const server = createServer((request, response) => {
  const came = process.hrtime.bigint();
  request.resume();
  if (request.url?.startsWith('/hang')) return;
  request.on('end', () => {
    count += 1;
    if (request.url === '/timed') times.push([String(request.headers['svc-delivery']), String(came)]);
    response.writeHead(204).end();
  });
}).listen(0, '0.0.0.0');
await once(server, 'listening');

answerQuestions((question: 'port' | 'arrivals'): number | Arrivals => {
  if (question === 'port') return (server.address() as AddressInfo).port;
  const arrivals = { count, times };
  count = 0;
  times = [];
  return arrivals;
});
