/** The longest wait before the second attempt; the maximum doubles with each further one. */
const firstWait = 500;
const longestWait = 8000;

/**
 * The wait before the next attempt: random, up to a bound that doubles, so that clients that failed together do not
 * retry together ("full jitter").
 * @param attempts the number of attempts so far.
 * @param random from 0 up to 1.
 */
export function chooseWait(attempts: number, random: number): number {
  return random * Math.min(longestWait, firstWait * 2 ** (attempts - 1));
}

/**
 * The wait that a Retry-After requests, in milliseconds: seconds, or a date (RFC 9110 section 10.2.3). A date is
 * compared with the clock of the server, if the response has it, since the local clock may be wrong.
 * @returns null for a header that is missing or cannot be read.
 */
export function readRetryAfter(header: string | null, date: string | null, wallClock: number): number | null {
  if (header === null) return null;
  if (/^\d{1,15}$/.test(header)) return Number(header) * 1000;
  const end = parseHttpDate(header);
  if (end === null) return null;
  return Math.max(0, end - (parseHttpDate(date ?? '') ?? wallClock));
}

/** A date in any of the three forms of RFC 9110 section 5.6.7, all of which name the day of the week. */
function parseHttpDate(text: string): number | null {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(/ GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

/** The statuses after which a retry may succeed. A 409 only counts while the first request is still running. */
export function isPassing(status: number, code: string): boolean {
  return [408, 429, 500, 502, 503, 504].includes(status) || (status === 409 && code === 'idempotency_in_progress');
}

/** Permanent errors: an untrusted certificate, a request or headers that undici rejects. */
const lasting =
  /^(?:ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|ERR_INVALID_|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)_|UND_ERR_(?:INVALID_ARG|HEADERS_OVERFLOW|NOT_SUPPORTED)$)/;

/** True if the cause of a failed connection is permanent. */
export function isLasting(cause: unknown): boolean {
  return cause instanceof Error && lasting.test(String(Reflect.get(cause, 'code')));
}

/** The retries that a client may add to its calls. */
export interface RetryBudgetOptions {
  /** How many in a row, if everything fails. */
  readonly capacity: number;
  /** Tokens that a successful call returns to the bucket: 0.1 allows one retry in ten requests. */
  readonly refill: number;
}

/** Prevents a client from multiplying its load in an outage: a token bucket, with one token for each retry. */
export class RetryBudget {
  readonly #options: RetryBudgetOptions;
  #tokens: number;

  constructor(options: RetryBudgetOptions) {
    this.#options = options;
    this.#tokens = options.capacity;
  }

  succeed(): void {
    const { capacity, refill } = this.#options;
    if (this.#tokens < capacity) this.#tokens = Math.min(capacity, this.#tokens + refill);
  }

  /** Takes one token. @returns false if there is none. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
