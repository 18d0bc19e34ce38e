import type { Purposes } from './notice.ts';
import { readItem, writeItem } from './safe-storage.ts';

/** What `localStorage` keeps under `svc-consent:{noticeId}`, as JSON. */
export interface StoredDecision {
  /** Every optional purpose, none of them, or some. */
  readonly decision: 'accepted' | 'rejected' | 'custom';
  readonly purposes: Purposes;
  /** The version of the notice that the visitor saw. */
  readonly noticeVersion: number;
  /** ISO 8601, the moment of the click. */
  readonly decidedAt: string;
  /** Random, made at the first decision and kept with the later ones. */
  readonly subjectId: string;
}

export function decisionKey(noticeId: string): string {
  return `svc-consent:${noticeId}`;
}

/** The stored decision. Whatever cannot be read as one means undecided: garbage never grants. */
export function readDecision(noticeId: string): StoredDecision | null {
  const text = readItem(decisionKey(noticeId));
  try {
    const stored = JSON.parse(text ?? 'null');
    return isDecision(stored) ? stored : null;
  } catch {
    return null;
  }
}

export function writeDecision(noticeId: string, decision: StoredDecision): void {
  writeItem(decisionKey(noticeId), JSON.stringify(decision));
}

function isDecision(value: Partial<StoredDecision> | null): value is StoredDecision {
  return (
    ['accepted', 'rejected', 'custom'].includes(value?.decision ?? '') &&
    isPurposes(value?.purposes) &&
    Number.isSafeInteger(value?.noticeVersion) &&
    Number.isFinite(Date.parse(String(value?.decidedAt))) &&
    typeof value?.subjectId === 'string' &&
    value.subjectId !== ''
  );
}

function isPurposes(value: unknown): value is Purposes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const decided = Object.values(value);
  return decided.length > 0 && decided.every((granted) => typeof granted === 'boolean');
}
