import { attempt } from '../stub/attempt.ts';
import { DOMAIN } from '../stub/attribute-values.ts';
import type { ConsentState } from '../stub/consent-state.ts';
import { findDecision } from '../stub/find-decision.ts';
import type { Purposes, StoredDecision } from '../stub/stored-decision.ts';
import { listBanners } from './list-banners.ts';

/** The part of a decision that is the visitor's own choice. */
export interface VisitorChoice {
  /** The purposes that could be refused, and whether they were granted. */
  readonly purposes: Purposes;
  /** The purposes that cannot be refused. */
  readonly required: readonly string[];
}

/**
 * Separates the visitor's choice from what the notice requires: only the stored decision records which purposes are required.
 * @returns null if none is stored, as in a browser that forbids storage: then the choice is unknown.
 */
export function readVisitorChoice(state: ConsentState): VisitorChoice | null {
  const found = listStored(state);
  if (found.length === 0 || found.some((one) => !one.required)) return null;
  return { purposes: pickOptional(state, found), required: found.flatMap((one) => one.required ?? []) };
}

/** The purposes that nothing stored says are required, and whether both the page and all that is stored say that they are granted. */
function pickOptional(state: ConsentState, stored: readonly StoredDecision[]): Purposes {
  const optional = Object.entries(state.purposes).filter(([key]) => !stored.some((one) => one.required?.includes(key)));
  return Object.fromEntries(
    optional.map(([key, isOn]) => [key, isOn && stored.every((one) => one.purposes[key] === true)]),
  );
}

/** The stored decision of the banner; of an interface without an element every one that says the same. */
function listStored(state: ConsentState): readonly StoredDecision[] {
  const [banner] = listBanners();
  if (banner) {
    const isShared = DOMAIN.test(banner.getAttribute('cookie-domain') ?? '');
    const stored = findDecision(banner.getAttribute('notice-id') ?? '', isShared);
    return stored ? [stored] : [];
  }
  const text = JSON.stringify(state.purposes);
  return listNoticeIds().flatMap((noticeId) => {
    const stored = findDecision(noticeId, true);
    return stored && JSON.stringify(stored.purposes) === text ? [stored] : [];
  });
}

/** The notices that this host, or a domain that it belongs to, keeps a decision on. */
function listNoticeIds(): readonly string[] {
  const cookies = attempt(() => document.cookie.split('; ')) ?? [];
  const names = cookies.map((cookie) => attempt(() => decodeURIComponent(cookie.replace(/=.*/s, ''))) ?? '');
  const keys = [...(attempt(() => Object.keys(localStorage)) ?? []), ...names];
  return [...new Set(keys.flatMap((key) => /^svc-consent:([^:]+)$/.exec(key)?.[1] ?? []))];
}
