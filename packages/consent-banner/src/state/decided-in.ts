import type { Purposes, StoredDecision } from './stored-decision.ts';

/**
 * What a decision grants in a region. A purpose that was only not objected to was never consented to (GDPR, Article 4(11)).
 * @param isSame whether it is the region of the decision.
 * @param free the purposes that need no consent in the region; undefined as long as the notice is not known.
 */
export function decidedIn(
  { purposes, basis, region }: StoredDecision,
  isSame: boolean,
  free?: readonly string[],
): Purposes {
  const isGranted = (key: string): boolean => {
    const based = basis?.[key];
    // Where the region was unknown, everything was asked for.
    if (region === undefined || based === 'consent' || based === 'required') return true;
    return free ? free.includes(key) : isSame && (based === 'object' || based === 'exempt');
  };
  return Object.fromEntries(Object.keys(purposes).map((key) => [key, purposes[key] === true && isGranted(key)]));
}
