import { bodyIncomplete, bodyTooLarge } from './body-errors.ts';
import type { FetchResponse, RequestShape } from './fetch-types.ts';
import { type Answer, type Incoming, jsonHeaders } from './receive.ts';

/** How to read a `Request`. */
export function readFetchRequest({ headers, body, bodyUsed }: RequestShape): Incoming {
  return {
    header: (name) => headers.get(name),
    // Null is no bytes, and verifying says how to get at a body that was read before.
    readBody: (maxBytes) => (bodyUsed ? null : collect(body, maxBytes)),
  };
}

export function createResponse({ status, body }: Answer): FetchResponse {
  return new Response(body, { status, headers: jsonHeaders }) as FetchResponse;
}

async function collect(body: RequestShape['body'], maxBytes: number): Promise<ArrayBuffer> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let left = maxBytes;
  for (;;) {
    const { value } = (await reader?.read().catch(() => Promise.reject(bodyIncomplete()))) ?? {};
    if (value === undefined) return new Blob(chunks).arrayBuffer();
    left -= value.length;
    if (left < 0) {
      reader?.cancel().catch(() => undefined);
      throw bodyTooLarge();
    }
    chunks.push(value as Uint8Array<ArrayBuffer>);
  }
}
