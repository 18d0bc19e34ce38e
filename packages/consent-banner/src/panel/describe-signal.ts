import { isOptOut } from '../decision/grants.ts';
import { basisIn } from '../decision/region.ts';
import type { Notice, Purpose } from '../notice/notice.ts';
import type { PageView } from '../page/consent-page.ts';
import { readWords } from './words.ts';

/**
 * What the panel says where the browser sends Global Privacy Control: that the opt-out is honored, where the law makes the
 * signal one and no later choice of the visitor says otherwise.
 */
export function describeSignal({ hasSignal, region, allowed }: PageView, notice: Notice): string | undefined {
  if (!hasSignal) return undefined;
  const { optOutHonored, privacySignal } = readWords(notice);
  if (!isOptOut(notice.purposes, region)) return privacySignal;
  const isOn = (purpose: Purpose): boolean => basisIn(purpose, region) === 'object' && allowed[purpose.key] === true;
  return notice.purposes.some(isOn) ? undefined : optOutHonored;
}
