import { attempt } from './attempt.ts';
import { tellConsentMode } from './consent-mode.ts';
import type { ConsentInterface, ConsentState, DecisionListener, LoadInterface, SvcConsent } from './consent-state.ts';
import { findDecision, isInForce, isOlder } from './find-decision.ts';
import { releaseTags } from './held-tags.ts';
import { requestNotice, writeAddress } from './notice-address.ts';
import { decisionKey, isDecision, type StoredDecision } from './stored-decision.ts';

export interface PageOptions {
  /** Our own script tag, if there is one. */
  readonly script: HTMLScriptElement | null;
  /** The address this code came from: its origin has the API unless `api-base` says otherwise. */
  readonly source: string;
  readonly loadInterface: LoadInterface;
}

export interface PageConsent extends SvcConsent {
  /** The elements of the page. Copies are harmless: only the first shows, the next takes its place when it goes. */
  readonly elements: Set<HTMLElement>;
  /** Looks anew at the first element: what it asks for, and whether there is something to show. */
  refresh(): void;
}

const DAY = 86_400_000;
const EVENT = 'svc-consent';

/** Stage one: the consent of a page, who listens to it and what waits for it. It shows nothing itself. */
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
  let channel: BroadcastChannel | undefined;
  let answer: Promise<Response> | undefined;
  let ui: ConsentInterface | undefined;
  let loading: Promise<void> | undefined;
  let isBroken = false;

  const findElement = (): HTMLElement | undefined => elements.values().next().value;
  const read = (name: string): string | null | undefined => findElement()?.getAttribute(name);

  function refresh(): void {
    if ((document as { prerendering?: boolean }).prerendering) {
      document.addEventListener('prerenderingchange', refresh, { once: true });
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
    noticeId = id;
    state = stored = null;
    granted = {};
    answer = undefined;
    channel?.close();
    channel = new BroadcastChannel(decisionKey(id));
    channel.onmessage = ({ data }) => follow(data);
    if (read('consent-mode')) tellMode('default');
    followStored();
    isAsking = !state;
    release();
    if (state) (window.requestIdleCallback ?? setTimeout)(() => void checkVersion());
  }

  /** Loads the interface only where there is something for it to do. Nobody asks a robot. */
  function show(): void {
    const start = `${decisionKey(noticeId)}:record:`;
    const hasRecords = () => attempt(() => Object.keys(localStorage).some((key) => key.startsWith(start)));
    if (ui) ui.update({ element: findElement(), noticeId, address, state, stored, isAsking, frames });
    else if (
      elements.size &&
      !isBroken &&
      !/bot|crawl|spider/i.test(navigator.userAgent) &&
      (isAsking || frames[0] || read('trigger') || hasRecords())
    ) {
      void load();
    }
  }

  function load(): Promise<void> {
    if (noticeId && !state && !answer) {
      answer = requestNotice(address);
      answer.catch(() => {}); // Whoever shows the notice tells what is wrong with it.
    }
    loading ??= loadInterface().then(
      (mount) => {
        ui ??= mount({ fetchNotice, decide });
        show();
      },
      // Nothing is shown and nothing granted then. `open()` tries again, nobody else does.
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

  function decide(decision: StoredDecision): void {
    channel?.postMessage(decision);
    take(decision);
  }

  function followStored(): void {
    if (address) follow(findDecision(noticeId, !!read('cookie-domain')));
  }

  /** Takes over what was decided elsewhere. Cleared storage is no withdrawal: this page keeps what it knows. */
  function follow(decision: unknown): void {
    if (isDecision(decision) && !isOlder(decision, stored)) take(decision);
  }

  function take(decision: StoredDecision): void {
    stored = decision;
    if (!isInForce(decision, read)) return;
    state = Object.freeze({ decided: true, purposes: Object.freeze({ ...decision.purposes }) });
    isAsking = false;
    show();
    tellMode('update');
    document.dispatchEvent(new CustomEvent(EVENT, { detail: state }));
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
    const isConcerned = waiting[0] ?? frames[0];
    frames = waiting;
    if (isConcerned) show();
  }

  /** Whether the notice says something new: asked once a day, when the page has nothing else to do. */
  async function checkVersion(): Promise<void> {
    const before = stored;
    const key = `${decisionKey(noticeId)}:checked`;
    try {
      if (Math.abs(Date.now() - Number(localStorage.getItem(key))) < DAY) return;
      localStorage.setItem(key, String(Date.now()));
      const { data } = await (await requestNotice(address, 'low')).json();
      if (before !== stored || data.version <= Number(stored?.noticeVersion)) return;
      localStorage.removeItem(key); // Until the visitor has answered, the next page asks, too.
      isAsking = true;
      show();
    } catch {}
  }

  function tellMode(command: 'default' | 'update'): void {
    tellConsentMode(command, read('consent-mode') ?? script?.dataset.consentMode, state?.purposes ?? {});
  }

  /** By way of the document's event, so that one listener that throws stops no other. */
  function onDecision(listener: DecisionListener): () => void {
    const tell = (): void => {
      if (state) listener(state);
    };
    document.addEventListener(EVENT, tell);
    tell();
    return () => document.removeEventListener(EVENT, tell);
  }

  function open(): void {
    if (ui) ui.open();
    else void load().then(() => ui?.open());
  }

  tellMode('default');
  // A page that comes back, from a cache or from behind another tab, has missed what was told meanwhile.
  for (const type of ['storage', 'pageshow', 'focus']) addEventListener(type, followStored);
  new MutationObserver(release).observe(document, { childList: true, subtree: true });
  return { elements, refresh, get: () => state, onDecision, open };
}
