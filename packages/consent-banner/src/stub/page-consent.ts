import { attempt } from './attempt.ts';
import { CORNER, DOMAIN } from './attribute-values.ts';
import { tellConsentMode } from './consent-mode.ts';
import type { ConsentInterface, ConsentState, DecisionListener, LoadInterface, SvcConsent } from './consent-state.ts';
import { DAY, findDecision, isInForce, isLess, isNext } from './find-decision.ts';
import { hasLeftovers } from './has-leftovers.ts';
import { releaseTags } from './held-tags.ts';
import { requestNotice, writeAddress } from './notice-address.ts';
import { decisionKey, type StoredDecision } from './stored-decision.ts';

export interface PageOptions {
  /** The banner's script tag, if there is one. */
  readonly script: HTMLScriptElement | null;
  /** The address of this code: its origin is that of the API unless `api-base` is set. */
  readonly source: string;
  readonly loadInterface: LoadInterface;
}

export interface PageConsent {
  /** The API for the page. */
  readonly api: SvcConsent;
  /** The elements of the page. Only the first shows; if it is removed, the next one does. */
  readonly elements: Set<HTMLElement>;
  /** Re-reads the first element: its attributes, and whether there is something to show. */
  refresh(): void;
}

const EVENT = 'svc-consent';
/** Runs even on a page that is never idle. Without idle callbacks it is a timer. */
const IDLE: unknown = { timeout: 2_000 };

