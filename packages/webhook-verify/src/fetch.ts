import {
  type AdapterOptions,
  createReceiver,
  createResponse,
  type FetchRequest,
  type FetchResponse,
  type RequestShape,
  readFetchRequest,
} from './receive.ts';

export type { AdapterOptions, DeliveryContext, FetchRequest, FetchResponse, RefusalDetails } from './receive.ts';

/** Makes a function from `Request` to `Response`, as Workers, Deno, Bun and routers on them take it. */
export function createFetchHandler(
  options: AdapterOptions<FetchRequest>,
): (request: FetchRequest) => Promise<FetchResponse> {
  const receive = createReceiver(options);
  return async (request) => createResponse(await receive(readFetchRequest(request as RequestShape), request));
}
