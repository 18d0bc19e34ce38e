import { isOptOut } from '../../decision/grants.ts';
import { attempt, reportProblem, toJson } from '../../page/browser.ts';
import type { PageView } from '../../page/consent-page.ts';
import {
  findPage,
  followConsent,
  listLocked,
  readChoices,
  reportRequiredPurposes,
  reportUnknownPurposes,
} from '../follow-consent.ts';
import { writeSections } from './encode.ts';
import { createGppApi, type Gpp, type GppState } from './gpp-api.ts';
import { findApplicable, type GppOptions, readSettings } from './gpp-settings.ts';

export type { Gpp } from './gpp-api.ts';
export type { GppOptions } from './gpp-settings.ts';

/**
 * Provides `window.__gpp`, IAB's Global Privacy Platform, for the sections of the United States. What the visitor has objected
 * to is opted out; so is everything before a decision where consent is needed or the region is unknown, and for every invalid
 * setting. Where nothing needs consent (an opt-out region), what is on by its basis is not opted out. On a server it does nothing.
 */
export function provideGpp(options: GppOptions): void {
  if (!globalThis.document) return;
  const stub = readStub();
  if (!stub) {
    reportProblem('data-sections: another consent platform provides __gpp. Leave one of the two out.');
    return;
  }
  const settings = readSettings(options);
  let view: PageView | undefined;
  let isLoaded = false;

  function describe(): GppState {
    // An interface of the page has no root, and shows nothing that we know of.
    const isShown = view?.root !== undefined && view.layer !== 'none';
    // A choice that the visitor is about to change is not reliable.
    const isReady = view?.state ? !isShown : isLoaded && (isInForce(view) || settings.isReadyUndecided || hasGpc());
    return {
      cmpStatus: isLoaded ? 'loaded' : 'loading',
      cmpDisplayStatus: isShown ? 'visible' : 'hidden',
      signalStatus: isReady ? 'ready' : 'not ready',
      applicableSections: findApplicable(settings, view?.region ?? null),
      sections: writeSections(settings, view ? readChoices(view) : {}, hasGpc()),
    };
  }

  function update(isDecision = false): void {
    api.update(describe(), isDecision);
  }

  const api = createGppApi({ cmpId: settings.cmpId, initial: describe(), listeners: stub.listeners });
  takeOver(api.call, stub);
  if (!stub.hasMessages) answerFrames(api.call);
  addLocator();
  followConsent((next) => {
    const isDecision = next.state !== null && next.state !== view?.state;
    view = next;
    if (isDecision) {
      isLoaded = true;
      reportUnknownPurposes('data-opt-outs', settings.mapping, next.allowed);
      reportRequiredPurposes('data-opt-outs', settings.mapping, listLocked(next) ?? []);
    }
    update(isDecision);
  });
  void waitForBanner().then(() => {
    isLoaded = true;
    update();
  });
}

/** Checks whether what is on by its basis is in force without a decision. */
function isInForce(view: PageView | undefined): boolean {
  return !!view?.notice && isOptOut(view.notice.purposes, view.region);
}

/** Global Privacy Control, https://www.w3.org/TR/gpc/: an opt-out that is already made. */
function hasGpc(): boolean {
  return (navigator as { globalPrivacyControl?: unknown }).globalPrivacyControl === true;
}

/**
 * Until the banner has started and the page is parsed, a stored decision may still be found. With the page's own interface,
 * or a blocked banner, none comes: visitors who need not be asked wait only for the page.
 */
async function waitForBanner(): Promise<void> {
  if (!findPage()) await Promise.race([customElements.whenDefined('svc-consent'), waitForPage()]);
  if (document.readyState === 'loading') {
    await new Promise((done) => addEventListener.call(document, 'DOMContentLoaded', done, { once: true }));
  }
}

async function waitForPage(): Promise<void> {
  if (document.readyState !== 'complete') await new Promise((done) => addEventListener('load', done, { once: true }));
  // A script that runs in this task may still insert the banner.
  await new Promise((done) => setTimeout(done));
}

type Listener = (data: unknown, isSuccess: boolean) => void;

