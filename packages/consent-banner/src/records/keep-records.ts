import { shownTexts } from '../state/load-notice.ts';
import type { Notice } from '../state/notice.ts';
import type { Page } from '../state/page.ts';
import { type PageState, touch } from '../state/page-state.ts';
import { keepAnswer, readShownHash } from './keep-answer.ts';
import { type ConsentRecord, listNotices } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';

/** Brings the queued records of a page to the ledger, with the hash of what was shown. */
export function keepRecords(page: Page): void {
  const recorder = new Recorder(page);
  page.isRecording = true;
  page.subscribe(recorder.update);
  recorder.update();
}

class Recorder {
  readonly #page: Page;
  readonly #hashes = new WeakMap<Notice, string>();
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
    if (view.notice && view.notice !== before.notice) this.#hashing = this.#hash(view, view.notice);
    const isDecided = view.stored !== before.stored && view.stored === this.#page.decided;
    if (view.address && (view.address !== before.address || isDecided)) {
      // The listeners, at once: the page may be left.
      for (const noticeId of new Set([view.noticeId, ...listNotices()])) this.#findSender(noticeId);
      void this.#hashing.then(() => {
        for (const sender of this.#senders.values()) void sender.flush();
      });
    }
  };

  /** On plain http, the browser cannot. */
  async #hash({ noticeId, isRecalled }: PageState, notice: Notice): Promise<void> {
    const text = shownTexts.get(notice);
    const hash = isRecalled ? readShownHash(noticeId) : text && (await hashText(text).catch(() => undefined));
    if (hash) this.#hashes.set(notice, hash);
  }

  /** Of the notice on this page the hash is known; a record of an earlier page has it already. */
  #complete(noticeId: string, record: ConsentRecord): ConsentRecord {
    const { notice, noticeId: shownId } = this.#page.view;
    const isShown =
      notice && noticeId === shownId && record.noticeVersion === notice.version && record.language === notice.language;
    const hash = isShown ? this.#hashes.get(notice) : undefined;
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

async function hashText(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
