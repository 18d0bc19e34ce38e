// The floor of the HTTP benchmarks: Koa and what no server can leave out. A GET gives text that is ready; a POST reads
// the body, parses it, checks it against the same schema as the server does, and answers without keeping anything.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { App } from '../../../server/cli/server/app.ts';
import { PublicRecordInput } from '../../../server/consent/record.ts';
import { answerQuestions, usedCpu } from './answer.ts';

// The server's own Koa: the root has an older one that a test tool brought.
const requireAsServer = createRequire(new URL('../../../server/package.json', import.meta.url));
const Koa = requireAsServer('koa') as new () => App['koa'];

let text = '';
const koa = new Koa();
koa.use(async (ctx) => {
  if (ctx.method === 'GET') {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = text;
    return;
  }
  const parsed = PublicRecordInput.safeParse(JSON.parse(await readText(ctx.req)));
  ctx.status = parsed.success ? 201 : 422;
  ctx.body = { data: parsed.data };
});
const server = createServer(koa.callback()).listen(0, '127.0.0.1');
await once(server, 'listening');

answerQuestions((question: 'port' | 'cpu' | { readonly text: string }) => {
  if (question === 'cpu') return usedCpu();
  if (question === 'port') return (server.address() as AddressInfo).port;
  text = question.text;
  return true;
});

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
