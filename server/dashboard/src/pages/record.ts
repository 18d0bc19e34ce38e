import { html, nothing, type TemplateResult } from 'lit';
import type { ConsentRecord, NoticeVersion } from '../../../../packages/node-sdk/src/types/api.ts';
import { saveFile } from '../download.ts';
import { nameValue, viewTerm, viewTime } from '../format.ts';
import { nameLanguage, nameRegion } from '../notice-names.ts';
import { viewVersion } from '../notice-version.ts';
import { PageElement } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
import '../proof-view.ts';
import { proveRecord } from '../prove.ts';
import { nameFact } from '../receipt-facts.ts';
import { notices, records, subjects } from '../sdk.ts';
import { session } from '../session.ts';
import '../shown-notice.ts';
import { viewChoices, viewSubject } from './records.ts';

/** One consent record: the decision, its place in the ledger, and the proof. */
export class RecordPage extends PageElement {
  static override properties = {
    noticeId: {},
    recordId: {},
    record: { state: true },
    version: { state: true },
    isWithdrawable: { state: true },
  };

  declare noticeId: string;
  declare recordId: string;
  declare record: ConsentRecord | null;
  /** The version that the subject saw; null until it is loaded. */
  declare version: NoticeVersion | null;
  /** True if a purpose that the record granted, and that is not required, is still granted. */
  declare isWithdrawable: boolean;

  constructor() {
    super();
    this.record = null;
    this.version = null;
    this.isWithdrawable = false;
  }

  protected override async load(): Promise<void> {
    const record = await records.retrieve(this.noticeId, this.recordId);
    this.record = record;
    // The record is drawn first: the rest comes after it.
    await this.updateComplete;
    const [version, isHeld] = await Promise.all([findVersion(record), findHeld(record)]);
    this.version = version;
    this.isWithdrawable = Object.entries(record.purposes).some(
      ([key, isGranted]) =>
        isGranted && isHeld(key) && !version.purposes.some((purpose) => purpose.key === key && purpose.required),
    );
  }

