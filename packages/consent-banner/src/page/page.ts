import { BlockedContent, type MountContent } from '../blocked-content/blocked-content.ts';
import { decidedIn } from '../decision/grants.ts';
import { readRegion } from '../decision/region.ts';
import {
  checkedKey,
  DAY,
  decisionKey,
  findDecision,
  isInForce,
  isLess,
  isNext,
  type Purposes,
  regionKey,
  type StoredDecision,
} from '../decision/stored-decision.ts';
import {
  decidePurposes,
  fetchNotice,
  type LoadedNotice,
  type Notice,
  type Purpose,
  readInline,
} from '../notice/notice.ts';
import { type ConsentMethod, recallNotice } from '../records/consent-record.ts';
import { createRandomId, enqueueRecord } from '../records/record-queue.ts';
import { type AttributeName, CORNER, DOMAIN, readMapping, writeAddress } from './attributes.ts';
import { attempt, query, readItem, reportProblem, toJson, writeItem } from './browser.ts';
import { ConsentMode } from './consent-mode.ts';
import type { ConsentPage, DecisionListener, SvcConsent } from './consent-page.ts';
import {
  block,
  type Change,
  close,
  decide,
  emptyState,
  fail,
  join,
  load,
  type PagePlace,
  type PageState,
  prepare,
  recall,
  reduce,
  refresh,
} from './page-state.ts';

export interface PageOptions {
  /** The banner's script tag, if there is one. */
  readonly script: HTMLScriptElement | null;
  /** The address of this code: its origin is that of the API unless `api-base` is set. */
  readonly source: string;
  /** Loads what comes after the first paint: the panel, and the sending of records. */
  readonly loadPanel: (address: string) => Promise<(page: Page) => void>;
  /** Loads what blocks and releases tags, on a page that has some. */
  readonly loadContent: (address: string) => Promise<MountContent>;
  /** Called by `SvcConsent.open()` on a page with an interface of its own, which has no panel. */
  readonly openPreferences?: (() => void) | undefined;
}

const EVENT = 'svc-consent';
const ROBOT = /(?<!cu)bot|crawl|spider/i;

/** Connects the state of a page with its elements, its storage, its tags and the ledger. It shows nothing itself. */
export class Page implements ConsentPage {
  view: PageState = emptyState;
  /** The elements of the page. Only the first shows; if it is removed, the next one does. */
  readonly elements = new Set<HTMLElement>();
  /** The API for the page. */
  readonly api: SvcConsent;
  /** Where the layers are, if they cannot be in the element. */
  host: HTMLElement | undefined;
  /** The latest decision that was made on this page. */
  decided: StoredDecision | undefined;
  readonly #options: PageOptions;
  readonly #listeners = new Set<() => void>();
  readonly #hasPanel: boolean;
  readonly #blocked: BlockedContent;
  readonly roots: BlockedContent['roots'];
  #mode = new ConsentMode();
  /** True if a decision was the default before there was an element, whose attributes may say otherwise. */
  #isEarly = false;
  /** Where the notice was last loaded from. */
  #url = '';
  #loading: Promise<Notice | null> | undefined;
  /** The region that the element names. */
  #given = '';
  #mounting: Promise<void> | undefined;

