/** The shown placeholders, and what they cover. */
const covered = new Map<HTMLElement, HTMLElement>();
/** Between the press of the Tab key and what it does. */
let press: { readonly from: Element | null; readonly isBack: boolean } | undefined;
/** The direction of the last press: a frame gets the focus some time after it. */
let wasBack = false;

/**
 * Placeholders are at the end of the document. The Tab key reaches them where their frames are.
 * @returns a function that forgets the placeholder.
 */
export function keepTabOrder(host: HTMLElement, frame: HTMLElement): () => void {
  if (!covered.size) {
    addEventListener('keydown', start, true);
    addEventListener('focusin', redirect, true);
    addEventListener('blur', redirectFrame);
  }
  covered.set(host, frame);
  return () => {
    covered.delete(host);
    if (covered.size) return;
    removeEventListener('keydown', start, true);
    removeEventListener('focusin', redirect, true);
    removeEventListener('blur', redirectFrame);
  };
}

/** The placeholder before which another one belongs. */
export function findNext(frame: HTMLElement, layer: Element): HTMLElement | null {
  const later = [...covered].filter(([host, other]) => host.parentNode === layer && isBehind(other, frame));
  return later.sort(([, one], [, other]) => (isBehind(one, other) ? 1 : -1))[0]?.[0] ?? null;
}

function start(event: KeyboardEvent): void {
  if (event.key !== 'Tab' || event.ctrlKey || event.altKey || event.metaKey) return;
  const isBack = event.shiftKey;
  wasBack = isBack;
  const active = document.activeElement;
  const frame = covered.get(active as HTMLElement);
  if (frame) {
    const buttons = listButtons(active as HTMLElement);
    if (buttons.at(isBack ? 0 : -1) !== active?.shadowRoot?.activeElement) return;
    // From here the browser finds the next one itself, in any order of the page.
    const place = document.createElement('span');
    place.tabIndex = -1;
    if (isBack) frame.before(place);
    else frame.after(place);
    place.focus({ preventScroll: true });
    setTimeout(() => place.remove());
  }
  press = { from: frame ?? (active === document.body ? null : active), isBack };
  for (const [host, other] of covered) host.inert = isBack ? press.from !== null : !isAhead(other);
  setTimeout(() => {
    press = undefined;
    for (const host of covered.keys()) host.inert = false;
  });
}

/** The focus has moved over a frame: its placeholder comes first. */
function redirect({ target }: FocusEvent): void {
  if (target instanceof Element) findPassed(target)?.();
}

/** The focus may have moved into a frame, which has nothing to focus. There is no other event for that. */
function redirectFrame(): void {
  const last = press;
  // The browser is still giving the focus to the frame.
  setTimeout(() => {
    const active = document.activeElement as HTMLElement;
    const [host] = [...covered].find(([, frame]) => frame === active) ?? [];
    if (!host) return;
    press = last;
    const move =
      findPassed(active) ??
      (() =>
        listButtons(host)
          .at(wasBack ? -1 : 0)
          ?.focus());
    press = undefined;
    move();
  });
}

/** Moves the focus to the first placeholder on its way to an element. */
function findPassed(target: Element): (() => void) | undefined {
  if (!press || press.from === target) return undefined;
  const { isBack } = press;
  const isPassed = (frame: HTMLElement): boolean =>
    isAhead(frame) &&
    (covered.has(target as HTMLElement) ||
      outermost(frame) === target ||
      (isBack ? isBehind(frame, target) : isBehind(target, frame)));
  const passed = [...covered].filter(([host, frame]) => host.checkVisibility() && isPassed(frame));
  const [first] = passed.sort(([, one], [, other]) => (isBehind(one, other) === isBack ? -1 : 1));
  if (!first) return undefined;
  return () => {
    press = undefined;
    first[0].inert = false;
    listButtons(first[0])
      .at(isBack ? -1 : 0)
      ?.focus();
  };
}

/** True if it comes after the element that had the focus, in the direction of the press. */
function isAhead(frame: HTMLElement): boolean {
  if (!press?.from) return true;
  if (covered.get(press.from as HTMLElement) === frame || press.from === frame) return false;
  return press.isBack ? isBehind(press.from, frame) : isBehind(frame, press.from);
}

function listButtons(host: HTMLElement): readonly HTMLElement[] {
  return [...(host.shadowRoot?.querySelectorAll('button') ?? [])].filter((button) => button.checkVisibility());
}

function outermost(element: Element): Element {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? outermost(root.host) : element;
}

/** True if the first is after the second in the document. */
function isBehind(one: Element, other: Element): boolean {
  return (outermost(other).compareDocumentPosition(outermost(one)) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
}
