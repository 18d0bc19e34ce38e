import type { StoredWebhook } from './webhook-state.ts';

/** How a webhook fares. */
interface Health {
  readonly failingSince: string;
  /** When an attempt last failed. */
  readonly failedAt: string;
  /** How many have failed since. */
  readonly failures: number;
  /** Whether the others were told that it fails. */
  readonly isTold: boolean;
}

/** What an attempt comes to for its webhook, and for the others. */
export interface NotedAttempt {
  readonly failingSince: string | null;
  /** Since when it had failed, as far as the others know, until something arrived just now. */
  readonly recoveredFrom: string | null;
  /** Whether the others are to be told that it fails. */
  readonly isNewlyFailing: boolean;
  /** Whether it has failed for so long that it is given up. */
  readonly hasFailedForGood: boolean;
}

const minute = 60_000;
const day = 24 * 60 * minute;
/** The others are told of a webhook that has failed so often for so long. */
const [leastFailures, tellAfter] = [4, 15 * minute];
/** A webhook at which nothing has arrived for so long is disabled. */
const longestFailure = 5 * day;

/** Notes how webhooks fare. */
export class WebhookHealth {
  readonly #failing = new Map<string, Health>();

  /** Notes an attempt. @param webhook as it was before. */
  note(webhook: Pick<StoredWebhook, 'id' | 'failingSince'>, hasFailed: boolean, now: string): NotedAttempt {
    const { id } = webhook;
    const before = this.#failing.get(id);
    const isTold = before?.isTold ?? false;
    if (!hasFailed) {
      this.#failing.delete(id);
      const recoveredFrom = before !== undefined && isTold ? before.failingSince : null;
      return { failingSince: null, recoveredFrom, isNewlyFailing: false, hasFailedForGood: false };
    }
    // Failures before an edit by hand count no more, nor those before a day without any.
    const goesOn =
      before !== undefined && webhook.failingSince !== null && Date.parse(now) - Date.parse(before.failedAt) <= day;
    const failingSince = goesOn ? before.failingSince : now;
    const failures = goesOn ? before.failures + 1 : 1;
    const failedFor = Date.parse(now) - Date.parse(failingSince);
    const isNewlyFailing = !isTold && failures >= leastFailures && failedFor >= tellAfter;
    this.#failing.set(id, { failingSince, failedAt: now, failures, isTold: isTold || isNewlyFailing });
    return { failingSince, recoveredFrom: null, isNewlyFailing, hasFailedForGood: failedFor >= longestFailure };
  }
}
