import { attempt } from './stub/attempt.ts';
import { cookieName } from './stub/find-decision.ts';
import type { Mapped } from './stub/mapping.ts';
import type { Purposes, StoredDecision } from './stub/stored-decision.ts';

/** Browsers keep no cookie for longer (RFC 6265bis, section 5.5). */
const LONGEST = 400 * 86_400;

export interface SharedDecision {
  readonly noticeId: string;
  /** The domain whose hosts share it: this host, or one above it. */
  readonly domain: string;
  readonly decision: StoredDecision;
}

/**
 * Keeps a decision in a cookie for all hosts of a domain, and removes the one of the same name that is this host's alone:
 * of two, a browser may send either.
 * @returns whether the browser took it.
 */
export function shareDecision({ noticeId, domain, decision }: SharedDecision): boolean {
  const name = cookieName(noticeId);
  const value = encodeURIComponent(JSON.stringify(decision));
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  writeCookie(`${name}=; Max-Age=0; Path=/`);
  writeCookie(`${name}=${value}; Domain=${domain}; Path=/; Max-Age=${LONGEST}; SameSite=Lax${secure}`);
  return listCookies().includes(`${name}=${value}`);
}

/** Deletes the cookies that stand for what is not granted, from this host and every domain above it. */
export function clearCookies(mapping: readonly Mapped[], purposes: Purposes): void {
  const patterns = mapping.filter(([key]) => purposes[key] !== true).map(([, name]) => name);
  const names = listCookies().map((cookie) => cookie.split('=')[0] ?? '');
  for (const name of names.filter((one) => patterns.some((pattern) => isMatch(one, pattern)))) {
    for (const place of ['', ...listDomains().map((domain) => `; Domain=${domain}`)]) {
      for (const path of listPaths()) writeCookie(`${name}=; Max-Age=0; Path=${path}${place}`);
    }
  }
}

/** A name, or the beginning of one and an asterisk. */
function isMatch(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

function listDomains(): readonly string[] {
  const labels = location.hostname.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** A page sees the cookies of the folders it stands in. */
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
