/** The longest wait before the second try; each further one may take twice as long. */
const firstWait = 500;
const longestWait = 8000;

/**
 * How long to wait before the next try: anything up to a bound that doubles, so that clients that failed together do not
 * come back together ("full jitter").
 * @param attempts how many tries were made.
 * @param random from 0 up to 1.
 */
export function chooseWait(attempts: number, random: number): number {
  return random * Math.min(longestWait, firstWait * 2 ** (attempts - 1));
}

/**
 * The wait that a Retry-After asks for, in milliseconds: seconds, or a date (RFC 9110 section 10.2.3). A date is compared
 * with the clock of the server, if the response has it, since the local clock may be wrong.
 * @returns null for a header that is missing or cannot be read.
 */
export function readRetryAfter(header: string | undefined, date: string | undefined, wallClock: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,15}$/.test(header)) return Number(header) * 1000;
  const end = parseHttpDate(header);
  if (end === null) return null;
  return Math.max(0, end - ((date === undefined ? null : parseHttpDate(date)) ?? wallClock));
}

/** A date in any of the three forms of RFC 9110 section 5.6.7, all of which name the day of the week. */
function parseHttpDate(text: string): number | null {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  const time = Date.parse(/ GMT$/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

/** The statuses after which another try may do better. A 409 only counts while the first request is still running. */
export function isPassing(status: number, code: string): boolean {
  return (
    status === 408 ||
    status === 429 ||
    status === 500 ||
    (status >= 502 && status <= 504) ||
    (status === 409 && code === 'idempotency_in_progress')
  );
}

/** What another try meets again: a certificate that is not believed, a request or headers that undici refuses. */
const lasting =
  /^(?:ERR_TLS_CERT|ERR_SSL_WRONG_VERSION|ERR_INVALID_|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)_|UND_ERR_(?:INVALID_ARG|HEADERS_OVERFLOW|NOT_SUPPORTED)$)/;

/** Whether a connection fails for a reason that does not pass. */
export function isLasting(cause: unknown): boolean {
  return cause instanceof Error && lasting.test(String(Reflect.get(cause, 'code')));
}

/** How many tries a client may add to what it does. */
export interface RetryBudgetOptions {
  /** How many in a row, when everything fails. */
  readonly capacity: number;
  /** What a call that succeeds gives back: 0.1 lets one in ten requests be another try. */
  readonly refill: number;
}

/** Keeps a client from answering an outage with a multiple of its load: a bucket of tokens, one for each further try. */
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

  /** Takes one token. @returns false where there is none. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
