import { decisionKey } from '../decision/stored-decision.ts';
import { attempt } from '../state/attempt.ts';
import type { Purposes } from '../state/notice.ts';
import { memory, readItem, removeItem } from '../state/safe-storage.ts';

/** How the visitor was asked. */
export type ConsentMethod = 'banner' | 'modal' | 'inline' | 'checkbox';

/** The body of `POST /v1/public/consent/{noticeId}/records`. */
export interface ConsentRecord {
  readonly subjectId: string;
  readonly purposes: Purposes;
  readonly method: ConsentMethod;
  readonly capturedAt: string;
  readonly noticeVersion: number;
  /** The language of the notice that was shown, BCP 47. */
  readonly language?: string | undefined;
  /** The SHA-256 of the response that was shown, hex, or `unverified`; a queued record gets it when it is sent. */
  readonly shownHash?: string | undefined;
  /** The region that decided the basis of the purposes, ISO 3166. */
  readonly region?: string | undefined;
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
