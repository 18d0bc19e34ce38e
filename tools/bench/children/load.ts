// The visitors: many connections that each send the next request when the last one was answered. It speaks just enough
// HTTP for servers that name the length of every answer, so that it takes little from the machine that it measures on.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createRandomId } from '../../../packages/consent-banner/src/records/record-queue.ts';
import { answerQuestions } from './answer.ts';

/** The requests to send, their target and duration. */
export interface LoadPlan {
  readonly port: number;
  readonly milliseconds: number;
  readonly connections: number;
  /** The most requests of all connections together; by default as many as the time allows. */
  readonly most?: number;
  readonly method: 'GET' | 'POST';
  /** Taken in turn. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** True if each request contains the decision of a new visitor. */
  readonly decisions: boolean;
  readonly expectedStatus: number;
}

/** Result of a load. */
export interface LoadResult {
  readonly answered: number;
}

answerQuestions(async (plan: LoadPlan): Promise<LoadResult> => {
  const until = performance.now() + plan.milliseconds;
  const writeRequest = prepareRequests(plan);
  let left = plan.most ?? Number.POSITIVE_INFINITY;
  const mayContinue = () => {
    left -= 1;
    return left >= 0 && performance.now() < until;
  };
  if (plan.most === undefined) stayAwake(until);
  const counts = await Promise.all(
    Array.from({ length: plan.connections }, () => runConnection(plan, mayContinue, writeRequest)),
  );
  return { answered: counts.reduce((sum, count) => sum + count, 0) };
});

/**
 * Polls without sleeping: to wake a process that sleeps costs the server that writes to it more than the write itself,
 * and only a server that is slower than the load would pay it.
 */
function stayAwake(until: number): void {
  if (performance.now() < until) setImmediate(() => stayAwake(until));
}

function prepareRequests({ method, paths, headers, decisions, port }: LoadPlan): () => string {
  const fields = Object.entries({ Host: `127.0.0.1:${port}`, ...headers }).map(([name, value]) => `${name}: ${value}`);
  const heads = paths.map((path) => `${method} ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n`);
  let turn = 0;
  return () => {
    turn += 1;
    const head = heads[turn % heads.length] as string;
    if (!decisions) return `${head}\r\n`;
    const body = writeDecision();
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
}

/** The request body of the banner for a new visitor. */
function writeDecision(): string {
  return JSON.stringify({
    subjectId: createRandomId(),
    purposes: { necessary: true, analytics: true, marketing: false },
    method: 'banner',
    capturedAt: new Date().toISOString(),
    noticeVersion: 1,
  });
}

/** Keeps one connection busy until the time is over and the last answer is in. @returns how many answers came. */
async function runConnection(plan: LoadPlan, mayContinue: () => boolean, writeRequest: () => string): Promise<number> {
  const socket = connect(plan.port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  let answered = 0;
  try {
    while (mayContinue()) {
      socket.write(writeRequest());
      const answer = await readAnswer(socket);
      if (answer.status !== plan.expectedStatus) throw new Error(`${answer.status} came: ${answer.text}`);
      answered += 1;
    }
  } finally {
    socket.destroy();
  }
  return answered;
}

function readAnswer(socket: Socket): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (settle: () => void) => {
      socket.off('data', take).off('close', fail).off('error', fail);
      settle();
    };
    const fail = () => finish(() => reject(new Error('the server hung up')));
    const take = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
      if (length === undefined || text.length < head + 4 + Number(length)) return;
      finish(() => resolve({ status: Number(text.slice(9, 12)), text }));
    };
    socket.on('data', take).on('close', fail).on('error', fail);
  });
}
