import { cookieName, findDecision, isNext, type Purposes, type StoredDecision } from '../decision/stored-decision.ts';
import { DOMAIN, readMapping } from './attributes.ts';
import { attempt, reportProblem, toJson } from './browser.ts';
import type { Page } from './page.ts';

/** Browsers cap the lifetime of cookies at 400 days (RFC 6265bis, section 5.5). */
const LONGEST = 400 * 86_400;

/**
 * Applies the cookie attributes of an element: shares the decision, and deletes the cookies of purposes that are not allowed,
 * no matter what set them and in which tab the decision was made.
 */
export function keepCookies(page: Page): void {
  let shared: StoredDecision | null = null;
  let cleared: Purposes | undefined;
  page.subscribe(() => {
    const { element, noticeId, notice, isFailed, stored, state, isNarrowed, allowed } = page.view;
    const domain = element?.getAttribute('cookie-domain') ?? '';
    const isShared = stored && stored !== shared && DOMAIN.test(domain);
    const newest = isShared && findDecision(noticeId, true);
    // Another host may have stored one since this page was loaded.
    if (newest && isNext(newest, stored)) {
      page.follow(newest);
      return;
    }
    if (isShared && !shareDecision({ noticeId, domain, decision: stored })) {
      reportProblem(
        `the browser refused a cookie for cookie-domain "${domain}". It must be this host or a domain above it, and the notice must not have too many purposes.`,
      );
    }
    shared = stored;
    // Purposes allowed without a decision here are known with the notice: before, cookies of today's visit would be lost.
    if (!element || allowed === cleared || !((state && !isNarrowed) || notice || isFailed)) return;
    clearCookies(element, allowed);
    cleared = allowed;
  });
}

interface SharedDecision {
  readonly noticeId: string;
  /** The domain whose hosts share the decision: this host, or one above it. */
  readonly domain: string;
  readonly decision: StoredDecision;
}

/**
 * Stores a decision in a cookie for all hosts of a domain, and removes the host-only cookie of the same name: of two, a
 * browser may send either.
 * @returns whether the browser accepted it.
 */
function shareDecision({ noticeId, domain, decision }: SharedDecision): boolean {
  const name = cookieName(noticeId);
  const value = encodeURIComponent(toJson(decision));
  if (listCookies().includes(`${name}=${value}`)) return true;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // Delete them first: if the new one does not fit, no older grant may outlive it.
  for (const place of ['', `; Domain=${domain}`]) writeCookie(`${name}=; Max-Age=0; Path=/${place}`);
  writeCookie(`${name}=${value}; Domain=${domain}; Path=/; Max-Age=${LONGEST}; SameSite=Lax${secure}`);
  return listCookies().includes(`${name}=${value}`);
}

/** Deletes the cookies of purposes that are not granted, from this host and every domain above it. */
function clearCookies(element: Element, purposes: Purposes): void {
  const mapping = readMapping(element.getAttribute('clear-cookies'));
  for (const cookie of listCookies()) {
    const [name = ''] = cookie.split('=');
    if (!mapping.some(([key, pattern]) => purposes[key] !== true && isMatch(name, pattern))) continue;
    for (const place of ['', ...listDomains().map((domain) => `; Domain=${domain}`)]) {
      for (const path of listPaths()) {
        // `__Host-` and `__Secure-` names require Secure, partitioned cookies both attributes.
        for (const flags of ['', '; Secure', '; Secure; SameSite=None; Partitioned']) {
          writeCookie(`${name}=; Max-Age=0; Path=${path}${place}${flags}`);
        }
      }
    }
  }
}

/** Checks whether a name equals a pattern, or starts with the part before its asterisk. */
export function isMatch(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function listDomains(): readonly string[] {
  const labels = location.hostname.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** A page sees the cookies of all folders in its path. */
function listPaths(): readonly string[] {
  const folders = location.pathname.split('/').slice(1);
  return ['/', ...folders.map((_, index) => `/${folders.slice(0, index + 1).join('/')}`)];
}

function listCookies(): readonly string[] {
  return attempt(() => document.cookie)?.split('; ') ?? [];
}

function writeCookie(cookie: string): void {
  attempt(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: the cookie store's API is not in every browser, nor on plain http.
    document.cookie = cookie;
  });
}
