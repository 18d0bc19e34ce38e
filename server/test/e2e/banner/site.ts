import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readWidget } from '../../../site/widgets/widget.ts';
import { startTestServer, TestClock, type TestServer } from '../../harness.ts';

/** A site with its own origin, whose pages carry the built banner of a real server on another one. */
export interface BannerSite extends AsyncDisposable {
  readonly server: TestServer;
  /** Publishes a notice for this site. @returns its id. */
  publish(content?: object): Promise<string>;
  /** Adds a page. @returns its address. */
  addPage(noticeId: string, options?: PageOptions): string;
  /** Adds a page with the given markup. @returns its address. */
  addDocument(html: string): string;
}

export interface PageOptions {
  /** Attributes of the banner's element, as in the tag. */
  readonly attributes?: string;
  /** The content of the page, after a link that is always there. */
  readonly body?: string;
  readonly lang?: string;
  readonly dir?: 'ltr' | 'rtl';
}

const sheet = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { margin: 0; background: light-dark(#fff, #121212) }
  main { max-width: 60ch; margin: auto; padding: 1rem }
  a { color: light-dark(#0645ad, #8ab4ff) }
  .video { width: 100%; aspect-ratio: 16 / 9; border: 0 }
`;

/** @param environment settings of the server. */
export async function startBannerSite(environment: Readonly<Record<string, string>> = {}): Promise<BannerSite> {
  const server = await startTestServer('sqlite', environment, { clock: new TestClock(Date.now) });
  const widget = readWidget('consent-banner');
  if (widget === undefined) throw new Error('There is no built banner: npm run build:widgets');
  const script = `<script src="${server.url}${widget.path}" integrity="${widget.integrity}" crossorigin="anonymous" defer></script>`;
  const pages = new Map<string, string>();
  const host = createServer((request, response) => {
    const page = request.url === '/site.css' ? sheet : pages.get(request.url ?? '');
    response.setHeader('Content-Type', request.url === '/site.css' ? 'text/css' : 'text/html; charset=utf-8');
    response.statusCode = page === undefined ? 404 : 200;
    response.end(page);
  });
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const url = `http://localhost:${(host.address() as AddressInfo).port}`;
  pages.set('/frame', '<!doctype html><html lang="en"><title>A film</title><p>A film</p></html>');

  const addDocument = (html: string): string => {
    const path = `/${pages.size}`;
    pages.set(path, html);
    return url + path;
  };

  return {
    server,
    addDocument,
    publish: (content = {}) => server.createNotice({ content: { domain: 'localhost', ...content } }),
    addPage(noticeId, { attributes = '', body = '', lang = 'en', dir = 'ltr' } = {}) {
      return addDocument(
        `<!doctype html><html lang="${lang}" dir="${dir}"><meta charset="utf-8">
        <meta name="viewport" content="width=device-width"><title>A page</title>
        <link rel="stylesheet" href="/site.css"><link rel="icon" href="data:,">${script}
        <body><svc-consent notice-id="${noticeId}" ${attributes}></svc-consent>
        <main><h1>A page</h1><p><a href="#top" id="first">A link</a></p>${body}</main></body></html>`,
      );
    },
    async [Symbol.asyncDispose]() {
      host.closeAllConnections();
      host.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
