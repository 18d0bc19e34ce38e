import type { Notice } from '../notice/notice.ts';
import { toJson, writeItem } from '../page/browser.ts';
import type { Page } from '../page/page.ts';
import { type PageState, touch } from '../page/page-state.ts';
import type { ConsentRecord } from './consent-record.ts';
import { readSource, receiptKey } from './consent-record.ts';
import { listNotices } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';

/** Brings the queued records of a page to the ledger, with the hash of what was shown. */
export function keepRecords(page: Page): void {
  const recorder = new Recorder(page);
  page.subscribe(recorder.update);
}

class Recorder {
  readonly #page: Page;
  /** The SHA-256 of public responses. */
  readonly #hashes = new Map<string, string>();
  #known: Partial<PageState> = {};
  #hashing: Promise<unknown> = Promise.resolve();
  #senders = new Map<string, RecordSender>();
  #ended = new AbortController();

  constructor(page: Page) {
    this.#page = page;
  }

  /** Follows the page: another notice, what is shown of it, and new decisions. */
  readonly update = (): void => {
    const before = this.#known;
    const view = this.#page.view;
    this.#known = view;
    if (view.address !== before.address) {
      this.#ended.abort();
      this.#ended = new AbortController();
      this.#senders.clear();
    }
    // Before a decision, after which the page may be left.
    if (view.notice && view.notice !== before.notice) this.#hash(view.notice);
    const isDecided = view.stored !== before.stored && view.stored === this.#page.decided;
    if (view.address && (view.address !== before.address || isDecided)) {
      // The listeners, at once: the page may be left.
      for (const noticeId of new Set([view.noticeId, ...listNotices()])) {
        this.#findSender(noticeId);
        this.#hash(readSource(noticeId)?.notice);
      }
      void this.#hashing.then(() => {
        for (const sender of this.#senders.values()) void sender.flush();
      });
    }
  };

  #hash(notice: Notice | undefined): void {
    const text = notice && writeShown(notice);
    if (!text || this.#hashes.has(text)) return;
    // On plain http, the browser cannot.
    const hashed = hashText(text)
      .then((hash) => this.#hashes.set(text, hash))
      .catch(() => {});
    this.#hashing = Promise.all([this.#hashing, hashed]);
  }

  /** The notice that was shown is in the source of the receipt, also if an earlier page queued the record. */
  #complete(noticeId: string, record: ConsentRecord): ConsentRecord {
    const notice = readSource(noticeId)?.notice;
    const isShown = notice && record.noticeVersion === notice.version && record.language === notice.language;
    const hash = isShown ? this.#hashes.get(writeShown(notice)) : undefined;
    return { ...record, shownHash: record.shownHash ?? hash ?? 'unverified' };
  }

  #findSender(noticeId: string): void {
    if (this.#senders.has(noticeId)) return;
    const { signal } = this.#ended;
    const { view } = this.#page;
    const sender = new RecordSender({
      noticeId,
      address: noticeId === view.noticeId ? view.address : '',
      signal,
      complete: (record) => this.#complete(noticeId, record),
      onKept: (record, body) => keepAnswer(noticeId, record, body) && this.#page.dispatch(touch),
    });
    this.#senders.set(noticeId, sender);
    // Unsent records are retried when the network is back, and once more when the page is left.
    addEventListener('online', () => sender.flush(), { signal });
    addEventListener('pagehide', () => sender.leave(), { signal });
  }
}

/** A notice as the server responds with it: its keys are in that order. If it was edited, the server refuses its hash. */
function writeShown(notice: Notice): string {
  return toJson({ data: notice }).replaceAll('<', '\\u003c');
}

async function hashText(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Stores a record as it was sent, and the server's response, with its receipt.
 * @returns whether that was the latest one.
 */
export function keepAnswer(noticeId: string, record: ConsentRecord, answer: unknown): boolean {
  const source = readSource(noticeId);
  if (source?.record?.capturedAt !== record.capturedAt) return false;
  writeItem(receiptKey(noticeId), toJson({ ...source, record, answer }));
  return true;
}
