import { bodyIncomplete, bodyTooLarge } from './error.ts';
import { type Answer, type Incoming, jsonHeaders } from './receive.ts';

/** What frameworks and platforms add to a request. */
export interface ParsedBody {
  /** What a body parser made, where one ran. */
  readonly body?: unknown;
  /** The raw bytes, where something kept them: NestJS with `rawBody`, cloud functions. */
  readonly rawBody?: unknown;
}

/** The request of Node, as far as it matters here. */
export interface NodeRequest extends ParsedBody {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableDidRead?: boolean;
  readonly httpVersionMajor?: number;
  on(event: string, listener: (chunk: Uint8Array) => void): unknown;
  pause?(): unknown;
}

/** The answer of Node, as far as it matters here. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

export function readNodeRequest(request: NodeRequest, parsed: ParsedBody = request): Incoming {
  return {
    // Node joins repeated headers that it does not know.
    header: (name) => request.headers[name] as string | undefined,
    readBody: (maxBytes) => {
      const kept = [parsed.rawBody, parsed.body].find((one) => ArrayBuffer.isView(one) || typeof one === 'string');
      if (kept !== undefined && Buffer.byteLength(kept as string | Uint8Array) > maxBytes) throw bodyTooLarge();
      // What was read and not kept raw: a parser has it, and verifying says how to take the parser away.
      return kept ?? (request.readableDidRead ? parsed.body : collect(request, maxBytes));
    },
  };
}

/** The headers of an answer. What is too large is not read to its end, so its connection must be closed (RFC 9112, 9.6). */
export function headersOf({ status }: Answer, { httpVersionMajor }: NodeRequest): Record<string, string> {
  // HTTP/2 has streams instead, and forbids the header (RFC 9113, section 8.2.2).
  return status === 413 && (httpVersionMajor ?? 1) < 2 ? { ...jsonHeaders, connection: 'close' } : jsonHeaders;
}

export function sendNodeAnswer(response: NodeResponse, answer: Answer, request: NodeRequest): void {
  response.writeHead(answer.status, headersOf(answer, request));
  response.end(answer.body);
}

function collect(request: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      if (length <= maxBytes) return void chunks.push(chunk);
      // To destroy the request would destroy the answer.
      request.pause?.();
      reject(bodyTooLarge());
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // Also after the end, when it no longer changes anything.
    request.on('close', () => reject(bodyIncomplete()));
  });
}
