import { findLayer } from './roles.ts';

/** Milliseconds in which a press was meant for what stood there before: the second of a double click, or a start of fright. */
const FRESH = 500;

/** When each layer came to be seen, by the clock of the events. */
const shownAt = new WeakMap<Element, number>();

/** Remembers that a layer came to be seen, or changed its size, just now. */
export function markFresh(layer: Element): void {
  shownAt.set(layer, performance.now());
  // A busy page draws it later than that.
  requestAnimationFrame(() => shownAt.has(layer) && shownAt.set(layer, performance.now()));
}

/** Who moves on in a layer by Tab has found it, and need not wait. */
export function followTab({ isTrusted, key, target }: KeyboardEvent): void {
  const layer = findLayer(target as Element);
  if (layer && isTrusted && key === 'Tab') shownAt.delete(layer);
}

/**
 * Whether a press may not count yet: the visitor cannot have read what they pressed. The click of a script is no accident of
 * a hand, and what it may do is asked elsewhere.
 */
export function isTooEarly(event: Event, layer: Element | null): boolean {
  const shown = layer ? shownAt.get(layer) : undefined;
  return event.isTrusted && shown !== undefined && event.timeStamp - shown < FRESH;
}
