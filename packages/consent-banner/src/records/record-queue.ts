import { decisionKey } from '../decision/stored-decision.ts';
import type { Notice } from '../notice/notice.ts';
import { attempt, memory, readItem, removeItem, toJson, writeItem } from '../page/browser.ts';
import { type ConsentRecord, type NoticePlace, receiptKey } from './consent-record.ts';

export interface QueuedRecord extends NoticePlace {
  readonly key: string;
  readonly record: ConsentRecord;
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

/** The stored keys that begin with a prefix, in order. */
function listKeys(prefix: string): readonly string[] {
  const stored = attempt(() => Object.keys(localStorage)) ?? [];
  return [...stored, ...memory.keys()].filter((key) => key.startsWith(prefix)).sort();
}

/** Queues a record. Each has its own storage key, so that concurrent tabs cannot overwrite each other's. */
export function queueRecord({ noticeId, address }: NoticePlace, record: ConsentRecord): void {
  const key = `${decisionKey(noticeId)}:record:${record.capturedAt}:${createRandomId()}`;
  writeItem(key, toJson({ ...record, address }));
}

/** Queues a record, and stores the source of its receipt. */
export function enqueueRecord(place: NoticePlace, notice: Notice, record: ConsentRecord): void {
  queueRecord(place, record);
  writeItem(receiptKey(place.noticeId), toJson({ notice, record, address: place.address }));
}

/**
 * A random id that starts with the time, so that the ids of new visitors are adjacent in the ledger's index. The time reveals
 * nothing new, because the record contains it. `crypto.randomUUID` is missing on plain http, `getRandomValues` is not.
 */
export function createRandomId(): string {
  return [Date.now(), ...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join('-');
}
