// npm run receiver: takes the webhooks of the demo and prints what they say, once their signature is verified.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createExpressHandler } from '@svc/webhook-verify/express';
import { createReplayGuard } from '@svc/webhook-verify/replay';
import { receiverPort } from './seed-webhook.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: String(receiverPort) },
    /** Answers 410 to every event, to see what becomes of events that nobody takes. */
    gone: { type: 'boolean', default: false },
  },
});
const file = join(process.env.SVC_DATA_DIR ?? 'data', 'demo-credentials.json');

const receive = createExpressHandler({
  secrets: readSecret(),
  replay: createReplayGuard(),
  handler: ({ type, id, data }, { deliveryId }) => {
    console.log(`✓ ${type}  event ${id}  delivery ${deliveryId}`);
    console.log(`  ${JSON.stringify(data)}`);
  },
  onError: (error, { status }) => console.log(`✗ ${status}: ${error instanceof Error ? error.message : error}`),
});

createServer((request, response) => {
  if (!values.gone) return void receive(request, response);
  console.log('✗ 410: this receiver wants nothing any more (--gone)');
  request.resume().on('end', () => response.writeHead(410).end());
}).listen(Number(values.port), '127.0.0.1', () => {
  console.log(`Waiting for events at http://127.0.0.1:${values.port}/. Ctrl-C stops it.`);
});

function readSecret(): string {
  try {
    const { webhookSecret } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof webhookSecret === 'string') return webhookSecret;
  } catch {
    // Told below, as is a file without the secret.
  }
  console.error(`There is no webhook secret in ${file}. Start the demo on an empty data folder first: npm start`);
  process.exit(2);
}
