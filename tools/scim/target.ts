import { setTimeout as wait } from 'node:timers/promises';

/** An error that stops a run, with a message for the user. */
export class ConformanceError extends Error {
  override readonly name = 'ConformanceError';
}

export interface TargetOptions {
  /** The address of the server; what a provider is given, with /scim/v2 behind it, is as good. */
  readonly url: string;
  readonly token: string;
  /** An API key with every scope, because a group can only be mapped to a role whose scopes the caller has; null to skip what needs it. */
  readonly key: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined when it is none of JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape, and what is wrong with one is to be reported
  readonly body: any;
}

/** The server that sequences are played against. */
export interface Target {
  readonly hasKey: boolean;
  /** Sends a SCIM request, as it is. */
  scim(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Calls the REST API. @returns the value of `data`. @throws {ConformanceError} when it fails. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  rest(method: string, path: string, body?: object): Promise<any>;
}

/** Longest wait when a limit is reached; no limit of the server lasts longer. */
const longestPause = 120;

export function openTarget({ url, token, key }: TargetOptions): Target {
  const base = url.replace(/(?<!\/)(?:\/+scim\/v2)?\/*(?:[?#].*)?$/s, '');

  const send = async (
    method: string,
    path: string,
    secret: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> => {
    const { 'Content-Type': type = 'application/json', ...others } = headers;
    const response = await fetch(base + path, {
      method,
      headers: {
        ...others,
        Authorization: `Bearer ${secret}`,
        ...(body !== undefined && { 'Content-Type': type }),
      },
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new ConformanceError(`${base} does not answer: ${describeCause(error)}`);
    });
    const text = await response.text();
    if (response.status !== 429) return { status: response.status, headers: response.headers, text, body: parse(text) };
    // As a provider does: what was not taken is sent again later.
    const pause = Math.min(Number(response.headers.get('Retry-After')) || 1, longestPause);
    await wait(pause * 1000);
    return send(method, path, secret, body, headers);
  };

  return {
    hasKey: key !== null,
    scim: (method, path, body, headers = {}) => send(method, `/scim/v2${path}`, token, body, headers),
    rest: async (method, path, body) => {
      if (key === null) throw new ConformanceError('This needs an API key.');
      const { status, text, body: answer } = await send(method, path, key, body, {});
      if (status >= 300) throw new ConformanceError(`${method} ${path} with the API key answers ${status}: ${text}`);
      return answer.data;
    },
  };
}

/** fetch says no more than "fetch failed"; its cause says what it was. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
