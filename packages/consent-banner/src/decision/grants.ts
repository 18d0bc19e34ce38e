import type { Notice } from '../notice/notice.ts';
import type { PageView } from '../page/consent-page.ts';
import { type Based, basisIn } from './region.ts';
import type { Purposes, StoredDecision } from './stored-decision.ts';

/**
 * Returns the grants of a decision in a region. A purpose that was only not objected to was never consented to (GDPR, Article
 * 4(11)).
 * @param isSame whether it is the region of the decision.
 * @param isFree whether a purpose that was allowed without consent, on the given basis, may be on in the region; undefined as
 *   long as the notice is not known.
 */
export function decidedIn(
  { purposes, basis, region }: StoredDecision,
  isSame: boolean,
  isFree?: (key: string, before: unknown) => boolean,
): Purposes {
  const isGranted = (key: string): boolean => {
    const before = basis?.[key];
    // Where the region was unknown, everything that could be refused was asked for.
    if (before === 'consent' || (region === undefined && before !== 'required')) return true;
    if (isFree) return isFree(key, before);
    return before === 'required' || (isSame && (before === 'object' || before === 'exempt'));
  };
  return Object.fromEntries(Object.keys(purposes).map((key) => [key, purposes[key] === true && isGranted(key)]));
}

/** Checks whether no purpose needs consent in a region: then nothing is asked for, and visitors can object. */
export function isOptOut(purposes: readonly Based[], region: string | null): boolean {
  return region !== null && purposes.every((purpose) => basisIn(purpose, region) !== 'consent');
}

/**
 * Returns the grants of an earlier decision that need not be asked for again. Where a purpose needs consent, only consent
 * counts: one that was required then, or on by its basis in another region, was never chosen (GDPR, Article 4(11)).
 */
export function carryOver(
  { state, stored, region }: Pick<PageView, 'state' | 'stored' | 'region'>,
  { purposes }: Notice,
): Purposes {
  const carried = purposes.filter(
    (purpose) =>
      state?.purposes[purpose.key] === true &&
      (stored?.basis?.[purpose.key] === 'consent' || basisIn(purpose, region) === 'object'),
  );
  return Object.fromEntries(carried.map(({ key }) => [key, true]));
}
