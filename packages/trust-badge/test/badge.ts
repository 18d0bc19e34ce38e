import { nextFrame } from '@open-wc/testing';
import { mountSvcTrustBadge, type SvcTrustBadgeElement } from '../src/index.ts';
import {
  type BadgeOptions,
  createTenant,
  createTrust,
  type Network,
  replaceNetwork,
  type TrustData,
} from './trust-answers.ts';
import { waitUntil } from './wait-until.ts';

/** A badge on the page, and its network. */
export interface Shown {
  readonly badge: SvcTrustBadgeElement;
  readonly network: Network;
}

/** Adds a badge to the page and waits until it has rendered, without data. */
export async function awaitBadge(
  options: BadgeOptions = {},
  changes: Partial<TrustData> = {},
  prepare?: (network: Network, trust: TrustData) => void,
): Promise<Shown> {
  const tenant = createTenant();
  const trust = createTrust(tenant, changes);
  const network = replaceNetwork(trust);
  prepare?.(network, trust);
  const badge = mountSvcTrustBadge({ tenant, ...options });
  await waitUntil(() => badge.shadowRoot?.querySelector('.root'), 'the badge is drawn');
  return { badge, network };
}

/** The same, on a network that does not answer. */
export function awaitSilence(options: BadgeOptions = {}): Promise<Shown> {
  return awaitBadge(options, {}, (network) => {
    network.answer = () => new Promise(() => {});
  });
}

/** The same, and the network answers when `answer` is called. @param write the answer; default: the data. */
export async function awaitAnswer(
  options: BadgeOptions = {},
  write = (trust: TrustData) => Response.json({ data: trust }),
): Promise<Shown & { readonly answer: () => void }> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  let answer = (): void => {};
  const shown = await awaitBadge(options, {}, (network, trust) => {
    network.answer = () => promise;
    answer = () => resolve(write(trust));
  });
  return { ...shown, answer };
}

/** Three frames: whatever follows a change has been drawn by then. */
export async function settle(): Promise<void> {
  for (let frames = 0; frames < 3; frames++) await nextFrame();
}

/** Adds a badge to the page and waits for its data. */
export async function showBadge(options: BadgeOptions = {}, changes: Partial<TrustData> = {}): Promise<Shown> {
  const shown = await awaitBadge(options, changes);
  await waitUntil(() => hasData(shown.badge), 'the data is there');
  return shown;
}

/** Every variant has a name, which without data is the host; a floating one has it in its drawer. */
export function hasData(badge: Element): boolean {
  const name = badge.shadowRoot?.querySelector('[part=name]');
  return name != null && name.textContent !== location.host && name.textContent !== 'example.org';
}

export function query<T extends Element = HTMLElement>(badge: Element, selector: string): T | null | undefined {
  return badge.shadowRoot?.querySelector<T>(selector);
}

export function find<T extends Element = HTMLElement>(badge: Element, selector: string): T {
  const found = query<T>(badge, selector);
  if (!found) throw new Error(`${selector} is not there`);
  return found;
}

/** The text of a part as a reader sees it, without the marks that isolate names. */
export function readPart(badge: Element, part: string): string | undefined {
  return query(badge, `[part~=${part}]`)?.textContent?.trim();
}

/** Any color as the browser renders it: red, green, blue from 0 to 255. */
export function paintColour(colour: string): readonly [number, number, number] {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!canvas) throw new Error('no canvas');
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  return [red, green, blue];
}

/** Waits until changed attributes are rendered: at the end of the task. */
export async function drawAgain(): Promise<void> {
  await Promise.resolve();
}
