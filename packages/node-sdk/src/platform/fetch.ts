// The platform of Bun, Deno, workerd, edge runtimes and browsers: their `fetch`. `node.ts` exports the same.
import type { Dispatcher } from 'undici';
import type { Connection, OpenConnections } from '../connection-pool.ts';
import type { Controller, Exchange } from '../exchange.ts';
import { type HeaderList, toPairs } from '../headers.ts';
import type { FileBody } from '../transport.ts';

const { navigator, process, document } = globalThis as Partial<typeof globalThis> & { readonly document?: object };

/** True if users of the program could read its secrets. */
export const isBrowser = document !== undefined;

const { userAgent = ' ' } = navigator ?? {};

/** Names the platform in the User-Agent: `Bun/1.4.5`, `Deno/2.9.6`, `Cloudflare-Workers`. Those of browsers are sentences. */
export const platformName: string = userAgent.includes(' ') ? 'fetch' : userAgent;

/** The platform negotiates a content coding. */
export const platformHeaders: HeaderList = [];

export function warn(message: string, options: { readonly type?: string; readonly code: string }): void {
  if (typeof process?.emitWarning === 'function') process.emitWarning(message, options);
  else console.warn(message);
}

export function readEnvironment(name: string): string | undefined {
  try {
    return process?.env?.[name];
  } catch {
    // Deno without the permission.
    return undefined;
  }
}

/** True if content codings are decoded before an exchange gets the bytes. */
export const isDecoded: boolean = true;

export function createDecoder(): null {
  return null;
}

export const openConnections: OpenConnections = async () => () => ({ dispatcher });

/** Sends requests with `fetch`, and reports to an exchange as undici does. */
const dispatcher = {
  dispatch(request: Dispatcher.DispatchOptions, exchange: Exchange): boolean {
    void run(request, exchange);
    return true;
  },
  async close() {},
} as Connection['dispatcher'];

/** Fields that workerd refuses. No cache and no cookies: a cached answer would be outdated, or that of another key. */
const modes = platformName === 'Cloudflare-Workers' ? {} : { cache: 'no-store', credentials: 'omit' };

async function run(request: Dispatcher.DispatchOptions, exchange: Exchange): Promise<void> {
  const { origin, path, method, headers, body } = request;
  const controller = new AbortController();
  const { signal } = controller;
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let paused: PromiseWithResolvers<void> | null = null;
  const resume = () => {
    paused?.resolve();
    paused = null;
  };
  const flow: Controller = {
    pause: () => {
      paused ??= Promise.withResolvers<void>();
    },
    resume,
    abort: () => {
      controller.abort();
      // Not every platform ends a response that has begun with the signal.
      reader?.cancel().catch(() => {});
      resume();
    },
  };
  exchange.onRequestStart(flow);
  let coding: string | null = null;
  try {
    const response = await fetch(`${origin}${path}`, {
      ...modes,
      method,
      headers: toPairs(headers as HeaderList),
      ...openBody(body as FileBody | null),
      redirect: 'manual',
      signal,
      // Bun's own limit, five minutes; those of the call hold.
      timeout: false,
    } as object);
    coding = response.headers.get('content-encoding');
    // A browser hides the status of a redirect.
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    // Without the content coding, which is already decoded.
    const shown = [...response.headers].filter(([name]) => name !== 'content-encoding');
    exchange.onResponseStart(flow, status, Object.fromEntries(shown));
    reader = response.body?.getReader();
    for (;;) {
      await (paused as PromiseWithResolvers<void> | null)?.promise;
      const result = await reader?.read();
      signal.throwIfAborted();
      if (result === undefined || result.done) break;
      exchange.onResponseData(flow, result.value);
    }
    exchange.onResponseEnd();
  } catch (error) {
    const fault = describeFault(error);
    const text = `${fault.code} ${fault.message}`;
    if (coding === null || !/decompress|decod|inflate|zlib|brotli|gzip|corrupt|^Z_/i.test(text))
      exchange.onResponseError(flow, fault);
    else {
      exchange.headers = { ...exchange.headers, 'content-encoding': coding };
      exchange.fail('undecodable', fault);
    }
  }
}

function openBody(body: FileBody | null): object {
  const isIterable = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  if (!isIterable) return { body };
  const iterator = body[Symbol.asyncIterator]();
  const stream = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await iterator.return?.()),
  });
  return { body: stream, duplex: 'half' };
}

/** An error without the address, whose path and query may identify a person. */
function describeFault(error: unknown): Error & { code: string } {
  const { message = '', code, cause } = Object(error) as Error & { code?: unknown };
  const text = String(message).replace(/https?:\/\/[^\s)]*/g, 'the server');
  const known = typeof code === 'string' ? code : Object(cause).code;
  // The code of Node for Deno, which has only a text.
  const fallback = /certificate/i.test(text) ? 'CERT_INVALID' : '';
  return Object.assign(new Error(text), { code: typeof known === 'string' ? known : fallback });
}
