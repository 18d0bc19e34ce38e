import type { Purposes, StoredDecision } from './stored-decision.ts';

/**
 * What a decision grants in a region. A purpose that was only not objected to was never consented to (GDPR, Article 4(11)).
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
