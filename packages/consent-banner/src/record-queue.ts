import type { Purposes } from './notice.ts';
import { createRandomId } from './random-id.ts';
import { listKeys, readItem, removeItem, writeItem } from './safe-storage.ts';
import { attempt } from './stub/attempt.ts';
import { decisionKey } from './stub/stored-decision.ts';

/** How the visitor was asked. */
export type ConsentMethod = 'banner' | 'modal' | 'inline' | 'checkbox';

/** The body of `POST /v1/public/consent/{noticeId}/records`. */
export interface ConsentRecord {
  readonly subjectId: string;
  readonly purposes: Purposes;
  readonly method: ConsentMethod;
  readonly capturedAt: string;
  readonly noticeVersion: number;
}

/** A notice and its address. */
export interface NoticePlace {
  readonly noticeId: string;
  /** The public address of the notice; without an origin it is invalid. */
  readonly address: string;
}

export interface QueuedRecord extends NoticePlace {
  readonly key: string;
  readonly record: ConsentRecord;
}

/** Each record has its own storage key, so that concurrent tabs cannot overwrite each other's. */
export function enqueueRecord({ noticeId, address }: NoticePlace, record: ConsentRecord): void {
  const key = `${decisionKey(noticeId)}:record:${record.capturedAt}:${createRandomId()}`;
  writeItem(key, JSON.stringify({ ...record, address }));
}

/** The records of a notice that can be sent, in the order of the decisions. */
export function listRecords(place: NoticePlace): readonly QueuedRecord[] {
  return listKeys(`${decisionKey(place.noticeId)}:record:`).flatMap((key) => {
    // An entry without an address is of an earlier version.
    const { address = place.address, ...record } = Object(attempt(() => JSON.parse(readItem(key) as string)));
    if (typeof record.subjectId !== 'string')
      removeItem(key); // Not a record: it would block the queue forever.
    else if (/^https?:/.test(address)) return { ...place, key, record, address };
    return [];
  });
}

/** The notices with queued records, including notices that were on this page before. */
export function listNotices(): readonly string[] {
  const ids = listKeys(decisionKey('')).map((key) => /^svc-consent:(.+):record:/.exec(key)?.[1] ?? '');
  return [...new Set(ids.filter(Boolean))];
}

export function dequeueRecord(queued: QueuedRecord): void {
  removeItem(queued.key);
}
