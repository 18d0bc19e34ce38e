import { bodyIncomplete, bodyTooLarge } from './error.ts';
import { type Answer, type Incoming, jsonHeaders } from './receive.ts';

// The types of fetch are those of the compiling program, if it has them: from the DOM library, from the
// types of Node or of their platform. Otherwise the shape is used.

/** A `Request`. */
export type FetchRequest = typeof globalThis extends { Request: { prototype: infer Request } } ? Request : RequestShape;

/** A `Response`. */
export type FetchResponse = typeof globalThis extends { Response: { prototype: infer Response } }
  ? Response
  : { readonly status: number; text(): Promise<string> };

/** A `Request`, as far as it matters here. */
export interface RequestShape {
  readonly headers: { get(name: string): string | null };
  readonly body: { getReader(): BodyReader } | null;
  readonly bodyUsed: boolean;
}

interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

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
