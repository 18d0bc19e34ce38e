import { skipInterimResponses } from '../../packages/node-sdk/src/platform/interim-responses.ts';

/** The response of a timestamp authority or a witness. */
export interface OutsideResponse {
  readonly status: number;
  /** The media type, lower case, without parameters. */
  readonly type: string;
  readonly body: Buffer;
}

/** A failed request, or an invalid response; the message contains no text of the response. */
export class OutsideFault extends Error {
  override readonly name = 'OutsideFault';
}

/** From the look-up of the name to the last byte, in milliseconds. */
const respondsWithin = 10_000;
/** A token with its certificates has about 6 kB; a signature line of a witness 200 bytes. */
const mostBytes = 64 * 1024;

/**
 * Sends a POST to a service that the operator configured, so private addresses are allowed. Follows no redirect, and
 * reads at most 64 KiB within ten seconds.
 * @throws {OutsideFault}
 */
export async function postOutside(
  url: string,
  { body, type, signal, within = respondsWithin }: PostOptions,
): Promise<OutsideResponse> {
  // Loaded with the first request: few installations have such a service.
  const { Agent, buildConnector, request } = await import('undici');
  // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
  const connect = buildConnector({ rejectUnauthorized: true, minVersion: 'TLSv1.2', allowH2: false });
  const dispatcher = new Agent({
    connect: (target, callback) =>
      connect(target, (...result) => {
        if (result[1]) skipInterimResponses(result[1]);
        callback(...result);
      }),
    maxResponseSize: mostBytes,
  });
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(within)]);
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': type, 'user-agent': 'Svc' },
      body,
      dispatcher,
      signal: deadline,
    });
    const named = response.headers['content-type'];
    const bytes = Buffer.from(await response.body.arrayBuffer());
    return {
      status: response.statusCode,
      type: typeof named === 'string' ? (named.split(';')[0] as string).trim().toLowerCase() : '',
      body: bytes,
    };
  } catch (error) {
    throw new OutsideFault(describeFault(error, deadline), { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

export interface PostOptions {
  readonly body: Buffer | string;
  /** The media type of the body. */
  readonly type: string;
  readonly signal: AbortSignal;
  /** Milliseconds until the whole response must have arrived. */
  readonly within?: number;
}

function describeFault(error: unknown, { aborted, reason }: AbortSignal): string {
  if (aborted)
    return (reason as Error).name === 'TimeoutError'
      ? 'timed out'
      : 'the request was cancelled because the server stopped';
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return `responded with more than ${mostBytes} bytes`;
  return /^[A-Z0-9_]{1,60}$/.test(code) ? `is unreachable (${code})` : 'is unreachable';
}
