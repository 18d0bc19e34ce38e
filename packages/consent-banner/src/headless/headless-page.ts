import { carryOver } from '../carry-over.ts';
import { checkAttributes, checkTags } from '../check-attributes.ts';
import { ConsentSession } from '../consent-session.ts';
import { clearCookies, keepCookies } from '../cookies.ts';
import type { Notice, Purpose, Purposes } from '../notice.ts';
import { readReceipt } from '../read-receipt.ts';
import { recallNotice } from '../recall-notice.ts';
import type { RecordReceipt } from '../receipt.ts';
import type { ConsentMethod } from '../record-queue.ts';
import { reportProblem } from '../report-problem.ts';
import { attempt } from '../stub/attempt.ts';
import type { ConsentInterface, ConsentState, PageActions, PageView } from '../stub/consent-state.ts';
import { createPageConsent, type PageConsent } from '../stub/page-consent.ts';
import { decisionKey } from '../stub/stored-decision.ts';
import { type ConsentSnapshot, takeSnapshot } from './consent-snapshot.ts';

export interface HeadlessChoice {
  readonly isGranted: (purpose: Purpose, notice: Notice) => boolean;
  readonly method: ConsentMethod;
  /**
   * An `answer` is about the current notice. A `refusal` grants nothing, so it needs no server: consent can be withdrawn at any
   * time (GDPR, Article 7(3)). A `withdrawal` is about the last answer, and answers nothing new.
   */
  readonly kind: 'answer' | 'refusal' | 'withdrawal';
}

/** A page's consent without an interface: stage one, with the functions below in place of stage two. */
export class HeadlessPage implements ConsentInterface {
  readonly consent: PageConsent;
  /** What `SvcConsent.open()` does. */
  openPreferences: (() => void) | undefined;
  readonly #listeners = new Set<(snapshot: ConsentSnapshot) => void>();
  readonly #ready: Promise<void>;
  #setReady = (): void => {};
  /** Whether stage one has requested this. */
  #isWanted = false;
  /** Whether the next `open` is only our own request to be loaded. */
  #isJoining = false;
  #actions: PageActions | undefined;
  #view: PageView | undefined;
  /** The last state that listeners received. */
  #reported: PageView | undefined;
  #session: ConsentSession | undefined;
  #snapshot: ConsentSnapshot | undefined;
  /** The version that was withdrawn from while a newer one was pending: the newer one is still asked about. */
  #withdrawnVersion: number | undefined;

