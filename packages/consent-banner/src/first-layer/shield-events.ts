/** Our elements; but the inspector is not for visitors, and has a shortcut of its own. */
const OWN = /^svc-(?!.*inspector)/;

/** The browser's own action for each still happens. */
const SHIELDED = ['keydown', 'keypress', 'keyup', 'focus', 'focusin', 'mousedown', 'touchstart'];

/**
 * Keeps what visitors do in our layers from the handlers of the page. These see the element as the target, which is no form
 * control: shortcuts swallow Space, Enter and Escape, and a modal that traps the focus takes it back and cancels clicks.
 */
export function shieldEvents(): void {
  // On the way down from the window, before the handlers of the document.
  for (const type of SHIELDED) addEventListener(type, shield, true);
  addEventListener('click', press, true);
}

/** Where an event happened, also for a handler that `shieldEvents` calls. */
export function findTarget(event: Event): Element {
  return event.composedPath()[0] as Element;
}

/** Stops an event in one of our shadow trees. Links of the page in our slots are the page's. */
function shield(event: Event): boolean {
  // The window is no node.
  const root = findTarget(event).getRootNode?.();
  const isOwn = root instanceof ShadowRoot && OWN.test(root.host.localName);
  if (isOwn) event.stopImmediatePropagation();
  return isOwn;
}

function press(event: PointerEvent): void {
  const button = findTarget(event).closest?.('button');
  // One without a handler of its own has listeners, which the event must reach.
  if (!(button && !button.onclick) && shield(event)) button?.onclick?.(event);
}