  protected override render(): TemplateResult {
    const { record } = this;
    if (record === null) return this.viewPending(pageWords.record);
    const { noticeId, withdrawsRecordId, method } = record;
    return html`<h1>${pageWords.record} ${record.sequence}</h1>
      ${this.viewOutcome()}
      <dl>
        ${viewTerm(pageWords.subject, viewSubject(record))}
        ${record.subjectChannel === null ? nothing : viewTerm(pageWords.subjectChannel, nameValue(record.subjectChannel))}
        ${viewTerm(pageWords.kind, nameValue(record.kind))} ${viewTerm(pageWords.choices, viewChoices(record.purposes))}
        ${viewTerm(pageWords.capturedAt, viewTime(record.capturedAt))}
        ${viewTerm(pageWords.recordedAt, viewTime(record.recordedAt))}
        ${viewTerm(pageWords.source, nameValue(record.source))}
        ${method === null ? nothing : viewTerm(pageWords.method, method)}
        ${viewTerm(
          pageWords.notice,
          html`<a href="/app/notices/${noticeId}/records">${this.version?.name ?? noticeId}</a>`,
        )}
        ${
          withdrawsRecordId === null
            ? nothing
            : viewTerm(
                pageWords.withdraws,
                html`<a href="/app/notices/${noticeId}/records/${withdrawsRecordId}">${withdrawsRecordId}</a>`,
              )
        }
        ${viewShown(record, this.version)}
        ${viewTerm(pageWords.contentHash, html`<code>${record.noticeContentHash}</code>`)}
        ${viewTerm(pageWords.hash, html`<code>${record.ledgerHash}</code>`)}
        ${viewHash(pageWords.previousHash, record.prevLedgerHash)} ${viewHash(pageWords.ipHash, record.ipHash)}
        ${viewHash(pageWords.deviceHash, record.uaHash)}
      </dl>
      ${isHash(record.shownHash) ? html`<svc-shown-notice .record=${record}></svc-shown-notice>` : nothing}
      ${this.version === null ? nothing : viewVersion(this.version)}
      <div class="actions">
        ${
          this.isWithdrawable && session.allows('withdrawConsentRecord')
            ? html`<button class="danger" @click=${() => this.#askWithdraw(record)}>${pageWords.withdraw}</button>`
            : nothing
        }
        <button @click=${() => saveFile(`record-${record.sequence}.json`, JSON.stringify(record, null, 2))}>
          ${pageWords.saveJson}
        </button>
        <button ?disabled=${this.isBusy} @click=${() => this.#saveReceipt(record)}>${pageWords.downloadReceipt}</button>
      </div>
      <svc-proof .prove=${() => proveRecord(record)}></svc-proof>
      ${this.viewDialogs()}`;
  }

  #saveReceipt({ id, sequence }: ConsentRecord): void {
    void this.run(async () => {
      const receipt = await records.retrieveReceipt(id);
      saveFile(`receipt-${sequence}.jsonld`, JSON.stringify(receipt, null, 2), 'application/ld+json');
      const missing = receipt.missing.map((path) => nameFact(path, this.version ?? { purposes: [] }));
      if (missing.length > 0) this.notice = `${pageWords.receiptLacks} ${missing.join('; ')}`;
    });
  }

  #askWithdraw({ subjectId }: ConsentRecord): void {
    this.confirmation = {
      title: pageWords.withdraw,
      text: `${subjectId}: ${pageWords.withdrawHint}`,
      button: pageWords.withdraw,
      run: async () => {
        const { id } = await records.withdraw(this.noticeId, this.recordId);
        this.goTo(`notices/${this.noticeId}/records/${id}`);
      },
    };
  }
}

/** True if a record has the hash of the shown text: the visitor's browser was able to compute one. */
function isHash(shownHash: string | null): boolean {
  return shownHash !== null && shownHash !== 'unverified';
}

/** Shows the language, region, bases and hash that a record of a visitor has; nothing for other records. */
function viewShown({ language, region, basis, shownHash }: ConsentRecord, version: NoticeVersion | null) {
  const { shown, editor } = pageWords;
  const nameKey = (key: string) => version?.purposes.find((purpose) => purpose.key === key)?.label ?? key;
  const bases = Object.entries(basis ?? {});
  return html`${language === null ? nothing : viewTerm(shown.language, nameLanguage(language))}
  ${basis === null ? nothing : viewTerm(shown.region, region === null ? editor.unknownRegion : nameRegion(region))}
  ${
    bases.length === 0
      ? nothing
      : viewTerm(
          shown.basis,
          html`${bases.map(([key, one]) => html`<div>${nameKey(key)}: ${editor.bases[one]}</div>`)}`,
        )
  }
  ${
    shownHash === null
      ? nothing
      : viewTerm(shown.hash, isHash(shownHash) ? html`<code>${shownHash}</code>` : shown.unverified)
  }`;
}

function viewHash(name: string, hash: string | null): TemplateResult | typeof nothing {
  return hash === null ? nothing : viewTerm(name, html`<code>${hash}</code>`);
}

/** The version of the notice that a record is about; versions are listed newest first. */
async function findVersion({ noticeId, noticeVersion }: ConsentRecord): Promise<NoticeVersion> {
  for await (const version of notices.listVersions(noticeId)) if (version.version === noticeVersion) return version;
  throw new RangeError(`The notice has no version ${noticeVersion}.`);
}

/** Finds which purposes still hold. Of a subject with very many notices, older ones are not listed: the server decides. */
async function findHeld({ noticeId, subjectId, space }: ConsentRecord): Promise<(key: string) => boolean> {
  if (subjectId === null) return () => false;
  const { state } = await subjects.retrieve(subjectId, { limit: 1 });
  const found = state[space].find((one) => one.noticeId === noticeId);
  return (key) => found === undefined || found.purposes[key]?.granted === true;
}

customElements.define('svc-record', RecordPage);
