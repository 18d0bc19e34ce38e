import type { StoredDecision } from '../decision/stored-decision.ts';
import { readSource } from '../records/receipt-store.ts';
import { attempt } from './attempt.ts';
import { type Notice, parseNotice } from './notice.ts';

/** The notice as the visitor answered it, from the stored receipt. */
export function recallNotice(noticeId: string, { noticeVersion }: StoredDecision): Notice | null {
  const kept = attempt(() => parseNotice({ data: readSource(noticeId)?.notice }, noticeId));
  return kept?.version === noticeVersion ? kept : null;
}
