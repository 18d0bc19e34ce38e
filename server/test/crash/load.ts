import type { DemoCredentials } from '../../site/demo/seed.ts';
import type { ServerProcess } from './server-process.ts';

/** A change with its own subject, so that the created objects can be counted. */
export interface Change {
  readonly subjectId: string;
  /**
   * A visitor's capture, one with an API key, a request of a data subject, or the erasure of a subject; with a key comes an
   * Idempotency-Key, except for an erasure, which may be repeated.
   */
  readonly kind: 'public' | 'authenticated' | 'request' | 'erasure';
  readonly at: string;
}

/** A notice, and a key that may read its records. */
export type NoticeAccess = Pick<DemoCredentials, 'noticeId' | 'apiKey'>;

/** The purposes of every capture. */
export const capturedPurposes = { necessary: true, analytics: true, marketing: false } as const;

/** The results of a load. */
export interface LoadResult {
  /** The acknowledged changes, with the ids of the created objects. */
  readonly acknowledged: ReadonlyMap<Change, string>;
  /** Sent without a response. */
  readonly unanswered: readonly Change[];
}

export interface LoadOptions {
  readonly servers: readonly ServerProcess[];
  readonly credentials: DemoCredentials;
  /** To each server. */
  readonly connections: number;
  readonly nextChange: () => Change;
  /** Called with the number of answers so far, and the change that was acknowledged last. */
  readonly onAcknowledged?: (count: number, change: Change) => void;
  /** Returns true to stop the load while servers still respond; they are kept running. */
  readonly isOver?: () => boolean;
}

/**
 * Sends changes over a bounded number of connections until each server is gone or the load is stopped.
 * @throws if a server responds with an error.
 */
export async function loadServers(options: LoadOptions): Promise<LoadResult> {
  const { servers, credentials, connections, nextChange, onAcknowledged, isOver = () => false } = options;
  const acknowledged = new Map<Change, string>();
  const unanswered: Change[] = [];
  const sendUntilGone = async (server: ServerProcess) => {
    while (!isOver()) {
      const change = nextChange();
      const id = await sendChange(server, credentials, change);
      if (id === null) {
        unanswered.push(change);
        return;
      }
      acknowledged.set(change, id);
      onAcknowledged?.(acknowledged.size, change);
    }
  };
  await Promise.all(servers.flatMap((server) => Array.from({ length: connections }, () => sendUntilGone(server))));
  return { acknowledged, unanswered };
}

/** The server responded that its database is unavailable, or that it still handles a request with the same key. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** The client did not wait any longer for the response. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

/**
 * Sends one change.
 * @param patience how long the client waits for the response, in milliseconds.
 * @returns the id of the created object; null if the connection broke before a response.
 * @throws {Refused} for a 503.
 * @throws {GaveUp}
 */
export async function sendChange(
  { url, origin }: ServerProcess,
  { noticeId, apiKey }: NoticeAccess,
  { subjectId, kind, at }: Change,
  patience?: number,
): Promise<string | null> {
  const path = {
    public: `/v1/public/consent/${noticeId}/records`,
    authenticated: `/v1/consent/${noticeId}/records`,
    request: '/v1/dsr',
    erasure: `/v1/consent/subjects/${subjectId}/erase`,
  }[kind];
  const key = kind === 'erasure' ? {} : { 'Idempotency-Key': subjectId };
  const headers = kind === 'public' ? { Origin: origin } : { Authorization: `Bearer ${apiKey}`, ...key };
  const captured = { subjectId, purposes: capturedPurposes, capturedAt: at };
  const body = {
    public: captured,
    authenticated: captured,
    request: { subjectId, type: 'access', receivedAt: at },
    erasure: { reason: 'Asked for it' },
  }[kind];
  let status: number;
  let text: string;
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(patience !== undefined && { signal: AbortSignal.timeout(patience) }),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      throw new GaveUp(`a change (${kind}) had no answer`);
    return null;
  }
  if (status === 503 || (status === 409 && patience !== undefined && text.includes('"idempotency_in_progress"')))
    throw new Refused(`a change (${kind}) was answered with ${status}: ${text}`);
  if (status !== (kind === 'erasure' ? 200 : 201))
    throw new Error(`a change (${kind}) was answered with ${status}: ${text}`);
  const { data } = JSON.parse(text);
  return kind === 'erasure' ? data.erasureId : data.id;
}

/**
 * Retries changes without a response like a careful client: the same request, with the same Idempotency-Key.
 * @throws if one has no response this time either.
 */
export async function sendAgain(
  server: ServerProcess,
  credentials: DemoCredentials,
  changes: readonly Change[],
): Promise<ReadonlyMap<Change, string>> {
  const ids = await Promise.all(changes.map((change) => sendChange(server, credentials, change)));
  return new Map(
    changes.map((change, index) => {
      const id = ids[index] ?? null;
      if (id === null) throw new Error(`${change.subjectId} was sent again and not answered`);
      return [change, id];
    }),
  );
}

/** The ids of every record of the notice, by subject; of the erased ones under null. */
export async function listRecordIds(
  { url }: Pick<ServerProcess, 'url'>,
  { noticeId, apiKey }: NoticeAccess,
): Promise<ReadonlyMap<string | null, readonly string[]>> {
  const ids = new Map<string | null, string[]>();
  let cursor: string | null = null;
  do {
    const page: RecordPage = await readPage(url, noticeId, apiKey, cursor);
    for (const { subjectId, id } of page.data) ids.set(subjectId, [...(ids.get(subjectId) ?? []), id]);
    cursor = page.page.nextCursor;
  } while (cursor !== null);
  return ids;
}

interface RecordPage {
  readonly data: readonly { readonly subjectId: string | null; readonly id: string }[];
  readonly page: { readonly nextCursor: string | null };
}

async function readPage(url: string, noticeId: string, apiKey: string, cursor: string | null): Promise<RecordPage> {
  const query = new URLSearchParams({ limit: '200', ...(cursor !== null && { cursor }) });
  const response = await fetch(`${url}/v1/consent/${noticeId}/records?${query}`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the list was answered with ${response.status}: ${text}`);
  return JSON.parse(text).data;
}
