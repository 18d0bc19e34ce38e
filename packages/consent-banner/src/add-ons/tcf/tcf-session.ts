import { reportProblem } from '../../report-problem.ts';
import { readItem, writeItem } from '../../safe-storage.ts';
import type { SvcConsent } from '../../stub/consent-state.ts';
import { followConsent } from '../follow-consent.ts';
import { createElement, findRoot } from './create-element.ts';
import { decideSignals, type TcSignals } from './decide-signals.ts';
import { loadJson } from './load-json.ts';
import { checkMapping, type PageDecision, readPageDecision } from './page-decision.ts';
import { listBanners, placePartnersLine } from './partners-line.ts';
import type { TcfSettings } from './settings.ts';
import type { EventStatus } from './tc-data.ts';
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
import { parseVendorList, parseVocabulary, type VendorList, type Vocabulary } from './vendor-list.ts';
import { type SvcConsentVendorsElement, VENDORS_TAG } from './vendors-element.ts';
import type { VendorsAnswer } from './vendors-layer.ts';
import { findVendorWords, readLanguage, type SpokenVendorWords } from './words.ts';

const DAY = 86_400_000;

/** One page in the TCF: from what the visitor sees and decides to what the API tells. */
export class TcfSession {
  readonly #settings: TcfSettings;
  readonly #api: TcfApi;
  readonly #language: string;
  readonly #words: SpokenVendorWords;
  #loading: Promise<VendorList | null> | undefined;
  #list: VendorList | undefined;
  #rawList: unknown;
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
    placePartnersLine({
      words: this.#words,
      count: vendors.length,
      onChange: (isShown) => {
        this.#isLineShown = isShown;
        this.#follow();
      },
      onElement: () => this.#follow(),
    });
    followConsent(() => {
      this.#isFresh ||= this.#isShown;
      this.#isLineShown = false; // The banner goes with the decision.
      this.#follow();
    });
    // Choices of another tab, and of the time when this page was in a cache.
    for (const type of ['storage', 'pageshow']) addEventListener(type, () => this.#follow());
  }

  /** The vendor list, asked for once. */
  loadList(): Promise<VendorList | null> {
    this.#loading ??= this.#fetchList();
    return this.#loading;
  }

  get #isShown(): boolean {
    return this.#isLineShown || this.#isLayerShown;
  }

  /** Looks anew at what is decided and shown, and tells it. */
  #follow(): void {
    this.#isTold ||= this.#isShown;
    const page = readPageDecision();
    if (this.#list) this.#tell(page, this.#list);
    else if (page.purposes || this.#isTold) void this.loadList();
  }

  async #fetchList(): Promise<VendorList | null> {
    const { vendorList, vendors, purposes } = this.#settings;
    try {
      this.#rawList = await loadJson(vendorList);
      this.#list = parseVendorList(this.#rawList, vendors, (problem) => reportProblem(`TCF: ${problem}`));
    } catch (cause) {
      reportProblem(`TCF: the vendor list ${vendorList} ${(cause as Error).message}. No TC string is given out.`);
      this.#api.fail();
      return null;
    }
    const missing = new Set(this.#list.vendors.flatMap((vendor) => vendor.purposes.filter((id) => !purposes.has(id))));
    if (missing.size) {
      reportProblem(
        `TCF: vendors need the purposes ${[...missing].join(', ')}, which purposes maps nothing to: they get no consent.`,
      );
    }
    this.#follow();
    return this.#list;
  }

  #tell(page: PageDecision, list: VendorList): void {
    const choices = this.#readChoices(page, list);
    const disclosed = page.purposes || !this.#isTold ? listDisclosed(choices, list) : list.vendors.map(({ id }) => id);
    const signals = this.#decide(page, list, choices, disclosed);
    const isMissing = !page.isRefusal && signals.disclosedVendors.length < list.vendors.length;
    const event = this.#nameEvent(page, isMissing);
    const tcString = event ? this.#write(page, list, choices, signals) : '';
    const isSettled = page.purposes && !isMissing;
    const display = this.#isShown ? 'visible' : isSettled ? 'disabled' : 'hidden';
    const told = `${event} ${tcString} ${this.#actions}`;
    const isQuiet = !event || told === this.#lastTold || told === this.#toldBefore;
    if (event === 'cmpuishown' && !this.#lastTold.startsWith(event)) this.#toldBefore = this.#lastTold;
    this.#lastTold = told;
    this.#api.update({ list, display, event, tcString, signals }, this.#rawList, isQuiet);
    checkMapping(this.#settings.purposes, page);
    if (page.purposes && isMissing) this.#askAgain(page);
  }

  /** The choices in force: a decision made with the partners before the visitor confirms that they have been told. */
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

  #nameEvent({ purposes }: PageDecision, isMissing: boolean): EventStatus | undefined {
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

  /** There are vendors whom the visitor has not been told of: they are asked, once on a page and once a day. */
  #askAgain({ noticeId }: PageDecision): void {
    const key = `${vendorsKey(noticeId)}:asked`;
    if (this.#isAskedAgain || this.#isShown || Math.abs(Date.now() - Number(readItem(key))) < DAY) return;
    this.#isAskedAgain = true;
    writeItem(key, String(Date.now()));
    void this.#open();
  }

  async #open(): Promise<void> {
    const [list, vocabulary] = await Promise.all([this.loadList(), this.#loadVocabulary()]);
    if (!list || this.#isLayerShown) return;
    this.#isLayerShown = true;
    const page = readPageDecision();
    const choices = readChoices(page.noticeId);
    const everyone = list.vendors.map(({ id }) => id);
    const signals = this.#decide(page, list, choices, everyone);
    const [consents, interests] = [[...choices.allowed, ...signals.vendorConsents], signals.vendorInterests].map(
      (ids) => new Set(ids),
    );
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
        hasConsent: consents?.has(id) === true,
        hasInterest: interests?.has(id) === true,
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
