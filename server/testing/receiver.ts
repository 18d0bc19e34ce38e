import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A webhook delivery as it arrived. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders;
  /** The bytes that the signature covers. */
  readonly body: Buffer;
}

/** Receives webhooks on this machine, in the process of the test. */
export interface WebhookReceiver {
  /** The address to create a webhook with. */
  readonly url: string;
  /** Every delivery so far, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[];
  /** The status of the answers; default 204. */
  status: number;
  /** The oldest delivery that was not taken yet; waits for it. @throws {Error} after 10 seconds without one. */
  take(): Promise<ReceivedDelivery>;
}

/** Starts a receiver. It keeps the process alive only while a delivery is awaited. */
export async function startReceiver(): Promise<WebhookReceiver & { close(): void }> {
  const deliveries: ReceivedDelivery[] = [];
  const arrivals = new EventEmitter();
  let taken = 0;
  const server = createServer(async (request, response) => {
    deliveries.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) });
    response.writeHead(receiver.status).end();
    arrivals.emit('delivery');
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  const receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    deliveries,
    status: 204,
    async take() {
      const late = AbortSignal.timeout(10_000);
      server.ref();
      try {
        while (taken === deliveries.length) await once(arrivals, 'delivery', { signal: late });
      } catch (cause) {
        throw new Error('No webhook came within 10 s.', { cause });
      } finally {
        server.unref();
      }
      return deliveries[taken++] as ReceivedDelivery;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
