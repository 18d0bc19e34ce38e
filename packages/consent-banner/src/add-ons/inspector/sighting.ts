import type { FindingKind } from './finding.ts';

/** What one look at the page saw, before it is known what it means. */
export interface Sighting {
  readonly kind: FindingKind;
  readonly name: string;
  readonly initiator?: string | undefined;
  readonly count?: number | undefined;
  /** When it happened, in milliseconds from the beginning of the page; by default now. */
  readonly at?: number | undefined;
  /** The tag that it is about. */
  readonly tag?: HTMLElement | undefined;
  /** The purposes that hold the tag. */
  readonly purposes?: readonly string[] | undefined;
  /** Whether the tag waits. */
  readonly isHeld?: boolean | undefined;
}

/** The files of this package, and what they ask the server: they are no finding. */
const OWN = /\/svc-consent[-\w]*\.js$|\/svc-consent\/[\d.]+\/words\/|\/v1\/public\/consent\//;

/** The address of something that another origin sends, or undefined: for what is of this one, no request, or our own. */
export function readForeignAddress(address: string, base: string): URL | undefined {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (!url || !/^(http|ws)s?:$/.test(url.protocol) || url.host === location.host || OWN.test(url.pathname)) return;
  return url;
}
