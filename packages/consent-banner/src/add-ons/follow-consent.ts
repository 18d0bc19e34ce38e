import { basisIn } from '../decision/region.ts';
import type { Purposes } from '../decision/stored-decision.ts';
import type { Mapped } from '../page/attributes.ts';
import { attempt, reportProblem } from '../page/browser.ts';
import type { ConsentPage, PageView } from '../page/consent-page.ts';

/** Where the banner, or an interface without one, publishes the consent of its page, and the event that says so. */
const PLACE = Symbol.for('svc-consent');
const EVENT = 'svc-consent-page';

/** The consent of this page, or undefined before there is a banner. */
export function findPage(): ConsentPage | undefined {
  return attempt(() => (window as unknown as Record<symbol, ConsentPage | undefined>)[PLACE]);
}

/**
 * Calls back with the state of the page's consent: immediately if there is a banner, and after each change. The tag of an
 * add-on may come before or after the banner's own.
 * @returns a function that unsubscribes.
 */
export function followConsent(listener: (view: PageView) => void): () => void {
  let stop: (() => void) | undefined;
  const join = (): void => {
    const page = findPage();
    if (!page) return;
    stop?.();
    stop = page.subscribe(() => listener(page.view));
  };
  addEventListener.call(document, EVENT, join);
  join();
  return () => {
    removeEventListener.call(document, EVENT, join);
    stop?.();
  };
}

/**
 * Returns the purposes that the visitor could refuse, and whether each is on: by decision, or before one by the basis in their
 * region. Empty as long as it is unknown what can be refused.
 */
export function readChoices({ notice, region, state, stored, allowed }: PageView): Readonly<Record<string, boolean>> {
  const locked = listLocked({ notice, region, stored });
  if (!locked || (!state && !notice)) return {};
  return Object.fromEntries(Object.entries(allowed).filter(([key]) => !locked.includes(key)));
}

/** The purposes that cannot be refused; undefined if that is unknown. */
export function listLocked({
  notice,
  region,
  stored,
}: Pick<PageView, 'notice' | 'region' | 'stored'>): readonly string[] | undefined {
  if (!notice) {
    const { basis } = stored ?? {};
    const isLocked = (key: string) =>
      basis?.[key] === 'required' || (basis?.[key] === 'exempt' && region === stored?.region);
    return basis && Object.keys(basis).filter(isLocked);
  }
  return notice.purposes.flatMap((purpose) => (basisIn(purpose, region) === 'exempt' ? purpose.key : []));
}

const GRAMMAR = /^\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*(;\s*[^\s:;]+\s*:\s*[^\s:;][^:;]*)*(;\s*)?$/;

/** Logs an attribute whose text is not in the grammar of a mapping. */
export function reportInvalidMapping(attribute: string, text: string | null | undefined, example: string): void {
  if (GRAMMAR.test(text ?? '')) return;
  reportProblem(`${attribute}="${text ?? ''}" is not understood. It must be pairs such as "${example}".`);
}

/** Logs the purposes of an attribute's mapping that the visitor was not asked about. They count as refused. */
export function reportUnknownPurposes(attribute: string, mapping: readonly Mapped[], purposes: Purposes): void {
  for (const [key] of mapping) {
    if (Object.hasOwn(purposes, key)) continue;
    reportProblem(`${attribute}: the visitor was not asked about the purpose "${key}". Check the keys of the notice.`);
  }
}

/** Logs those that cannot be refused, where only a choice of the visitor counts. */
export function reportRequiredPurposes(
  attribute: string,
  mapping: readonly Mapped[],
  required: readonly string[],
): void {
  for (const [key] of mapping) {
    if (!required.includes(key)) continue;
    reportProblem(`${attribute}: the purpose "${key}" cannot be refused, so it allows nothing. Name one that can be.`);
  }
}
