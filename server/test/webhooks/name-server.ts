import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  /** Questions so far, as `AAAA example.com`. */
  readonly questions: readonly string[];
  /** Resolves when so many questions came. */
  asked(count: number): Promise<void>;
}

/** The bytes of each address; `none`: there is no such name; `silent`: no answer ever. */
export type Zone = Readonly<Record<string, readonly (readonly number[])[] | 'none' | 'silent'>>;

/** A name server (RFC 1035) on a free port of the loopback address, for questions such as `A example.com`. */
export async function startNameServer(context: TestContext, zone: Zone): Promise<NameServer> {
  const questions: string[] = [];
  let watchers: readonly (() => void)[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { question, end } = readQuestion(query);
    questions.push(question);
    for (const watcher of watchers) watcher();
    const found = zone[question] ?? [];
    if (found === 'silent') return;
    const records = found === 'none' ? [] : found;
    const head = Buffer.from([0x81, found === 'none' ? 0x83 : 0x80, 0, 1, 0, records.length, 0, 0, 0, 0]);
    const answers = records.map((bytes) =>
      // The name of the question; type; class; 60 seconds; length; address.
      Buffer.from([0xc0, 12, 0, bytes.length === 4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, bytes.length, ...bytes]),
    );
    socket.send(Buffer.concat([query.subarray(0, 2), head, query.subarray(12, end), ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  context.after(() => socket.close());
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    asked: async (count) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = () => questions.length >= count && resolve();
      watchers = [...watchers, check];
      check();
      await promise;
    },
  };
}

function readQuestion(query: Buffer): { readonly question: string; readonly end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  const type = query.readUInt16BE(at + 1) === 28 ? 'AAAA' : 'A';
  return { question: `${type} ${labels.join('.')}`, end: at + 5 };
}
