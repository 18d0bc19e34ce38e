import { readNotice } from './consent-api.ts';
import { clearCookies, shareDecision } from './cookies.ts';
import { decidePurposes, type Notice, type Purposes } from './notice.ts';
import { createRandomId } from './random-id.ts';
import { draftReceipt, proveReceipt, type RecordReceipt } from './receipt.ts';
import { readReceipt, writeReceipt } from './receipt-store.ts';
import { type ConsentRecord, enqueueRecord } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';
import { reportProblem } from './report-problem.ts';
import { writeItem } from './safe-storage.ts';
import type { PageActions, PageView } from './stub/consent-state.ts';
import { readMapping } from './stub/mapping.ts';
import { decisionKey, type StoredDecision } from './stub/stored-decision.ts';

export interface ConsentSessionOptions {
  readonly page: PageView;
  readonly actions: PageActions;
  /** Told when the receipt of the latest decision has its proof. */
  readonly onReceipt: () => void;
}

/** One visitor and one notice on this page: the words of the notice, and the way of a decision to the ledger. */
export class ConsentSession {
  /** What stage one knew last. */
  page: PageView;
  readonly noticeId: string;
  readonly address: string;
  /** The notice, once it is there. */
  notice: Notice | null = null;
  /** Whether it was asked for and did not come. */
  isFailed = false;
  readonly #actions: PageActions;
  readonly #onReceipt: () => void;
  readonly #sender: RecordSender;
  #loading: Promise<Notice | null> | undefined;

  constructor({ page, actions, onReceipt }: ConsentSessionOptions) {
    this.page = page;
    this.#actions = actions;
    this.#onReceipt = onReceipt;
    this.noticeId = page.noticeId;
    this.address = page.address;
    this.#sender = new RecordSender({
      noticeId: this.noticeId,
      address: this.address,
      onKept: (body) => this.#proveReceipt(body),
    });
    // What could not be sent goes out when the network is back, and once more with the page.
    for (const type of ['online', 'pagehide']) addEventListener(type, () => this.#sender.flush());
    void this.#sender.flush();
  }

  /** The receipt of the decision in force, as far as it is known here. */
  get receipt(): RecordReceipt | null {
    const { stored } = this.page;
    return stored && readReceipt(this.noticeId, stored.decidedAt);
  }

  /** The notice, asked for once; after a failure (told in the console) it is null and may be asked for again. */
  loadNotice(): Promise<Notice | null> {
    this.#loading ??= this.#readNotice().catch((error: Error) => {
      this.#loading = undefined;
      this.isFailed = true;
      reportProblem(error.message);
      return null;
    });
    return this.#loading;
  }

  /** Takes the visitor's choice: queued first, then stored and told to the page, then sent. */
  decide(notice: Notice, isGranted: Parameters<typeof decidePurposes>[1], method: ConsentRecord['method']): void {
    const { noticeId } = this;
    const purposes = decidePurposes(notice, isGranted);
    const capturedAt = new Date().toISOString();
    const subjectId = this.page.stored?.subjectId ?? createRandomId();
    const record: ConsentRecord = { subjectId, purposes, method, capturedAt, noticeVersion: notice.version };
    enqueueRecord(noticeId, record);
    writeReceipt(noticeId, draftReceipt({ notice, record, address: this.address }));
    const decision = nameDecision(notice, purposes);
    this.#keep({
      decision,
      purposes,
      noticeVersion: notice.version,
      decidedAt: capturedAt,
      subjectId,
      ...(hasPrivacySignal() && { signal: true }),
    });
    void this.#sender.flush();
  }

  #keep(decision: StoredDecision): void {
    const { noticeId } = this;
    const domain = this.page.element?.getAttribute('cookie-domain');
    if (domain && !shareDecision({ noticeId, domain, decision })) {
      reportProblem(
        `the browser refused a cookie for cookie-domain "${domain}". It must be this host or a domain above it, and the notice must not have too many purposes.`,
      );
    }
    clearCookies(readMapping(this.page.element?.getAttribute('clear-cookies')), decision.purposes);
    writeItem(decisionKey(noticeId), JSON.stringify(decision));
    writeItem(`${decisionKey(noticeId)}:checked`, String(Date.now()));
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

  #proveReceipt(body: unknown): void {
    const { receipt } = this;
    const proven = receipt && proveReceipt(receipt, body);
    if (!proven?.proof) return;
    writeReceipt(this.noticeId, proven);
    this.#onReceipt();
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
