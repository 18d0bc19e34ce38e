import { isOptOut } from '../../decision/grants.ts';
import type { Purposes } from '../../decision/stored-decision.ts';
import { attempt } from '../../page/browser.ts';
import type { PageView } from '../../page/consent-page.ts';
import { followConsent } from '../follow-consent.ts';

interface Decided {
  /** In milliseconds from the beginning of the page; before everything for what is on by its basis. */
  readonly at: number;
  readonly purposes: Purposes;
}

/** What was granted when, as far as the page knows. */
export class DecisionHistory {
  readonly #decided: Decided[] = [];
  readonly stop: () => void;

  constructor(onChange: () => void) {
    let latest: PageView['state'] = null;
    this.stop = followConsent(({ state, notice, region, allowed }) => {
      if (state && state !== latest) this.#decided.push({ at: readMoment(), purposes: state.purposes });
      else if (!this.#decided[0] && notice && isOptOut(notice.purposes, region))
        this.#decided.push({ at: -Infinity, purposes: allowed });
      else return;
      latest = state;
      onChange();
    });
  }

  /** When the visitor decided first; null before. */
  get decidedAt(): number | null {
    return this.#decided.find(({ at }) => at !== -Infinity)?.at ?? null;
  }

  /** What is granted now; null before a decision. */
  get current(): Purposes | null {
    return this.#decided.at(-1)?.purposes ?? null;
  }

  /** What was granted at a moment; null before a decision. */
  readAt(moment: number): Purposes | null {
    return this.#decided.findLast(({ at }) => at <= moment)?.purposes ?? null;
  }
}

/** When the newest of the stored decisions was made: the page may hear of it only now. */
function readMoment(): number {
  const keys = attempt(() => Object.keys(localStorage)) ?? [];
  const moments = keys
    .filter((key) => /^svc-consent:[^:]+$/.test(key))
    .map((key) => attempt(() => Date.parse(JSON.parse(localStorage[key]).decidedAt) - performance.timeOrigin) ?? NaN)
    .filter(Number.isFinite);
  // The clock of the wall may have been set since: no decision was made after it was heard of.
  return Math.min(performance.now(), moments.length ? Math.max(...moments) : Infinity);
}
