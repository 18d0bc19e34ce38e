import { readNotice } from './consent-api.ts';
import type { PanelParts } from './mount-panel.ts';
import { decidePurposes, type Notice, type Purposes } from './notice.ts';
import { createRandomId } from './random-id.ts';
import { keepAnswer, keepReceipt } from './receipt-store.ts';
import { type ConsentRecord, enqueueRecord, listNotices } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';
import { reportProblem } from './report-problem.ts';
import { writeItem } from './safe-storage.ts';
import { attempt } from './stub/attempt.ts';
import type { PageActions, PageView } from './stub/consent-state.ts';
import { decisionKey, type StoredDecision } from './stub/stored-decision.ts';

/** The parts that handle cookies, once loaded. */
interface CookieKeeper {
  readonly parts: Pick<PanelParts, 'keepCookies'> | undefined;
}

export interface ConsentSessionOptions {
  readonly page: PageView;
  readonly actions: PageActions;
  /** Stage three, which handles cookies; if the element has attributes for them, a decision waits for it. */
  readonly panel: CookieKeeper;
  /** Called when the receipt of the latest decision has its proof. */
  readonly onReceipt: () => void;
}

/** One visitor and one notice on this page: loads the notice and its words, and records decisions in the ledger. */
export class ConsentSession {
  /** The last state from stage one. */
  page: PageView;
  readonly noticeId: string;
  readonly address: string;
  /** The notice, once loaded. */
  notice: Notice | null = null;
  /** Whether loading failed. */
  isFailed = false;
  readonly #actions: PageActions;
  readonly #panel: CookieKeeper;
  #sender: RecordSender | undefined;
  readonly #ended = new AbortController();
  readonly #tabs: BroadcastChannel | undefined;
  #loading: Promise<Notice | null> | undefined;

  constructor({ page, actions, panel, onReceipt }: ConsentSessionOptions) {
    this.page = page;
    this.#actions = actions;
    this.#panel = panel;
    this.noticeId = page.noticeId;
    this.address = page.address;
    // Inactive tabs follow only through storage events. If storage is blocked or full, all of them ask through this channel.
    // A browser that forbids storage may also forbid this.
    this.#tabs = attempt(() => new BroadcastChannel(decisionKey(page.noticeId)));
    this.#tabs?.addEventListener('message', ({ data }) => actions.follow(data));
    const { signal } = this.#ended;
    // Queued records of an earlier notice are sent, too, each to its own address.
    for (const noticeId of new Set([this.noticeId, ...listNotices()])) {
      const sender = new RecordSender({
        noticeId,
        address: noticeId === this.noticeId ? this.address : '',
        signal,
        onKept: (record, body) => keepAnswer(noticeId, record, body) && onReceipt(),
      });
      this.#sender ??= sender;
      // Unsent records are retried when the network is back, and once more when the page is left.
      addEventListener('online', () => sender.flush(), { signal });
      addEventListener('pagehide', () => sender.leave(), { signal });
      void sender.flush();
    }
  }

  /** The notice, fetched once; null after a failure (which is logged), and then it may be fetched again. */
  loadNotice(): Promise<Notice | null> {
    this.#loading ??= this.#readNotice().catch((error: Error) => {
      this.#loading = undefined;
      this.isFailed = true;
      reportProblem(error.message);
      return null;
    });
    return this.#loading;
  }

  /** Called when another notice replaces this one; sends the queued records. */
  end(): void {
    this.#ended.abort();
    this.#tabs?.close();
  }

  /** Records the visitor's choice: queued first, then stored and announced to the page, then sent. */
  decide(notice: Notice, isGranted: Parameters<typeof decidePurposes>[1], method: ConsentRecord['method']): void {
    const { noticeId } = this;
    const before = this.page.state?.purposes ?? {};
    const purposes = decidePurposes(notice, isGranted);
    const capturedAt = new Date().toISOString();
    const subjectId = this.page.stored?.subjectId ?? createRandomId();
    const record: ConsentRecord = { subjectId, purposes, method, capturedAt, noticeVersion: notice.version };
    enqueueRecord(this, record);
    keepReceipt(noticeId, { notice, record, address: this.address });
    const decision = nameDecision(notice, purposes);
    this.#keep({
      decision,
      purposes,
      noticeVersion: notice.version,
      decidedAt: capturedAt,
      subjectId,
      required: notice.purposes.flatMap(({ key, required }) => (required ? key : [])),
      ...(hasPrivacySignal() && { signal: true }),
    });
    void this.#sender?.flush();
    // The record is queued and is sent when the page is left. Other tabs are not reloaded: the visitor may be typing there.
    // A purpose that the notice no longer has was not withdrawn, unless the visitor refused everything.
    const isLess = Object.keys(decision === 'rejected' ? before : purposes).some(
      (key) => before[key] && !purposes[key],
    );
    const isAsked = /^(true)?$/.test(this.page.element?.getAttribute('reload-on-withdrawal') ?? 'false');
    if (isLess && isAsked) location.reload();
  }

  #keep(decision: StoredDecision): void {
    const { noticeId } = this;
    this.#panel.parts?.keepCookies(this.page.element, noticeId, decision);
    writeItem(decisionKey(noticeId), JSON.stringify(decision));
    writeItem(`${decisionKey(noticeId)}:checked`, String(Date.now()));
    this.#tabs?.postMessage(decision);
    this.#actions.decide(decision);
  }

  async #readNotice(): Promise<Notice> {
    const { address, noticeId } = this;
    if (address.startsWith('/'))
      throw new Error(`api-base "${this.page.element?.getAttribute('api-base')}" is no address.`);
    this.notice = await readNotice(this.#actions.fetchNotice(), address, noticeId);
    this.isFailed = false;
    return this.notice;
  }
}

/** Global Privacy Control, https://www.w3.org/TR/gpc/. */
export function hasPrivacySignal(): boolean {
  return (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true;
}

function nameDecision(notice: Notice, purposes: Purposes): StoredDecision['decision'] {
  const optional = notice.purposes.filter(({ required }) => !required);
  if (optional.every(({ key }) => purposes[key])) return 'accepted';
  return optional.some(({ key }) => purposes[key]) ? 'custom' : 'rejected';
}
