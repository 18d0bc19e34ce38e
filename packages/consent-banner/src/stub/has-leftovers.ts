import { attempt } from './attempt.ts';
import { readMapping } from './mapping.ts';
import type { Purposes } from './stored-decision.ts';

/**
 * Whether there are cookies of purposes that are not granted.
 * @param mapping purposes to names; a name may be a prefix with an asterisk.
 */
export function hasLeftovers(mapping: string | null | undefined, purposes: Purposes): boolean {
  return readMapping(mapping).some(
    ([key, name]) => !purposes[key] && attempt(() => `; ${document.cookie}`.includes(`; ${name}=`.replace('*=', ''))),
  );
}
