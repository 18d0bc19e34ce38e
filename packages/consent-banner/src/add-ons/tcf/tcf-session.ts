import { reportProblem } from '../../report-problem.ts';
import { readItem, writeItem } from '../../safe-storage.ts';
import type { SvcConsent } from '../../stub/consent-state.ts';
import { createElement, findRoot } from '../create-element.ts';
import { followConsent } from '../follow-consent.ts';
import { listBanners } from '../list-banners.ts';
import { decideSignals, type TcSignals } from './decide-signals.ts';
import { loadJson } from './load-json.ts';
import { type LoadedList, loadVendorList } from './load-vendor-list.ts';
import { checkMapping, type PageDecision, readPageDecision } from './page-decision.ts';
import { type PartnersLine, placePartnersLine } from './partners-line.ts';
import type { TcfSettings } from './settings.ts';
import type { EventStatus, TcfView } from './tc-data.ts';
import { writeTcString } from './tc-string.ts';
import type { TcfApi } from './tcf-api.ts';
import {
  changeChoices,
  clearChoices,
  keepChoices,
  listDisclosed,
  readChoices,
  type VendorChoices,
  vendorsKey,
} from './vendor-choices.ts';
import { parseVocabulary, type VendorList, type Vocabulary } from './vendor-list.ts';
import { type SvcConsentVendorsElement, VENDORS_TAG } from './vendors-element.ts';
import type { VendorsAnswer } from './vendors-layer.ts';
import { findVendorWords, readLanguage, type SpokenVendorWords } from './words.ts';

const DAY = 86_400_000;

/** One page in the TCF: from what the visitor sees and decides to what the API reports. */
export class TcfSession {
  readonly #settings: TcfSettings;
  readonly #api: TcfApi;
  readonly #language: string;
  readonly #words: SpokenVendorWords;
  #loading: Promise<LoadedList | null> | undefined;
  #list: VendorList | undefined;
  #line: PartnersLine | undefined;
  #vocabulary: Promise<Vocabulary | null> | undefined;
  #element: SvcConsentVendorsElement | undefined;
  #isLineShown = false;
  #isLayerShown = false;
  /** Whether the visitor has seen on this page who the partners are. */
  #isTold = false;
  /** Whether they have decided with that before them, and it is not kept yet. */
  #isFresh = false;
  /** How often they have decided on this page. */
  #actions = 0;
  #isAskedAgain = false;
  /** What listeners know, and what they knew before the banner or the layer came up; empty without a TC string. */
  #lastTold = '';
  #toldBefore = '';

  constructor(settings: TcfSettings, api: TcfApi) {
    this.#settings = settings;
    this.#api = api;
    const [banner] = listBanners();
    this.#language = settings.language || banner?.getAttribute('language') || findRoot().lang || 'en';
    this.#words = findVendorWords(this.#language);
  }

  /** Listens to the page from now on. */
  start(): void {
    const { vendors } = this.#settings;
    addEventListener.call(document, 'click', (event) => {
      const isOurs = (node: EventTarget): boolean =>
        node instanceof Element && Element.prototype.hasAttribute.call(node, 'data-svc-vendors');
      if (!event.composedPath().some(isOurs)) return;
      event.preventDefault();
      void this.#open();
    });
    this.#line = placePartnersLine({
      words: this.#words,
      count: vendors.length,
      onChange: (isShown) => {
        if (isShown === this.#isLineShown) return;
        this.#isLineShown = isShown;
        this.#follow();
      },
      onElement: () => this.#follow(),
    });
    const hear = (): void => {
      this.#isFresh ||= this.#isShown;
      this.#isLineShown = false; // The banner goes with the decision.
      checkBanner();
      this.#follow();
    };
    followConsent(hear, () => this.#follow());
    // Choices of another tab, and of the time when this page was in a cache.
    for (const type of ['storage', 'pageshow']) addEventListener(type, () => this.#follow());
  }

  /** The vendor list, asked for once; null when it cannot be used. */
  loadList(): Promise<LoadedList | null> {
    this.#loading ??= this.#takeList();
    return this.#loading;
  }

  get #isShown(): boolean {
    return this.#isLineShown || this.#isLayerShown;
  }

