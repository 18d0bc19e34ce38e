import { findLayer, readProperty } from './roles.ts';

/** What has the focus within an element, or null. */
export function findFocused(within: Element): HTMLElement | null {
  const focused = readFocus(within);
  return Node.prototype.contains.call(within, focused) ? focused : null;
}

function readFocus(near: Node): HTMLElement | null {
  const root = Node.prototype.getRootNode.call(near);
  // An image of that name takes its place on `document`.
  const owner = root instanceof Document ? Document.prototype : root;
  return Reflect.get(owner, 'activeElement', root) as HTMLElement | null;
}

/** Gives the focus to an element that need not be a control, such as a region (WCAG 2.2, 2.4.3). */
export function focusPart(part: HTMLElement): void {
  if (readProperty(part, 'tabIndex') < 0) Element.prototype.setAttribute.call(part, 'tabindex', '-1');
  HTMLElement.prototype.focus.call(part);
}

export interface LostFocus {
  readonly view: HTMLElement;
  /** What had the focus. */
  readonly focused: HTMLElement | null;
  /** Where the focus was before it came into a layer. */
  readonly before: HTMLElement | undefined;
}

/** Where what had the focus was hidden, it goes back to where it came from, or to what is around it: not to the page's start. */
export function passFocus({ view, focused, before }: LostFocus): void {
  if (!focused || isSeen(focused)) return;
  const now = readFocus(view);
  if (now && now !== focused && now.localName !== 'body') return;
  if (before?.isConnected && isSeen(before)) {
    before.focus({ preventScroll: true });
    return;
  }
  // Who came into a layer from the start of the page has been nowhere yet.
  if (!before && findLayer(focused)) return;
  let part = focused;
  while (part !== view && !isSeen(part)) part = readProperty(part, 'parentElement') ?? view;
  focusPart(part);
}

function isSeen(element: HTMLElement): boolean {
  return Element.prototype.checkVisibility?.call(element) !== false;
}
