import { readNeeds } from '../blocked-content/blocked-content.ts';
import { carryOver } from '../decision/grants.ts';
import { decisionKey, type Purposes } from '../decision/stored-decision.ts';
import { writeNotice } from '../notice/follow-notice.ts';
import type { Notice, Purpose } from '../notice/notice.ts';
import { attempt, reportProblem, toJson } from '../page/browser.ts';
import type { ConsentState, PageView } from '../page/consent-page.ts';
import { keepCookies } from '../page/cookies.ts';
import { keepPage } from '../page/keep-page.ts';
import { Page } from '../page/page.ts';
import { type RecordReceipt, readReceipt } from '../panel/receipt.ts';
import { type ConsentMethod, recallNotice } from '../records/consent-record.ts';

export interface HeadlessChoice {
  readonly isGranted: (purpose: Purpose, notice: Notice) => boolean;
  readonly method: ConsentMethod;
  /**
   * An `answer` is about the current notice. A `refusal` grants nothing, so it needs no server: consent can be withdrawn at any
   * time (GDPR, Article 7(3)). A `withdrawal` is about the last answer, and answers nothing new.
   */
  readonly kind: 'answer' | 'refusal' | 'withdrawal';
}

/** The consent of a page without an interface. */
export class HeadlessPage {
  readonly page: Page;
  /** Called by `SvcConsent.open()`. */
  openPreferences: (() => void) | undefined;
  readonly #listeners = new Set<(snapshot: ConsentSnapshot) => void>();
  /** The last state that listeners received. */
  #snapshot: ConsentSnapshot | undefined;
  #address = '';
  /** The version that was withdrawn from while a newer one was pending: the newer one is still asked about. */
  #withdrawnVersion: number | undefined;
  /** True if the receipt of the latest decision has no proof yet. */
  #isUnproved = false;

