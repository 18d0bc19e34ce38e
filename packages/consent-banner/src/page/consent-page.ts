import type { Purposes, StoredDecision } from '../decision/stored-decision.ts';
import type { Notice, Purpose } from '../notice/notice.ts';
import type { ConsentMethod } from '../records/consent-record.ts';

/** Visible layer: nothing, the first layer, or the panel, which covers the first layer. */
export type Layer = 'none' | 'first' | 'panel';

/** The state of a page's consent at one moment. */
export interface PageView {
  /** The first of the page's elements, which shows the interface. */
  readonly element: HTMLElement | undefined;
  /** Its shadow root. The layers are children of the element `#root` in it, which has the theme. */
  readonly root: ShadowRoot | undefined;
  readonly noticeId: string;
  /** The public address of the notice; without an origin if `api-base` is invalid. */
  readonly address: string;
  /** Null until it is loaded. After a failure the notice of the stored decision, if there is one. */
  readonly notice: Notice | null;
  /** True if `notice` is the one that the visitor decided on, because the current notice could not be loaded. */
  readonly isRecalled: boolean;
  /** True if the notice or the panel could not be loaded, until the next attempt. */
  readonly isFailed: boolean;
  /** True if the visitor requested the panel, and it is not open yet. */
  readonly isOpening: boolean;
  /** The latest decision, in force or not. */
  readonly stored: StoredDecision | null;
  /** The decision in force, as far as it counts in the region. */
  readonly state: ConsentState | null;
  /** Purposes that are allowed now: by decision, or before one by the basis in a known region. */
  readonly allowed: Purposes;
  /** ISO 3166; null if it is unknown: then consent is needed for every purpose. */
  readonly region: string | null;
  /** True if the browser sends Global Privacy Control. */
  readonly hasSignal: boolean;
  /** True if the visitor is to be asked: undecided, decided too long ago, or about an older notice. */
  readonly isAsking: boolean;
  readonly layer: Layer;
  /** The purposes whose switches the panel shows as on although they are not saved. */
  readonly switchedOn: readonly string[];
  /** The blocked frames, images and videos with a place in the page, in document order. */
  readonly frames: readonly HTMLElement[];
}

/** Consent of a page for an interface: the state that it sees, and the actions that it can take. */
export interface ConsentPage {
  /** Replaced after each change. */
  readonly view: PageView;
  /** Where tags are blocked and released: the document, and what `SvcConsent.observe()` got. */
  readonly roots?: ReadonlySet<WeakRef<Node>>;
  /** Calls back at once and after each change, in the order of the subscriptions. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** The notice, fetched once; null after a failure, which is logged, and then it is fetched again. */
  loadNotice(): Promise<Notice | null>;
  /** Records the visitor's choice about the notice in the view, and closes the layers. */
  decide(isGranted: (purpose: Purpose) => boolean, method: ConsentMethod): void;
  /** Loads a blocked element for this page view, and records nothing. */
  showOnce(tag: HTMLElement): void;
  /** Opens the panel, with these purposes switched on and not yet saved. */
  open(switchedOn?: readonly string[]): void;
  /** Closes the panel without a decision. */
  close(): void;
  /** Loads the panel's script early, because the visitor is likely to open the panel next. */
  expectPanel(): void;
}

/** Decision of the visitor. */
export interface ConsentState {
  readonly decided: true;
  /** Purpose key to granted; required purposes are always true. */
  readonly purposes: Purposes;
}

export type DecisionListener = (state: ConsentState) => void;

/** `window.SvcConsent`: the API for the page. */
export interface SvcConsent {
  /** The decision, or null before there is one. */
  get(): ConsentState | null;
  /** Calls back on each decision, immediately if there already is one. Returns a function that unsubscribes. */
  onDecision(listener: DecisionListener): () => void;
  /** Opens the preferences panel again. */
  open(): void;
  /**
   * Also blocks and releases tags in a shadow root, also in a closed one. Call it when the root has its content or before; it
   * need not be undone when the element is removed. Returns a function that stops it.
   */
  observe(root: ShadowRoot): () => void;
}

/** Sets `SvcConsent` on the window: read-only, so that no script of the page overwrites it by accident. */
export function publishApi(value: SvcConsent): void {
  publish('SvcConsent', value);
}

/** Gives the page to the add-ons, which need to know what is allowed before a decision. */
export function publishPage(value: ConsentPage): void {
  publish(Symbol.for('svc-consent'), value);
  dispatchEvent.call(document, new Event('svc-consent-page'));
}

function publish(name: string | symbol, value: unknown): void {
  // Without a prototype, because an inherited `get` would make the descriptor invalid.
  Object.defineProperty(window, name, { __proto__: null, value, configurable: true } as PropertyDescriptor);
}
