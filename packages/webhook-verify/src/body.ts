import { fail } from './error.ts';
import type { WebhookEvent } from './event.ts';

export const encoder = new TextEncoder();
// A byte order mark stays in the text, where JSON does not allow it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a body. Nothing is decoded before the signature is known to be right. */
export function readBytes(body: unknown): Uint8Array {
  // The second is also true of what was made from the prototype and has no bytes.
  if (ArrayBuffer.isView(body) && body instanceof Uint8Array) return body;
  if (typeof body === 'string') return encoder.encode(body);
  try {
    // Neither minds which realm an object comes from; a buffer that was transferred has no bytes.
    const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(body) ? body : new DataView(body as ArrayBuffer);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    return fail(
      'body_not_bytes',
      'Pass the raw body, not parsed. Express: express.raw({ type: "*/*" }) before express.json(). Koa: no body parser. Fastify: parseAs: "buffer". Next.js pages: bodyParser: false. Fetch, Hono, Next.js app: request.arrayBuffer().',
    );
  }
}

/** The event in a body whose signature is right. */
export function readEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(decoder.decode(bytes));
    const isWhole = ['id', 'type', 'createdAt', 'tenantId'].every(
      (name) => event[name] && typeof event[name] === 'string',
    );
    if (isWhole && event.data instanceof Object && !Array.isArray(event.data)) return event;
  } catch {
    // What the parser says may quote the body.
  }
  return fail('body_invalid', 'Signed, but no event in JSON and UTF-8 (without byte order mark).');
}
