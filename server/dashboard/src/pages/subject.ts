import { html, nothing, type TemplateResult } from 'lit';
import type {
  ConsentRecord,
  Erasure,
  Notice,
  NoticeState,
  SubjectLedger,
  SubjectState,
} from '../../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from '../api.ts';
import { saveFile } from '../download.ts';
import { type Coverage, countItem, describeErasing, viewErased } from '../erase.ts';
import { viewStatus } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewEmpty } from '../page-element.ts';
import { Polling } from '../polling.ts';
import { pageWords } from '../preferences.ts';
import { notices, records, requests, subjects } from '../sdk.ts';
import { session } from '../session.ts';
import { viewRecords } from './records.ts';

/** The decisions of a data subject: the state of each notice, and every record. */
export class SubjectPage extends PageElement {
  static override properties = {
    subjectId: {},
    state: { state: true },
    notices: { state: true },
    erasure: { state: true },
  };

  declare subjectId: string;
  declare state: SubjectState | null;
  /** The notices by their ids, once they are loaded. */
  declare notices: ReadonlyMap<string, Notice>;
  /** The erasure that was made; null before. */
  declare erasure: Erasure | null;
  #records: ListView<ConsentRecord> | null = null;
  /** The request of the page, which the list uses too. */
  #requested: PromiseLike<SubjectLedger> | null = null;

  constructor() {
    super();
    this.state = null;
    this.notices = new Map();
    this.erasure = null;
    new Polling(this, () => this.#follow());
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { subjectId } = this;
    this.#records = {
      ...viewRecords(),
      load: async () => {
        const requested = this.#requested ?? subjects.retrieve(subjectId);
        this.#requested = null;
        const { items, nextCursor } = await requested;
        return {
          items,
          hasNextPage: nextCursor !== null,
          nextPage: async () => (nextCursor === null ? null : subjects.listRecords(subjectId, { cursor: nextCursor })),
        };
      },
      empty: { text: pageWords.noSubjectRecords, docs: 'guides/records' },
    };
  }

