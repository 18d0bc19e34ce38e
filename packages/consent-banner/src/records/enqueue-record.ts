import { decisionKey } from '../decision/stored-decision.ts';
import type { Notice } from '../state/notice.ts';
import { createRandomId } from '../state/random-id.ts';
import { toJson, writeItem } from '../state/safe-storage.ts';
import { receiptKey } from './receipt-store.ts';
import type { ConsentRecord, NoticePlace } from './record-queue.ts';

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
