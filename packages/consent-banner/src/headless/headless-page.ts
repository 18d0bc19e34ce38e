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
   * An `answer` is about the notice as it is now. A `refusal` grants nothing, so it needs no server: consent can be taken back
   * at any time (GDPR, Article 7(3)). A `withdrawal` is about what was answered before, and answers nothing new.
   */
  readonly kind: 'answer' | 'refusal' | 'withdrawal';
}

/** A page's consent with nothing to be seen: stage one, and in the place of stage two who calls the functions below. */
export class HeadlessPage implements ConsentInterface {
  readonly consent: PageConsent;
  /** What `SvcConsent.open()` does. */
  openPreferences: (() => void) | undefined;
  readonly #listeners = new Set<(snapshot: ConsentSnapshot) => void>();
  readonly #ready: Promise<void>;
  #setReady = (): void => {};
  /** Whether stage one has asked for this. */
  #isWanted = false;
  /** Whether the next to open is but our own way to be asked for. */
  #isJoining = false;
  #actions: PageActions | undefined;
  #view: PageView | undefined;
  /** What the listeners were told last. */
  #told: PageView | undefined;
  #session: ConsentSession | undefined;
  #snapshot: ConsentSnapshot | undefined;
  /** The version that something was taken back of while a newer one was asked about: that one is asked about still. */
  #withdrawnVersion: number | undefined;

  /** @param script our own script tag, if there is one. */
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

  /** Lets an element say what is wanted of this page, and looks at what there is. */
  join(element: HTMLElement): void {
    this.consent.elements.add(element);
    this.consent.refresh();
    if (isPrerendering()) {
      const join = (): unknown => this.consent.elements.has(element) && this.join(element);
      addEventListener.call(document, 'prerenderingchange', join, { once: true });
    }
    // Stage one has time for the decided. Where there is no decision it asks at once, but for robots, who are left alone.
    if (this.#isWanted || !this.consent.api.get()) return;
    this.#isJoining = true;
    this.consent.api.open();
  }

  leave(element: HTMLElement): void {
    this.consent.elements.delete(element);
    this.consent.refresh();
  }

  /** What stage one says of the page: it is the only one to know what is in force. */
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
    const told = this.#told;
    this.#told = page;
    if (!(['state', 'stored', 'isAsking', 'frames', 'address'] as const).every((key) => told?.[key] === page[key]))
      this.#tell();
  }

  open(): void {
    if (this.#isJoining) this.#isJoining = false;
    else if (this.openPreferences) this.openPreferences();
    else reportProblem('SvcConsent.open() has nothing to open. Give createConsent() the option openPreferences.');
  }

  /** Whether the visitor is to be asked. */
  get isAsking(): boolean {
    return this.#view?.isAsking === true;
  }

  /** Calls back at once, and whenever something changes; until the page is looked at there is nothing to tell. */
  subscribe(listener: (snapshot: ConsentSnapshot) => void): () => void {
    // One function may be there twice.
    const own = (snapshot: ConsentSnapshot): void => listener(snapshot);
    this.#listeners.add(own);
    if (this.#snapshot) call(own, this.#snapshot);
    return () => this.#listeners.delete(own);
  }

  /** The notice, or null when there is none to be had (told in the console), or when it is a robot that asks. */
  async loadNotice(): Promise<Notice | null> {
    const session = await this.#findSession();
    return (await session?.loadNotice()) ?? null;
  }

  /** What a visitor granted before and need not be asked for anew. */
  carryOver(notice: Notice): Purposes {
    return this.#view ? carryOver(this.#view, notice) : {};
  }

  /** The receipt of the latest decision. */
  readReceipt(): RecordReceipt | null {
    const { noticeId, stored } = this.#view ?? {};
    return noticeId && stored ? readReceipt(noticeId, stored.decidedAt) : null;
  }

  /**
   * Takes the visitor's choice; at once when the notice is there, or not needed, so that a click counts even if the page goes
   * with it.
   * @returns what is in force then, or null when there is no notice to decide on: nothing is recorded.
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
    // What was recalled is no news of the notice: the next page looks for a newer version.
    if (notice !== session.notice) attempt(() => localStorage.removeItem(`${decisionKey(session.noticeId)}:checked`));
    return this.consent.api.get();
  }

  /** The notice of the latest decision, where the choice is about that: it is at hand, and the server need not be waited for. */
  #findAnswered(kind: HeadlessChoice['kind']): Notice | null {
    const notice = this.#session?.notice;
    if (kind === 'answer' || (kind === 'refusal' && (notice || this.isAsking))) return null;
    return notice && notice.version === this.#view?.stored?.noticeVersion ? notice : this.#recallNotice();
  }

  #recallNotice(): Notice | null {
    const { noticeId, stored } = this.#view ?? {};
    return noticeId && stored ? recallNotice(noticeId, stored) : null;
  }

  /** Stage one never asks a robot, and a page that is being prerendered later. */
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
    const options = { page, actions, panel: { parts: { keepCookies } }, onReceipt: () => this.#tell() };
    this.#session = noticeId ? new ConsentSession(options) : undefined;
  }

  #tell(): void {
    const snapshot = takeSnapshot(this.#view as PageView);
    this.#snapshot = snapshot;
    for (const listener of [...this.#listeners]) {
      // Who was told to stop by another listener is told no more, nor is what has become old meanwhile.
      if (this.#listeners.has(listener) && this.#snapshot === snapshot) call(listener, snapshot);
    }
  }
}

/** Whether the page is made ready before the visitor looks at it, if they ever do. */
function isPrerendering(): boolean {
  return (document as { prerendering?: boolean }).prerendering === true;
}

/** One listener that throws stops no other. */
function call(listener: (snapshot: ConsentSnapshot) => void, snapshot: ConsentSnapshot): void {
  try {
    listener(snapshot);
  } catch (error) {
    reportError(error);
  }
}
