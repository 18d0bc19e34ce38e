import type { Purposes } from '../../decision/stored-decision.ts';
import { readMapping } from '../../page/attributes.ts';
import { query } from '../../page/browser.ts';
import { isMatch } from '../../page/cookies.ts';
import { findTrackerByHost, findTrackerByName, type KnownTracker } from '../catalogue.ts';
import { findPage } from '../follow-consent.ts';
import { checkPage } from './check-page.ts';
import { findCookieStore, listRequests, listStorage, listTags, nameAddress } from './list-findings.ts';
import type { Finding, FindingKind, FindingStatus, PageFindings, Sighting, TrackerPurpose } from './report.ts';
import { type CookieWatch, DecisionHistory, watchCookies, watchFocus } from './watch-page.ts';

export interface InspectionOptions {
  /** Purposes to cookies, as in the banner's attribute. Default: the attribute of the banner on the page. */
  readonly clearCookies?: string | undefined;
}

/** How often the storage is looked at, in milliseconds. */
const LOOK_AGAIN = 1_000;
const SOON = 100;
/** Data stored in the browser: whether it is allowed depends on the decision now, not on when it was written. */
const LASTING: readonly FindingKind[] = ['cookie', 'local-storage', 'session-storage', 'database', 'cache'];

/** Inspects a page repeatedly, and remembers when it saw each finding first. */
export class Inspection {
  readonly #options: InspectionOptions;
  readonly #history: DecisionHistory;
  readonly #firstSeen = new Map<string, number>();
  readonly #entries = new Set<PerformanceEntry>(performance.getEntriesByType('resource'));
  readonly #ended = new AbortController();
  readonly #observers: { disconnect(): void }[] = [];
  #cookies: CookieWatch | undefined;
  readonly #problems = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onChange = (): void => {};

  constructor(options: InspectionOptions = {}) {
    this.#options = options;
    this.#history = new DecisionHistory(() => this.#expect());
  }