  protected override async load(): Promise<void> {
    this.#requested = subjects.retrieve(this.subjectId);
    this.state = (await this.#requested).state;
    void this.#loadNotices([...this.state.api, ...this.state.public]);
  }

  /** One that cannot be loaded leaves its id. */
  async #loadNotices(states: readonly NoticeState[]): Promise<void> {
    // The state is shown before their names are requested.
    await this.updateComplete;
    const ids = [...new Set(states.map(({ noticeId }) => noticeId))].slice(0, mostNotices);
    const found = await Promise.allSettled(ids.map((id) => notices.retrieve(id)));
    this.notices = new Map(found.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.id, one.value]] : [])));
  }

  protected override render(): TemplateResult {
    const { state, erasure } = this;
    if (erasure !== null)
      return html`<h1>${pageWords.erasing.erasedSubject}</h1>
        ${viewErased(erasure)}
        <p><a href="/app/subjects">${pageWords.otherSubject}</a></p>`;
    if (Object(this.loadError).status === 404)
      return html`<h1>${this.subjectId}</h1>
        ${viewEmpty({
          text: pageWords.noSubjectRecords,
          docs: 'guides/records',
          action: ['/app/subjects', pageWords.otherSubject],
        })}
        ${this.#viewOpenRequest()}`;
    return html`<h1>${this.subjectId}</h1>
      ${this.viewOutcome()}
      ${
        state === null
          ? this.viewWaiting()
          : html`${this.#viewStates(pageWords.statedByApi, state.api)}
            ${this.#viewStates(pageWords.statedByVisitor, state.public)}`
      }
      <h2>${pageWords.records}</h2>
      <svc-list .view=${this.#records}></svc-list>
      <div class="actions">
        <button ?disabled=${this.isBusy} @click=${this.#export}>${pageWords.saveJson}</button>
        ${
          session.allows('eraseSubject') && state !== null
            ? html`<button class="danger" ?disabled=${this.isBusy} @click=${this.#erase}>${pageWords.erasing.erase}</button>`
            : nothing
        }
      </div>
      ${this.#viewOpenRequest()} ${this.viewDialogs()}`;
  }

  readonly #erase = (): void => {
    const title = pageWords.erasing.eraseSubject;
    void this.run(async () => {
      this.formDialog = describeErasing(
        title,
        this.subjectId,
        await this.#readCoverage(),
        async (reason, spellings) => {
          const erasures: Erasure[] = [];
          // The subject of the page last: until then, a failure leaves the page to try again from.
          for (const subjectId of [...spellings, this.subjectId])
            erasures.push(await subjects.erase(subjectId, { reason }));
          this.erasure = addErasures(erasures);
          // The address no longer names the person either.
          history.replaceState(history.state, '', '/app/subjects');
        },
      );
    });
  };

  async #readCoverage(): Promise<Coverage> {
    const { erasing } = pageWords;
    const { subjectId } = this;
    const [{ items, nextCursor }, open, completed, found] = await Promise.all([
      subjects.retrieve(subjectId, { limit: 200 }),
      requests.list({ subjectId, status: 'open', limit: 1 }),
      requests.list({ subjectId, status: 'completed', limit: 100 }),
      subjects.search({ subjectId }),
    ]);
    const ofRecords = countItem('records', items.length, nextCursor !== null);
    const ofRequests = countItem('requests', completed.items.length, completed.nextCursor !== null);
    return {
      clears: [ofRecords, ofRequests, erasing.subjectTraces],
      keeps: [erasing.keptLedger, ...(open.items.length > 0 ? [erasing.openRequest] : [])],
      spellings: found.items.filter((spelling) => spelling.subjectId !== subjectId),
    };
  }

  /** Looks whether an erasure that goes on in the background is done. */
  async #follow(): Promise<void> {
    if (this.erasure?.status !== 'running') return;
    try {
      await subjects.retrieve(this.subjectId, { limit: 1 });
    } catch (error) {
      if (Object(error).status === 404) this.erasure = { ...this.erasure, status: 'done' };
    }
  }

  #viewOpenRequest(): TemplateResult | typeof nothing {
    if (!session.allows('createDsr')) return nothing;
    const query = new URLSearchParams({ subjectId: this.subjectId, open: '' });
    return html`<p><a href="/app/requests?${query}">${pageWords.openRequest}</a></p>`;
  }

  #viewStates(title: string, states: readonly NoticeState[]): TemplateResult | typeof nothing {
    if (states.length === 0) return nothing;
    return html`<section>
      <h2>${title}</h2>
      ${states.map((state) => this.#viewState(state))}
    </section>`;
  }

  #viewState({ noticeId, purposes }: NoticeState): TemplateResult {
    const notice = this.notices.get(noticeId);
    const name = notice?.name ?? noticeId;
    // The latest record of each purpose that holds. A required one cannot be withdrawn.
    const granted = Object.entries(purposes).flatMap(([key, { granted, recordId }]) =>
      granted && !notice?.purposes.some((purpose) => purpose.key === key && purpose.required) ? [recordId] : [],
    );
    return html`<p><a href="/app/notices/${noticeId}/records">${pageWords.notice}: ${name}</a></p>
      <ul class="plain">
        ${Object.entries(purposes).map(
          ([key, { granted, recordId }]) =>
            html`<li>
              <a href="/app/notices/${noticeId}/records/${recordId}">${key}</a>
              ${viewStatus(granted ? 'granted' : 'refused')}
            </li>`,
        )}
      </ul>
      ${
        granted.length > 0 && session.allows('withdrawConsentRecord')
          ? html`<div class="actions">
              <button
                class="danger"
                aria-label="${pageWords.withdraw}: ${name}"
                @click=${() => this.#askWithdraw(noticeId, name, new Set(granted))}
              >
                ${pageWords.withdraw}
              </button>
            </div>`
          : nothing
      }`;
  }

  #askWithdraw(noticeId: string, name: string, granted: ReadonlySet<string>): void {
    this.confirmation = {
      title: pageWords.withdraw,
      text: `${this.subjectId}, ${name}: ${pageWords.withdrawHint}`,
      button: pageWords.withdraw,
      run: async () => {
        let refusal: unknown = null;
        let count = 0;
        for (const recordId of granted) {
          try {
            await records.withdraw(noticeId, recordId);
            count += 1;
          } catch (error) {
            // One that granted only what is required, or that another user withdrew meanwhile, holds up no other.
            if (!(error instanceof RequestError) || error.code !== 'consent_already_withdrawn') throw error;
            refusal = error;
          }
        }
        if (count === 0) throw refusal;
        this.notice = pageWords.withdrawn;
        await this.loadAgain();
        void this.querySelector<List<ConsentRecord>>('svc-list')?.reload();
      },
    };
  }

  /** All records of the subject, for a request for access (GDPR Article 15) or portability (Article 20). */
  readonly #export = (): void => {
    void this.run(async () => {
      const all: ConsentRecord[] = [];
      for await (const record of subjects.listRecords(this.subjectId)) all.push(record);
      saveFile('subject.json', JSON.stringify({ subjectId: this.subjectId, state: this.state, records: all }, null, 2));
    });
  };
}

/** All erasures as one: the last, which is that of the page, with the counts of all. */
function addErasures(erasures: readonly Erasure[]): Erasure {
  return erasures.reduce((sum, next) => {
    const counts = Object.entries(next.counts).map(([name, count]) => [
      name,
      count + sum.counts[name as keyof Erasure['counts']],
    ]);
    return { ...next, counts: Object.fromEntries(counts) };
  });
}

/** The most notices that are loaded: each takes a request. */
const mostNotices = 20;

customElements.define('svc-subject', SubjectPage);
