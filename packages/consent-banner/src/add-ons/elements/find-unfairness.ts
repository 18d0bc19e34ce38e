import { atRest, findUnfairLook, inUse, type Tolerance } from './fair-look.ts';
import { isOpen } from './layer-problems.ts';
import { findLayer, findRole } from './roles.ts';

/** What was found of each button that grants, when nothing pointed at it or at refusing. */
const found = new WeakMap<HTMLElement, string | null>();

/**
 * What makes refusing harder than granting in a layer that is shown, or null where one way to refuse is as easy. Under the
 * pointer and with the focus a button looks different: then it is what was found before that counts, within limits.
 */
export function findUnfairness(layer: HTMLElement, grant: HTMLElement): string | null {
  if (isAtRest(layer)) {
    const now = judge(layer, grant, atRest);
    found.set(grant, now);
    return now;
  }
  const before = found.get(grant);
  return before === undefined ? judge(layer, grant, atRest) : (before ?? judge(layer, grant, inUse));
}

/** Remembers how the buttons look before the pointer is over one. */
export function followRest(view: HTMLElement, signal: AbortSignal): void {
  for (const type of ['pointerover', 'pointerdown', 'focusin', 'focusout'])
    view.addEventListener(type, ({ target }) => rememberRest(findLayer(target as Element)), { signal, capture: true });
}

function rememberRest(layer: HTMLElement | null): void {
  if (!layer || !isOpen(layer) || !isAtRest(layer)) return;
  for (const grant of listGranting(layer)) found.set(grant, judge(layer, grant, atRest));
}

function listGranting(layer: HTMLElement): readonly HTMLElement[] {
  return [...findRole(layer, 'accept'), ...findRole(layer, 'save')];
}

/** Whether nothing points at a choice, and nothing is on its way from one look to another. */
function isAtRest(layer: HTMLElement): boolean {
  const buttons = [...listGranting(layer), ...findRole(layer, 'reject')];
  if (buttons.some((one) => one.matches(':hover,:active,:focus-visible'))) return false;
  return !layer
    .getAnimations({ subtree: true })
    .some(({ playState, effect }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
}

function judge(layer: HTMLElement, grant: HTMLElement, tolerance: Tolerance): string | null {
  let problem: string | undefined;
  for (const reject of findRole(layer, 'reject')) {
    const unfair = findUnfairLook(reject, grant, tolerance);
    if (unfair === null) return null;
    problem ??= `"${reject.textContent.trim()}" ${unfair}`;
  }
  return problem ?? 'is not there';
}
