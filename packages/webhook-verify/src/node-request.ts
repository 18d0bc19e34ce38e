import { bodyIncomplete, bodyTooLarge } from './body-errors.ts';
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
  on(event: string, listener: (chunk: Uint8Array) => void): unknown;
}

/** The answer of Node, as far as it matters here. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

/** How to read a request of Node. */
export function readNodeRequest(request: NodeRequest, parsed: ParsedBody = request): Incoming {
  return {
    // Node joins repeated headers that it does not know.
    header: (name) => request.headers[name] as string | undefined,
    readBody: (maxBytes) => {
      const kept = [parsed.rawBody, parsed.body].find((one) => one instanceof Uint8Array || typeof one === 'string');
      if (kept !== undefined && (kept as string).length > maxBytes) throw bodyTooLarge();
      // What was read and not kept raw: a parser has it, and verifying says how to take the parser away.
      return kept ?? (request.readableDidRead ? parsed.body : collect(request, maxBytes));
    },
  };
}

export function sendNodeAnswer(response: NodeResponse, { status, body }: Answer): void {
  response.writeHead(status, jsonHeaders);
  response.end(body);
}

function collect(request: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
      // The rest flows past unseen: to destroy the request would destroy the answer.
      if (length <= maxBytes) chunks.push(chunk);
      else reject(bodyTooLarge());
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    // Also after the end, when it no longer changes anything.
    request.on('close', () => reject(bodyIncomplete()));
  });
}
