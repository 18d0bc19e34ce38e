import { attempt } from '../state/attempt.ts';
import { toJson } from '../state/safe-storage.ts';
import type { ConsentRecord } from './record-queue.ts';

const RECORD_TIMEOUT = 30_000;

/** The server's verdict on a record: kept, refused permanently, or retry later, with the wait it asked for. */
export type Receipt =
  | { readonly outcome: 'kept'; readonly body: unknown }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'later'; readonly waitSeconds: number | null };

/** Sends one record. The server deduplicates repeated records, so a lost response is harmless. */
export async function sendRecord(address: string, record: ConsentRecord): Promise<Receipt> {
  try {
    const response = await fetch(`${address}/records`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: toJson(record),
      credentials: 'omit',
      keepalive: true,
      signal: AbortSignal.timeout(RECORD_TIMEOUT),
    });
    return await readReceipt(response);
  } catch {
    return { outcome: 'later', waitSeconds: null };
  }
}

/** Only the API's own responses count: a response of a proxy, a firewall or a login page must not discard a record. */
async function readReceipt(response: Response): Promise<Receipt> {
  const { ok, status, headers } = response;
  const text = await response.text();
  const body = attempt(() => JSON.parse(text));
  if (ok && body?.data) return { outcome: 'kept', body };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429 && body?.error?.code) {
    return { outcome: 'refused', reason: `${status} ${text}` };
  }
  return { outcome: 'later', waitSeconds: readWait(headers.get('Retry-After')) };
}

/** Retry-After is a number of seconds or a date. */
function readWait(value: string | null): number | null {
  if (!value) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
