// npm run receiver: takes the webhooks of the demo and prints what they say, once their signature is verified.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createExpressHandler } from '@svc/webhook-verify/express';
import { createReplayGuard } from '@svc/webhook-verify/replay';
import { receiverPort } from './seed-webhook.ts';

const usage =
  'Usage: npm run receiver -- [--port <1 to 65535>] [--gone]: --port needs the url of the endpoint changed too (PATCH /v1/webhooks/{id})';

const { port, gone } = readArguments();
const file = join(process.env.SVC_DATA_DIR ?? 'data', 'demo-credentials.json');

const receive = createExpressHandler({
  secrets: readSecret(),
  replay: createReplayGuard(),
  handler: ({ type, id, data }, { deliveryId }) => {
    console.log(`✓ ${type}  event ${id}  delivery ${deliveryId}`);
    console.log(`  ${JSON.stringify(data)}`);
  },
  onDuplicate: ({ type, id }, { deliveryId }) =>
    console.log(`= ${type}  event ${id}  delivery ${deliveryId}  was handled before`),
  onError: (error, { status }) => console.log(`✗ ${status}: ${error instanceof Error ? error.message : error}`),
});

createServer((request, response) => {
  if (!gone) return void receive(request, response);
  console.log('✗ 410: this receiver wants nothing any more (--gone)');
  request.resume().on('end', () => response.writeHead(410).end());
})
  .on('error', (error: NodeJS.ErrnoException) =>
    refuse(
      error.code === 'EADDRINUSE'
        ? `Port ${port} is taken: is a receiver running already? ${usage}`
        : `Cannot listen on port ${port}: ${error.message}`,
    ),
  )
  .listen(port, '127.0.0.1', () => {
    console.log(`Waiting for events at http://127.0.0.1:${port}/. Ctrl-C stops it.`);
    if (port !== receiverPort)
      console.log(`The demo sends to port ${receiverPort}: change the url of its endpoint (PATCH /v1/webhooks/{id}).`);
  });

function readArguments(): { readonly port: number; readonly gone: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: String(receiverPort) },
        /** Answers 410 to every event, to see what becomes of events that nobody takes. */
        gone: { type: 'boolean', default: false },
      },
    });
    const number = /^\d{1,5}$/.test(values.port) ? Number(values.port) : 0;
    if (number < 1 || number > 65_535) return refuse(`--port must be a port. ${usage}`);
    return { port: number, gone: values.gone };
  } catch (error) {
    return refuse(`${(error as Error).message.split('\n')[0]} ${usage}`);
  }
}

function readSecret(): string {
  try {
    const { webhookSecret } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof webhookSecret === 'string') return webhookSecret;
  } catch {
    // Told below, as is a file without the secret.
  }
  return refuse(`There is no webhook secret in ${file}. Start the demo on an empty data folder first: npm start`);
}

function refuse(line: string): never {
  console.error(line);
  process.exit(2);
}
