import { fetchNotice } from './consent-api.ts';
import { decidePurposes, type Notice, type Purposes } from './notice.ts';
import { createRandomId } from './random-id.ts';
import { type ConsentRecord, enqueueRecord } from './record-queue.ts';
import { RecordSender } from './record-sender.ts';
import { reportProblem } from './report-problem.ts';
import { decisionKey, readDecision, type StoredDecision, writeDecision } from './stored-decision.ts';

export interface ConsentSessionOptions {
  readonly noticeId: string;
  readonly apiBase: string;
  /** Told of each decision: the stored one at the start, the visitor's own, and another tab's. */
  readonly onDecision: (purposes: Purposes) => void;
}

/** One visitor and one notice on this page: what is decided, the words to show, and the way of a decision. */
export class ConsentSession {
  readonly #options: ConsentSessionOptions;
  readonly #sender: RecordSender;
  readonly #ended = new AbortController();
  #notice: Promise<Notice | null> | undefined;
  #decision: StoredDecision | null;

  constructor(options: ConsentSessionOptions) {
    this.#options = options;
    this.#sender = new RecordSender(options.noticeId, options.apiBase);
    this.#decision = readDecision(options.noticeId);
    const { signal } = this.#ended;
    addEventListener('online', () => this.#sender.flush(), { signal });
    addEventListener('storage', (event) => this.#followTab(event), { signal });
    if (this.#decision) options.onDecision(this.#decision.purposes);
    void this.#sender.flush();
  }

  get decision(): StoredDecision | null {
    return this.#decision;
  }

  /** The notice, asked for once; after a failure (told in the console) it is null and may be asked for again. */
  loadNotice(): Promise<Notice | null> {
    const { apiBase, noticeId } = this.#options;
    this.#notice ??= fetchNotice(apiBase, noticeId).catch((error: Error) => {
      this.#notice = undefined;
      reportProblem(error.message);
      return null;
    });
    return this.#notice;
  }

  /** Takes the visitor's choice: queued and stored first, then told to the page, then sent. */
  decide(notice: Notice, isGranted: Parameters<typeof decidePurposes>[1], method: ConsentRecord['method']): void {
    const { noticeId } = this.#options;
    const purposes = decidePurposes(notice, isGranted);
    const capturedAt = new Date().toISOString();
    const subjectId = this.#decision?.subjectId ?? createRandomId();
    const noticeVersion = notice.version;
    this.#decision = {
      decision: nameDecision(notice, purposes),
      purposes,
      noticeVersion,
      decidedAt: capturedAt,
      subjectId,
    };
    enqueueRecord(noticeId, { subjectId, purposes, method, capturedAt, noticeVersion });
    writeDecision(noticeId, this.#decision);
    this.#options.onDecision(purposes);
    void this.#sender.flush();
  }

  /** Stops following other tabs. Records that wait go out with the next session. */
  end(): void {
    this.#ended.abort();
  }

  #followTab({ key }: StorageEvent): void {
    if (key !== decisionKey(this.#options.noticeId)) return;
    const decision = readDecision(this.#options.noticeId);
    if (!decision) return; // Cleared storage is no withdrawal: this page keeps what it knows.
    this.#decision = decision;
    this.#options.onDecision(decision.purposes);
  }
}

function nameDecision(notice: Notice, purposes: Purposes): StoredDecision['decision'] {
  const optional = notice.purposes.filter(({ required }) => !required);
  if (optional.every(({ key }) => purposes[key])) return 'accepted';
  return optional.some(({ key }) => purposes[key]) ? 'custom' : 'rejected';
}
