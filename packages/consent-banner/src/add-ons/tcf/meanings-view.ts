import { fillText } from '../../fill-words.ts';
import { createElement } from '../create-element.ts';
import type { Term, Terms, Vendor } from './vendor-list.ts';
import type { VendorsContent } from './vendors-layer.ts';

type Declared = (vendor: Vendor) => readonly number[];

/** What the terms mean that the vendors declare, in the list's own words, with how many declare it and who. */
export function writeMeanings(content: VendorsContent): readonly Node[] {
  const { vocabulary, words } = content;
  const groups: readonly (readonly [string, Terms, Declared])[] = [
    [words.purposesByConsent, vocabulary.purposes, ({ purposes }) => purposes],
    [words.purposesByInterest, vocabulary.purposes, ({ interests }) => interests],
    [words.specialPurposes, vocabulary.specialPurposes, ({ specialPurposes }) => specialPurposes],
    [words.features, vocabulary.features, ({ features }) => features],
    [words.specialFeatures, vocabulary.specialFeatures, ({ specialFeatures }) => specialFeatures],
    [words.dataCategories, vocabulary.dataCategories, ({ dataCategories }) => dataCategories],
  ];
  return [createElement('h3', {}, words.meanings), ...groups.flatMap((group) => writeGroup(group, content))];
}

function writeGroup([title, terms, declared]: readonly [string, Terms, Declared], content: VendorsContent): Node[] {
  const entries = [...terms].flatMap(([id, term]) => {
    const vendors = content.list.vendors.filter((vendor) => declared(vendor).includes(id));
    return vendors.length ? writeTerm(term, vendors, content) : [];
  });
  return entries.length ? [createElement('h4', {}, title), ...entries] : [];
}

function writeTerm(term: Term, vendors: readonly Vendor[], { words, vocabularyLanguage }: VendorsContent): HTMLElement {
  const own = { lang: vocabularyLanguage, dir: 'auto' };
  const summary = createElement('summary', {}, createElement('span', own, term.name));
  const details = createElement('details', { part: 'meaning', class: 'meaning' }, summary);
  const write = (): void => {
    const count = fillText(words.declaredBy, { count: vendors.length.toLocaleString(words.lang) });
    const names = vendors.map(({ name }) => `\u2068${name}\u2069`).join(', ');
    const texts = [term.description, ...term.illustrations].filter(Boolean);
    details.append(...texts.map((text) => createElement('p', own, text)), createElement('p', {}, `${count}. ${names}`));
  };
  details.addEventListener('toggle', write, { once: true });
  return details;
}
