import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type ProcessSettings, type ServerProcess, startServerProcess } from './server-process.ts';

/** The fate of the connections of a stop under load. */
export interface Stop {
  readonly connections: number;
  readonly answers: number;
  /** Requests that were written to an open connection, which ended without a response. */
  readonly requestsReset: number;
  /** Resets among the connections that were open when the stop began. */
  readonly connectionsReset: number;
  /** Resets among those that were opened during the stop. */
  readonly laterConnectionsReset: number;
  readonly exitCode: number | null;
  readonly milliseconds: number;
}

export interface StopOptions {
  readonly settings: ProcessSettings;
  readonly connections: number;
  /** Responses before the stop begins. */
  readonly answersBefore: number;
}

/** Starts the real server, keeps a number of connections busy, and stops it with SIGTERM meanwhile. */
export async function stopUnderLoad({ settings, connections, answersBefore }: StopOptions): Promise<Stop> {
  const server = await startServerProcess(settings);
  const load = new Load(server, server.credentials?.noticeId as string);
  try {
    const clients = Array.from({ length: connections }, () => load.run());
    await load.answered(answersBefore);
    load.isStopping = true;
    const started = performance.now();
    await server.stop();
    const milliseconds = Math.round(performance.now() - started);
    await Promise.all(clients);
    return { ...load.count, exitCode: server.exitCode(), milliseconds };
  } finally {
    await server.kill();
  }
}

/** Clients that each send a request, read its response, and send the next on the same connection while it is open. */
class Load {
  isStopping = false;
  readonly count = { connections: 0, answers: 0, requestsReset: 0, connectionsReset: 0, laterConnectionsReset: 0 };
  readonly #server: ServerProcess;
  readonly #requests: readonly string[];
  #waiting: { readonly answers: number; readonly resolve: () => void } | null = null;

  constructor(server: ServerProcess, noticeId: string) {
    this.#server = server;
    const { host } = new URL(server.url);
    const path = `/v1/public/consent/${noticeId}`;
    const body = JSON.stringify({
      subjectId: 'visitor',
      purposes: { necessary: true, analytics: true, marketing: false },
    });
    this.#requests = [
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
      `POST ${path}/records HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${server.origin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ];
  }

  /** Resolves after this many responses. */
  answered(answers: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { answers, resolve };
    });
  }

  /** Sends until no more connections can be opened. */
  async run(): Promise<void> {
    for (;;) {
      const socket = connect(Number(new URL(this.#server.url).port), '127.0.0.1');
      const wasStopping = this.isStopping;
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      });
      if (!isOpen) return;
      this.count.connections += 1;
      const end = await this.#use(socket);
      if (end === 'announced') continue;
      if (end === 'reset') this.count[wasStopping ? 'laterConnectionsReset' : 'connectionsReset'] += 1;
    }
  }

  /** Sends over one connection until it ends. */
  async #use(socket: Socket): Promise<'announced' | 'closed' | 'reset'> {
    let received = '';
    let isReset = false;
    let isClosed = false;
    let wake: () => void = () => undefined;
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      wake();
    });
    socket.on('error', () => {
      isReset = true;
    });
    socket.once('close', () => {
      isClosed = true;
      wake();
    });
    for (let turn = 0; ; turn += 1) {
      // Some clients pause between two requests, so that their connections are idle when the stop begins.
      if (turn % 4 === 3) await new Promise((resolve) => setTimeout(resolve, turn % 32));
      if (isClosed) return isReset ? 'reset' : 'closed';
      socket.write(this.#requests[turn % this.#requests.length] as string);
      let length = lengthOf(received);
      while (length === -1 && !isClosed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        length = lengthOf(received);
      }
      if (length === -1) {
        this.count.requestsReset += 1;
        return 'reset';
      }
      const answer = received.slice(0, length);
      received = received.slice(length);
      if (!/^HTTP\/1\.1 20[01] /.test(answer)) throw new Error(answer);
      this.#noteAnswer();
      if (/\r\nConnection: close\r\n/i.test(answer)) {
        if (!isClosed) await once(socket, 'close');
        return isReset ? 'reset' : 'announced';
      }
    }
  }

  #noteAnswer(): void {
    this.count.answers += 1;
    if (this.#waiting === null || this.count.answers < this.#waiting.answers) return;
    this.#waiting.resolve();
    this.#waiting = null;
  }
}

/** The length of the first response; -1 while it is incomplete. */
function lengthOf(received: string): number {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return -1;
  const length = head + 4 + Number(/\r\nContent-Length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
  return received.length < length ? -1 : length;
}
