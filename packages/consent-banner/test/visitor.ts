import { fixture, fixtureCleanup, html, nextFrame } from '@open-wc/testing';
import type { SvcConsentElement } from '../src/index.ts';
import { waitUntil } from './wait-until.ts';
import '../src/index.ts';
import type { Notice } from '../src/notice/notice.ts';
import { createNotice, type Network, replaceNetwork } from './network.ts';

/** A visitor on a page with the banner's element. */
export interface Visit {
  readonly noticeId: string;
  readonly element: SvcConsentElement;
  readonly network: Network;
}

/** Adds the element to the page; each visit has its own notice unless it returns to one. */
export async function visitPage(
  changes: Partial<Notice> = {},
  prepare?: (network: Network) => void,
  attributes: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  fixtureCleanup(); // Of two elements on one page only the first shows.
  const noticeId = changes.id ?? crypto.randomUUID();
  const network = replaceNetwork(createNotice(noticeId, changes));
  prepare?.(network);
  const holder = await fixture(html`<div></div>`);
  const element = document.createElement('svc-consent');
  for (const [name, value] of Object.entries({ 'notice-id': noticeId, ...attributes }))
    element.setAttribute(name, value);
  holder.append(element);
  return { noticeId, element, network };
}

/** A first visit, until the banner is visible and in its place. */
export async function meetBanner(
  changes?: Partial<Notice>,
  prepare?: (network: Network) => void,
  attributes?: Readonly<Record<string, string>>,
): Promise<Visit> {
  const visit = await visitPage(changes, prepare, attributes);
  await waitUntil(() => isBannerShown(visit), 'the banner shows');
  finishEntrance(find(visit, '.banner'));
  return visit;
}

/** Starts the entrance of a layer and of what is in it again, however long ago it was. */
export function replayEntrance(layer: HTMLElement): void {
  layer.style.display = 'none';
  layer.getBoundingClientRect();
  layer.style.display = '';
}

/** Moves a layer to its place at once: while it slides in, a box of 44 px can measure 43.99997. */
function finishEntrance(layer: Element): void {
  for (const animation of layer.getAnimations()) animation.finish();
}

/** The same visitor on another page of the site: nothing stays in memory. */
export async function returnToPage({ noticeId }: Visit, prepare?: (network: Network) => void): Promise<Visit> {
  await leavePage();
  return visitPage({ id: noticeId }, prepare);
}

/** Resets the page's state: another notice, to which there is no response, replaces this one. */
export async function leavePage(): Promise<void> {
  fixtureCleanup();
  replaceNetwork(createNotice(crypto.randomUUID()));
  await fixture(html`<svc-consent notice-id="another-page"></svc-consent>`);
}

export function find<T extends Element = HTMLElement>({ element }: Pick<Visit, 'element'>, selector: string): T {
  const found = element.shadowRoot?.querySelector<T>(selector);
  if (!found) throw new Error(`${selector} is not there`);
  return found;
}

export function isBannerShown({ element }: Pick<Visit, 'element'>): boolean {
  return element.shadowRoot?.querySelector('.banner:popover-open') != null;
}

export function isPanelShown({ element }: Pick<Visit, 'element'>): boolean {
  return element.shadowRoot?.querySelector('dialog:modal') != null;
}

export async function press(visit: Visit, selector: string): Promise<void> {
  find(visit, selector).click();
  await nextFrame();
}

export async function openPanel(visit: Visit): Promise<HTMLDialogElement> {
  window.SvcConsent.open();
  await waitUntil(() => isPanelShown(visit), 'the panel opens');
  const panel = find<HTMLDialogElement>(visit, 'dialog');
  finishEntrance(panel);
  return panel;
}

export function readStored({ noticeId }: Visit): Record<string, unknown> {
  return JSON.parse(localStorage.getItem(`svc-consent:${noticeId}`) ?? 'null');
}

export function listQueued({ noticeId }: Visit): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(`svc-consent:${noticeId}:record:`));
}
