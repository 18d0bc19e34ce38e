// npm run docs: serves the documentation, and rebuilds it when a page changes. The port is $PORT, or 8788.
import { watch } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { namesTag } from '../server/http/entity-tag.ts';
import { BuiltSite, documentationHeaders } from '../server/site/documentation/built-site.ts';
import { buildSite } from './site/build-site.ts';
import { writeFiles } from './site/write-files.ts';

const folder = join(import.meta.dirname, 'dist');
let site: BuiltSite | null = null;

async function build(): Promise<void> {
  const started = performance.now();
  const { files, pages, mistakes } = await buildSite();
  for (const { message } of mistakes) console.error(message);
  writeFiles(folder, files);
  site = BuiltSite.open(folder);
  console.log(`${pages.length} pages in ${Math.round(performance.now() - started)} ms`);
}

/** Answers a request as the server does, but for what only the server knows. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  for (const [name, value] of Object.entries(documentationHeaders)) response.setHeader(name, value);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const path = readPath(request.url ?? '/');
  if (path === null || site === null) {
    response.writeHead(400).end();
    return;
  }
  const file = site.find(path);
  if (file === undefined && site.find(`${path}/`) !== undefined) {
    response.writeHead(301, { Location: `/${path}/` }).end();
    return;
  }
  const { type, tag, bytes } = file ?? site.writeMissing(path);
  const isKnown = file !== undefined && namesTag(request.headers['if-none-match'] ?? '', `"${tag}"`);
  const status = isKnown ? 304 : file === undefined ? 404 : 200;
  // The browser asks for changes each time, because an author may be writing.
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: `"${tag}"` });
  response.end(isKnown || request.method === 'HEAD' ? undefined : bytes);
}

function readPath(url: string): string | null {
  try {
    return decodeURIComponent(new URL(url, 'http://localhost').pathname).slice(1);
  } catch {
    return null;
  }
}

/** Builds one at a time; a change meanwhile is built after it. */
function buildOnChange(): void {
  let isBuilding = false;
  let isWanted = false;
  const rebuild = async () => {
    isWanted = true;
    if (isBuilding) return;
    isBuilding = true;
    while (isWanted) {
      isWanted = false;
      await build().catch((error: unknown) => console.error(error));
    }
    isBuilding = false;
  };
  for (const name of ['pages', 'styles', 'client'])
    watch(join(import.meta.dirname, name), { recursive: true }, () => void rebuild());
}

await build();
buildOnChange();
const server = createServer(answer);
server.on('error', (error: NodeJS.ErrnoException) => {
  console.error(error.code === 'EADDRINUSE' ? 'The port is taken. Choose another: PORT=8789 npm run docs' : error);
  process.exit(1);
});
server.listen(Number(process.env.PORT ?? 8788), '127.0.0.1', () => {
  console.log(`Documentation: http://localhost:${(server.address() as AddressInfo).port}/  Ctrl-C stops it.`);
});