  /** @param script the banner's script tag, if there is one. */
  constructor(script: HTMLScriptElement | null = null) {
    const openPreferences = (): void => {
      if (this.openPreferences) this.openPreferences();
      else reportProblem('SvcConsent.open() has nothing to open. Give createConsent() the option openPreferences.');
    };
    const loadPanel = async () => {
      keepCookies(this.page);
      return keepPage;
    };
    // Only for pages with blocked tags.
    const loadContent = async () => (await import('../blocked-content/blocked-tags.ts')).mountContent;
    this.page = new Page({ script, source: script?.src ?? '', openPreferences, loadPanel, loadContent });
    this.page.subscribe(() => this.#report());
  }

  /** Connects an element with the page's options, and reads the state. */
  join(element: HTMLElement): void {
    this.page.elements.add(element);
    this.page.refresh();
  }

  leave(element: HTMLElement): void {
    this.page.elements.delete(element);
    this.page.refresh();
  }

  /** True if the visitor is to be asked; only once it is known what about. */
  get isAsking(): boolean {
    const { isAsking, stored } = this.page.view;
    const isUnanswered = stored !== null && stored.noticeVersion === this.#withdrawnVersion;
    return (isAsking && this.#notice !== null) || isUnanswered;
  }

  /** Calls back immediately and on every change; on a prerendered page, only once it is visible. */
  subscribe(listener: (snapshot: ConsentSnapshot) => void): () => void {
    // One function may be subscribed twice.
    const own = (snapshot: ConsentSnapshot): void => listener(snapshot);
    this.#listeners.add(own);
    if (this.#snapshot) call(own, this.#snapshot);
    return () => this.#listeners.delete(own);
  }

  /** The notice, or null if it cannot be loaded (which is logged) or the client is a robot. */
  async loadNotice(): Promise<Notice | null> {
    if (isPrerendering()) await becomeVisible();
    const { state, isDue } = this.page.view;
    return state || isDue ? this.page.loadNotice() : null;
  }

  /** The earlier consents that need not be asked for again. */
  carryOver(notice: Notice): Purposes {
    return carryOver(this.page.view, notice);
  }

  /** The receipt of the latest decision. */
  readReceipt(): RecordReceipt | null {
    const { noticeId, stored } = this.page.view;
    return noticeId && stored ? readReceipt(noticeId, stored.decidedAt) : null;
  }

  /**
   * Records the visitor's choice; synchronously if the notice is loaded or not needed, so that a click counts even if the page
   * is left.
   * @returns the decision in force then, or null if there is no notice to decide on: nothing is recorded.
   */
  async decide({ isGranted, method, kind }: HeadlessChoice): Promise<ConsentState | null> {
    if (isPrerendering()) await becomeVisible();
    const { address, noticeId } = this.page.view;
    const notice =
      this.#findAnswered(kind) ??
      this.#notice ??
      (await this.loadNotice()) ??
      (kind === 'answer' ? null : this.#recallNotice());
    if (!notice || address !== this.page.view.address) return null;
    if (kind === 'withdrawal' && this.isAsking) this.#withdrawnVersion = notice.version;
    this.page.decideOn(notice, (purpose) => isGranted(purpose, notice), method);
    // A recalled notice says nothing about newer versions: the next page checks for one.
    if (notice !== this.#notice) attempt(() => localStorage.removeItem(`${decisionKey(noticeId)}:checked`));
    return this.page.api.get();
  }

  /** The current notice, once loaded. */
  get #notice(): Notice | null {
    const { notice, isRecalled } = this.page.view;
    return isRecalled ? null : notice;
  }

  /** The notice of the latest decision, if the choice is about it: it is stored, so there is no need to wait for the server. */
  #findAnswered(kind: HeadlessChoice['kind']): Notice | null {
    const notice = this.#notice;
    if (kind === 'answer' || (kind === 'refusal' && (notice || this.page.view.isAsking))) return null;
    return notice && notice.version === this.page.view.stored?.noticeVersion ? notice : this.#recallNotice();
  }

  #recallNotice(): Notice | null {
    const { noticeId, stored } = this.page.view;
    return noticeId && stored ? (recallNotice(noticeId, stored) ?? writeNotice(noticeId, stored)) : null;
  }

  #report(): void {
    const { view } = this.page;
    if (!view.address) return;
    if (view.address !== this.#address) this.#withdrawnVersion = undefined;
    this.#address = view.address;
    const snapshot = takeSnapshot(view, this.isAsking);
    const wasUnproved = this.#isUnproved && snapshot.decidedAt === this.#snapshot?.decidedAt;
    this.#isUnproved = view.stored !== null && (wasUnproved || snapshot.state !== this.#snapshot?.state);
    if (this.#isUnproved) this.#isUnproved = this.readReceipt()?.proof === null;
    if (this.#snapshot && isSame(this.#snapshot, snapshot) && wasUnproved === this.#isUnproved) return;
    this.#snapshot = snapshot;
    for (const listener of [...this.#listeners]) {
      // A listener that was unsubscribed by an earlier one is not called, and an outdated state is not sent.
      if (this.#listeners.has(listener) && this.#snapshot === snapshot) call(listener, snapshot);
    }
  }
}

/** Checks whether the page is prerendered. */
function isPrerendering(): boolean {
  return (document as { prerendering?: boolean }).prerendering === true;
}

function becomeVisible(): Promise<unknown> {
  return new Promise((done) => addEventListener.call(document, 'prerenderingchange', done, { once: true }));
}

/** A listener that throws does not stop the others. */
function call(listener: (snapshot: ConsentSnapshot) => void, snapshot: ConsentSnapshot): void {
  try {
    listener(snapshot);
  } catch (error) {
    reportError(error);
  }
}

/** A blocked frame, image or video with a place in the page, to be covered by your placeholder. */
export interface HeldTag {
  readonly tag: HTMLElement;
  /** The keys of the purposes that it needs, all of them. */
  readonly purposes: readonly string[];
}

/** Everything that an interface shows, at one moment. */
export interface ConsentSnapshot {
  /** The decision in force, or null. */
  readonly state: ConsentState | null;
  /** Purposes that are allowed now: by decision, or before one by the basis of each purpose in the visitor's region. */
  readonly allowed: Purposes;
  /** ISO 3166 code of the visitor's region; null if it is unknown: then every purpose needs consent. */
  readonly region: string | null;
  /** True if the visitor is to be asked: undecided, decided too long ago, or about an older version of the notice. */
  readonly isAsking: boolean;
  /** When the visitor last decided, in force or not: ISO 8601. */
  readonly decidedAt: string | null;
  /** The version of the notice of that decision. */
  readonly decidedVersion: number | null;
  /** True if the browser sends Global Privacy Control, which you should show. It is not a decision. */
  readonly hasPrivacySignal: boolean;
  readonly heldTags: readonly HeldTag[];
}

/** The state of a page to show. */
export function takeSnapshot(view: PageView, isAsking: boolean): ConsentSnapshot {
  const { state, allowed, region, stored, hasSignal, frames } = view;
  return Object.freeze({
    state,
    allowed,
    region,
    isAsking,
    decidedAt: stored?.decidedAt ?? null,
    decidedVersion: stored?.noticeVersion ?? null,
    hasPrivacySignal: hasSignal,
    heldTags: Object.freeze(frames.map((tag) => Object.freeze({ tag, purposes: readNeeds(tag) }))),
  });
}

/** Checks whether two snapshots show the same. */
export function isSame(one: ConsentSnapshot, other: ConsentSnapshot): boolean {
  const hasSameTags =
    one.heldTags.length === other.heldTags.length &&
    one.heldTags.every(({ tag }, at) => tag === other.heldTags[at]?.tag);
  const write = ({ heldTags, state, ...plain }: ConsentSnapshot): string => toJson(plain);
  return hasSameTags && one.state === other.state && write(one) === write(other);
}
