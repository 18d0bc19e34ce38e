import {
  type AdapterOptions,
  createReceiver,
  headersOf,
  type NodeRequest,
  type ParsedBody,
  readNodeRequest,
} from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** The context of Koa, as far as it matters here. */
export interface KoaContext {
  readonly req: NodeRequest;
  /** Holds what a body parser made. */
  readonly request: object;
  set(headers: Record<string, string>): unknown;
  status: number;
  body: unknown;
}

/** Makes a middleware for Koa. It answers what reaches it: mount it on a path, before body parsers. */
export function createKoaMiddleware<Context extends KoaContext = KoaContext>(
  options: AdapterOptions<Context>,
): (context: Context) => Promise<void> {
  const receive = createReceiver(options);
  return async (context) => {
    const answer = await receive(readNodeRequest(context.req, context.request as ParsedBody), context);
    context.status = answer.status;
    context.body = answer.body;
    context.set(headersOf(answer, context.req));
  };
}
