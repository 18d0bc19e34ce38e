import type { TcfOptions } from '../src/add-ons/tcf/index.ts';
import type { Consent } from '../src/headless.ts';
import { createNotice, json } from './network.ts';
import { createVendorList } from './tcf-vendor-list.ts';
import { waitUntil } from './wait-until.ts';

/** The fields of an answer of `__tcfapi` that the tests read. */
export interface TcData {
  readonly tcString: string;
  readonly eventStatus: string | undefined;
  readonly cmpStatus: string;
  readonly listenerId: number | undefined;
  readonly gdprApplies: boolean;
  readonly purpose: Readonly<Record<'consents' | 'legitimateInterests', Readonly<Record<string, boolean>>>>;
  readonly vendor: Readonly<
    Record<'consents' | 'legitimateInterests' | 'disclosedVendors', Readonly<Record<string, boolean>>>
  >;
  readonly specialFeatureOptins: Readonly<Record<string, boolean>>;
  readonly [name: string]: unknown;
}

type TcfFunction = (command: string, version: unknown, callback: unknown, parameter?: unknown) => unknown;

export interface TcfWindow extends Window {
  readonly consent: Consent;
  __tcfapi: TcfFunction;
}

export interface TcfPage {
  readonly frame: HTMLIFrameElement;
  readonly window: TcfWindow;
  readonly document: Document;
  readonly noticeId: string;
  /** What was logged as an error. */
  readonly errors: readonly string[];
  /** What listeners received, in order. */
  readonly events: readonly TcData[];
  /** The requested addresses. */
  readonly requests: readonly string[];
}

export interface TcfPageOptions {
  readonly noticeId?: string;
  readonly options?: Partial<Record<keyof TcfOptions, unknown>>;
  /** How the network responds to the request for the vendor list. */
  readonly answerList?: () => Response | Promise<Response>;
  readonly banner?: Readonly<Record<string, string>> | null;
  /** Whether the page has a custom interface, as `window.consent`. */
  readonly isHeadless?: boolean;
  /** Markup before the scripts. */
  readonly above?: string;
  /** Runs in the page before any script of ours. */
  readonly prepare?: (window: TcfWindow) => void;
  readonly language?: string;
  readonly direction?: string;
}

export const tcfOptions = {
  cmpId: 31,
  cmpVersion: 2,
  publisherCountry: 'DE',
  vendorList: '/vendor-list.json',
  vendors: [1, 2, 3, 4, 5],
  purposes: 'marketing: 1 2 3 4 7; statistics: 7 8 9 10; location: s1',
} as const satisfies TcfOptions;

const pages: HTMLIFrameElement[] = [];

/** Removes every page that was opened. */
export function closePages(): void {
  for (const frame of pages.splice(0)) frame.remove();
}

/** A whole page of a visitor in a frame: the banner, whose notice has the purposes marketing, statistics and location, and the add-on. */
export async function openTcfPage(given: TcfPageOptions = {}): Promise<TcfPage> {
  const { noticeId = crypto.randomUUID(), options, banner = {}, above = '', prepare, language = 'en' } = given;
  const frame = document.createElement('iframe');
  Object.assign(frame, { src: '/visitor-page/blank', width: '700', height: '600', title: 'A page' });
  await new Promise((resolve) => {
    frame.addEventListener('load', resolve, { once: true });
    document.body.append(frame);
  });
  pages.push(frame);
  const page = frame.contentWindow as TcfWindow;
  const { document: inner } = page;
  const { documentElement: root, body, head } = inner;
  root.lang = language;
  if (given.direction) root.dir = given.direction;
  body.innerHTML = `<main><h1>A page</h1>${above}</main>`;
  const errors: string[] = [];
  const events: TcData[] = [];
  const requests: string[] = [];
  const { answerList = () => json(createVendorList()) } = given;
  Object.assign(page, {
    fetch: async (address: unknown) => {
      const { pathname } = new URL(String(address), page.location.href);
      requests.push(pathname);
      if (pathname.endsWith('/records')) return json({ data: {} }, { status: 201 });
      if (pathname.includes('/v1/public/consent/')) return json({ data: createTcfNotice(noticeId) });
      if (pathname.includes('purposes-')) return json(createTranslation());
      return answerList();
    },
  });
  (page as unknown as { console: Console }).console.error = (...parts: unknown[]) => errors.push(parts.join(' '));
  prepare?.(page);
  if (banner) {
    const element = createIn(inner, 'svc-consent');
    for (const [name, value] of Object.entries({ 'notice-id': noticeId, ...banner })) element.setAttribute(name, value);
    body.append(element);
  }
  const all = JSON.stringify({ ...tcfOptions, ...options });
  await runModule(
    createIn(inner, 'script'),
    head,
    `${banner ? "import '/packages/consent-banner/src/index.ts';" : ''}
    import { startTcf } from '/packages/consent-banner/src/add-ons/tcf/index.ts';
    startTcf(${all});
    ${given.isHeadless ? writeHeadless(noticeId) : ''}`,
  );
  page.__tcfapi?.('addEventListener', 2, (data: TcData | null) => data && events.push(data));
  return { frame, window: page, document: inner, noticeId, errors, events, requests };
}

function writeHeadless(noticeId: string): string {
  const options = JSON.stringify({ noticeId, apiBase: location.origin });
  return `import { createConsent } from '/packages/consent-banner/src/headless.ts';
    window.consent = createConsent(${options});`;
}

