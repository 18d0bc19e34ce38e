import type { Purposes } from './notice.ts';
import { createRandomId } from './random-id.ts';
import { listKeys, readItem, removeItem, writeItem } from './safe-storage.ts';
import { decisionKey } from './stub/stored-decision.ts';

/** The body of `POST /v1/public/consent/{noticeId}/records`. */
export interface ConsentRecord {
  readonly subjectId: string;
  readonly purposes: Purposes;
  readonly method: 'banner' | 'modal' | 'inline';
  readonly capturedAt: string;
  readonly noticeVersion: number;
}

export interface QueuedRecord {
  readonly key: string;
  readonly record: ConsentRecord;
}

function queuePrefix(noticeId: string): string {
  return `${decisionKey(noticeId)}:record:`;
}

/** Each record has a key of its own: tabs that write at once cannot overwrite one another. */
export function enqueueRecord(noticeId: string, record: ConsentRecord): void {
  writeItem(`${queuePrefix(noticeId)}${record.capturedAt}:${createRandomId()}`, JSON.stringify(record));
}

/** The oldest record that waits, so that they arrive in the order of the decisions. */
export function oldestRecord(noticeId: string): QueuedRecord | null {
  for (const key of listKeys(queuePrefix(noticeId))) {
    try {
      const record = JSON.parse(readItem(key) ?? '');
      if (typeof record.subjectId === 'string') return { key, record };
    } catch {}
    removeItem(key); // Somebody else's bytes: they would block the queue for ever.
  }
  return null;
}

export function dequeueRecord(queued: QueuedRecord): void {
  removeItem(queued.key);
}
