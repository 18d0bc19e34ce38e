/** A page with the built script on it, in a frame of the test. */
export interface VisitorFrame extends HTMLIFrameElement {
  readonly contentWindow: Window;
}

export interface VisitorFrameOptions {
  readonly noticeId: string;
  readonly copies?: number;
  /** Markup before the element. */
  readonly above?: string;
  /** Of the element, as markup. */
  readonly attributes?: string;
  readonly policy?: 'strict' | 'nonce' | 'untrusted';
  /** Of the page. */
  readonly language?: string;
  /** Where the script stands; `changed` and `missing` are about the second file. */
  readonly folder?:
    | '/visitor-page/copy'
    | '/visitor-page/changed'
    | '/visitor-page/missing'
    | '/visitor-page/unpaneled'
    | '/visitor-page/reworded'
    | '/visitor-page/relisted';
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

/** What the page's server was asked about a notice. */
export async function readSeen(noticeId: string): Promise<Seen> {
  return (await fetch(`/visitor-page/seen?notice=${noticeId}`)).json();
}

/** The paths that a page asked for, itself apart. */
export function listRequests(frame: VisitorFrame): readonly string[] {
  const entries = frame.contentWindow.performance.getEntriesByType('resource');
  return entries.map(({ name }) => new URL(name).pathname);
}