/** Stage one: the consent of a page, its listeners and its blocked tags. It shows nothing itself. */
export function createPageConsent({ script, source, loadInterface }: PageOptions): PageConsent {
  const elements = new Set<HTMLElement>();
  const released = new WeakSet<Element>();
  let noticeId = '';
  let address = '';
  let state: ConsentState | null = null;
  let stored: StoredDecision | null = null;
  let isAsking = false;
  let frames: readonly HTMLElement[] = [];
  let granted: ConsentState['purposes'] = {};
  let answer: Promise<Response> | undefined;
  let ui: ConsentInterface | undefined;
  let loading: Promise<void> | undefined;
  let isBroken = false;
  let isIdle = false;

  const findElement = (): HTMLElement | undefined => elements.values().next().value;
  const read = (name: string): string | null | undefined => findElement()?.getAttribute(name);

  function refresh(): void {
    if ((document as { prerendering?: boolean }).prerendering) {
      document.addEventListener('prerenderingchange', refresh);
      return;
    }
    const id = read('notice-id') ?? '';
    const current = writeAddress(id, read('api-base'), source);
    if (elements.size && current !== address) {
      address = current;
      start(id);
    }
    show();
  }

  function start(id: string): void {
    const before = state;
    noticeId = id;
    state = stored = null;
    granted = {};
    answer = undefined;
    // After another notice's grants, a default would be too late.
    if (before) tellMode('update');
    else if (read('consent-mode')) tellMode('default');
    followStored();
    isAsking = !state;
    release();
    (window.requestIdleCallback ?? setTimeout)(lookFurther, IDLE as object);
  }

  /**
   * Work that is not urgent. Listening to storage events makes the browser open the storage, and cookies are in another
   * process. Earlier events are not missed.
   */
  function lookFurther(): void {
    isIdle = true;
    for (const type of ['storage', 'pageshow', 'focus']) addEventListener(type, followStored);
    followStored();
    if (!ui) show();
    if (state) void checkVersion();
  }

  /** Loads the interface only if it has something to do. Robots are never asked. */
  function show(): void {
    if (ui) ui.update({ element: findElement(), noticeId, address, state, stored, isAsking, frames });
    else if (
      elements.size &&
      !isBroken &&
      (isAsking || frames[0] || (isIdle && hasMore())) &&
      !/(?<!cu)bot|crawl|spider/i.test(navigator.userAgent)
    ) {
      void load();
    }
  }

  /** Whether there is a button to show, a cookie to delete, or a record to send. */
  function hasMore(): unknown {
    return (
      CORNER.test(read('trigger') ?? '') ||
      hasLeftovers(read('clear-cookies'), state?.purposes ?? {}) ||
      attempt(() => Object.keys(localStorage).some((key) => /^svc-consent:.+:record:/.test(key)))
    );
  }

  function load(): Promise<void> {
    if (noticeId && !state && !answer) {
      answer = requestNotice(address);
      answer.catch(() => {}); // The code that shows the notice reports errors.
    }
    loading ??= loadInterface().then(
      (mount) => {
        ui ??= mount({ fetchNotice, decide, follow });
        show();
      },
      // Then nothing is shown or granted. Only `open()` retries.
      (cause) => {
        loading = undefined;
        isBroken = true;
        console.error(`<svc-consent>: nothing to show (${cause}). Check that file and your CSP.`);
      },
    );
    return loading;
  }

  function fetchNotice(): Promise<Response> {
    const asked = answer ?? requestNotice(address);
    answer = undefined;
    return asked;
  }

  function followStored(): void {
    if (address) follow(findDecision(noticeId, DOMAIN.test(read('cookie-domain') ?? '')));
  }

  /**
   * Adopts a decision that was made elsewhere. Cleared storage is not a withdrawal: this page keeps its state. A withdrawal
   * always counts, because the clock may have been set back.
   */
  function follow(decision: unknown): void {
    if (isNext(decision, stored) || (stored && isNext(decision, null) && isLess(decision, stored))) decide(decision);
  }

  function decide(decision: StoredDecision): void {
    stored = decision;
    if (!isInForce(decision, read)) return;
    state = Object.freeze({ decided: true, purposes: Object.freeze({ ...decision.purposes }) });
    isAsking = false;
    show();
    tellMode('update');
    dispatchEvent.call(document, new CustomEvent(EVENT, { detail: state }));
    // The banner goes first, in a frame of its own. A page behind another has no frames, and does not wait for them.
    requestAnimationFrame(releaseGranted);
    setTimeout(releaseGranted, 200);
  }

  function releaseGranted(): void {
    granted = state?.purposes ?? {};
    release();
  }

  function release(): void {
    const waiting = releaseTags(released, granted, script?.nonce);
    if (waiting.length === frames.length && waiting.every((one, at) => one === frames[at])) return;
    frames = waiting;
    show();
  }

  /** Whether the notice says something new: asked once a day, when the page has nothing else to do. */
  async function checkVersion(): Promise<void> {
    const before = stored;
    const key = `${decisionKey(noticeId)}:checked`;
    try {
      if (Math.abs(Date.now() - localStorage[key]) < DAY) return;
      localStorage[key] = Date.now();
      const { data } = await (await requestNotice(address)).json();
      if (before !== stored || data.version <= (stored as StoredDecision).noticeVersion) return;
      delete localStorage[key]; // Until the visitor has answered, the next page asks, too.
      isAsking = true;
      show();
    } catch {}
  }

  function tellMode(command: 'default' | 'update'): void {
    tellConsentMode(command, read('consent-mode') ?? script?.dataset.consentMode, state?.purposes ?? {});
  }

  /**
   * Through the document's event, so that one listener that throws does not stop the others. The methods are the window's: an
   * image of the name `addEventListener` shadows the document's.
   */
  function onDecision(listener: DecisionListener): () => void {
    const notify = (): void => {
      if (state) listener(state);
    };
    addEventListener.call(document, EVENT, notify);
    notify();
    return () => removeEventListener.call(document, EVENT, notify);
  }

  function open(): void {
    if (ui) ui.open();
    else void load().then(() => ui?.open());
  }

  // If a page has two (the banner and a custom interface), each learns immediately what the other has stored.
  addEventListener.call(document, EVENT, (event) => (event as CustomEvent).detail === state || followStored());
  tellMode('default');
  new MutationObserver(release).observe(document, { childList: true, subtree: true });
  return { elements, refresh, api: Object.freeze({ get: () => state, onDecision, open }) };
}
