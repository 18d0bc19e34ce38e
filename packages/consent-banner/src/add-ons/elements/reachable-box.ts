import { readProperty } from './roles.ts';

/** A box in the coordinates of the window. */
interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Where an element is for who looks at the page. */
export interface Reach {
  /** How much of it can be had in sight, by scrolling if need be: 0 to 1. */
  readonly share: number;
  /** The middle of what is in sight now; null where that is nothing. */
  readonly middle: readonly [x: number, y: number] | null;
}

/**
 * Measures how much of an element the visitor can bring into sight. What lies beyond the edge of the page, of a fixed layer
 * or of a box that is cut off cannot be scrolled to; what has but been scrolled away can.
 */
export function measureReach(element: HTMLElement): Reach {
  const root = Reflect.get(Document.prototype, 'documentElement', document) as HTMLElement;
  // The bars of a phone's browser come and go, and only one of the two follows them.
  const right = Math.max(root.clientWidth, innerWidth);
  const view: Box = { left: 0, top: 0, right, bottom: Math.max(root.clientHeight, innerHeight) };
  const whole = element.getBoundingClientRect();
  let seen: Box = whole;
  // Where it lies once everything around it is scrolled to it.
  let box: Box = whole;
  let share = readArea(whole) > 0 ? 1 : 0;
  const limit = (by: Box): void => {
    const rest = cut(box, by);
    share *= readArea(rest) / (readArea(box) || 1);
    box = rest;
  };
  for (let at = element; ; ) {
    const { position } = getComputedStyle(at);
    const holder = readProperty(at, 'offsetParent') as HTMLElement | null;
    const isOnTop = Element.prototype.matches.call(at, ':modal,:popover-open');
    const isFixed = isOnTop || (position === 'fixed' && !holder);
    const around = /absolute|fixed/.test(position) ? holder : findParent(at);
    if (isFixed || !around || around === root) {
      limit(isFixed ? view : readRange(findScroller() ?? root, view, getComputedStyle(findWindowStyle(root))));
      break;
    }
    at = around;
    const style = getComputedStyle(at);
    const overflow = style.overflowX + style.overflowY;
    // Of the body and the root it is the window that scrolls, and what is in a line cuts nothing off.
    if (at === findWindowStyle(root) || style.display === 'inline' || overflow === 'visiblevisible') continue;
    const port = readPort(at);
    seen = cut(seen, port);
    limit(readRange(at, port, style));
    if (/auto|scroll/.test(overflow)) box = moveInto(box, port);
  }
  seen = cut(seen, view);
  const middle = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2] as const;
  return { share, middle: readArea(seen) > 0 ? middle : null };
}

/** What scrolls with the window: the body of a page without a doctype. */
function findScroller(): HTMLElement | null {
  return Reflect.get(Document.prototype, 'scrollingElement', document) as HTMLElement | null;
}

/** Whose `overflow` the window has: the body's unless the root has one of its own (CSS Overflow 3, section 3.3). */
function findWindowStyle(root: HTMLElement): HTMLElement {
  const body = [...root.children].find((one) => one.matches('body')) as HTMLElement | undefined;
  return body && getComputedStyle(root).overflowY === 'visible' ? body : root;
}

/** What is around an element as it is drawn, out of a shadow tree too. */
export function findParent(element: HTMLElement): HTMLElement | null {
  const { host } = Node.prototype.getRootNode.call(element) as ShadowRoot;
  const around = readProperty(element, 'assignedSlot') ?? readProperty(element, 'parentElement') ?? host ?? null;
  return around as HTMLElement | null;
}

/** What an element shows of its content. */
function readPort(element: HTMLElement): Box {
  const { left, top } = Element.prototype.getBoundingClientRect.call(element);
  const [scaleX, scaleY] = readScale(element);
  const [x, y] = [
    left + readProperty(element, 'clientLeft') * scaleX,
    top + readProperty(element, 'clientTop') * scaleY,
  ];
  return {
    left: x,
    top: y,
    right: x + readProperty(element, 'clientWidth') * scaleX,
    bottom: y + readProperty(element, 'clientHeight') * scaleY,
  };
}

/** How much larger an element is drawn than its own measures say, by `zoom` or a transform. */
function readScale(element: HTMLElement): readonly [x: number, y: number] {
  const { width, height } = Element.prototype.getBoundingClientRect.call(element);
  // Its own measures are whole numbers: a part of a pixel is no scale.
  const divide = (drawn: number, own: number): number => (Math.abs(drawn - own) < 1 ? 1 : drawn / own || 1);
  return [divide(width, readProperty(element, 'offsetWidth')), divide(height, readProperty(element, 'offsetHeight'))];
}

/** All that it can show when it is scrolled: what lies before its start is lost, and at its end there is always room. */
function readRange(scroller: HTMLElement, port: Box, { overflowX, overflowY }: CSSStyleDeclaration): Box {
  const [scaleX, scaleY] = readScale(scroller);
  const { direction, display, flexDirection } = getComputedStyle(scroller);
  const flow = display.endsWith('flex') ? flexDirection : '';
  const isFromRight = (direction === 'rtl') !== (flow === 'row-reverse');
  const isFromBottom = flow === 'column-reverse';
  const [x, y] = [readProperty(scroller, 'scrollLeft') * scaleX, readProperty(scroller, 'scrollTop') * scaleY];
  const across = isFromRight ? { left: -Infinity, right: port.right - x } : { left: port.left - x, right: Infinity };
  const down = isFromBottom ? { top: -Infinity, bottom: port.bottom - y } : { top: port.top - y, bottom: Infinity };
  return { ...port, ...(!isHidden(overflowX) && across), ...(!isHidden(overflowY) && down) };
}

/** Whether the visitor cannot scroll. */
function isHidden(overflow: string): boolean {
  return /hidden|clip/.test(overflow);
}

function cut(box: Box, by: Box): Box {
  const left = Math.max(box.left, by.left);
  const top = Math.max(box.top, by.top);
  return {
    left,
    top,
    right: Math.max(left, Math.min(box.right, by.right)),
    bottom: Math.max(top, Math.min(box.bottom, by.bottom)),
  };
}

/** The box as it lies after it has been scrolled into a port. */
function moveInto(box: Box, port: Box): Box {
  const x = Math.max(port.left - box.left, 0) || Math.min(port.right - box.right, 0);
  const y = Math.max(port.top - box.top, 0) || Math.min(port.bottom - box.bottom, 0);
  return cut({ left: box.left + x, top: box.top + y, right: box.right + x, bottom: box.bottom + y }, port);
}

function readArea({ left, top, right, bottom }: Box): number {
  return (right - left) * (bottom - top);
}
