import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import createFastify, { type FastifyReply } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { createExpressHandler } from '../../src/express.ts';
import { createFastifyPlugin } from '../../src/fastify.ts';
import { createFetchHandler } from '../../src/fetch.ts';
import { createHonoHandler } from '../../src/hono.ts';
import { createKoaMiddleware } from '../../src/koa.ts';
import { createPagesHandler, createRouteHandler } from '../../src/next.ts';
import type { AdapterOptions } from '../../src/receive.ts';

/** A server that listens, with the adapter on `/hook` and, where `isParsed`, a parser of bodies before it. */
export interface RunningServer extends AsyncDisposable {
  readonly url: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests do not look at the request of each framework.
type Options = AdapterOptions<any>;
type Start = (options: Options, isParsed: boolean) => Promise<RunningServer>;

/** Every adapter on a real server of its framework. */
export const servers: Readonly<Record<string, Start>> = {
  Express: (options, isParsed) => {
    const app = express();
    if (isParsed) app.use(express.json());
    app.post('/hook', createExpressHandler(options));
    return listen(app);
  },
  Koa: (options, isParsed) => {
    const app = new Koa();
    if (isParsed)
      app.use(async (context, next) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of context.req) chunks.push(chunk);
        Object.assign(context.request, { body: JSON.parse(Buffer.concat(chunks).toString()) });
        await next();
      });
    app.use(createKoaMiddleware(options));
    return listen(app.callback());
  },
  Fastify: async (options, isParsed) => {
    const app = createFastify();
    if (isParsed)
      app.addHook('preParsing', async (_request, _reply, payload) => {
        for await (const _chunk of payload);
      });
    app.post('/parsed', async ({ body }, reply: FastifyReply) => reply.send(body));
    await app.register(createFastifyPlugin({ ...options, path: '/hook' }));
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    return { url, [Symbol.asyncDispose]: () => app.close() };
  },
  Hono: (options, isParsed) => {
    const app = new Hono();
    if (isParsed)
      app.use(async (context, next) => {
        await context.req.json();
        await next();
      });
    app.post('/hook', createHonoHandler(options));
    return serveFetch((request) => app.fetch(request));
  },
  Fetch: (options, isParsed) => serveFetch(parseFirst(createFetchHandler(options), isParsed)),
  'Next.js app router': (options, isParsed) => serveFetch(parseFirst(createRouteHandler(options), isParsed)),
  'Next.js pages router': (options, isParsed) => {
    const handle = createPagesHandler(options);
    return listen(async (request, response) => {
      if (isParsed) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of request) chunks.push(chunk);
        Object.assign(request, { body: JSON.parse(Buffer.concat(chunks).toString()) });
      }
      await handle(request, response);
    });
  },
};

type FetchHandler = (request: Request) => Response | Promise<Response>;

function parseFirst(handle: FetchHandler, isParsed: boolean): FetchHandler {
  return async (request) => {
    if (isParsed) await request.json();
    return handle(request);
  };
}

async function listen(listener: RequestListener): Promise<RunningServer> {
  // No connection is closed in the moment in which a slow machine sends over it.
  const server = createServer({ keepAliveTimeout: 0 }, listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves what takes a `Request`, its body as a stream. */
function serveFetch(handle: FetchHandler): Promise<RunningServer> {
  return listen(async (incoming, outgoing) => {
    const headers = new Headers();
    for (let place = 0; place < incoming.rawHeaders.length; place += 2)
      headers.append(incoming.rawHeaders[place] as string, incoming.rawHeaders[place + 1] as string);
    const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>;
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const request = new Request(`http://localhost${incoming.url}`, init);
    const response = await handle(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
}
