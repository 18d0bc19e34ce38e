import { findAround, readProperty } from './roles.ts';

/** The places that were given a language by us. */
const marked = new WeakSet<Element>();
/** What was written into each place last. What others make of it since, such as a translation, is theirs. */
const written = new WeakMap<Element, string>();

/**
 * Writes words into a place, as text only. Words of another language than what is around them say so, for screen readers
 * (WCAG 2.2, 3.1.2), and none turn the direction of what is around them.
 * @param language BCP 47 tag of the words; empty where they are of none, such as a number.
 */
export function fillText(place: HTMLElement, text: string, language: string): void {
  const isTranslated = written.get(place) === text && place.childElementCount > 0;
  if (isTranslated) return;
  // What is as it should be stays: a selection in it, too.
  if (written.get(place) !== text || place.textContent === '') {
    if (place.textContent !== text) place.textContent = text;
    written.set(place, text);
  }
  if (language !== '' && !place.hasAttribute('dir')) place.setAttribute('dir', 'auto');
  const around = place.parentElement && findAround(place.parentElement, '[lang]');
  const isForeign = language !== '' && readBase(language) !== readBase(around ? readProperty(around, 'lang') : '');
  if (isForeign) {
    writeAttribute(place, 'lang', language);
    marked.add(place);
  } else if (marked.delete(place)) place.removeAttribute('lang');
}

/** Whether words were written into a place before. */
export function isWritten(place: Element): boolean {
  return written.has(place);
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
