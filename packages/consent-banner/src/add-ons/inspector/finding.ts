/** What trackers are usually for. `necessary` is only what works without consent in the usual reading of the law. */
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
  /** What asked for it, of a request: `script`, `img`, `fetch` and so on. */
  readonly initiator: string | null;
  /** How often it was seen. */
  readonly count: number;
  /** Whose it is; null when it is not in the catalog. */
  readonly tracker: Tracker | null;
  readonly status: FindingStatus;
  /** Milliseconds from the beginning of the page until it was first seen; null for what is held back. */
  readonly firstSeen: number | null;
  readonly isBeforeDecision: boolean;
  /** The purposes that hold it. */
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
  /** What is wrong with how the banner is set up on the page. */
  readonly warnings: readonly string[];
  /** The value for `clear-cookies`: its present one, and an entry for each further cookie whose purpose is known. */
  readonly clearCookies: string;
}
