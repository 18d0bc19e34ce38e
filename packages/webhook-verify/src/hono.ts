import {
  type AdapterOptions,
  createReceiver,
  createResponse,
  type FetchRequest,
  type FetchResponse,
  type RequestShape,
  readFetchRequest,
} from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** The context of Hono, as far as it matters here. */
export interface HonoContext {
  readonly req: { readonly raw: FetchRequest };
}

/**
 * Makes a handler for a route of Hono. It reads the request itself: what Hono keeps of a body that was parsed before is
 * not the bytes that were sent.
 */
export function createHonoHandler<Context extends HonoContext = HonoContext>(
  options: AdapterOptions<Context>,
): (context: Context) => Promise<FetchResponse> {
  const receive = createReceiver(options);
  return async (context) => createResponse(await receive(readFetchRequest(context.req.raw as RequestShape), context));
}
