import { EventEmitter, once } from 'node:events';
import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the gate handles a visitor's requests to the API. */
export type Weather =
  | 'fine'
  | 'slow preflight'
  | 'rate limited'
  | 'failing'
  | 'unreachable'
  | 'lost answer'
  | 'offline';

/** The API at a separate origin, behind a gate that can fail the requests of each origin. */
export interface ApiGate extends AsyncDisposable {
  readonly url: string;
  /** The requests so far: `<origin, or nothing> <method> <path>`. */
  readonly asked: readonly string[];
  /** Resolves when so many requests were made whose lines have this suffix. */
  waitFor(end: string, times?: number): Promise<void>;
  /** Handles records and their preflights of an origin this way from now on. Requests held by a slow preflight continue. */
  setWeather(origin: string, weather: Weather): void;
}

/** Opens the gate to the server at an address. */
export async function openApiGate(serverUrl: string): Promise<ApiGate> {
  const agent = new Agent({ keepAlive: true });
  const weathers = new Map<string, Weather>();
  const held = new Map<string, (() => void)[]>();
  const asked: string[] = [];
  const arrivals = new EventEmitter();

  /** Forwards a request; the response is returned or lost. */
  function pass(request: IncomingMessage, response: ServerResponse, isLost = false): void {
    const { method, headers, url } = request;
    const onward = ask(new URL(url ?? '', serverUrl), { method, headers, agent }, (answer) => {
      if (isLost) {
        answer.resume();
        answer.on('end', () => response.destroy());
      } else {
        response.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(response);
      }
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  }

  function refuse(response: ServerResponse, status: number, headers: object = {}): void {
    response.writeHead(status, { 'Access-Control-Allow-Origin': '*', ...headers });
    response.end();
  }

  const gate = createServer((request, response) => {
    const { origin = '' } = request.headers;
    const { method = '', url = '' } = request;
    asked.push(`${origin} ${method} ${url}`);
    arrivals.emit('request');
    const weather = url.endsWith('/records') ? (weathers.get(origin) ?? 'fine') : 'fine';
    if (weather === 'unreachable') response.destroy();
    else if (weather === 'slow preflight' && method === 'OPTIONS') {
      held.set(origin, [...(held.get(origin) ?? []), () => pass(request, response)]);
    } else if (method !== 'POST') pass(request, response);
    else if (weather === 'rate limited') {
      refuse(response, 429, { 'Retry-After': '1', 'Access-Control-Expose-Headers': 'Retry-After' });
    } else if (weather === 'failing') refuse(response, 500);
    else pass(request, response, weather === 'lost answer');
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');

  return {
    url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    asked,
    async waitFor(end, times = 1) {
      while (asked.filter((one) => one.endsWith(end)).length < times) await once(arrivals, 'request');
    },
    setWeather(origin, weather) {
      weathers.set(origin, weather);
      for (const goOn of held.get(origin) ?? []) goOn();
      held.delete(origin);
    },
    async [Symbol.asyncDispose]() {
      gate.closeAllConnections();
      gate.close();
      agent.destroy();
    },
  };
}
