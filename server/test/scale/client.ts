import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Measurements } from './measurements.ts';

/** A request of the load. */
export interface Sent {
  /** The row of the table that it counts in. */
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The statuses that are no errors; by default 200. */
  readonly expected?: readonly number[];
  /** When it was to be sent, by `performance.now()`; default: now. A late start counts as time of the answer. */
  readonly since?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const longestMilliseconds = 30_000;

/** Sends requests over kept connections, and measures each. */
export class Client {
  readonly #origin: string;
  readonly #measurements: Measurements;
  readonly #agent = new Agent({ keepAlive: true });

  /** @param origin the address of the proxy. */
  constructor(origin: string, measurements: Measurements) {
    this.#origin = origin;
    this.#measurements = measurements;
  }

  /** @returns null, and counts an error, if the answer is not one that is expected. */
  async send({ kind, expected = [200], since = performance.now(), ...sent }: Sent): Promise<Answer | null> {
    try {
      const answer = await this.#exchange(sent);
      if (expected.includes(answer.status)) {
        this.#measurements.succeed(kind, performance.now() - since);
        return answer;
      }
      // Each answer of a server has an id.
      const isOfServer = 'svc-request-id' in answer.headers;
      this.#measurements.fail(kind, `${answer.status}${isOfServer ? '' : ' of the proxy'}`, answer.text);
    } catch (error) {
      this.#measurements.fail(kind, nameFailure(error as NodeJS.ErrnoException), String(error));
    }
    return null;
  }

  /** Closes the kept connections. */
  close(): void {
    this.#agent.destroy();
  }

  #exchange({ method = 'GET', path, headers, body }: Omit<Sent, 'kind'>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const bytes = body === undefined ? undefined : JSON.stringify(body);
      const outgoing = request(new URL(path, this.#origin), {
        method,
        agent: this.#agent,
        signal: AbortSignal.timeout(longestMilliseconds),
        headers: {
          ...(bytes !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': String(Buffer.byteLength(bytes)),
          }),
          ...headers,
        },
      });
      outgoing.once('error', reject);
      outgoing.once('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk) => chunks.push(chunk));
        incoming.once('error', (error) => reject(Object.assign(error, { isCutOff: true })));
        incoming.once('end', () =>
          resolve({
            status: incoming.statusCode as number,
            headers: incoming.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      outgoing.end(bytes);
    });
  }
}

function nameFailure({ name, code, ...error }: NodeJS.ErrnoException): string {
  if (name === 'AbortError' || name === 'TimeoutError') return 'timeout';
  if ('isCutOff' in error) return 'cut off';
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'reset';
  return code ?? name;
}
