/** Meaning of each status for a reader. */
export const statusNames: Readonly<Record<FindingStatus, string>> = {
  early: 'before consent',
  refused: 'though refused',
  unassigned: 'not assigned',
  granted: 'granted',
  held: 'held back',
  necessary: 'usually necessary',
};

/** Returns the owner of a finding, as far as that is known. */
export function nameOwner({ tracker }: Finding): string {
  return tracker ? `${tracker.name} (${tracker.owner}), usually ${tracker.purpose}` : 'unknown';
}

/** When it came. */
export function nameMoment({ firstSeen }: Finding): string {
  return firstSeen === null ? '-' : `${(firstSeen / 1000).toFixed(1)} s`;
}

/** Returns the kind of a finding, with what requested it and how often. */
export function nameKind({ kind, initiator, count }: Finding): string {
  return `${kind.replace('-', ' ')}${initiator ? ` by ${initiator}` : ''}${count > 1 ? ` x ${count}` : ''}`;
}

/** The findings as a table in Markdown and a list of changes. Names from the page are escaped, whatever they contain. */
export function writeMarkdown({ page, inspectedAt, findings, warnings, clearCookies }: PageFindings): string {
  const rows = findings.map((finding) => [
    nameKind(finding),
    finding.name,
    nameOwner(finding),
    statusNames[finding.status],
    nameMoment(finding),
    finding.purposes.join(' ') || '-',
    finding.writtenBy ?? '-',
  ]);
  const head = ['What', 'Name', 'Belongs to', 'Status', 'First seen', 'Held by', 'Written by'];
  const changes = findings.flatMap(({ kind, proposal }) => (proposal && kind !== 'cookie' ? proposal : []));
  return [
    `# What ${escapeText(page)} does`,
    '',
    inspectedAt,
    '',
    writeRow(head),
    writeRow(head.map(() => '---')),
    ...rows.map((row) => writeRow(row.map(escapeText))),
    '',
    ...(warnings.length
      ? ['To fix in the set-up of the banner:', '', ...warnings.map((one) => `- ${escapeText(one)}`), '']
      : []),
    ...(clearCookies ? ['The value for `clear-cookies`:', '', `    ${oneLine(clearCookies)}`, ''] : []),
    ...(changes.length ? ['The tags, held back:', '', ...changes.map((change) => `    ${oneLine(change)}`), ''] : []),
  ].join('\n');
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Every mark that Markdown knows is ASCII punctuation, and a backslash makes each of them text. */
function escapeText(text: string): string {
  return oneLine(text).replace(/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/g, '\\$&');
}

/** Without line breaks, and without the marks that change what a reader sees. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?');
}

/** Usual purpose of a tracker. `necessary` is only what works without consent in the usual reading of the law. */
export type TrackerPurpose = 'necessary' | 'preferences' | 'statistics' | 'marketing';

/** One of the known trackers. */
export interface Tracker {
  readonly name: string;
  readonly owner: string;
  readonly purpose: TrackerPurpose;
}

export type FindingKind =
  | 'cookie'
  | 'local-storage'
  | 'session-storage'
  | 'database'
  | 'cache'
  | 'service-worker'
  | 'request'
  | 'script'
  | 'frame'
  | 'image'
  | 'media'
  | 'link';

/**
 * How a finding relates to the visitor's decision:
 * `early`: before a decision; `refused`: after one that does not grant its purpose; `unassigned`: after a decision, and held
 * by no purpose; `granted`: its purposes are granted; `held`: it waits for them; `necessary`: usually needs no consent, going
 * by its name.
 */
export type FindingStatus = 'early' | 'refused' | 'unassigned' | 'granted' | 'held' | 'necessary';

/** One thing that the page does. It has names and addresses without their query, no values; only a proposal repeats its tag. */
export interface Finding {
  readonly kind: FindingKind;
  /** Name of a cookie, key, database or cache; origin of requests and images; address of a script, frame, player, link or worker. */
  readonly name: string;
  /** Initiator of a request: `script`, `img`, `fetch` and so on. */
  readonly initiator: string | null;
  /** How often it was seen. */
  readonly count: number;
  /** Tracker that it belongs to; null when it is not in the catalog. */
  readonly tracker: Tracker | null;
  readonly status: FindingStatus;
  /** Milliseconds from the beginning of the page until it was first seen; null for what is held back. */
  readonly firstSeen: number | null;
  readonly isBeforeDecision: boolean;
  /** The purposes that it waits for. */
  readonly purposes: readonly string[];
  /** Address of the script that wrote the cookie, if the write was observed; otherwise null. */
  readonly writtenBy: string | null;
  /**
   * Markup to put in the place of the tag, with all of its attributes and the whole address, or an entry for `clear-cookies`;
   * null if there is none.
   */
  readonly proposal: string | null;
}

export interface PageFindings {
  /** The address of the page without query and fragment. */
  readonly page: string;
  /** ISO 8601. */
  readonly inspectedAt: string;
  /** When the visitor decided first, in milliseconds from the beginning of the page; negative on an earlier one. */
  readonly decidedAt: number | null;
  readonly findings: readonly Finding[];
  /** Problems with the setup of the banner on the page. */
  readonly warnings: readonly string[];
  /** The value for `clear-cookies`: its present one, and an entry for each further cookie whose purpose is known. */
  readonly clearCookies: string;
}

/** Observation from one inspection of the page, before its meaning is known. */
export interface Sighting {
  readonly kind: FindingKind;
  readonly name: string;
  readonly initiator?: string | undefined;
  readonly count?: number | undefined;
  /** When it happened, in milliseconds from the beginning of the page; by default now. */
  readonly at?: number | undefined;
  /** The tag that it is about. */
  readonly tag?: HTMLElement | undefined;
  /** The purposes that the tag waits for. */
  readonly purposes?: readonly string[] | undefined;
  /** True if the tag waits. */
  readonly isBlocked?: boolean | undefined;
}

/** The files of this package, and what they ask the server: they are no finding. */
const OWN = /\/svc-consent[-\w]*\.js$|\/svc-consent\/[^/]+\/words\/|\/v1\/public\/consent\//;

/** The address of something that another origin sends, or undefined: for what is of this one, no request, or our own. */
export function readForeignAddress(address: string, base: string): URL | undefined {
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  if (!url || !/^(http|ws)s?:$/.test(url.protocol) || url.host === location.host || OWN.test(url.pathname)) return;
  return url;
}
