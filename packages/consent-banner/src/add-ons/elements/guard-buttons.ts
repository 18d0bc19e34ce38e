import { writeAttribute } from './fill-text.ts';
import { buttonSelector, findAll, findAround } from './roles.ts';

/**
 * Sees to it that no form presses the buttons of a view: one without a type sends the form around it, and Enter in any field
 * of that presses it, be it hidden (HTML, implicit submission). What the page wrote for a type is overruled.
 */
export function keepFromForms(view: Element): void {
  for (const button of findAll(view, buttonSelector)) writeAttribute(button, 'type', 'button');
}

/** A key that is held repeats its press, on what has the focus by then: it counts once. */
export function stopRepeat(event: KeyboardEvent): void {
  if (event.repeat && findAround(event.target as Element, buttonSelector)) event.preventDefault();
}