  /** Calls back soon after a change that may be visible. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
    const expect = (): void => this.#expect();
    const requests = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.#entries.add(entry);
      expect();
    });
    requests.observe({ type: 'resource' });
    const tags = new MutationObserver(expect);
    tags.observe(document, { childList: true, subtree: true, attributeFilter: ['src', 'href'] });
    this.#observers.push(requests, tags);
    this.#cookies = watchCookies(expect);
    const { signal } = this.#ended;
    findCookieStore()?.addEventListener('change', expect, { signal });
    // There is no event for the page's own writes to its storage.
    const interval = setInterval(expect, LOOK_AGAIN);
    signal.addEventListener('abort', () => clearInterval(interval));
    const stop = watchFocus((problem) => {
      this.#problems.add(problem);
      expect();
    });
    signal.addEventListener('abort', stop);
  }

  end(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
    for (const observer of this.#observers) observer.disconnect();
    this.#cookies?.stop();
    this.#history.stop();
    this.#onChange = () => {};
  }

  /** Inspects the page once. It reads names only, sends nothing and changes nothing. */
  async look(): Promise<PageFindings> {
    const tags = listTags();
    const sightings = [...(await listStorage()), ...listRequests(this.#entries), ...tags];
    const mapping = readMapping(this.#options.clearCookies ?? this.#readAttribute());
    const known = this.#listPurposes(tags, mapping);
    const findings = sightings.map((sighting) => this.#judge(sighting, { tags, mapping, known }));
    const proposed = findings.filter(
      ({ kind, purposes, proposal }) =>
        kind === 'cookie' && !purposes.length && !proposal?.startsWith(`${UNKNOWN_PURPOSE}:`),
    );
    const added = proposed.flatMap(({ proposal }) => readMapping(proposal));
    return {
      page: location.origin + location.pathname,
      inspectedAt: new Date().toISOString(),
      decidedAt: round(this.#history.decidedAt),
      findings,
      warnings: [...checkPage(findPage()?.view), ...this.#problems],
      clearCookies: writeMapping([...mapping, ...added]),
    };
  }

  #expect(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#onChange();
    }, SOON);
  }

  #readAttribute(): string | null | undefined {
    const element = query('svc-consent[clear-cookies]');
    return element?.getAttribute('clear-cookies');
  }

  /** The keys that this page uses. */
  #listPurposes(tags: readonly Sighting[], mapping: ReturnType<typeof readMapping>): readonly string[] {
    const keys = tags.flatMap(({ tag }) => tag?.dataset.svcPurpose?.match(/[^\s,]+/g) ?? []);
    return [...Object.keys(this.#history.current ?? {}), ...mapping.map(([key]) => key), ...keys];
  }

  #judge(sighting: Sighting, { tags, mapping, known }: PageFacts): Finding {
    const { kind, name, initiator = null, count = 1, isBlocked = false } = sighting;
    const tracker = findTracker(sighting);
    const purposes = listNeeds(sighting, tags, mapping);
    const firstSeen = isBlocked ? null : this.#remember(sighting);
    const isBeforeDecision = firstSeen !== null && this.#history.readAt(firstSeen) === null;
    const granted =
      firstSeen === null || LASTING.includes(kind) ? this.#history.current : this.#history.readAt(firstSeen);
    const status = isBlocked ? 'held' : nameStatus({ tracker, purposes, granted, isBeforeDecision });
    return {
      kind,
      name,
      initiator,
      count,
      tracker: tracker && { name: tracker.name, owner: tracker.owner, purpose: tracker.purpose },
      status,
      firstSeen: round(firstSeen),
      isBeforeDecision,
      purposes,
      writtenBy: (kind === 'cookie' && this.#cookies?.writers.get(name)) || null,
      proposal: purposes.length || status === 'necessary' ? null : propose(sighting, tracker, known),
    };
  }

  #remember({ kind, name, initiator = '', at = performance.now() }: Sighting): number {
    const key = `${kind} ${initiator} ${name}`;
    const first = Math.min(at, this.#firstSeen.get(key) ?? Infinity);
    this.#firstSeen.set(key, first);
    return first;
  }
}

interface PageFacts {
  readonly tags: readonly Sighting[];
  readonly mapping: ReturnType<typeof readMapping>;
  readonly known: readonly string[];
}

interface Circumstances {
  readonly tracker: KnownTracker | null;
  readonly purposes: readonly string[];
  readonly granted: Purposes | null;
  readonly isBeforeDecision: boolean;
}

function nameStatus({ tracker, purposes, granted, isBeforeDecision }: Circumstances): FindingStatus {
  if (!purposes.length && tracker?.purpose === 'necessary') return 'necessary';
  if (granted && purposes.some((key) => granted[key] !== true)) return 'refused';
  if (isBeforeDecision || !granted) return 'early';
  return purposes.length ? 'granted' : 'unassigned';
}

function findTracker({ kind, name }: Sighting): KnownTracker | null {
  return LASTING.includes(kind) ? findTrackerByName(name) : findTrackerByHost(new URL(name).hostname);
}

/** The purposes that it waits for: by the tag itself, by `clear-cookies`, or by a tag that requests the same origin. */
function listNeeds(
  { kind, name, purposes = [] }: Sighting,
  tags: readonly Sighting[],
  mapping: PageFacts['mapping'],
): readonly string[] {
  const byName = kind === 'cookie' ? mapping.filter(([, pattern]) => isMatch(name, pattern)).map(([key]) => key) : [];
  const sameOrigin = (tag: Sighting): boolean => new URL(tag.name).origin === name;
  const byTag = kind === 'request' ? tags.filter(sameOrigin).flatMap((tag) => tag.purposes ?? []) : [];
  return [...new Set([...purposes, ...byName, ...byTag])];
}

function propose({ kind, name, tag }: Sighting, tracker: KnownTracker | null, known: readonly string[]): string | null {
  const purpose = choosePurpose(tracker?.purpose, known);
  if (kind === 'cookie') return proposeClearing(tracker?.pattern ?? name, purpose);
  if (!tag) return null;
  // A purpose that is already named there was set by the owner.
  return proposeMarkup(tag, kind, tag.dataset.svcPurpose || purpose);
}

function writeMapping(pairs: PageFacts['mapping']): string {
  const keys = [...new Set(pairs.map(([key]) => key))];
  const listNames = (key: string) => [...new Set(pairs.filter(([one]) => one === key).map(([, name]) => name))];
  return keys.map((key) => `${key}: ${listNames(key).join(' ')}`).join('; ');
}

function round(moment: number | null): number | null {
  return moment === null ? null : Math.round(moment);
}

/** Placeholder where only the site owner knows the purpose; a tag with it waits forever. */
const UNKNOWN_PURPOSE = 'your-purpose';

/** Names of the usual purposes in notices. */
const synonyms: Readonly<Record<TrackerPurpose, readonly string[]>> = {
  necessary: ['necessary', 'essential', 'required'],
  preferences: ['preferences', 'functional', 'functionality', 'comfort', 'external'],
  statistics: ['statistics', 'analytics', 'measurement', 'performance'],
  marketing: ['marketing', 'advertising', 'ads', 'targeting'],
};

/** The key to name for a usual purpose: what this page calls it, as far as that is known. */
function choosePurpose(purpose: TrackerPurpose | undefined, known: readonly string[]): string {
  if (!purpose) return UNKNOWN_PURPOSE;
  return synonyms[purpose].find((key) => known.includes(key)) ?? purpose;
}

/** An entry for `clear-cookies`; null for a name that its grammar cannot hold. */
function proposeClearing(pattern: string, purpose: string): string | null {
  return /^[^\s:;]+$/.test(pattern) ? `${purpose}: ${pattern}` : null;
}

/** The same tag, held back: its address and type are put where the browser does not look. */
function proposeMarkup(tag: HTMLElement, kind: FindingKind, purpose: string): string {
  const address = nameAddress(tag);
  const isScript = kind === 'script';
  const isMoved = (name: string): boolean =>
    name === address || /^(srcset|poster)$/.test(name) || (isScript && name === 'type');
  const kept = [...tag.attributes].filter(({ name }) => !/^(data-svc-purpose|nonce)$/.test(name));
  const attributes: readonly (readonly [name: string, value: string])[] = [
    ...(isScript ? ([['type', 'text/plain']] as const) : []),
    ['data-svc-purpose', purpose],
    ...kept.map(({ name, value }) => [isMoved(name) ? `data-svc-${name}` : name, value] as const),
  ];
  const written = attributes.map(([name, value]) => (value ? ` ${name}="${escapeValue(value)}"` : ` ${name}`));
  const end = /^(link|img|source|embed)$/.test(tag.localName) ? '' : `</${tag.localName}>`;
  return `<${tag.localName}${written.join('')}>${end}`;
}

/**
 * In one line, with nothing that ends an attribute or turns around what a reader sees. References to the controls from U+0080
 * on mean other characters in HTML: those stay.
 */
function escapeValue(value: string): string {
  return value.replace(/(?![ \x80-\x9f])[&\x22<>\s\p{Cc}\p{Cf}]/gu, (char) => `&#${char.codePointAt(0)};`);
}
