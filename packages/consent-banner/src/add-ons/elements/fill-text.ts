import { findAround, readProperty } from './roles.ts';

/** The places that were given a language by us. */
const marked = new WeakSet<Element>();

/**
 * Writes words into a place, as text alone. Words of another language than what is around them say so, for screen readers
 * and for those who write from the right (WCAG 2.2, 3.1.2).
 * @param language BCP 47 tag of the words; empty where they are of none, such as a number.
 */
export function fillText(place: HTMLElement, text: string, language: string): void {
  // What is as it should be stays: a selection in it, too.
  if (place.textContent !== text) place.textContent = text;
  const around = place.parentElement && findAround(place.parentElement, '[lang]');
  const isForeign = language !== '' && readBase(language) !== readBase(around ? readProperty(around, 'lang') : '');
  if (isForeign) {
    writeAttribute(place, 'lang', language);
    writeAttribute(place, 'dir', 'auto');
    marked.add(place);
  } else if (marked.delete(place)) {
    place.removeAttribute('lang');
    place.removeAttribute('dir');
  }
}

function readBase(tag: string): string {
  return tag.replace(/-.*/, '').toLowerCase();
}

/** Writes an attribute; what is so already is not written again: others may watch the page as well. */
export function writeAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Hides an element or not, likewise. */
export function setHidden(element: HTMLElement, isHidden: boolean): void {
  if (element.hidden !== isHidden) element.hidden = isHidden;
}
