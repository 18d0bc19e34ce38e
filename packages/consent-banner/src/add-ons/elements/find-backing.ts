import { findParent } from './reachable-box.ts';
import { blend, type Color, readColor } from './read-color.ts';
import { listAtPoint } from './top-element.ts';

const WHITE: Color = [1, 1, 1, 1];

/**
 * The colour behind the words of an element: the first opaque background from there outwards, with what is on it.
 * @returns null if it is unknown, as for an image, a gradient, or another element of the page in between.
 */
export function findBacking(element: HTMLElement): Color | null {
  const above: Color[] = [];
  const around = new Set<Element>();
  let backing: Color | undefined;
  for (let at: HTMLElement | null = element; at && !backing; at = findParent(at)) {
    around.add(at);
    const color = readPaint(at);
    if (!color || ['::before', '::after'].some((part) => hasPaint(at as HTMLElement, part))) return null;
    if (color[3] === 1) backing = color;
    else above.unshift(color);
    // Without any background it is the canvas, which is white unless the page may be dark.
    if (!backing && at.localName === 'html' && /^(normal|light)?$/.test(getComputedStyle(at).colorScheme))
      backing = WHITE;
  }
  if (!backing) return null;
  const last = [...around].at(-1);
  for (const at of listBehind(element)) {
    if (at === last) break;
    if (!around.has(at) && (hasPaint(at) || Element.prototype.matches.call(at, 'img,svg,video,canvas,iframe')))
      return null;
  }
  return above.reduce((behind, color) => blend(color, behind), backing);
}

/** What lies under the middle of an element, from above downwards. */
function listBehind(element: HTMLElement): readonly Element[] {
  const { left, top, width, height } = element.getBoundingClientRect();
  const found = listAtPoint(element, [left + width / 2, top + height / 2]);
  return found.slice(found.indexOf(element) + 1);
}

function hasPaint(element: Element, part?: string): boolean {
  if (part && /^(none|normal)$/.test(getComputedStyle(element, part).content)) return false;
  return readPaint(element, part)?.[3] !== 0;
}

/** The background of an element or of a part of it; null where it is no plain colour. */
function readPaint(element: Element, part?: string): Color | null {
  const { backgroundColor, backgroundImage } = getComputedStyle(element, part);
  return backgroundImage === 'none' ? readColor(backgroundColor) : null;
}
