import { decisionKey } from '../decision/stored-decision.ts';
import { attempt, readItem, removeItem, reportProblem, toJson, writeItem } from '../page/browser.ts';
import type { ConsentRecord, NoticePlace } from './consent-record.ts';
import { dequeueRecord, listRecords, type QueuedRecord } from './record-queue.ts';

/** In place of the hash of what was shown. */
const UNVERIFIED = 'unverified';
const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 300_000;
/** A server may ask for at most a day: a longer wait means that a clock is wrong. */
const LONGEST_ORDERED_WAIT = 86_400_000;

export interface RecordSenderOptions extends NoticePlace {
  /** Stops retrying. */
  readonly signal: AbortSignal;
  /** Returns the record that is sent for a queued one. */
  readonly complete: (record: ConsentRecord) => ConsentRecord;
  /** Called with the server's response to a record that it stored. */
  readonly onKept: (record: ConsentRecord, body: unknown) => void;
}

/** Sends the queued records of one notice in order, each until it is stored or permanently refused. */
export class RecordSender {
  readonly #options: RecordSenderOptions;
  readonly #noticeId: string;
  #isSending = false;
  #isAskedAgain = false;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RecordSenderOptions) {
    this.#options = options;
    this.#noticeId = options.noticeId;
  }

  /** Sends the queued records. Idempotent. */
  async flush(): Promise<void> {
    if (this.#isSending) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isSending = true;
    clearTimeout(this.#timer);
    do {
      this.#isAskedAgain = false;
      if (listRecords(this.#options)[0]) await this.#sendAlone();
    } while (this.#isAskedAgain);
    this.#isSending = false;
  }

  /** Sends all records at once, because the page is being left. The server deduplicates them. */
  leave(): void {
    if (this.#orderedWait() > 0) return;
    for (const queued of listRecords(this.#options)) void this.#send(queued);
  }

  /** Limits sending to one tab, if the browser supports locks (not on plain http or in a sandbox). */
  async #sendAlone(): Promise<void> {
    let isStarted = false;
    const send = (): Promise<void> => {
      isStarted = true;
      return this.#sendAll();
    };
    try {
      await navigator.locks.request(decisionKey(this.#noticeId), send);
    } catch {
      if (!isStarted) await send();
    }
  }

  async #sendAll(): Promise<void> {
    for (let [queued] = listRecords(this.#options); queued; [queued] = listRecords(this.#options)) {
      const ordered = this.#orderedWait();
      if (ordered > 0) return this.#tryLater(ordered);
      const receipt = await this.#send(queued);
      if (receipt.outcome === 'later') return this.#tryLater(this.#nextWait(receipt.waitSeconds));
      this.#failures = 0;
    }
  }

  async #send(queued: QueuedRecord): Promise<Receipt> {
    const record = this.#options.complete(queued.record);
    const { key, address } = queued;
    // Before the answer, for which the page may not wait: the next page does not know what was shown here.
    if (record.shownHash !== queued.record.shownHash && readItem(key)) {
      writeItem(key, toJson({ ...record, address }));
    }
    const receipt = await sendRecord(address, record);
    // The text that was shown, such as the notice in the element, was edited: the decision counts, but nothing proves it.
    if (receipt.outcome === 'refused' && receipt.reason.includes('body.shownHash') && record.shownHash !== UNVERIFIED) {
      reportProblem('what was shown is the text of no published version, so its record is unverified.');
      return this.#send({ ...queued, record: { ...record, shownHash: UNVERIFIED } });
    }
    if (receipt.outcome !== 'later') dequeueRecord(queued);
    if (receipt.outcome === 'kept') this.#options.onKept(record, receipt.body);
    else if (receipt.outcome === 'refused')
      reportProblem(
        `a consent record was refused: ${receipt.reason}. Check that the notice is published and its domain is this site's.`,
      );
    return receipt;
  }

  /** The server's wait outlives the page, our backoff does not: the next page may try immediately. */
  #nextWait(seconds: number | null): number {
    const doubled = Math.min(FIRST_WAIT * 2 ** this.#failures++, LONGEST_WAIT);
    const own = doubled * (0.5 + Math.random() / 2); // Jitter, so that a recovering server is not overloaded.
    if (seconds === null) return own;
    const ordered = Math.min(seconds * 1000, LONGEST_ORDERED_WAIT);
    writeItem(this.#waitKey, String(Date.now() + ordered));
    return Math.max(own, ordered);
  }

  /** How long the server still asks for no requests, in milliseconds. */
  #orderedWait(): number {
    const text = readItem(this.#waitKey);
    const wait = Number(text) - Date.now();
    if (wait > 0 && wait <= LONGEST_ORDERED_WAIT) return wait;
    if (text) removeItem(this.#waitKey);
    return 0;
  }

  get #waitKey(): string {
    return `${decisionKey(this.#noticeId)}:wait`;
  }

  #tryLater(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#options.signal.aborted || this.flush(), milliseconds);
  }
}

const RECORD_TIMEOUT = 30_000;

/** The server's verdict on a record: kept, refused permanently, or retry later, with the wait it asked for. */
export type Receipt =
  | { readonly outcome: 'kept'; readonly body: unknown }
  | { readonly outcome: 'refused'; readonly reason: string }
  | { readonly outcome: 'later'; readonly waitSeconds: number | null };

/** Sends one record. The server deduplicates repeated records, so a lost response is harmless. */
export async function sendRecord(address: string, record: ConsentRecord): Promise<Receipt> {
  try {
    const response = await fetch(`${address}/records`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: toJson(record),
      credentials: 'omit',
      keepalive: true,
      signal: AbortSignal.timeout(RECORD_TIMEOUT),
    });
    return await readReceipt(response);
  } catch {
    return { outcome: 'later', waitSeconds: null };
  }
}

/** Only the API's own responses count: a response of a proxy, a firewall or a login page must not discard a record. */
async function readReceipt(response: Response): Promise<Receipt> {
  const { ok, status, headers } = response;
  const text = await response.text();
  const body = attempt(() => JSON.parse(text));
  if (ok && body?.data) return { outcome: 'kept', body };
  if (status >= 400 && status < 500 && status !== 408 && status !== 429 && body?.error?.code) {
    return { outcome: 'refused', reason: `${status} ${text}` };
  }
  return { outcome: 'later', waitSeconds: readWait(headers.get('Retry-After')) };
}

/** Retry-After is a number of seconds or a date. */
function readWait(value: string | null): number | null {
  if (!value) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
