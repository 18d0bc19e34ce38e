import { waitUntil } from './wait-until.ts';

/** A page with the built script on it, in a frame of the test. */
export interface VisitorFrame extends HTMLIFrameElement {
  readonly contentWindow: Window;
}

export interface VisitorFrameOptions {
  readonly noticeId: string;
  readonly copies?: number;
  /** Markup in the head. */
  readonly head?: string;
  /** Markup before the element. */
  readonly above?: string;
  /** Markup behind the script. */
  readonly below?: string;
  /** Of the element, as markup. */
  readonly attributes?: string;
  readonly policy?: 'strict' | 'nonce' | 'untrusted' | 'none';
  /** Of the page. */
  readonly language?: string;
  /** Where the script is: `changed` and `missing` are about the second file, `partless` about those that it loads. */
  readonly folder?: '/visitor-page/copy' | '/visitor-page/changed' | '/visitor-page/missing' | '/visitor-page/partless';
  /** True if the notice is in the element. */
  readonly isInline?: boolean;
  readonly sandbox?: string;
  readonly hash?: string;
}

export interface Seen {
  readonly records: readonly Record<string, unknown>[];
  readonly noticeReads: number;
}

/** Opens a page and waits until it is loaded. */
export async function openFrame({ noticeId, sandbox, hash, ...rest }: VisitorFrameOptions): Promise<VisitorFrame> {
  const frame = document.createElement('iframe');
  const given = Object.entries({ notice: noticeId, ...rest }).map(([name, value]) => [name, String(value)]);
  if (sandbox !== undefined) frame.setAttribute('sandbox', sandbox);
  frame.src = `/visitor-page?${new URLSearchParams(given)}${hash ?? ''}`;
  frame.width = '600';
  frame.height = '500';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  return frame as VisitorFrame;
}

export function query(frame: HTMLIFrameElement, selector: string): HTMLElement | null | undefined {
  return frame.contentDocument?.querySelector('svc-consent')?.shadowRoot?.querySelector<HTMLElement>(selector);
}

/** Requests about a notice that the page's server received. */
export async function readSeen(noticeId: string): Promise<Seen> {
  return (await fetch(`/visitor-page/seen?notice=${noticeId}`)).json();
}

/** The paths that a page asked for, itself apart. */
export function listRequests(frame: VisitorFrame): readonly string[] {
  const entries = frame.contentWindow.performance.getEntriesByType('resource');
  return entries.map(({ name }) => new URL(name).pathname);
}

/** Violations that the page's policy has reported since the page was loaded. */
export async function listViolations({ contentWindow }: VisitorFrame): Promise<readonly unknown[]> {
  const { ReportingObserver } = contentWindow as unknown as {
    ReportingObserver: new (...args: unknown[]) => { observe(): void };
  };
  const found: unknown[] = [];
  const keep = (reports: readonly { readonly body: { readonly effectiveDirective: string } }[]): void => {
    found.push(...reports.map(({ body }) => body.effectiveDirective));
  };
  new ReportingObserver(keep, { types: ['csp-violation'], buffered: true }).observe();
  // One of our own comes behind all that were before it.
  contentWindow.document.body.setAttribute('style', 'color: red');
  await waitUntil(() => found.at(-1) === 'style-src-attr', 'the last one is reported');
  return found.slice(0, -1);
}

/** The globals of the page that a blank one does not have, in order. */
export function listNames({ contentWindow }: VisitorFrame): readonly string[] {
  const blank = document.body.appendChild(document.createElement('iframe'));
  const usual = new Set(Reflect.ownKeys(blank.contentWindow ?? {}));
  blank.remove();
  const added = Reflect.ownKeys(contentWindow).filter((name) => !usual.has(name) && !/^\d+$/.test(String(name)));
  return added.map(String).sort();
}
