import { globSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BuiltSite } from '../../server/site/documentation/built-site.ts';

/** The built site. */
export const distFolder = join(import.meta.dirname, '../dist');

/** The address of every page below the root, or of the one that SVC_DOCS_PAGE names. */
export function listPages(): readonly string[] {
  const wanted = process.env.SVC_DOCS_PAGE;
  if (wanted !== undefined) return [`${wanted}/`];
  return globSync('**/index.html', { cwd: distFolder })
    .map((file) => file.replace(/index\.html$/, ''))
    .sort();
}

/** A static host that knows nothing of Svc: files below a path, and nothing else. */
export async function startStaticHost(base = '/'): Promise<AsyncDisposable & { readonly url: string }> {
  const site = BuiltSite.open(distFolder);
  if (site === null) throw new Error('The documentation is not built: npm run build:docs');
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const path = decodeURIComponent(pathname).slice(base.length);
    const file = site.find(path);
    if (file === undefined && site.find(`${path}/`) !== undefined) {
      response.writeHead(301, { Location: `${pathname}/` }).end();
      return;
    }
    const { type, bytes } = file ?? site.writeMissing(path);
    response
      .writeHead(file === undefined ? 404 : 200, { 'Content-Type': type })
      .end(request.method === 'HEAD' ? undefined : bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
