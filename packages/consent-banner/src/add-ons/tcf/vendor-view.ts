import { fillText } from '../../fill-words.ts';
import { createElement } from '../create-element.ts';
import type { Terms, Vendor } from './vendor-list.ts';
import type { VendorState, VendorsContent } from './vendors-layer.ts';
import { writeDays } from './words.ts';

const DAY_SECONDS = 86_400;

/** One vendor in the layer, and its switches: a vendor has those that its declarations call for. */
export interface VendorSwitches {
  readonly id: number;
  readonly element: HTMLElement;
  readonly consent: HTMLInputElement | undefined;
  readonly interest: HTMLInputElement | undefined;
}

/** A vendor with its switches. What it declares is written when it is opened: there may be a thousand of them. */
export function writeVendor(vendor: Vendor, state: VendorState, content: VendorsContent): VendorSwitches {
  const { id, name, purposes, interests } = vendor;
  const { words } = content;
  const nameId = `name-${id}`;
  const summary = createElement('summary', {}, createElement('span', { id: nameId, dir: 'auto' }, name));
  const details = createElement('details', { part: 'vendor' }, summary);
  details.addEventListener('toggle', () => details.append(...writeDeclarations(vendor, content)), { once: true });

  const writeSwitch = (kind: 'consent' | 'interest', isOn: boolean): HTMLInputElement => {
    const labelId = `${kind}-${id}`;
    const attributes = { type: 'checkbox', role: 'switch', part: 'switch', 'aria-labelledby': `${nameId} ${labelId}` };
    const input = createElement('input', { ...attributes, checked: isOn ? '' : undefined });
    switches.append(createElement('label', {}, createElement('span', { id: labelId }, words[kind]), input));
    return input;
  };
  const switches = createElement('div', { class: 'switches' });
  const consent = purposes.length ? writeSwitch('consent', state.hasConsent) : undefined;
  const interest = interests.length ? writeSwitch('interest', state.hasInterest) : undefined;
  return { id, element: createElement('li', {}, details, switches), consent, interest };
}

function writeDeclarations(vendor: Vendor, { vocabulary, vocabularyLanguage, words }: VendorsContent): readonly Node[] {
  const { retention } = vendor;
  const keep = (days: number | undefined): string =>
    days === undefined ? '' : ` (${fillText(words.kept, { time: writeDays(days * DAY_SECONDS, words.lang) })})`;
  const writeTerms = (
    title: string,
    ids: readonly number[],
    terms: Terms,
    readRetention?: (id: number) => number | undefined,
  ): readonly Node[] => {
    const entries = ids.map((id) => [
      createElement('span', { lang: vocabularyLanguage, dir: 'auto' }, terms.get(id)?.name ?? String(id)),
      readRetention ? keep(readRetention(id)) : '',
    ]);
    return writeList(title, entries);
  };
  const retainPurpose = (id: number) => retention.purposes.get(id) ?? retention.usual;
  const retainSpecial = (id: number) => retention.specialPurposes.get(id) ?? retention.usual;
  return [
    ...writeList('', writeLinks(vendor, words)),
    ...writeTerms(words.purposesByConsent, vendor.purposes, vocabulary.purposes, retainPurpose),
    ...writeTerms(words.purposesByInterest, vendor.interests, vocabulary.purposes, retainPurpose),
    ...writeTerms(words.specialPurposes, vendor.specialPurposes, vocabulary.specialPurposes, retainSpecial),
    ...writeTerms(words.features, vendor.features, vocabulary.features),
    ...writeTerms(words.specialFeatures, vendor.specialFeatures, vocabulary.specialFeatures),
    ...writeTerms(words.dataCategories, vendor.dataCategories, vocabulary.dataCategories),
    ...writeList(words.storage, writeStorage(vendor, words)),
  ];
}

function writeLinks({ urls, name }: Vendor, words: VendorsContent['words']): readonly (readonly (Node | string)[])[] {
  const own =
    urls.find(({ language }) => language === words.lang) ?? urls.find(({ language }) => language === 'en') ?? urls[0];
  return [
    [own?.policy, words.policy],
    [own?.interest, words.interestClaim],
  ].flatMap(([href, text]) => (href && text ? [[writeLink(href, text, name)]] : []));
}

function writeStorage(vendor: Vendor, words: VendorsContent['words']): readonly (readonly (Node | string)[])[] {
  const { cookieMaxAgeSeconds: seconds, isCookieRefreshed, hasOtherStorage, storageUrl, name } = vendor;
  const cookies =
    seconds === undefined
      ? ''
      : seconds > 0
        ? fillText(words.cookies, { time: writeDays(seconds, words.lang) })
        : words.sessionCookies;
  const facts = [
    cookies,
    cookies && isCookieRefreshed ? words.refreshed : '',
    hasOtherStorage ? words.otherStorage : '',
  ];
  const link = storageUrl ? [[writeLink(storageUrl, words.storageDetails, name)]] : [];
  return [...facts.filter(Boolean).map((fact) => [fact]), ...link];
}

/** A link names the vendor, too, for screen reader users who list only the links. */
function writeLink(href: string, text: string, name: string): HTMLElement {
  return createElement(
    'a',
    { href, target: '_blank', rel: 'noopener noreferrer', 'aria-label': `${text}: ${name}` },
    text,
  );
}

function writeList(title: string, entries: readonly (readonly (Node | string)[])[]): readonly Node[] {
  if (!entries.length) return [];
  const list = createElement('ul', { class: 'facts' }, ...entries.map((entry) => createElement('li', {}, ...entry)));
  return title ? [createElement('h3', {}, title), list] : [list];
}
