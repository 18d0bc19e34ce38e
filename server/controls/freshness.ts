import { addCadence, type Cadence } from './cadence.ts';

/** spec.md "Control", `evidenceFreshness`. */
export const freshnesses = ['current', 'stale', 'expired', 'missing'] as const;
export type Freshness = (typeof freshnesses)[number];

/** The evidence of one control, as far as its dates decide anything. */
export interface EvidenceFacts {
  /** How many items there are that were not withdrawn. */
  readonly count: number;
  /** When the latest of those was collected that count; null when none does. */
  readonly latest: string | null;
}

export const noEvidence: EvidenceFacts = { count: 0, latest: null };

/** Whether an item counts: until it expires, unless it was withdrawn. */
export function isEvidenceValid(
  item: { readonly expires_at: string | null; readonly withdrawn_at: string | null },
  now: string,
): boolean {
  return item.withdrawn_at === null && (item.expires_at === null || item.expires_at > now);
}

/**
 * How fresh the evidence is: `current` for one cadence after the latest item that counts was collected, `stale` for one
 * cadence more, then `expired`, as when items are there and none counts; `missing` without any. Where only an event makes
 * a control due, evidence is current as long as it counts.
 */
export function rateFreshness({ count, latest }: EvidenceFacts, cadence: Cadence, now: string): Freshness {
  if (count === 0) return 'missing';
  if (latest === null) return 'expired';
  const staleFrom = addCadence(latest, cadence);
  if (staleFrom === null || now < staleFrom) return 'current';
  const expiredFrom = addCadence(latest, cadence, 2);
  return expiredFrom === null || now < expiredFrom ? 'stale' : 'expired';
}
