import { reportProblem } from '../../report-problem.ts';
import { attempt } from '../../stub/attempt.ts';
import { ViewSession } from './view-session.ts';

// On a server there are no elements: the class can be named there, and does nothing.
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

/** The views of the page, in the order in which they came. */
const views = new Set<SvcConsentViewElement>();
/** The one that shows. Of the others each takes its place when it goes. */
let active: SvcConsentViewElement | undefined;
let isWaiting = false;
/** The address that this code came from: its origin has the API unless `api-base` says otherwise. */
let source = '';

/** Says where this code came from, before there are elements. */
export function setSource(address: string): void {
  source = address;
}

/**
 * Asks the visitor for consent with the page's own markup in it: what each part is for says its attribute `data-svc`. It has
 * no shadow root and no style. It replaces `<svc-consent>`, and stores, records and blocks in the same way.
 *
 * @element svc-consent-view
 *
 * @attr {string} notice-id - Id of the published notice. Required.
 * @attr {string} api-base - Address of the API. Default: the origin this script came from.
 * @attr {number} [max-age=365] - Days until a decision is asked for again.
 * @attr {number} refusal-max-age - The same for a refusal. Default: max-age.
 * @attr {string} cookie-domain - Domain whose hosts share one decision, kept in a cookie.
 * @attr {string} clear-cookies - Cookies to delete when a purpose is not granted: `statistics: _ga _ga_*; marketing: _fbp`.
 * @attr {string} consent-mode - Signals of Google Consent Mode for each purpose: `statistics: analytics_storage`.
 * @attr {boolean} [reload-on-withdrawal=false] - Reloads the page when consent is withdrawn on it, because a script that ran cannot be undone.
 *
 * @slot - The page's own markup: a banner, a dialog for the preferences, and what else there is to show.
 *
 * @fires {CustomEvent<ConsentState>} svc-consent - On `document`: the visitor decided, or a stored decision was found.
 *
 * @cssState asking - The visitor is to be asked.
 * @cssState decided - A decision is in force.
 * @cssState accepted - It grants every purpose that can be refused.
 * @cssState rejected - It grants none of them.
 * @cssState custom - It grants some of them.
 * @cssState changed - The visitor is asked again, for the notice has changed.
 * @cssState signal - The browser sends Global Privacy Control.
 * @cssState receipt - There is a receipt of the latest decision.
 * @cssState failed - The notice cannot be had.
 */
export class SvcConsentViewElement extends Base {
  static observedAttributes = [
    'notice-id',
    'api-base',
    'max-age',
    'refusal-max-age',
    'cookie-domain',
    'clear-cookies',
    'consent-mode',
    'reload-on-withdrawal',
  ];
  readonly #states = attempt(() => this.attachInternals().states);
  /** The attributes, for those who read them: on no page, so that no other element stands for them. */
  #settings: HTMLElement | undefined;
  #session: ViewSession | undefined;

  get noticeId(): string | null {
    return this.getAttribute('notice-id');
  }

  set noticeId(value: string | null) {
    this.setAttribute('notice-id', value ?? '');
  }

  get apiBase(): string | null {
    return this.getAttribute('api-base');
  }

  set apiBase(value: string | null) {
    this.setAttribute('api-base', value ?? '');
  }

  connectedCallback(): void {
    // Properties that a framework set before the class was defined are set again.
    for (const name of ['noticeId', 'apiBase'] as const) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      this[name] = value;
    }
    views.add(this);
    chooseSoon();
  }

  disconnectedCallback(): void {
    chooseSoon();
  }

  attributeChangedCallback(name: string): void {
    if (active !== this) return;
    if (['notice-id', 'api-base'].includes(name)) this.start();
    else if (this.#settings) this.#copy(name, this.#settings);
  }

  /** Starts again, with the attributes as they are. */
  start(): void {
    this.end();
    if (!this.noticeId) {
      reportProblem('notice-id is missing on <svc-consent-view>. Set it to the id of a published notice.');
      return;
    }
    const settings = Document.prototype.createElement.call(document, 'div');
    for (const name of SvcConsentViewElement.observedAttributes) this.#copy(name, settings);
    if (!this.apiBase) settings.setAttribute('api-base', new URL('/', source || location.href).href);
    // The page that draws the view is always a listener.
    settings.setAttribute('trigger', 'bottom-left');
    this.#settings = settings;
    const onStates = (names: ReadonlySet<string>): void => this.#setStates(names);
    try {
      this.#session = new ViewSession({ view: this, settings, onStates });
    } catch (error) {
      reportProblem(`<svc-consent-view>: ${(error as Error).message}`);
    }
  }

  /** Shows what is to be shown, after it was moved. */
  refresh(): void {
    this.#session?.refresh();
  }

  /** Hides what it shows, and follows the consent no more. */
  end(): void {
    this.#session?.end();
    this.#session = undefined;
  }

  #copy(name: string, settings: HTMLElement): void {
    const value = this.getAttribute(name);
    if (value === null) settings.removeAttribute(name);
    else settings.setAttribute(name, value);
  }

  /** A browser that knows custom states by another form only has none. */
  #setStates(names: ReadonlySet<string>): void {
    const states = this.#states;
    for (const name of [...(states ?? [])].filter((one) => !names.has(one))) states?.delete(name);
    for (const name of names) attempt(() => states?.add(name));
  }
}

/** Who is moved leaves the page and comes back in one task, and goes on as it was. */
function chooseSoon(): void {
  if (isWaiting) return;
  isWaiting = true;
  queueMicrotask(() => {
    isWaiting = false;
    for (const view of views) if (!view.isConnected) views.delete(view);
    const [first] = views;
    if (views.size > 1)
      reportProblem('there are two <svc-consent-view> on this page. Only the first is used: take the other away.');
    if (active?.isConnected) return active.refresh();
    active?.end();
    active = first;
    active?.start();
  });
}
