import type { Basis } from '../signals/basis.ts';

/** What was decided, by purpose key. */
export type Purposes = Readonly<Record<string, boolean>>;

/** What `localStorage` keeps under `svc-consent:{noticeId}`, as JSON. */
export interface StoredDecision {
  /** Every optional purpose, none of them, or some. */
  readonly decision: 'accepted' | 'rejected' | 'custom';
  readonly purposes: Purposes;
  /** The version of the notice that the visitor saw. */
  readonly noticeVersion: number;
  /** ISO 8601, UTC, the moment of the click. */
  readonly decidedAt: string;
  /** Made at the first decision and kept with the later ones. */
  readonly subjectId: string;
  /** Whether the browser sent Global Privacy Control at that moment. */
  readonly signal?: boolean;
  /** Why each purpose is allowed. Only `consent` was chosen by the visitor, and `required` could not be refused anywhere. */
  readonly basis?: Readonly<Record<string, Basis | 'required'>>;
  /** The region of the decision, whose basis counted; undefined if it was unknown, and everything was asked for. */
  readonly region?: string | undefined;
}

/** Where the decision on a notice is kept; other keys of the same notice begin with it. */
export function decisionKey(noticeId: string): string {
  return `svc-consent:${noticeId}`;
}

/** When the notice was last checked for a new version. */
export function checkedKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:checked`;
}

/** The region that the server has named since the decision; empty if it names none any more. */
export function regionKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:region`;
}

/** Whether a value is a whole decision. Whatever is not means undecided: garbage never grants. */
export function isDecision(value: unknown): value is StoredDecision {
  const { decision, purposes, noticeVersion, decidedAt, subjectId } = Object(value) as StoredDecision;
  const granted: readonly unknown[] = Array.isArray(purposes) ? [] : Object.values(Object(purposes));
  return (
    /^(accepted|rejected|custom)$/.test(decision) &&
    granted.length > 0 &&
    granted.every((one) => one === !!one) &&
    Number.isSafeInteger(noticeVersion) &&
    [decidedAt, subjectId].every((text) => text && typeof text === 'string')
  );
}