  /** Re-reads what is decided and shown, and reports it. */
  #follow(): void {
    this.#isTold ||= this.#isShown;
    const page = readPageDecision();
    if (this.#list) this.#tell(page, this.#list);
    else if (page.purposes || this.#isTold) void this.loadList();
  }

  async #takeList(): Promise<LoadedList | null> {
    const loaded = await loadVendorList(this.#settings);
    if (!loaded) {
      this.#api.fail();
      return null;
    }
    this.#list = loaded.list;
    // Who is not in the list is no partner yet, whatever the settings say.
    this.#line?.setCount(loaded.list.vendors.length);
    this.#follow();
    return loaded;
  }

  #tell(page: PageDecision, list: VendorList): void {
    const choices = this.#readChoices(page, list);
    const disclosed = page.purposes || !this.#isTold ? listDisclosed(choices, list) : list.vendors.map(({ id }) => id);
    const signals = this.#decide(page, list, choices, disclosed);
    const isMissing = !page.isRefusal && signals.disclosedVendors.length < list.vendors.length;
    const event = this.#nameEvent(page, isMissing);
    const tcString = event ? this.#write(page, list, choices, signals) : '';
    const isSettled = page.purposes && !isMissing;
    const display: TcfView['display'] = this.#isShown ? 'visible' : isSettled ? 'disabled' : 'hidden';
    const told = event ? `${event} ${tcString} ${this.#actions}` : '';
    // Listeners are not called without a TC string, unless they received one that is no longer valid.
    const isQuiet = told === this.#lastTold || (told !== '' && told === this.#toldBefore);
    if (event === 'cmpuishown' && !this.#lastTold.startsWith(event)) this.#toldBefore = this.#lastTold;
    if (!event) this.#toldBefore = '';
    this.#lastTold = told;
    const view = { list, display, event, tcString, signals: event ? signals : this.#decide(page, list, choices, []) };
    this.#api.update(view, isQuiet);
    checkMapping(this.#settings.purposes, page);
    if (page.purposes && isMissing) this.#askAgain(page);
  }

  /** The choices in force: a decision made with the partners before the visitor confirms the disclosure. */
  #readChoices(page: PageDecision, list: VendorList): VendorChoices {
    const kept = readChoices(page.noticeId);
    const isWithdrawn = page.isRefusal && page.decidedAt > Date.parse(kept.savedAt);
    let choices = isWithdrawn ? clearChoices(kept) : kept;
    if (this.#isFresh && page.purposes) {
      this.#isFresh = false;
      this.#actions++;
      choices = changeChoices(choices, list, null);
    }
    if (choices !== kept) keepChoices(page.noticeId, choices);
    return choices;
  }

  #decide(page: PageDecision, list: VendorList, choices: VendorChoices, disclosed: readonly number[]): TcSignals {
    const { globalPrivacyControl } = navigator as { globalPrivacyControl?: boolean };
    const hasPrivacySignal = globalPrivacyControl === true;
    return decideSignals({
      list,
      settings: this.#settings,
      decided: page.purposes,
      choices,
      disclosed,
      hasPrivacySignal,
    });
  }

  #nameEvent({ noticeId, purposes }: PageDecision, isMissing: boolean): EventStatus | undefined {
    // No objection could be stored there, so no partner may rely on there being none.
    if (!noticeId) return undefined;
    const isOpen = !purposes || isMissing;
    if (this.#isShown || (isOpen && this.#isTold)) return 'cmpuishown';
    if (isOpen) return undefined;
    return this.#actions ? 'useractioncomplete' : 'tcloaded';
  }

  #write(page: PageDecision, list: VendorList, { savedAt }: VendorChoices, signals: TcSignals): string {
    const changedAt = Math.max(page.decidedAt, Date.parse(savedAt));
    return writeTcString({
      ...this.#settings,
      ...signals,
      language: readLanguage(this.#language),
      vendorListVersion: list.version,
      policyVersion: list.policyVersion,
      updatedAt: page.purposes ? Math.min(changedAt, Date.now()) : Date.now(),
    });
  }

  /** Some vendors were not disclosed to the visitor: they are asked, once on a page and once a day. */
  #askAgain({ noticeId }: PageDecision): void {
    const key = `${vendorsKey(noticeId)}:asked`;
    if (this.#isAskedAgain || this.#isShown || Math.abs(Date.now() - Number(readItem(key))) < DAY) return;
    this.#isAskedAgain = true;
    writeItem(key, String(Date.now()));
    void this.#open();
  }

  async #open(): Promise<void> {
    const [loaded, vocabulary] = await Promise.all([this.loadList(), this.#loadVocabulary()]);
    if (!loaded || this.#isLayerShown) return;
    const { list } = loaded;
    this.#isLayerShown = true;
    checkBanner();
    const page = readPageDecision();
    const choices = readChoices(page.noticeId);
    // There is no consent to a partner that was not disclosed; an interest is claimed unless they object.
    const disclosed = listDisclosed(choices, list);
    const everyone = list.vendors.map(({ id }) => id);
    const allowed = choices.allowed.filter((id) => disclosed.includes(id));
    const consents = new Set([...allowed, ...this.#decide(page, list, choices, disclosed).vendorConsents]);
    const interests = new Set(this.#decide(page, list, choices, everyone).vendorInterests);
    const [banner] = listBanners();
    const theme = banner?.getAttribute('theme');
    this.#element ??= createElement(VENDORS_TAG as 'div') as unknown as SvcConsentVendorsElement;
    if (theme) this.#element.setAttribute('theme', theme);
    else this.#element.removeAttribute('theme');
    if (!this.#element.isConnected) findRoot().append(this.#element);
    const content = {
      list,
      vocabulary: vocabulary ?? list,
      vocabularyLanguage: vocabulary ? readLanguage(this.#language) : 'en',
      words: this.#words,
      readState: ({ id }: { readonly id: number }) => ({
        hasConsent: consents.has(id),
        hasInterest: interests.has(id),
      }),
      answer: (answer: VendorsAnswer) => {
        const { noticeId, purposes } = readPageDecision();
        keepChoices(noticeId, changeChoices(readChoices(noticeId), list, answer));
        if (purposes) this.#actions++;
      },
      choosePurposes: banner ? () => (window as { SvcConsent?: SvcConsent }).SvcConsent?.open() : undefined,
    };
    this.#element.show(content, () => {
      this.#isLayerShown = false;
      this.#follow();
    });
    this.#follow();
  }

  /** The list's texts in the visitor's language, if the site has them; in English otherwise. */
  #loadVocabulary(): Promise<Vocabulary | null> {
    const { purposeTexts } = this.#settings;
    if (!purposeTexts) return Promise.resolve(null);
    this.#vocabulary ??= loadJson(purposeTexts)
      .then(parseVocabulary)
      .catch((cause: Error) => {
        reportProblem(`TCF: the texts ${purposeTexts} ${cause.message}. Those of the vendor list take their place.`);
        return null;
      });
    return this.#vocabulary;
  }
}

/** The decision, and the choices for partners, belong to the notice of an element: without one there is nothing to report. */
function checkBanner(): void {
  if (readPageDecision().noticeId) return;
  reportProblem(
    'TCF: there is no <svc-consent> with a notice-id on this page. No TC string is given out, and no choice is kept.',
  );
}
