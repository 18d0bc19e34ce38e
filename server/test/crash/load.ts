import type { DemoCredentials } from '../../demo/seed.ts';
import type { ServerProcess } from './server-process.ts';

/** A capture with a subject of its own, so that its records can be counted. */
export interface Capture {
  readonly subjectId: string;
  /** A visitor's, or one with an API key and an Idempotency-Key. */
  readonly kind: 'public' | 'authenticated';
  readonly capturedAt: string;
}

/** What became of the captures of a load. */
export interface LoadResult {
  /** Ids of the records by subject, for every capture that was answered with 201. */
  readonly acknowledged: ReadonlyMap<string, string>;
  /** Sent, and never answered. */
  readonly unanswered: readonly Capture[];
}

/**
 * Sends captures over a bounded number of connections until the server is gone.
 * @param onAcknowledged called with the number of answers so far.
 * @throws when the server answers anything but 201.
 */
export async function loadServer(
  server: ServerProcess,
  credentials: DemoCredentials,
  connections: number,
  nextCapture: () => Capture,
  onAcknowledged: (count: number) => void,
): Promise<LoadResult> {
  const acknowledged = new Map<string, string>();
  const unanswered: Capture[] = [];
  const sendUntilGone = async () => {
    for (;;) {
      const capture = nextCapture();
      const id = await sendCapture(server, credentials, capture);
      if (id === null) {
        unanswered.push(capture);
        return;
      }
      acknowledged.set(capture.subjectId, id);
      onAcknowledged(acknowledged.size);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendUntilGone));
  return { acknowledged, unanswered };
}

/** Sends one capture. @returns the id of the record; null when the connection broke before an answer. */
export async function sendCapture(
  { url, origin }: ServerProcess,
  { noticeId, apiKey }: DemoCredentials,
  { subjectId, kind, capturedAt }: Capture,
): Promise<string | null> {
  const path = kind === 'public' ? `/v1/public/consent/${noticeId}/records` : `/v1/consent/${noticeId}/records`;
  const headers =
    kind === 'public' ? { Origin: origin } : { Authorization: `Bearer ${apiKey}`, 'Idempotency-Key': subjectId };
  const purposes = { necessary: true, analytics: true, marketing: false };
  let status: number;
  let text: string;
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ subjectId, purposes, capturedAt }),
    });
    status = response.status;
    text = await response.text();
  } catch {
    return null;
  }
  if (status !== 201) throw new Error(`a capture was answered with ${status}: ${text}`);
  return JSON.parse(text).data.id;
}

/** The ids of every record of the notice, by subject. */
export async function listRecordIds(
  { url }: ServerProcess,
  { noticeId, apiKey }: DemoCredentials,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = new Map<string, string[]>();
  let cursor: string | null = null;
  do {
    const page: RecordPage = await readPage(url, noticeId, apiKey, cursor);
    for (const { subjectId, id } of page.data) ids.set(subjectId, [...(ids.get(subjectId) ?? []), id]);
    cursor = page.page.nextCursor;
  } while (cursor !== null);
  return ids;
}

interface RecordPage {
  readonly data: readonly { readonly subjectId: string; readonly id: string }[];
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
