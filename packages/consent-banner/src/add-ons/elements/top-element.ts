import { findParent } from './reachable-box.ts';
import { readProperty } from './roles.ts';

type Point = readonly [x: number, y: number];

/** All elements at a point of the window, the uppermost first. */
export function listAtPoint(element: HTMLElement, [x, y]: Point): readonly Element[] {
  const root = Node.prototype.getRootNode.call(element) as Document | ShadowRoot;
  // An image of the name `elementsFromPoint` takes its place on `document`.
  const owner = root instanceof Document ? Document.prototype : root;
  return owner.elementsFromPoint.call(root, x, y);
}

/** Whether the pointer finds an element at a point of the window, or one that is allowed to be above it. */
export function isOnTop(element: HTMLElement, point: Point, allowed?: HTMLElement): boolean {
  const [found] = listAtPoint(element, point);
  // Nothing is found only where the browser takes the place for one beside its window.
  return !found || element.contains(found) || allowed?.contains(found) === true;
}

/** Does something with an element scrolled to the middle of all that scrolls around it, and scrolls everything back. */
export function withScrolled<Result>(element: HTMLElement, act: () => Result): Result {
  const places: [HTMLElement, number, number][] = [];
  for (let at: HTMLElement | null = element; at; at = findParent(at))
    places.push([at, readProperty(at, 'scrollLeft'), readProperty(at, 'scrollTop')]);
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  try {
    return act();
  } finally {
    for (const [at, left, top] of places) {
      const isMoved = readProperty(at, 'scrollLeft') !== left || readProperty(at, 'scrollTop') !== top;
      if (isMoved) Reflect.apply(Element.prototype.scrollTo, at, [{ left, top, behavior: 'instant' }]);
    }
  }
}
