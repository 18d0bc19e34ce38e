import { basisIn } from '../signals/basis.ts';
import type { PageView } from './consent-page.ts';
import type { Notice, Purposes } from './notice.ts';

/**
 * What is granted by an earlier decision and need not be asked for again. Where a purpose needs consent, only consent counts:
 * one that was required then, or on by its basis in another region, was never chosen (GDPR, Article 4(11)).
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
