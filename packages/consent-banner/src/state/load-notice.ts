import { readRegion } from '../decision/region.ts';
import { type Notice, parseNotice } from './notice.ts';
import { reportProblem } from './report-problem.ts';

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
