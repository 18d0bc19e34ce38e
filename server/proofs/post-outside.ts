import { Agent, request } from 'undici';

/** What a service outside answered. */
export interface OutsideAnswer {
  readonly status: number;
  /** The media type, lower case, without parameters. */
  readonly type: string;
  readonly body: Buffer;
}

/** A service that did not answer as it must; the message has no text of the answer. */
export class OutsideFault extends Error {
  override readonly name = 'OutsideFault';
}

/** From the look-up of the name to the last byte, in milliseconds. */
const answerWithin = 10_000;
/** A token with its certificates has about 6 kB; a line of a witness 200 bytes. */
const mostBytes = 64 * 1024;

/**
 * Sends a POST to a service that the operator configured: so that private addresses are allowed. Follows no redirect, and
 * reads at most 64 KiB within ten seconds.
 * @throws {OutsideFault}
 */
export async function postOutside(
  url: string,
  { body, type, signal, within = answerWithin }: PostOptions,
): Promise<OutsideAnswer> {
  // Holds whatever NODE_TLS_REJECT_UNAUTHORIZED says.
  const dispatcher = new Agent({
    connect: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    maxResponseSize: mostBytes,
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(within)]);
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { 'content-type': type, 'user-agent': 'Svc' },
      body,
      dispatcher,
      signal: deadline,
    });
    const named = answer.headers['content-type'];
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      type: typeof named === 'string' ? (named.split(';')[0] as string).trim().toLowerCase() : '',
      body: bytes,
    };
  } catch (error) {
    throw new OutsideFault(describeFault(error, deadline), { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

interface PostOptions {
  readonly body: Buffer | string;
  /** The media type of the body. */
  readonly type: string;
  readonly signal: AbortSignal;
  /** Milliseconds until the whole answer must be there. */
  readonly within?: number;
}

function describeFault(error: unknown, { aborted, reason }: AbortSignal): string {
  if (aborted) return (reason as Error).name === 'TimeoutError' ? 'did not answer in time' : 'was not asked to the end';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `answered more than ${mostBytes} bytes`;
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `cannot be reached (${code})` : 'cannot be reached';
}
