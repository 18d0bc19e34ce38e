// npm run receiver: receives the webhooks of the demo, verifies their signatures and prints their events.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createExpressHandler } from '@svc/webhook-verify/express';
import { createReplayGuard } from '@svc/webhook-verify/replay';
import { credentialsFile, receiverPort } from './seed.ts';

const usage =
  'Usage: npm run receiver -- [--port <1 to 65535>] [--gone]: with --port, also change the url of the endpoint (PATCH /v1/webhooks/{id})';

const { port, gone } = readArguments();
const file = join(process.env.SVC_DATA_DIR ?? 'data', credentialsFile);

const receive = createExpressHandler({
  secrets: readSecret(),
  replay: createReplayGuard(),
  handler: ({ type, id, data }, { deliveryId }) => {
    console.log(`✓ ${type}  event ${id}  delivery ${deliveryId}`);
    console.log(`  ${JSON.stringify(data)}`);
  },
  onDuplicate: ({ type, id }, { deliveryId }) =>
    console.log(`= ${type}  event ${id}  delivery ${deliveryId}  was already handled`),
  onError: (error, { status }) => console.log(`✗ ${status}: ${error instanceof Error ? error.message : error}`),
});

createServer((request, response) => {
  if (!gone) return void receive(request, response);
  console.log('✗ 410: this receiver accepts no events (--gone)');
  request.resume().on('end', () => response.writeHead(410).end());
})
  .on('error', (error: NodeJS.ErrnoException) =>
    refuse(
      error.code === 'EADDRINUSE'
        ? `Port ${port} is in use: is a receiver already running? ${usage}`
        : `Cannot listen on port ${port}: ${error.message}`,
    ),
  )
  .listen(port, '127.0.0.1', () => {
    console.log(`Waiting for events at http://127.0.0.1:${port}/. Stop with Ctrl-C.`);
    if (port !== receiverPort)
      console.log(`The demo sends to port ${receiverPort}: change the url of its endpoint (PATCH /v1/webhooks/{id}).`);
  });

function readArguments(): { readonly port: number; readonly gone: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: String(receiverPort) },
        /** Answers 410 to every event, to show how the server disables an endpoint. */
        gone: { type: 'boolean', default: false },
      },
    });
    const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : 0;
    if (port >= 1 && port <= 65_535) return { port, gone: values.gone };
  } catch (error) {
    return refuse(`${(error as Error).message.split('\n')[0]} ${usage}`);
  }
  return refuse(`--port must be a port. ${usage}`);
}

function readSecret(): string {
  try {
    const { webhookSecret } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof webhookSecret === 'string') return webhookSecret;
  } catch {
    // Reported below, like a file without the secret.
  }
  return refuse(`There is no webhook secret in ${file}. Start the demo on an empty data folder first: npm start`);
}

function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
