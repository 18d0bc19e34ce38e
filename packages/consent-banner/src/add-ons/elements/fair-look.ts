import { findParent, measureReach } from './reachable-box.ts';
import { isOnTop, withScrolled } from './top-element.ts';
import { hasVisibleWords, listWords } from './visible-words.ts';

/** How much refusing must have of what accepting has. */
export interface Tolerance {
  /** Of opacity, size and letters: 0 to 1. */
  readonly share: number;
  /** Whether something of the other button may lie above it, such as a tooltip. */
  readonly mayCover: boolean;
}

/** All but a tenth. */
export const atRest: Tolerance = { share: 0.9, mayCover: false };
/** The style of both buttons under the pointer and with the focus cannot be derived from the style of one. */
export const inUse: Tolerance = { share: 0.5, mayCover: true };
/** How much of a button has to be in reach. */
const LEAST_REACH = 0.9;

/**
 * What makes refusing harder than the button that grants something, as the page looks now (European Data Protection Board,
 * Guidelines 03/2022 on deceptive design patterns; GDPR, Article 7(3) with recital 42).
 * @returns in words for who writes the page, or null where nothing does.
 */
export function findUnfairLook(
  reject: HTMLElement,
  grant: HTMLElement,
  { share, mayCover }: Tolerance = atRest,
): string | null {
  if (reject.matches(':disabled,[aria-disabled=true]')) return 'is disabled';
  if (reject.closest('[inert],[aria-hidden=true]')) return 'is inert or hidden from screen readers';
  if (reject.tabIndex < 0) return 'cannot be reached with the keyboard';
  // An old browser cannot say what is to be seen.
  if (!reject.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) || readOpacity(reject) === 0)
    return 'cannot be seen';
  if (!readName(reject)) return 'has no words';
  if (readOpacity(reject) < share * readOpacity(grant)) return 'is fainter than the other button';
  const { share: reach, middle } = measureReach(reject);
  if (reach < LEAST_REACH) return 'has no size, lies outside the window or is cut off';
  if (!hasVisibleWords(reject)) return 'has words that cannot be seen';
  const isFree = (at: typeof middle): boolean => !at || isOnTop(reject, at, mayCover ? grant : undefined);
  // What is above it now, such as the header of the page, may be left behind by scrolling.
  if (!isFree(middle) && !withScrolled(reject, () => isFree(measureReach(reject).middle)))
    return 'is covered, or does not take the pointer';
  return grant.dataset.svc === 'accept' ? findSmallness(reject, grant, share) : null;
}

/** A smaller total may be due to the label only, so the space around it must be as large. */
function findSmallness(reject: HTMLElement, accept: HTMLElement, share: number): string | null {
  const [own, other] = [measure(reject), measure(accept)];
  const isAsLarge = own.width * own.height >= share * other.width * other.height;
  const isAsRoomy = own.spaceX >= share * (other.spaceX - other.ragged) && own.spaceY >= share * other.spaceY;
  if (!isAsLarge && !isAsRoomy) return 'is smaller than the accept button by more than a tenth';
  return own.letters < share * other.letters ? 'has smaller words than the accept button' : null;
}

interface Size {
  readonly width: number;
  readonly height: number;
  /** What the width and the height have beside the words. */
  readonly spaceX: number;
  readonly spaceY: number;
  /** How much of the space may be there because a line breaks: up to half of the words. */
  readonly ragged: number;
  readonly letters: number;
}

function measure(button: HTMLElement): Size {
  const { width, height } = button.getBoundingClientRect();
  const boxes = listWords(button).map(({ box }) => box);
  const wordsX = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
  const wordsY = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
  const letters = Number.parseFloat(getComputedStyle(button).fontSize);
  const ragged = wordsY > 2 * letters ? wordsX / 2 : 0;
  return { width, height, spaceX: Math.max(0, width - wordsX), spaceY: Math.max(0, height - wordsY), ragged, letters };
}

function readName(button: HTMLElement): string {
  const image = button.querySelector('[alt]')?.getAttribute('alt');
  const labels = ['aria-label', 'aria-labelledby', 'title'].map((name) => button.getAttribute(name));
  return [button.textContent, ...labels, image].find((text) => text?.trim()) ?? '';
}

function readOpacity(element: HTMLElement): number {
  let opacity = 1;
  for (let at: HTMLElement | null = element; at; at = findParent(at)) {
    const { opacity: own, filter } = getComputedStyle(at);
    opacity *= Number(own) * Number(/opacity\(([\d.]+)\)/.exec(filter)?.[1] ?? 1);
  }
  return opacity;
}
