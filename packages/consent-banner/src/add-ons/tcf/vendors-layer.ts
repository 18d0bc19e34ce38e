import { createElement } from '../create-element.ts';
import { writeMeanings } from './meanings-view.ts';
import type { Vendor, VendorList, Vocabulary } from './vendor-list.ts';
import { type VendorSwitches, writeVendor } from './vendor-view.ts';
import type { SpokenVendorWords } from './words.ts';

const AT_ONCE = 100;

/** What the switches of a vendor show. */
export interface VendorState {
  readonly hasConsent: boolean;
  readonly hasInterest: boolean;
}

/** What the visitor has saved, or chosen for all. */
export type VendorsAnswer =
  | { readonly kind: 'accept' }
  | { readonly kind: 'reject' }
  | {
      readonly kind: 'save';
      /** The vendors whose switches were there: of hundreds, the last ones come a little later. */
      readonly seen: readonly number[];
      /** Whose consent is on now and was off before. */
      readonly allowed: readonly number[];
      /** Whose consent is off now, touched or not. */
      readonly refused: readonly number[];
      /** Whose legitimate interest is on now and was off before, and the other way round. */
      readonly restored: readonly number[];
      readonly objected: readonly number[];
    };

export interface VendorsContent {
  readonly list: VendorList;
  /** The list's texts in the visitor's language, or as they are in the list. */
  readonly vocabulary: Vocabulary;
  readonly vocabularyLanguage: string;
  readonly words: SpokenVendorWords;
  readonly readState: (vendor: Vendor) => VendorState;
  readonly answer: (answer: VendorsAnswer) => void;
  /** Opens the preferences, where the purposes are chosen; undefined where there are none on the page. */
  readonly choosePurposes: (() => void) | undefined;
}

/** Everything in the vendors' layer: heading and buttons stay, the vendors scroll between them. */
export function writeLayer(content: VendorsContent, close: () => void): readonly Node[] {
  const { words, choosePurposes } = content;
  const vendors = createElement('ul', { part: 'vendors', class: 'vendors' });
  const switches: VendorSwitches[] = [];
  fillVendors(vendors, switches, content);
  const answer = (given: VendorsAnswer): void => {
    content.answer(given);
    close();
  };
  const purposes = createElement(
    'button',
    { class: 'quiet', part: 'preferences', type: 'button' },
    words.choosePurposes,
  );
  purposes.addEventListener('click', () => {
    close();
    choosePurposes?.();
  });
  return [
    createElement(
      'header',
      {},
      createElement('h2', { id: 'title', part: 'title' }, words.title),
      writeButton({ class: 'close', part: 'close', 'aria-label': words.close }, '×', close),
    ),
    createElement(
      'div',
      { class: 'body' },
      createElement('p', { part: 'text' }, words.intro),
      createElement('p', { part: 'text' }, words.limits),
      ...(choosePurposes ? [purposes] : []),
      vendors,
      ...writeMeanings(content),
    ),
    createElement(
      'footer',
      {},
      writeButton({ class: 'save', part: 'save' }, words.save, () => answer(readAnswer(switches))),
      // Refusing and accepting share one class and one part: no style can favour either.
      createElement(
        'div',
        { class: 'choices' },
        ...(['reject', 'accept'] as const).map((kind) =>
          writeButton({ class: 'choice', part: 'choice', 'data-choice': kind }, words[kind], () => answer({ kind })),
        ),
      ),
    ),
  ];
}

/** Some now, the others in their own tasks while the layer is open: a site may have a thousand partners. */
function fillVendors(place: HTMLElement, switches: VendorSwitches[], content: VendorsContent): void {
  const { list, readState } = content;
  const next = list.vendors.slice(switches.length, switches.length + AT_ONCE);
  const written = next.map((vendor) => writeVendor(vendor, readState(vendor), content));
  switches.push(...written);
  place.append(...written.map(({ element }) => element));
  if (switches.length === list.vendors.length) return;
  setTimeout(() => {
    if (place.isConnected) fillVendors(place, switches, content);
  });
}

function writeButton(
  attributes: Readonly<Record<string, string>>,
  text: string,
  onClick: () => void,
): HTMLButtonElement {
  const button = createElement('button', { ...attributes, type: 'button' }, text);
  button.addEventListener('click', onClick);
  return button;
}

/** Consent is what the visitor sees switched on. An untouched legitimate interest is not a choice. */
function readAnswer(vendors: readonly VendorSwitches[]): VendorsAnswer {
  const select = (name: 'consent' | 'interest', isOn: boolean, wasOn = !isOn): readonly number[] =>
    vendors.flatMap(({ id, [name]: input }) =>
      input && input.checked === isOn && input.defaultChecked === wasOn ? id : [],
    );
  return {
    kind: 'save',
    seen: vendors.map(({ id }) => id),
    allowed: select('consent', true),
    refused: [...select('consent', false), ...select('consent', false, false)],
    restored: select('interest', true),
    objected: select('interest', false),
  };
}
