import { createExpressHandler } from './express.ts';
import { createFetchHandler } from './fetch.ts';
import type { FetchRequest, FetchResponse } from './fetch-types.ts';
import type { NodeRequest, NodeResponse } from './node-request.ts';
import type { AdapterOptions } from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** Makes a route handler for the app router: `export const POST = createRouteHandler({ … })`. */
export function createRouteHandler(
  options: AdapterOptions<FetchRequest>,
): (request: FetchRequest) => Promise<FetchResponse> {
  return createFetchHandler(options);
}

/**
 * Makes a handler for the pages router, which must not parse the body:
 * `export const config = { api: { bodyParser: false } }`.
 */
export function createPagesHandler<Request extends NodeRequest = NodeRequest>(
  options: AdapterOptions<Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  return createExpressHandler(options);
}
