import { carryOver } from '../state/carry-over.ts';
import type { PageView } from '../state/consent-page.ts';
import type { Notice, Purpose } from '../state/notice.ts';

/**
 * Which switches of the panel are on at first: what the visitor chose before, what is on by its basis as long as they have
 * not decided on it, and what they came to switch on.
 */
export function findSwitchedOn(view: PageView, notice: Notice): (purpose: Purpose) => boolean {
  const { state, allowed, switchedOn } = view;
  const chosen = carryOver(view, notice);
  return ({ key }) =>
    switchedOn.includes(key) ||
    Object.hasOwn(chosen, key) ||
    (!(state && Object.hasOwn(state.purposes, key)) && allowed[key] === true);
}
