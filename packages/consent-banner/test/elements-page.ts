import { defineConsentView, type SvcConsentViewElement } from '../src/add-ons/elements/index.ts';
import type { Notice } from '../src/notice.ts';
import { createNotice, type Network, replaceNetwork } from './network.ts';
import { waitUntil } from './wait-until.ts';

// A site's own markup, with a building block for each role.

export const markup = `
  <section data-svc="banner" aria-labelledby="banner-title" hidden>
    <h2 id="banner-title">Your privacy</h2>
    <p>May <span data-svc-text="controller"></span> count your visit?</p>
    <p data-svc-when="changed">It has changed since <time data-svc-text="decided-at"></time>.</p>
    <button data-svc="open">Choose</button>
    <div class="choices"><button data-svc="reject">Reject all</button><button data-svc="accept">Accept all</button></div>
  </section>
  <dialog data-svc="preferences" aria-labelledby="preferences-title">
    <h2 id="preferences-title">Preferences</h2>
    <ul>
      <template data-svc="purpose">
        <li>
          <label><input type="checkbox" data-svc="purpose-switch"> <span data-svc="purpose-name"></span></label>
          <span data-svc-when="required">Always on</span>
          <span data-svc-when="new">New</span>
          <p data-svc="purpose-description"></p>
        </li>
      </template>
    </ul>
    <button data-svc="save">Save</button>
    <button data-svc="close">Close</button>
    <div class="choices"><button data-svc="reject">Reject all</button><button data-svc="accept">Accept all</button></div>
  </dialog>
  <p data-svc-when="decided">
    You decided on <time data-svc-text="decided-at"></time>.
    <button data-svc="open">Change</button>
    <button data-svc="withdraw">Withdraw</button>
    <button data-svc="receipt">Receipt</button>
  </p>`;

const css = '.choices { display: grid; grid-template-columns: 1fr 1fr } [hidden] { display: none !important }';

export interface ViewVisit {
  readonly noticeId: string;
  readonly view: SvcConsentViewElement;
  readonly network: Network;
}

export interface ViewOptions {
  readonly notice?: Partial<Notice>;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly html?: string;
  readonly prepare?: (network: Network) => void;
  /** What a style sheet of the page says besides. */
  readonly css?: string;
  /** What it says, and nothing else. */
  readonly only?: string;
}

const sheet = new CSSStyleSheet();

/** Opens a page of a site with the view on it; each visit has a notice of its own unless it returns to one. */
export function visitView({
  notice = {},
  attributes = {},
  html = markup,
  prepare,
  css: more = '',
  only,
}: ViewOptions = {}): ViewVisit {
  defineConsentView();
  sheet.replaceSync(only ?? css + more);
  document.adoptedStyleSheets = [sheet];
  const noticeId = notice.id ?? crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId, notice));
  prepare?.(network);
  const view = document.createElement('svc-consent-view');
  view.innerHTML = html;
  for (const [name, value] of Object.entries({ 'notice-id': noticeId, ...attributes })) view.setAttribute(name, value);
  document.body.append(view);
  return { noticeId, view, network };
}

/** A first visit, up to the moment the banner is to be seen. */
export async function meetView(options: ViewOptions = {}): Promise<ViewVisit> {
  const visit = visitView(options);
  await waitUntil(() => isAsked(visit), 'the banner shows');
  return visit;
}

/** Takes the view away, and with it what the page knows of the notice. */
export async function leaveView(): Promise<void> {
  for (const view of document.querySelectorAll('svc-consent-view')) view.remove();
  document.adoptedStyleSheets = [];
  const { view } = visitView({ html: '' });
  await Promise.resolve();
  view.remove();
  await Promise.resolve();
  document.adoptedStyleSheets = [];
}

/** The same visitor on another page of the site. */
export async function returnToView({ noticeId }: ViewVisit, options: ViewOptions = {}): Promise<ViewVisit> {
  await leaveView();
  return visitView({ ...options, notice: { ...options.notice, id: noticeId } });
}

export function find<T extends HTMLElement = HTMLElement>({ view }: Pick<ViewVisit, 'view'>, selector: string): T {
  const found = view.querySelector<T>(selector);
  if (!found) throw new Error(`${selector} is not there`);
  return found;
}

export function findBanner(visit: ViewVisit): HTMLElement {
  return find(visit, '[data-svc=banner]');
}

export function findDialog(visit: ViewVisit): HTMLDialogElement {
  return find(visit, '[data-svc=preferences]');
}

export function isAsked({ view }: ViewVisit): boolean {
  return view.querySelector('[data-svc=banner]')?.checkVisibility() === true;
}

export function isPreferencesShown({ view }: ViewVisit): boolean {
  return view.querySelector('dialog:modal') !== null;
}

export async function openPreferences(visit: ViewVisit): Promise<HTMLDialogElement> {
  window.SvcConsent.open();
  await waitUntil(() => isPreferencesShown(visit), 'the preferences open');
  return findDialog(visit);
}

/** The switches of the preferences, in the order of the notice. */
export function listSwitches({ view }: ViewVisit): readonly HTMLInputElement[] {
  return [...view.querySelectorAll<HTMLInputElement>('dialog input')];
}

export function pressIn(layer: Element, role: string): void {
  const button = layer.querySelector<HTMLElement>(`[data-svc=${role}]`);
  if (!button) throw new Error(`no ${role} button`);
  button.click();
}

export const everything = { necessary: true, statistics: true, marketing: true };
export const nothingOptional = { necessary: true, statistics: false, marketing: false };
