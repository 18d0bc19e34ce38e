import {
  type AdapterOptions,
  createReceiver,
  type NodeRequest,
  type NodeResponse,
  readNodeRequest,
  sendNodeAnswer,
} from './receive.ts';

export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/**
 * Makes a handler for a route of Express 4 or 5; it also serves any route of plain `node:http`. Put it before
 * `express.json()`, or give the route `express.raw` for every type.
 */
export function createExpressHandler<Request extends NodeRequest = NodeRequest>(
  options: AdapterOptions<Request>,
): (request: Request, response: NodeResponse) => Promise<void> {
  const receive = createReceiver(options);
  return async (request, response) =>
    sendNodeAnswer(response, await receive(readNodeRequest(request), request), request);
}
