import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { brotliDecompressSync } from 'node:zlib';

/** A request and its answer, as they went over the wire. */
export interface Recorded {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    /** Decompressed. */
    readonly body: string;
  };
}

/** Stands before a server and keeps what passes. */
export interface RecordingRelay extends AsyncDisposable {
  readonly url: string;
  /** Returns the requests recorded since its last call, oldest first. */
  take(): readonly Recorded[];
  /** The next answer gets lost on its way back; what comes before that is done in between. */
  loseNext(meanwhile: () => Promise<void>): void;
}

/** Starts a relay before the server of an address. */
export async function startRelay(target: string): Promise<RecordingRelay> {
  let recorded: Recorded[] = [];
  let loss: (() => Promise<void>) | null = null;
  const relay = createServer(async (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    const body = await text(incoming);
    const forwarded = request(target + url, { method, headers }, async (response) => {
      const bytes = await buffer(response);
      const answer = { status: response.statusCode ?? 0, headers: response.headers, body: decode(response, bytes) };
      recorded.push({ method, path: url, headers, body, answer });
      const meanwhile = loss;
      loss = null;
      if (meanwhile !== null) {
        await meanwhile();
        outgoing.destroy();
        return;
      }
      outgoing.writeHead(answer.status, response.headers).end(bytes);
    });
    forwarded.once('error', () => outgoing.destroy());
    forwarded.end(body);
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const { port } = relay.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    take() {
      const taken = recorded;
      recorded = [];
      return taken;
    },
    loseNext(meanwhile) {
      loss = meanwhile;
    },
    async [Symbol.asyncDispose]() {
      relay.closeAllConnections();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}

/** The server prefers brotli, which the SDK accepts. */
function decode({ headers }: IncomingMessage, bytes: Buffer): string {
  return String(headers['content-encoding'] === 'br' ? brotliDecompressSync(bytes) : bytes);
}
