import type { GppOptions } from '../src/add-ons/gpp/index.ts';
import type { Consent } from '../src/headless.ts';
import { waitUntil } from './wait-until.ts';

/** Response of the `ping` command, limited to the fields that the tests read. */
export interface Ping {
  readonly gppVersion: string;
  readonly cmpStatus: string;
  readonly cmpDisplayStatus: string;
  readonly signalStatus: string;
  readonly supportedAPIs: readonly string[];
  readonly cmpId: number;
  readonly sectionList: readonly number[];
  readonly applicableSections: readonly number[];
  readonly gppString: string;
  readonly parsedSections: Readonly<Record<string, readonly object[]>>;
}

export interface GppEvent {
  readonly eventName: string;
  readonly listenerId: number;
  readonly data: unknown;
  readonly pingData: Ping;
}

export type Gpp = (...args: readonly unknown[]) => unknown;

/** A page of its own, with the add-on and the banner on it, each as a module. */
export interface GppPage {
  readonly window: Window & {
    __gpp: Gpp;
    __gppEvents: GppEvent[];
    provide: (options: GppOptions) => void;
    /** On a page with a custom interface. */
    consent: Consent;
  };
  readonly document: Document;
  /** Messages that were logged as errors. */
  readonly errors: readonly string[];
  readonly noticeId: string;
}

export interface GppPageOptions {
  readonly options?: GppOptions;
  /** For a returning visitor. */
  readonly noticeId?: string;
  /** Markup before the add-on. */
  readonly prepare?: (page: GppPage['window']) => void;
  /** Of the banner's element. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Position of the banner before or after the add-on; `none`: no banner; `headless`: a custom interface. */
  readonly banner?: 'none' | 'first' | 'last' | 'headless';
}

const frames: HTMLIFrameElement[] = [];

export const plain: GppOptions = {
  optOuts: 'marketing: sale sharing targeted-advertising',
  notApplicable: 'sensitive-data additional-processing',
};

export function closePages(): void {
  for (const frame of frames.splice(0)) frame.remove();
}

/** Opens a page; the notice of the test server asks about `statistics`. */
export async function openGppPage({
  options = { ...plain, optOuts: 'statistics: sale sharing targeted-advertising' },
  noticeId = crypto.randomUUID(),
  prepare,
  banner = 'last',
  attributes = {},
}: GppPageOptions = {}): Promise<GppPage> {
  const frame = document.createElement('iframe');
  frame.src = '/visitor-page/blank';
  frame.width = '600';
  frame.height = '500';
  frames.push(frame);
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  const page = frame.contentWindow as GppPage['window'];
  const errors: string[] = [];
  (page as unknown as { console: Console }).console.error = (...parts: unknown[]) => errors.push(parts.join(' '));
  prepare?.(page);
  if (banner === 'first') await addBanner(page, noticeId, attributes);
  const folder = '/packages/consent-banner/src';
  await runModule(page, `import { provideGpp } from '${folder}/add-ons/gpp/index.ts'; window.provide = provideGpp;`);
  page.provide(options);
  page.__gppEvents = [];
  if (!prepare) page.__gpp('addEventListener', (event: GppEvent) => page.__gppEvents.push(event));
  if (banner === 'headless') {
    const given = JSON.stringify({ noticeId, apiBase: location.origin });
    const text = `import { createConsent } from '${folder}/headless.ts'; window.consent = createConsent(${given});`;
    await runModule(page, text);
  }
  if (banner === 'last') await addBanner(page, noticeId, attributes);
  return { window: page, document: page.document, errors, noticeId };
}

async function addBanner(page: Window, noticeId: string, attributes: object): Promise<void> {
  const element = page.document.createElement('svc-consent');
  for (const [name, value] of Object.entries({ 'notice-id': noticeId, ...attributes }))
    element.setAttribute(name, value);
  page.document.body.append(element);
  await runModule(page, `import '/packages/consent-banner/src/index.ts';`);
}

async function runModule({ document: page }: Window, text: string): Promise<void> {
  const script = page.createElement('script');
  const name = `ran-${crypto.randomUUID()}`;
  script.type = 'module';
  script.textContent = `${text}\ndocument.documentElement.setAttribute('${name}', '');`;
  page.head.append(script);
  await waitUntil(() => page.documentElement.hasAttribute(name), 'the module has run');
}

export function find({ document: page }: GppPage, selector: string): HTMLElement | null | undefined {
  return page.querySelector('svc-consent')?.shadowRoot?.querySelector<HTMLElement>(selector);
}

/** Waits for the banner and presses a button of it. */
export async function decide(page: GppPage, choice: 'accept' | 'reject'): Promise<void> {
  await isShown(page);
  find(page, `.banner [data-choice=${choice}]`)?.click();
}

/** Waits until the visitor sees a layer, and the page is notified of it. */
export async function isShown(page: GppPage): Promise<void> {
  await waitUntil(() => find(page, '.banner:popover-open, dialog:modal'), 'the layer shows');
  await waitUntil(() => ping(page).cmpDisplayStatus === 'visible', 'the page is notified');
}

/** Opens the panel, and presses a button of it. */
export async function changeTo(page: GppPage, choice: 'accept' | 'reject'): Promise<void> {
  page.window.SvcConsent.open();
  await isShown(page);
  find(page, `footer [data-choice=${choice}]`)?.click();
}

/** The value that a command passes to its callback, in the same task. */
export function ask<T>(
  { window: page }: Pick<GppPage, 'window'>,
  command: unknown,
  parameter?: unknown,
): readonly [T, boolean] {
  const answers: [T, boolean][] = [];
  const returned = page.__gpp(command, (data: T, isSuccess: boolean) => answers.push([data, isSuccess]), parameter);
  if (returned !== undefined || answers.length !== 1 || !answers[0]) throw new Error(`${command}: ${answers.length}`);
  return answers[0];
}

export function ping(page: Pick<GppPage, 'window'>): Ping {
  return ask<Ping>(page, 'ping')[0];
}

/** The fields of the first sub-section of a section. */
export function readCore(page: GppPage, section = 'usnat'): Readonly<Record<string, unknown>> {
  return { ...ask<readonly Record<string, unknown>[]>(page, 'getSection', section)[0][0] };
}

export function listEvents(page: GppPage): readonly (readonly [string, unknown])[] {
  return page.window.__gppEvents.map(({ eventName, data }) => [eventName, data]);
}
