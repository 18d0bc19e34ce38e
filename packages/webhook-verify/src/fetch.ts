import type { FetchRequest, FetchResponse, RequestShape } from './fetch-request.ts';
import { createResponse, readFetchRequest } from './fetch-request.ts';
import { type AdapterOptions, createReceiver } from './receive.ts';

export type { FetchRequest, FetchResponse } from './fetch-request.ts';
export type { AdapterOptions, DeliveryContext, RefusalDetails } from './receive.ts';

/** Makes a function from `Request` to `Response`, as Workers, Deno, Bun and routers on them take it. */
export function createFetchHandler(
  options: AdapterOptions<FetchRequest>,
): (request: FetchRequest) => Promise<FetchResponse> {
  const receive = createReceiver(options);
  return async (request) => createResponse(await receive(readFetchRequest(request as RequestShape), request));
}
