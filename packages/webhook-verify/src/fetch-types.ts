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

/** A reader of a stream of bytes. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}