  constructor(options: PageOptions) {
    const { script, openPreferences } = options;
    this.#options = options;
    this.#hasPanel = !openPreferences;
    this.#blocked = new BlockedContent(
      script?.nonce,
      () => this.view.allowed,
      () => options.loadContent(this.view.address),
      (frames) => {
        const known = this.view.frames;
        if (frames.length !== known.length || frames.some((one, at) => one !== known[at])) this.dispatch(block(frames));
        this.#findMore();
      },
    );
    this.roots = this.#blocked.roots;
    this.api = Object.freeze<SvcConsent>({
      get: () => this.view.state,
      onDecision: (listener) => this.#notify(listener),
      open: openPreferences ?? (() => this.open()),
      observe: (root) => this.#blocked.observe(root),
    });
    // If a page has two (the banner and a custom interface), each learns immediately what the other has stored.
    addEventListener.call(document, EVENT, (event) => {
      if ((event as CustomEvent).detail !== this.view.state) this.#followStored();
    });
    // For tags before the element, the attributes of the script count. Only the element knows the region: tags wait for it.
    const { consentMode, noticeId } = script?.dataset ?? {};
    const found = consentMode && noticeId ? findDecision(noticeId, false) : null;
    const isDecided = found !== null && isInForce(found, () => null, hasPrivacySignal());
    this.#sendMode(false, isDecided ? decidedIn(found, false) : {}, isDecided && !found.region);
    this.#isEarly = isDecided;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    listener();
    return () => this.#listeners.delete(listener);
  }

  /** Re-reads the first element and its attributes. */
  readonly refresh = (): void => {
    if ((document as { prerendering?: boolean }).prerendering) {
      document.addEventListener('prerenderingchange', this.refresh);
      return;
    }
    const [element] = this.elements;
    // A router that replaces the body removes the element for a moment: its region and language stay.
    if (!element) {
      this.dispatch(refresh({ element: undefined, root: undefined }));
      return;
    }
    const host = this.host ?? element;
    const root = this.#hasPanel ? (host.shadowRoot ?? host.attachShadow({ mode: 'open' })) : undefined;
    const noticeId = element.getAttribute('notice-id') ?? '';
    const address = writeAddress(noticeId, element.getAttribute('api-base'), this.#options.source);
    const given = element.getAttribute('region') ?? '';
    const region = readRegion(given);
    // Without its attribute it is unknown again.
    const isSame = this.#given === given;
    this.#given = given;
    if (this.view.address !== address) {
      this.#join({ element, root, noticeId, address, region, hasSignal: hasPrivacySignal(), isDue: !isRobot() });
    } else {
      this.dispatch(refresh({ element, root, region: isSame ? this.view.region : region }));
      if (this.#loading && this.#url !== this.writeUrl()) void this.loadNotice();
    }
  };

  /** The notice, fetched once for each language, or read from the element; null after a failure, and then it is fetched again. */
  loadNotice(): Promise<Notice | null> {
    const url = this.writeUrl();
    if (url !== this.#url || !this.#loading) {
      this.#url = url;
      this.#loading = this.#load(url);
    }
    return this.#loading;
  }

  /** Loads and mounts the panel once. After a failure, the next call tries again. */
  expectPanel(): void {
    this.#mounting ??= this.#options.loadPanel(this.view.address).then(
      (mount) => mount(this),
      (cause) => {
        this.#mounting = undefined;
        reportProblem(`${cause} cannot be loaded`);
        this.dispatch(fail);
      },
    );
  }

  /** The second script opens the panel, once it and the notice are there. */
  open(switchedOn: readonly string[] = []): void {
    if (!this.view.element) reportProblem('open() needs the element on the page');
    else {
      this.dispatch(prepare(switchedOn));
      this.expectPanel();
    }
  }

  close(): void {
    this.dispatch(close);
  }

  showOnce(tag: HTMLElement): void {
    this.#blocked.allowOnce(tag);
  }

  decide(isGranted: (purpose: Purpose) => boolean, method: ConsentMethod): void {
    if (this.view.notice) this.decideOn(this.view.notice, isGranted, method);
  }

  /** Records the visitor's choice about a notice: queued first, then stored and announced to the page, then sent. */
  decideOn(notice: Notice, isGranted: (purpose: Purpose) => boolean, method: ConsentMethod): void {
    const { noticeId, stored } = this.view;
    const region = this.view.region ?? undefined;
    const answer = decidePurposes(notice, isGranted, region ?? null);
    const decidedAt = new Date().toISOString();
    const subjectId = stored?.subjectId ?? createRandomId();
    const { version: noticeVersion, language } = notice;
    const record = { subjectId, purposes: answer.purposes, method, capturedAt: decidedAt, noticeVersion, region };
    enqueueRecord(this.view, notice, { ...record, ...(language && { language }) });
    const signal = hasPrivacySignal() && { signal: true };
    const stores: StoredDecision = { ...answer, noticeVersion, decidedAt, subjectId, ...signal, region };
    writeItem(decisionKey(noticeId), toJson(stores));
    writeItem(checkedKey(noticeId), String(Date.now()));
    this.decided = stores;
    this.#adopt(stores, true);
    this.expectPanel();
  }

  #read(name: AttributeName): string | null | undefined {
    return this.view.element?.getAttribute(name);
  }

  /** Where the notice is in the wanted language. */
  writeUrl(): string {
    const language = this.#read('language');
    return this.view.address + (language ? `?language=${encodeURIComponent(language)}` : '');
  }

  /** Changes the state, and brings what follows to the interface, the tags and the page. */
  dispatch(change: Change): void {
    const { address, state, allowed } = this.view;
    this.view = reduce(this.view, change);
    // The interface first: the banner goes in a frame of its own.
    for (const listener of this.#listeners) listener();
    if (address !== this.view.address) return;
    const isNew = this.view.state && this.view.state !== state;
    if (isNew || allowed !== this.view.allowed) {
      this.#sendMode(isNew);
      // A page behind another has no frames, and does not wait for them.
      requestAnimationFrame(this.#block);
      setTimeout(this.#block, 200);
    }
    if (isNew) dispatchEvent.call(document, new CustomEvent(EVENT, { detail: this.view.state }));
  }

  readonly #block = (): void => this.#blocked.start();

  /** Another notice replaces the one before. */
  #join(place: PagePlace): void {
    const hadGrants = Object.values(this.view.allowed).includes(true);
    this.#loading = undefined;
    // A request that is still under way belongs to another notice.
    this.#url = '';
    // After another notice's grants, a default would be too late.
    if (!hadGrants && !this.#options.script?.dataset.consentMode) this.#mode = new ConsentMode();
    this.dispatch(join(place));
    this.#followStored();
    if (!this.view.state && (hadGrants || this.#isEarly || this.#read('consent-mode'))) this.#sendMode(false);
    this.#isEarly = false;
    // A visitor who is asked has allowed nothing yet: the first paint comes before the tags.
    if (this.view.isDue) void this.loadNotice();
    if (hadGrants || !this.view.isDue) this.#block();
    waitForIdle(() => this.#startDeferred(place.address));
  }

  /** Work that is not urgent: it is done after the first paint. */
  #startDeferred(address: string): void {
    if (address !== this.view.address) return;
    this.#block();
    // Listening to storage events makes the browser open the storage. Earlier events are not missed.
    for (const type of ['storage', 'pageshow', 'focus']) addEventListener(type, this.#followStored);
    this.#followStored();
    if (isRobot()) return;
    const isTriggered = CORNER.test(this.#read('trigger') ?? '') && this.view.stored;
    // The button has a text.
    if (isTriggered && !this.recallStored()) void this.loadNotice();
    const { state, region, noticeId, allowed, isNarrowed } = this.view;
    const isDue = state && !(Math.abs(Date.now() - (readItem(checkedKey(noticeId)) as never)) < DAY);
    const hasMore = isDue || region || isNarrowed || hasQueue() || hasLeftovers(this.#read('clear-cookies'), allowed);
    if (hasMore) this.expectPanel();
    this.#findMore();
  }

  /** The second script defines the optional elements, and shows placeholders for blocked content. */
  readonly #findMore = (): void => {
    const { element, frames, notice, isFailed } = this.view;
    // After a failure it waits for the visitor: a page can change many times a second.
    if (!element || isFailed || isRobot()) return;
    if (frames[0] && !notice) void this.loadNotice();
    if (!this.#mounting && (frames[0] || query('svc-privacy-choices,svc-cookie-list'))) this.expectPanel();
  };

  async #load(url: string): Promise<Notice | null> {
    const { element, noticeId } = this.view;
    try {
      if (!noticeId || url.startsWith('/')) throw new Error('notice-id or api-base is invalid');
      const inline = element && readInline(element, noticeId, this.#read('language') ?? '');
      // Without a response, the region is the one that was known before.
      const loaded = inline ? { notice: inline, region: this.view.region } : await fetchNotice(url, noticeId);
      if (url === this.#url) this.#offer(loaded);
      if (url === this.#url) return loaded.notice;
      return this.#url ? this.loadNotice() : null;
    } catch (error) {
      reportProblem(`no notice from ${url}: ${error}`);
      if (url !== this.#url) return null;
      this.dispatch(fail);
      this.#loading = undefined;
      return null;
    }
  }

  #offer(loaded: LoadedNotice): void {
    this.dispatch(load(loaded.notice, this.#given ? readRegion(this.#given) : loaded.region));
    // After the first paint.
    if (this.view.isDue) requestAnimationFrame(() => waitForIdle(() => this.expectPanel()));
  }

  /** Shows the notice of the stored decision. @returns whether it is known. */
  recallStored(): boolean {
    const { noticeId, stored } = this.view;
    const notice = stored && recallNotice(noticeId, stored);
    if (notice) this.dispatch(recall(notice));
    return this.view.notice !== null;
  }

  /** The notice or the region has changed since the decision. */
  renew(loaded: LoadedNotice): void {
    this.#url = this.writeUrl();
    this.#loading = Promise.resolve(loaded.notice);
    this.#offer(loaded);
  }

  readonly #followStored = (): void => {
    const isShared = DOMAIN.test(this.#read('cookie-domain') ?? '');
    if (this.view.address) this.follow(findDecision(this.view.noticeId, isShared));
  };

  /**
   * Adopts a decision that was made elsewhere. Cleared storage is not a withdrawal: this page keeps its state. A withdrawal
   * always counts, because the clock may have been set back.
   */
  follow(decision: unknown): void {
    const { stored } = this.view;
    if (isNext(decision, stored) || (stored && isNext(decision, null) && isLess(decision, stored)))
      this.#adopt(decision, false);
  }

  #adopt(decision: StoredDecision, isOwn: boolean): void {
    const isStillInForce = isInForce(decision, (name) => this.#read(name), hasPrivacySignal());
    // An element that names no valid region knows none, and visitors may have moved since an old decision.
    const region =
      isStillInForce && !this.#given ? readRegion(readItem(regionKey(this.view.noticeId)) ?? decision.region) : null;
    this.dispatch(decide(decision, { isInForce: isStillInForce, isOwn, region }));
  }

  #sendMode(isNew: unknown, purposes = this.view.allowed, isDecided = this.view.state !== null): void {
    const { consentMode, layer } = this.#options.script?.dataset ?? {};
    this.#mode.send(
      this.#read('consent-mode') ?? consentMode,
      this.#read('data-layer') ?? layer,
      purposes,
      isDecided,
      isNew,
    );
  }

  /**
   * Through the document's event, so that one listener that throws does not stop the others. The methods are the window's: an
   * image of the name `addEventListener` shadows the document's.
   */
  #notify(listener: DecisionListener): () => void {
    const notify = (): void => {
      if (this.view.state) listener(this.view.state);
    };
    addEventListener.call(document, EVENT, notify);
    notify();
    return () => removeEventListener.call(document, EVENT, notify);
  }
}

/** Checks whether the browser sends Global Privacy Control, https://www.w3.org/TR/gpc/. */
function hasPrivacySignal(): boolean {
  return (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
}

function isRobot(): boolean {
  return ROBOT.test(navigator.userAgent);
}

/** Runs even on a page that is never idle. */
function waitForIdle(work: () => void): void {
  // Without idle callbacks it is a timer.
  (window.requestIdleCallback ?? setTimeout)(work, { timeout: 2_000 } as never);
}

/**
 * Checks whether there are cookies of purposes that are not allowed.
 * @param mapping purposes to names; a name may be a prefix with an asterisk.
 */
export function hasLeftovers(mapping: string | null | undefined, purposes: Purposes): boolean {
  return readMapping(mapping).some(
    ([key, name]) =>
      purposes[key] !== true && attempt(() => `; ${document.cookie}`.includes(`; ${name}=`.replace('*=', ''))),
  );
}

/** Checks whether there are records to send. */
export function hasQueue(): boolean | undefined {
  return attempt(() => Object.keys(localStorage).some((key) => /^svc-consent:.+:record:/.test(key)));
}
