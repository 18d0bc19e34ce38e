import { type Basis, basisIn, readRegion } from '../decision/region.ts';
import type { StoredDecision } from '../decision/stored-decision.ts';
import { reportProblem } from '../page/browser.ts';

export type { Purposes } from '../decision/stored-decision.ts';

/** Item that a purpose stores or reads on the device. */
export interface Tracker {
  readonly name: string;
  readonly provider: string;
  /** `session`, `persistent`, or a duration of ISO 8601. */
  readonly lifetime: string;
  readonly thirdParty: boolean;
}

/** One thing the visitor may allow. A required purpose cannot be refused. */
export interface Purpose {
  readonly key: string;
  readonly label: string;
  readonly description: string;
  readonly required: boolean;
  readonly basis?: Basis;
  readonly basisByRegion?: Readonly<Record<string, Basis>>;
  readonly trackers?: readonly Tracker[];
}

/** How the banner looks. */
export interface Theme {
  readonly scheme?: string;
  readonly accent?: string;
  readonly layout?: string;
  readonly position?: string;
}

/** The public form of a published consent notice, in one language. */
export interface Notice {
  readonly id: string;
  readonly name: string;
  readonly controllerName: string;
  readonly language: string;
  readonly domain: string;
  readonly purposes: readonly Purpose[];
  readonly version: number;
  /** Visitors who decided on a version before this one are asked again. */
  readonly asksSince: number;
  /** The other languages of the notice. */
  readonly languages: readonly string[];
  /** `privacyPolicy`, `imprint` and others to addresses. */
  readonly links?: Readonly<Record<string, string>>;
  readonly theme?: Theme;
  /** Texts of the banner. */
  readonly texts: Readonly<Record<string, string>>;
}

/** The notice in a server response, or an error. */
export function parseNotice(body: unknown, noticeId: string): Notice {
  const { data } = Object(body);
  const { id, name, controllerName, language, domain, version, asksSince, languages, purposes, texts } = Object(data);
  const needed = [id, name, controllerName, language, domain, ...Object.values(Object(texts))];
  for (const { key, label, description } of purposes) needed.push(key, label, description);
  if (
    needed.every((text) => typeof text === 'string') &&
    id.toLowerCase() === noticeId.toLowerCase() &&
    [version, asksSince].every(Number.isSafeInteger) &&
    languages.at &&
    purposes.every((one: Purpose) => typeof one.required === 'boolean') &&
    purposes.length === new Set(purposes.map((one: Purpose) => one.key)).size &&
    purposes[0] &&
    texts
  )
    return data;
  throw new Error(`no notice ${noticeId}`);
}

/**
 * A visitor's decision about all purposes of a notice: those that need no consent and cannot be objected to are always true.
 * @returns also what it is called: every purpose that can be refused, none of them, or some.
 */
export function decidePurposes(
  { purposes }: Notice,
  isGranted: (purpose: Purpose) => boolean,
  region: string | null,
): Required<Pick<StoredDecision, 'decision' | 'purposes' | 'basis'>> {
  const rows = purposes.map((purpose) => {
    const basis = basisIn(purpose, region);
    return [purpose.key, basis === 'exempt' || isGranted(purpose), purpose.required ? 'required' : basis] as const;
  });
  const optional = rows.flatMap(([, isOn, basis]) => (basis === 'consent' || basis === 'object' ? isOn : []));
  return {
    decision: optional.every(Boolean) ? 'accepted' : optional.some(Boolean) ? 'custom' : 'rejected',
    purposes: Object.freeze(Object.fromEntries(rows)),
    basis: Object.fromEntries(rows.map(([key, , basis]) => [key, basis])),
  };
}

const TIMEOUT = 15_000;

/** A notice, and the region that the server names for the visitor. */
export interface LoadedNotice {
  readonly notice: Notice;
  readonly region: string | null;
}

/**
 * The notice inside the element, in place of a request. It is the public response as `svc widgets --inline` prints it.
 * @returns undefined if the server may have a better language, or if it is damaged or another one's, which is logged.
 */
export function readInline(element: Element, noticeId: string, language: string): Notice | undefined {
  const text = element.querySelector(':scope>script[type="application/json"]')?.textContent;
  if (text == null) return;
  try {
    const notice = parseNotice(JSON.parse(text), noticeId);
    // Which variant fits best (`de` or `de-CH` for `de-AT`) is up to the server.
    const isOther = (tag: string): boolean => tag.slice(0, 2) !== language.slice(0, 2).toLowerCase();
    if (notice.language === language || notice.languages.every(isOther)) return notice;
  } catch (cause) {
    reportProblem(`invalid inline notice: ${cause}`);
  }
}

/** Fetches a notice without anything that identifies the visitor. */
export async function fetchNotice(url: string, noticeId: string): Promise<LoadedNotice> {
  const response = await fetch(url, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return {
    notice: parseNotice(await response.json(), noticeId),
    region: readRegion(response.headers.get('Svc-Region')),
  };
}