/** State kept by the page's stub: https://github.com/InteractiveAdvertisingBureau/Global-Privacy-Platform (stub code). */
interface StubRemains {
  /** The calls that wait, in their order. */
  readonly queue: readonly (readonly unknown[])[];
  readonly listeners: ReadonlyMap<number, Listener>;
  /** True if the stub already answers the messages of frames, through `__gpp`. */
  readonly hasMessages: boolean;
}

interface Stub {
  (...args: readonly unknown[]): unknown;
  readonly queue?: unknown;
  readonly events?: unknown;
}

/**
 * Reads the `__gpp` that was there before us.
 * @returns null where that is no stub but a whole consent platform: there must be one only.
 */
function readStub(): StubRemains | null {
  const { __gpp: stub, __gpp_msghandler: handler } = window as { __gpp?: Stub; __gpp_msghandler?: unknown };
  if (typeof stub !== 'function') return { queue: [], listeners: new Map(), hasMessages: false };
  if (!isStub(stub)) return null;
  const queue = readList(stub.queue) ?? readList(attempt(() => stub())) ?? [];
  const events = readList(stub.events) ?? readList(attempt(() => stub('events'))) ?? [];
  const listeners = new Map<number, Listener>();
  for (const event of events) {
    const { id, callback } = Object(event) as { readonly id?: unknown; readonly callback?: unknown };
    if (Number.isSafeInteger(id) && typeof callback === 'function') listeners.set(id as number, callback as Listener);
  }
  return { queue: queue.filter(Array.isArray), listeners, hasMessages: typeof handler === 'function' };
}

function readList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** A stub says so when it is asked; the oldest ones return what the later ones call back with. */
function isStub(stub: Stub): boolean {
  let reply: unknown;
  const returned = attempt(() =>
    stub('ping', (data: unknown) => {
      reply = data;
    }),
  );
  const { cmpStatus } = Object(reply ?? returned) as { readonly cmpStatus?: unknown };
  return cmpStatus === undefined || cmpStatus === 'stub';
}

/** Puts the API in the place of the stub, and works off what waited there. */
function takeOver(call: Gpp, { queue }: StubRemains): void {
  Object.defineProperty(window, '__gpp', { value: call, configurable: true, writable: true, enumerable: true });
  for (const args of queue) call(...(args as Parameters<Gpp>));
}

const LOCATOR = '__gppLocator';

interface GppCall {
  readonly command?: unknown;
  readonly parameter?: unknown;
  readonly version?: unknown;
  readonly callId?: unknown;
}

/**
 * Answers the frames of the page, which call by message, each in the form it asked in: text or object. They find the
 * window that answers by its frame `__gppLocator`.
 */
function answerFrames(call: Gpp): void {
  addEventListener('message', ({ data, source, origin }) => {
    const isText = typeof data === 'string';
    const message: unknown = isText ? attempt(() => JSON.parse(data)) : data;
    const { __gppCall: asked } = Object(message) as { readonly __gppCall?: GppCall };
    if (typeof asked !== 'object' || asked === null) return;
    const { command, parameter, version, callId } = asked;
    const reply = (returnValue: unknown, success: boolean): void => {
      const answer = { __gppReturn: { returnValue, success, callId } };
      // A sandboxed frame has no origin that could be named; any other frame's answer goes only to its origin.
      const target = origin === 'null' ? '*' : origin;
      source?.postMessage(isText ? toJson(answer) : answer, { targetOrigin: target });
    };
    call(command, reply, parameter, version);
  });
}

/**
 * Adds the frame that marks this window: beside the body, which a client router may replace. Through the prototype, because an
 * image named `createElement` would shadow the method on `document`.
 */
function addLocator(): void {
  const { prototype } = Document;
  if (prototype.querySelector.call(document, `:root > iframe[name="${LOCATOR}"]`)) return;
  const frame = prototype.createElement.call(document, 'iframe');
  const root = Reflect.get(prototype, 'documentElement', document) as HTMLElement;
  root.append(Object.assign(frame, { name: LOCATOR, hidden: true }));
}
