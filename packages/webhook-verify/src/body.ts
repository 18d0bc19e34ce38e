import type { Limits } from './check.ts';
import { fail } from './error.ts';
import type { WebhookEvent } from './options.ts';

export const encoder = new TextEncoder();
// A byte order mark stays in the text, where JSON does not allow it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The bytes of a body. Nothing is decoded before the signature is known to be right. */
export function readBytes(body: unknown): Uint8Array {
  try {
    const given = typeof body === 'string' ? encoder.encode(body) : body;
    // Neither minds which realm an object comes from; a buffer that was transferred has no bytes.
    const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(given) ? given : new DataView(given as ArrayBuffer);
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch {
    return fail(
      'body_not_bytes',
      'Pass the raw body. Express: express.raw({ type: "*/*" }) before express.json(). Koa: no body parser. Fastify: parseAs: "buffer". Next.js pages: bodyParser: false. Others: request.arrayBuffer().',
    );
  }
}

/** The event in a body whose signature is valid, if it passes `validate`. */
export function readEvent(bytes: Uint8Array, { validate }: Limits): WebhookEvent {
  const event = parseEvent(bytes);
  const result: unknown = validate?.(event);
  if (result !== undefined) {
    // What a promise rejects with would end the process.
    Promise.resolve(result).catch(() => undefined);
    fail('options_invalid', 'validate must not be async: it throws or returns undefined.');
  }
  return event;
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(decoder.decode(bytes));
    const isWhole = ['id', 'type', 'createdAt', 'tenantId'].every(
      (name) => event[name] && typeof event[name] === 'string',
    );
    // What JSON calls an object, and neither a list nor null.
    if (isWhole && Object.getPrototypeOf(event.data) === Object.prototype) return event;
  } catch {
    // What the parser says may quote the body.
  }
  return fail('body_invalid', 'Signed, but no event in JSON and UTF-8 without byte order mark.');
}
