import type { PageView } from './consent-page.ts';
import type { Notice, Purpose, Purposes } from './notice.ts';

/**
 * The consents of an earlier decision that need not be asked for again. Only what visitors chose themselves survives a new
 * version of the notice: a purpose that was required then was never chosen (GDPR, Article 4(11)).
 */
export function carryOver(
  { state, stored }: Pick<PageView, 'state' | 'stored'>,
  { purposes, version }: Notice,
): Purposes {
  const required = stored?.required;
  const isChosen = ({ key }: Purpose): boolean =>
    stored?.noticeVersion === version ||
    (stored?.decision !== 'rejected' && Array.isArray(required) && !required.includes(key));
  const carried = purposes.filter((purpose) => state?.purposes[purpose.key] === true && isChosen(purpose));
  return Object.fromEntries(carried.map(({ key }) => [key, true]));
}
