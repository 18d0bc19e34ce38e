import { attempt } from './attempt.ts';
import { readMapping } from './mapping.ts';
import type { Purposes } from './stored-decision.ts';

/**
 * Whether there are cookies that stand for what is not granted.
 * @param mapping purposes to names; a name may be the beginning of one and an asterisk.
 */
export function hasLeftovers(mapping: string | null | undefined, purposes: Purposes): boolean {
  return readMapping(mapping).some(
    ([key, name]) => !purposes[key] && attempt(() => `; ${document.cookie}`.includes(`; ${name}=`.replace('*=', ''))),
  );
}
