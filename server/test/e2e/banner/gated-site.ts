import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readWidget } from '../../../widgets/widget.ts';
import { startTestServer, TestClock, type TestServer } from '../../harness.ts';
import { type ApiGate, openApiGate } from './api-gate.ts';

/** A site that responds under every name below `localhost`, each a separate origin; its banner's API is behind a gate. */
export interface GatedSite extends AsyncDisposable {
  readonly server: TestServer;
  readonly gate: ApiGate;
  /** Publishes a notice for a domain. @returns its id. */
  publish(domain?: string, content?: object): Promise<string>;
  /** The origin of a host, by which the gate identifies its visitors. */
  originOf(host: string): string;
  /** Adds a page to every host. @returns its path. */
  addPage(page: SitePage): string;
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
  const pages = new Map<string, SitePage>();
  const host = createServer(({ url = '' }, response) => {
    const page = pages.get(url);
    response.writeHead(page ? 200 : 404, { 'Content-Type': 'text/html; charset=utf-8', ...page?.headers });
    response.end(page && writePage(page));
  });
  host.listen(0); // Of both families, for a browser picks one for each name below localhost.
  await once(host, 'listening');
  const { port } = host.address() as AddressInfo;

  return {
    server,
    gate,
    publish: (domain = 'localhost', content = {}) => server.createNotice({ content: { domain, ...content } }),
    originOf: (name) => `http://${name}:${port}`,
    addPage(page) {
      const path = `/page-${pages.size}`;
      pages.set(path, page);
      return path;
    },
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
