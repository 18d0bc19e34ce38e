import { type Notice, parseNotice } from './notice.ts';
import { receiptKey } from './receipt-store.ts';
import { readItem } from './safe-storage.ts';
import { attempt } from './stub/attempt.ts';
import type { StoredDecision } from './stub/stored-decision.ts';

/**
 * The notice as the visitor answered it, for when the server no longer has it: consent can be withdrawn at any time (GDPR,
 * Article 7(3)). It is read from the stored receipt, or has only the decided keys.
 */
export function recallNotice(noticeId: string, stored: StoredDecision): Notice {
  const source = attempt(() => JSON.parse(readItem(receiptKey(noticeId)) as string));
  const kept = attempt(() => parseNotice({ data: source.notice }, noticeId));
  if (kept?.version === stored.noticeVersion) return kept;
  const { hostname } = location;
  const { required } = stored;
  const purposes = Object.keys(stored.purposes).map((key) => {
    return { key, label: key, description: '', required: Array.isArray(required) && required.includes(key) };
  });
  return {
    id: noticeId,
    name: hostname,
    controllerName: hostname,
    language: '',
    domain: hostname,
    purposes,
    version: stored.noticeVersion,
  };
}