  /** @param script the banner's script tag, if there is one. */
  constructor(script: HTMLScriptElement | null = null) {
    this.#ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    this.consent = createPageConsent({
      script,
      source: script?.src ?? '',
      loadInterface: async () => {
        this.#isWanted = true;
        return (actions) => {
          this.#actions = actions;
          return this;
        };
      },
    });
  }

  /** Connects an element with the page's options, and reads the state. */
  join(element: HTMLElement): void {
    this.consent.elements.add(element);
    this.consent.refresh();
    if (isPrerendering()) {
      const join = (): unknown => this.consent.elements.has(element) && this.join(element);
      addEventListener.call(document, 'prerenderingchange', join, { once: true });
    }
    // Stage one delays the check for decided visitors. For undecided ones it asks immediately, except robots.
    if (this.#isWanted || !this.consent.api.get()) return;
    this.#isJoining = true;
    this.consent.api.open();
  }

  leave(element: HTMLElement): void {
    this.consent.elements.delete(element);
    this.consent.refresh();
  }

  /** Called with the page's state by stage one, the only part that knows the decision in force. */
  update(given: PageView): void {
    const { element, state, noticeId, stored, address } = given;
    const isUnanswered = address === this.#session?.address && stored?.noticeVersion === this.#withdrawnVersion;
    const page = { ...given, isAsking: given.isAsking || (stored !== null && isUnanswered) };
    this.#view = page;
    this.#useSession(page);
    if (element) {
      checkAttributes(element);
      if (!state) checkTags();
      if (!noticeId) reportProblem('createConsent() has no noticeId. Set it to the id of a published notice.');
      clearCookies(element, state?.purposes ?? {});
    }
    this.#setReady();
    const reported = this.#reported;
    this.#reported = page;
    if (!(['state', 'stored', 'isAsking', 'frames', 'address'] as const).every((key) => reported?.[key] === page[key]))
      this.#report();
  }

  open(): void {
    if (this.#isJoining) this.#isJoining = false;
    else if (this.openPreferences) this.openPreferences();
    else reportProblem('SvcConsent.open() has nothing to open. Give createConsent() the option openPreferences.');
  }

  /** Whether to ask the visitor. */
  get isAsking(): boolean {
    return this.#view?.isAsking === true;
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
    const session = await this.#findSession();
    return (await session?.loadNotice()) ?? null;
  }

  /** The earlier consents that need not be asked for again. */
  carryOver(notice: Notice): Purposes {
    return this.#view ? carryOver(this.#view, notice) : {};
  }

  /** The receipt of the latest decision. */
  readReceipt(): RecordReceipt | null {
    const { noticeId, stored } = this.#view ?? {};
    return noticeId && stored ? readReceipt(noticeId, stored.decidedAt) : null;
  }

  /**
   * Records the visitor's choice; synchronously if the notice is loaded or not needed, so that a click counts even if the page
   * is left.
   * @returns the decision in force then, or null if there is no notice to decide on: nothing is recorded.
   */
  async decide({ isGranted, method, kind }: HeadlessChoice): Promise<ConsentState | null> {
    const session = this.#session ?? (await this.#findSession());
    const notice =
      this.#findAnswered(kind) ??
      session?.notice ??
      (await session?.loadNotice()) ??
      (kind === 'answer' ? null : this.#recallNotice());
    if (!session || session !== this.#session || !notice) return null;
    if (kind === 'withdrawal' && this.isAsking) this.#withdrawnVersion = notice.version;
    session.decide(notice, (purpose) => isGranted(purpose, notice), method);
    // A recalled notice says nothing about newer versions: the next page checks for one.
    if (notice !== session.notice) attempt(() => localStorage.removeItem(`${decisionKey(session.noticeId)}:checked`));
    return this.consent.api.get();
  }

  /** The notice of the latest decision, if the choice is about it: it is stored, so there is no need to wait for the server. */
  #findAnswered(kind: HeadlessChoice['kind']): Notice | null {
    const notice = this.#session?.notice;
    if (kind === 'answer' || (kind === 'refusal' && (notice || this.isAsking))) return null;
    return notice && notice.version === this.#view?.stored?.noticeVersion ? notice : this.#recallNotice();
  }

  #recallNotice(): Notice | null {
    const { noticeId, stored } = this.#view ?? {};
    return noticeId && stored ? recallNotice(noticeId, stored) : null;
  }

  /** Stage one never asks a robot, and asks a prerendered page later. */
  async #findSession(): Promise<ConsentSession | undefined> {
    if (this.#isWanted || isPrerendering()) await this.#ready;
    return this.#session;
  }

  #useSession(page: PageView): void {
    const { noticeId, address } = page;
    if (this.#session?.address === address) {
      this.#session.page = page;
      return;
    }
    this.#session?.end();
    this.#withdrawnVersion = undefined;
    const actions = this.#actions as PageActions;
    const options = { page, actions, panel: { parts: { keepCookies } }, onReceipt: () => this.#report() };
    this.#session = noticeId ? new ConsentSession(options) : undefined;
  }

  #report(): void {
    const snapshot = takeSnapshot(this.#view as PageView);
    this.#snapshot = snapshot;
    for (const listener of [...this.#listeners]) {
      // A listener that was unsubscribed by an earlier one is not called, and an outdated state is not sent.
      if (this.#listeners.has(listener) && this.#snapshot === snapshot) call(listener, snapshot);
    }
  }
}

/** Whether the page is prerendered. */
function isPrerendering(): boolean {
  return (document as { prerendering?: boolean }).prerendering === true;
}

/** A listener that throws does not stop the others. */
function call(listener: (snapshot: ConsentSnapshot) => void, snapshot: ConsentSnapshot): void {
  try {
    listener(snapshot);
  } catch (error) {
    reportError(error);
  }
}
