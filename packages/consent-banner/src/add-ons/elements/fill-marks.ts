import { reportProblem } from '../../report-problem.ts';
import { fillText, isWritten, setHidden, writeAttribute } from './fill-text.ts';
import { findAll, findAround, findLayer, findRole, KEY, readProperty } from './roles.ts';
import { type StateName, stateNames, type ViewFacts, wordNames } from './view-facts.ts';

/** The words that are names of the notice, in its language; the others are numbers and dates. */
const OWN_WORDS = /^(name|controller)$/;

/** Fills the places for words, and shows of what is marked with a state only what holds. */
export function fillMarks(view: HTMLElement, facts: ViewFacts): void {
  for (const place of findSeen(view, '[data-svc-text]')) fillPlace(place, facts);
  for (const part of findSeen(view, '[data-svc-when]')) {
    const name = part.dataset.svcWhen as StateName;
    // Within a purpose there are three more, which are seen to where that is drawn.
    if (findAround(part, `[${KEY}]`) && /^(required|optional|new)$/.test(name)) continue;
    const isKnown = stateNames.includes(name);
    if (!isKnown)
      reportProblem(`data-svc-when="${name}" is not understood. It must be one of ${stateNames.join(', ')}.`);
    setHidden(part, !facts.states.has(name));
  }
  for (const button of findRole(view, 'receipt')) setHidden(button, facts.receipt === null);
  // A banner that asks closes only with a choice.
  for (const button of findRole(view, 'close').filter((one) => findLayer(one)?.dataset.svc === 'banner')) {
    if (facts.snapshot.isAsking) setHidden(button, true);
    else if (button.dataset.svcWhen === undefined) setHidden(button, false);
  }
}

/** What a framework has put into a template stays as it is written: only copies of it are seen. */
function findSeen(view: HTMLElement, selector: string): readonly HTMLElement[] {
  return findAll(view, selector).filter((one) => !findAround(one, 'template'));
}

function fillPlace(place: HTMLElement, { words, language }: ViewFacts): void {
  const name = place.dataset.svcText as (typeof wordNames)[number];
  if (!wordNames.includes(name)) {
    reportProblem(`data-svc-text="${name}" is not understood. It must be one of ${wordNames.join(', ')}.`);
  } else if (place.childElementCount > 0 && !isWritten(place)) {
    reportProblem(`data-svc-text="${name}" is on what has elements in it. Write it on an empty <span>.`);
  } else {
    const text = words[name] ?? '';
    if (place instanceof HTMLTimeElement) writeAttribute(place, 'datetime', text);
    fillText(place, name === 'decided-at' ? writeDate(text, place) : text, OWN_WORDS.test(name) ? language : '');
  }
}

/** In the language of the page, there. */
function writeDate(text: string, place: HTMLElement): string {
  if (text === '') return '';
  const around = findAround(place, '[lang]');
  const language = (around && readProperty(around, 'lang')) || undefined;
  const form: Intl.DateTimeFormatOptions = { dateStyle: 'long' };
  try {
    return new Date(text).toLocaleDateString(language, form);
  } catch {
    return new Date(text).toLocaleDateString(undefined, form);
  }
}
