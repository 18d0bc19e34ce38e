import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readWidget } from '../../../site/widgets/widget.ts';
import { startTestServer, TestClock, type TestServer } from '../../harness.ts';
import { type ApiGate, openApiGate } from './api-gate.ts';

/** A site that responds under every name below `localhost`, each a separate origin; its banner's API is behind a gate. */
export interface GatedSite extends AsyncDisposable {
  readonly server: TestServer;
  readonly gate: ApiGate;
  /** The paths that the hosts were asked for. */
  readonly visited: readonly string[];
  /** Publishes a notice for a domain. @returns its id. */
  publish(domain?: string, content?: object): Promise<string>;
  /** The origin of a host, by which the gate identifies its visitors. */
  originOf(host: string): string;
  /** Adds a page to every host. @returns its path. */
  addPage(page: SitePage): string;
  /** Adds a file to every host, at this path with any query. */
  addFile(path: string, type: string, content: string | Uint8Array): void;
  /** The banner's script tag, with these attributes besides its own. */
  writeTag(attributes?: string): string;
}

export interface SitePage {
  readonly head?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function startGatedSite(): Promise<GatedSite> {
  const server = await startTestServer('sqlite', {}, { clock: new TestClock(Date.now) });
  const gate = await openApiGate(server.url);
  const widget = readWidget('consent-banner');
  if (widget === undefined) throw new Error('There is no built banner: npm run build:widgets');
  const files = new Map<string, { readonly headers: object; readonly content: string | Uint8Array }>();
  const visited: string[] = [];
  const host = createServer(({ url = '' }, response) => {
    visited.push(url);
    const file = files.get(url.replace(/\?.*/, ''));
    response.writeHead(file ? 200 : 404, { ...file?.headers });
    response.end(file?.content);
  });
  host.listen(0); // Of both families, for a browser picks one for each name below localhost.
  await once(host, 'listening');
  const { port } = host.address() as AddressInfo;

  return {
    server,
    gate,
    visited,
    publish: (domain = 'localhost', content = {}) => server.createNotice({ content: { domain, ...content } }),
    originOf: (name) => `http://${name}:${port}`,
    addPage(page) {
      const path = `/page-${files.size}`;
      const headers = { 'Content-Type': 'text/html; charset=utf-8', ...page.headers };
      files.set(path, { headers, content: writePage(page) });
      return path;
    },
    addFile: (path, type, content) => files.set(path, { headers: { 'Content-Type': type }, content }),
    writeTag: (attributes = 'defer') =>
      `<script src="${gate.url}${widget.path}" integrity="${widget.integrity}" crossorigin="anonymous" ${attributes}></script>`,
    async [Symbol.asyncDispose]() {
      host.closeAllConnections();
      host.close();
      await gate[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function writePage({ head = '', body = '' }: SitePage): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>A page</title><link rel="icon" href="data:,">${head}<body>${body}</body></html>`;
}
