import { decisionKey, type Purposes, type StoredDecision } from '../decision/stored-decision.ts';
import { type Notice, parseNotice } from '../notice/notice.ts';
import { attempt, readItem } from '../page/browser.ts';

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

/** The source of a receipt: stored with the decision, and converted when the visitor opens the receipt. */
export interface ReceiptSource {
  readonly notice: Notice;
  readonly record: ConsentRecord;
  /** The public address of the notice. */
  readonly address: string;
  /** The server's response to the record, once received. */
  readonly answer?: unknown;
}

export function receiptKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:receipt`;
}

/** The source of the latest decision's receipt; it may be anything. */
export function readSource(noticeId: string): ReceiptSource | undefined {
  return attempt(() => JSON.parse(readItem(receiptKey(noticeId)) as string)) ?? undefined;
}

/** The notice as the visitor answered it, from the stored receipt. */
export function recallNotice(noticeId: string, { noticeVersion }: StoredDecision): Notice | null {
  const kept = attempt(() => parseNotice({ data: readSource(noticeId)?.notice }, noticeId));
  return kept?.version === noticeVersion ? kept : null;
}