/** From the prototype, because a page may have an image of that name. */
function createIn<Name extends keyof HTMLElementTagNameMap>(inner: Document, name: Name): HTMLElementTagNameMap[Name] {
  return Document.prototype.createElement.call(inner, name) as HTMLElementTagNameMap[Name];
}

async function runModule(script: HTMLScriptElement, head: HTMLElement, code: string): Promise<void> {
  const absolute = code.replaceAll("'/packages", `'${location.origin}/packages`);
  const src = URL.createObjectURL(new Blob([absolute], { type: 'text/javascript' }));
  Object.assign(script, { type: 'module', src });
  await new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
    head.append(script);
  });
}

function createTcfNotice(id: string): object {
  const purposes = ['necessary', 'marketing', 'statistics', 'location'].map((key) => ({
    key,
    label: key,
    description: `About ${key}.`,
    required: key === 'necessary',
  }));
  return createNotice(id, { purposes });
}

function createTranslation(): object {
  const { purposes } = createVendorList() as { purposes: Record<string, { name: string }> };
  const translated = Object.entries(purposes).map(([id, term]) => [id, { ...term, name: `Zweck ${id}` }]);
  return { ...createVendorList(), purposes: Object.fromEntries(translated) };
}

/** Calls the API once. */
export function ask<T>(
  { window: page }: Pick<TcfPage, 'window'>,
  command: string,
  parameter?: unknown,
  version: unknown = 2,
): Promise<{ readonly answer: T; readonly success: boolean | undefined }> {
  return new Promise((resolve) => {
    page.__tcfapi(command, version, (answer: T, success?: boolean) => resolve({ answer, success }), parameter);
  });
}

/** The ids that are on. */
export const listIds = (flags: Readonly<Record<string, boolean>> = {}): readonly number[] =>
  Object.entries(flags).flatMap(([id, isOn]) => (isOn ? Number(id) : []));

/** Everything that is granted in an answer, by ids. */
export function readGrants({ purpose, vendor, specialFeatureOptins }: TcData) {
  return {
    purposes: listIds(purpose.consents),
    purposeInterests: listIds(purpose.legitimateInterests),
    vendors: listIds(vendor.consents),
    vendorInterests: listIds(vendor.legitimateInterests),
    features: listIds(specialFeatureOptins),
    disclosed: listIds(vendor.disclosedVendors),
  };
}

/** No vendor is disclosed, and nothing is granted. */
export const nothingGranted = {
  purposes: [],
  purposeInterests: [],
  vendors: [],
  vendorInterests: [],
  features: [],
  disclosed: [],
};

export function findInBanner(page: TcfPage, selector: string): HTMLElement | undefined {
  return page.document.querySelector('svc-consent')?.shadowRoot?.querySelector<HTMLElement>(selector) ?? undefined;
}

export function findInLayer<T extends HTMLElement = HTMLElement>(page: TcfPage, selector: string): T | undefined {
  return page.document.querySelector('svc-consent-vendors')?.shadowRoot?.querySelector<T>(selector) ?? undefined;
}

/** The button of the line about the partners, once it is visible. */
export function findPartnersButton({ document: inner }: TcfPage): HTMLButtonElement | undefined {
  const line = inner.querySelector<HTMLElement>('svc-consent > [slot=more]');
  return line?.checkVisibility() ? (line.shadowRoot?.querySelector('button') ?? undefined) : undefined;
}

/** Waits until the banner is shown, and the page is notified of it. */
export async function meetTcfBanner(given: TcfPageOptions = {}): Promise<TcfPage> {
  const page = await openTcfPage(given);
  await waitUntil(() => page.events.at(-1)?.eventStatus === 'cmpuishown', 'the banner is reported as shown');
  return page;
}

/** Decides in the first layer. */
export async function decideInBanner(page: TcfPage, choice: 'accept' | 'reject'): Promise<void> {
  findInBanner(page, `.banner [data-choice=${choice}]`)?.click();
  await waitUntil(() => page.events.at(-1)?.eventStatus === 'useractioncomplete', 'the decision is reported');
}

export async function openLayer(page: TcfPage): Promise<void> {
  const opener = page.document.querySelector<HTMLElement>('[data-svc-vendors]') ?? findPartnersButton(page);
  opener?.click();
  await waitUntil(() => findInLayer(page, 'dialog:modal'), 'the layer opens');
}

export function findSwitch(page: TcfPage, kind: 'consent' | 'interest', id: number): HTMLInputElement {
  const input = findInLayer<HTMLInputElement>(page, `input[aria-labelledby="name-${id} ${kind}-${id}"]`);
  if (!input) throw new Error(`There is no switch ${kind} for vendor ${id}`);
  return input;
}

export function readVendorChoices({ noticeId }: TcfPage): Record<string, unknown> | null {
  return JSON.parse(localStorage.getItem(`svc-consent:${noticeId}:vendors`) ?? 'null');
}

/** The violations that axe finds in the vendors' layer, run within the page. */
export async function listAxeFindings(page: TcfPage, rules: object = {}): Promise<readonly string[]> {
  const window = page.window as unknown as { axe?: typeof import('axe-core') };
  if (!window.axe) {
    const script = createIn(page.document, 'script');
    script.src = '/node_modules/axe-core/axe.min.js';
    page.document.head.append(script);
    await waitUntil(() => window.axe, 'axe is loaded');
  }
  const element = page.document.querySelector('svc-consent-vendors') as HTMLElement;
  const { violations } = (await window.axe?.run(element, { rules } as object)) ?? { violations: [] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
