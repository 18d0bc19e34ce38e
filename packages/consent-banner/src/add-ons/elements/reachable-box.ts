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
      limit(isFixed || isLocked(root) ? view : readRange(findScroller() ?? root, view));
      break;
    }
    at = around;
    const { overflowX, overflowY } = getComputedStyle(at);
    // Of the body and the root it is the window that scrolls.
    if (at.localName === 'body' || `${overflowX}${overflowY}` === 'visiblevisible') continue;
    const port = readPort(at);
    seen = cut(seen, port);
    if (!/auto|scroll/.test(overflowX + overflowY)) limit(port);
    else {
      limit(readRange(at, port));
      box = moveInto(box, port);
    }
  }
  seen = cut(seen, view);
  const middle = [(seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2] as const;
  return { share, middle: readArea(seen) > 0 ? middle : null };
}

/** What scrolls with the window: the body of a page without a doctype. */
function findScroller(): HTMLElement | null {
  return Reflect.get(Document.prototype, 'scrollingElement', document) as HTMLElement | null;
}

/** Whether the page itself cannot be scrolled. */
function isLocked(root: Element): boolean {
  const scrollers = [root, ...root.children].filter((one) => one.matches('html,body'));
  return scrollers.some((one) => /hidden|clip/.test(getComputedStyle(one).overflowY));
}

/** What is around an element as it is drawn, out of a shadow tree too. */
function findParent(element: HTMLElement): HTMLElement | null {
  const { host } = Node.prototype.getRootNode.call(element) as ShadowRoot;
  const around = readProperty(element, 'assignedSlot') ?? readProperty(element, 'parentElement') ?? host ?? null;
  return around as HTMLElement | null;
}

/** What an element shows of its content. */
function readPort(element: HTMLElement): Box {
  const { left, top } = Element.prototype.getBoundingClientRect.call(element);
  const [x, y] = [left + readProperty(element, 'clientLeft'), top + readProperty(element, 'clientTop')];
  return {
    left: x,
    top: y,
    right: x + readProperty(element, 'clientWidth'),
    bottom: y + readProperty(element, 'clientHeight'),
  };
}

/** All that it can show when it is scrolled. From right to left it begins on the right. */
function readRange(scroller: HTMLElement, port: Box): Box {
  const names = ['scrollWidth', 'scrollHeight', 'scrollLeft', 'scrollTop'] as const;
  const [width, height, scrolledX, scrolledY] = names.map((name) => readProperty(scroller, name)) as [
    number,
    number,
    number,
    number,
  ];
  const isReversed = getComputedStyle(scroller).direction === 'rtl';
  const left = port.left - scrolledX - (isReversed ? width - (port.right - port.left) : 0);
  const top = port.top - scrolledY;
  return { left, top, right: left + width, bottom: top + height };
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
