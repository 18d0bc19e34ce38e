import type { Purposes } from '../decision/stored-decision.ts';
import { attempt } from './attempt.ts';
import { readMapping } from './mapping.ts';

/**
 * Whether there are cookies of purposes that are not allowed.
 * @param mapping purposes to names; a name may be a prefix with an asterisk.
 */
export function hasLeftovers(mapping: string | null | undefined, purposes: Purposes): boolean {
  return readMapping(mapping).some(
    ([key, name]) =>
      purposes[key] !== true && attempt(() => `; ${document.cookie}`.includes(`; ${name}=`.replace('*=', ''))),
  );
}

/** Whether there are records to send. */
export function hasQueue(): boolean | undefined {
  return attempt(() => Object.keys(localStorage).some((key) => /^svc-consent:.+:record:/.test(key)));
}
