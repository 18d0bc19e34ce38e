import { measureReach } from './reachable-box.ts';
import { readProperty } from './roles.ts';

/** How much less refusing may have than accepting: a tenth. */
const LEAST = 0.9;

/**
 * What makes refusing harder than the button that grants something, as the page looks now (European Data Protection Board,
 * Guidelines 03/2022 on deceptive design patterns; GDPR, Article 7(3) with recital 42).
 * @returns in words for who writes the page, or null where nothing does.
 */
export function findUnfairLook(reject: HTMLElement, grant: HTMLElement): string | null {
  if (reject.matches(':disabled,[aria-disabled=true]')) return 'is disabled';
  if (reject.closest('[inert],[aria-hidden=true]')) return 'is inert or hidden from screen readers';
  if (reject.tabIndex < 0) return 'cannot be reached with the keyboard';
  // An old browser cannot say what is to be seen.
  if (!reject.checkVisibility?.({ opacityProperty: true, visibilityProperty: true })) return 'cannot be seen';
  if (!readName(reject)) return 'has no words';
  const style = getComputedStyle(reject);
  if (isInvisible(style)) return 'has words that cannot be seen';
  if (readOpacity(reject) < LEAST * readOpacity(grant)) return 'is fainter than the other button';
  const { share, middle } = measureReach(reject);
  if (share < LEAST) return 'has no size, lies outside the window or is cut off';
  if (middle && !isOnTop(reject, middle)) return 'is covered, or does not take the pointer';
  if (grant.dataset.svc !== 'accept') return null;
  if (readArea(reject) < LEAST * readArea(grant)) return 'is smaller than the accept button by more than a tenth';
  const sizes = [style, getComputedStyle(grant)].map(({ fontSize }) => Number.parseFloat(fontSize));
  return (sizes[0] as number) < LEAST * (sizes[1] as number) ? 'has smaller words than the accept button' : null;
}

function readName(button: HTMLElement): string {
  const image = button.querySelector('[alt]')?.getAttribute('alt');
  const labels = ['aria-label', 'aria-labelledby'].map((name) => button.getAttribute(name));
  return [button.textContent, ...labels, image].find((text) => text?.trim()) ?? '';
}

/** Whether the words have no colour, or that of the button. */
function isInvisible({ color, backgroundColor, backgroundImage }: CSSStyleDeclaration): boolean {
  return (
    (color === backgroundColor && backgroundImage === 'none') || /^(transparent|rgba\(.*, 0\)|.*\/ 0\))$/.test(color)
  );
}

function readOpacity(element: HTMLElement): number {
  let opacity = 1;
  for (let at: HTMLElement | null = element; at; at = readProperty(at, 'parentElement'))
    opacity *= Number(getComputedStyle(at).opacity);
  return opacity;
}

function isOnTop(button: HTMLElement, [x, y]: readonly [number, number]): boolean {
  const root = button.getRootNode() as Document | ShadowRoot;
  // An image of the name `elementFromPoint` takes its place on `document`.
  const owner = root instanceof Document ? Document.prototype : root;
  const found = owner.elementFromPoint.call(root, x, y);
  // Nothing is found only where the browser takes the place for one beside its window.
  return found === null || button.contains(found);
}

function readArea(element: Element): number {
  const { width, height } = element.getBoundingClientRect();
  return width * height;
}
