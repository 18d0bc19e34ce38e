import { html, nothing, type TemplateResult } from 'lit';
import type {
  ControlDetail,
  Erasure,
  Evidence,
  EvidenceInput,
  EvidenceUsage,
} from '../../../packages/node-sdk/src/types/api.ts';
import { RequestError, transport } from './api.ts';
import { evidenceKindValues } from './api-types.ts';
import { download, linkTo } from './download.ts';
import { choice, field } from './element.ts';
import { describeErasing, viewErased } from './erase.ts';
import {
  endOfDay,
  formatPercent,
  formatSize,
  nameValue,
  nameValues,
  toLocalInput,
  viewStatus,
  viewTime,
} from './format.ts';
import './list.ts';
import type { List, ListView } from './list.ts';
import { PageElement, textField } from './page-element.ts';
import { pageWords } from './preferences.ts';
import { controls } from './sdk.ts';
import { session } from './session.ts';

/** The evidence of a control. Emits `changed` when an item was added, withdrawn or erased. */
export class ControlEvidence extends PageElement {
  static override properties = {
    control: { attribute: false },
    file: { state: true },
    sent: { state: true },
    isOver: { state: true },
    usage: { state: true },
    erasure: { state: true },
  };

  declare control: ControlDetail;
  /** The file that was chosen or dropped. */
  declare file: File | null;
  /** The part of the file that was sent, from 0 to 1; null while none is. */
  declare sent: number | null;
  /** True while a file is dragged over the area that takes it. */
  declare isOver: boolean;
  /** The space that files take; null until it is known. */
  declare usage: EvidenceUsage | null;
  /** The erasure that was just made; null before. */
  declare erasure: Erasure | null;

  constructor() {
    super();
    this.file = null;
    this.sent = null;
    this.isOver = false;
    this.usage = null;
    this.erasure = null;
  }

  readonly #view: ListView<Evidence> = {
    label: pageWords.control.evidence,
    columns: [
      [pageWords.title, (item) => this.#viewItem(item)],
      [pageWords.kind, ({ kind }) => nameValue(kind)],
      [pageWords.control.collected, ({ collectedAt }) => viewTime(collectedAt)],
      [pageWords.expires, ({ expiresAt }) => (expiresAt === null ? pageWords.never : viewTime(expiresAt))],
      [pageWords.status, viewValidity],
      [
        pageWords.actions,
        (item) => html`${
          item.withdrawnAt === null && session.allows('withdrawEvidence')
            ? html`<button aria-label="${pageWords.control.withdraw}: ${item.title}" @click=${() => this.#withdraw(item)}>
                ${pageWords.control.withdraw}
              </button>`
            : nothing
        }
        ${
          item.erasedAt === null && session.allows('eraseEvidence')
            ? html`<button
                class="danger"
                aria-label="${pageWords.erasing.erase}: ${item.title}"
                @click=${() => this.#erase(item)}
              >
                ${pageWords.erasing.erase}
              </button>`
            : nothing
        }`,
      ],
    ],
    load: () => controls.evidence.list(this.control.id),
    empty: { text: pageWords.control.noEvidence, docs: 'guides/controls' },
  };

  protected override render(): TemplateResult {
    const { evidenceExamples } = this.control;
    return html`<div class="heading">
        <h2>${pageWords.control.evidence}</h2>
        ${
          session.allows('addEvidence')
            ? html`<button @click=${this.#add}>${pageWords.control.addEvidence}</button>`
            : nothing
        }
      </div>
      ${
        evidenceExamples.length === 0
          ? nothing
          : html`<p class="quiet">${pageWords.control.examples}</p>
              <ul class="quiet">
                ${evidenceExamples.map((example) => html`<li>${example}</li>`)}
              </ul>`
      }
      ${this.viewOutcome()} ${this.erasure === null ? nothing : viewErased(this.erasure)}
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  readonly #add = (): void => {
    const collected = toLocalInput(new Date().toISOString());
    this.file = null;
    void this.#readUsage();
    this.formDialog = {
      title: pageWords.control.addEvidence,
      fields: () => html`${this.#viewFile()} ${field(pageWords.title, 'title')}
      ${choice(pageWords.kind, 'kind', nameValues(evidenceKindValues))}
      ${
        this.file === null
          ? field(pageWords.control.link, 'url', { type: 'url', isOptional: true, hint: pageWords.control.linkHint })
          : nothing
      }
      ${field(pageWords.control.collected, 'collectedAt', { type: 'datetime-local', value: collected })}
      ${field(pageWords.expires, 'expiresAt', { type: 'date', isOptional: true, hint: pageWords.expiresHint })}
      ${textField(pageWords.descriptionOptional, 'description', { isOptional: true })}`,
      send: (values) => this.#send(values),
    };
  };

  /** If it fails, only the server decides whether a file fits. */
  async #readUsage(): Promise<void> {
    this.usage = await controls.evidence.usage().catch(() => null);
  }

  #viewFile(): TemplateResult {
    const { usage } = this;
    const issue = this.file === null ? null : findIssue(this.file, usage);
    return html`<div
        class="field drop"
        data-over=${this.isOver ? '' : nothing}
        @dragover=${this.#hold}
        @dragleave=${this.#leave}
        @drop=${this.#drop}
      >
        <label
          ><span>${pageWords.control.file}</span
          ><input
            name="file"
            type="file"
            aria-describedby="file-hint"
            aria-invalid=${issue === null ? nothing : 'true'}
            @change=${this.#choose}
        /></label>
        <span class="quiet" id="file-hint"
          >${this.file === null ? pageWords.control.fileHint : describeFile(this.file)}
          ${usage === null ? nothing : html`<br />${pageWords.control.freeSpace}: ${formatSize(countFree(usage))} / ${formatSize(usage.quota)}`}</span
        >
      </div>
      ${issue === null ? nothing : html`<p class="error" role="alert">${issue}</p>`}
      ${
        this.sent === null
          ? nothing
          : html`<label class="field"
              ><span>${pageWords.control.sending} ${formatPercent(Math.round(this.sent * 100))}</span
              ><progress max="1" .value=${this.sent}></progress
            ></label>`
      }`;
  }

  readonly #hold = (event: DragEvent): void => {
    event.preventDefault();
    this.isOver = true;
  };

  readonly #leave = (): void => {
    this.isOver = false;
  };

  readonly #drop = (event: DragEvent): void => {
    event.preventDefault();
    this.isOver = false;
    const { files } = event.dataTransfer ?? {};
    const input = (event.currentTarget as HTMLElement).querySelector('input');
    if (files === undefined || files.length === 0 || input === null) return;
    input.files = files;
    this.#take(files[0]);
  };

  readonly #choose = (event: Event): void => this.#take((event.currentTarget as HTMLInputElement).files?.[0]);

  /** The name of the file is a title, unless the user wrote one. */
  #take(file: File | undefined): void {
    this.file = file ?? null;
    const title = this.querySelector<HTMLInputElement>('form [name="title"]');
    if (title?.value === '') title.value = file?.name.slice(0, 200) ?? '';
  }

  async #send(values: Readonly<Record<string, string>>): Promise<void> {
    const { title, kind, url = '', description = '', collectedAt = '', expiresAt = '' } = values;
    const { file } = this;
    const item = {
      title,
      kind,
      collectedAt: new Date(collectedAt),
      ...(expiresAt !== '' && { expiresAt: endOfDay(expiresAt) }),
      ...(description.trim() !== '' && { description }),
    };
    if (file === null)
      await controls.evidence.add(this.control.id, { ...item, ...(url.trim() !== '' && { url }) } as EvidenceInput);
    else await this.#upload(file, { ...item, name: file.name });
    this.#finish(pageWords.control.added);
  }

  async #upload(
    file: File,
    item: { readonly name: string; readonly collectedAt: Date; readonly expiresAt?: Date },
  ): Promise<void> {
    // The browser knows what the server would reject after minutes.
    const issue = findIssue(file, this.usage);
    if (issue !== null) throw new RequestError(413, { message: issue });
    this.sent = 0;
    const { collectedAt, expiresAt } = item;
    const query = {
      ...item,
      collectedAt: collectedAt.toISOString(),
      ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    };
    const path = `/v1/control-framework/controls/${this.control.id}/evidence/files`;
    const progress = (sent: number) => {
      this.sent = sent;
    };
    try {
      await transport.upload(path, query, file, progress);
    } finally {
      this.sent = null;
    }
  }

  #viewItem({ id, controlId, title, url, file, description, sha256, erasedAt }: Evidence): TemplateResult {
    const path = `/v1/control-framework/controls/${encodeURIComponent(controlId)}/evidence/${id}/file`;
    const save = (event: Event) => {
      event.preventDefault();
      void this.runQuietly(() => download(path));
    };
    return html`${erasedAt === null ? nothing : html`<p class="quiet">${pageWords.textsErased} ${viewTime(erasedAt)}</p>`}
    ${url === null ? html`<bdi>${title}</bdi>` : html`<a href=${url} target="_blank" rel="noopener noreferrer">${title}</a>`}
    ${file === null ? nothing : erasedAt !== null ? html`<p class="quiet">${formatSize(file.size)}</p>` : html`<p><a href=${linkTo(path)} download @click=${save}>${describeFile(file)}</a></p>`}
    ${description === null ? nothing : html`<p class="quiet text">${description}</p>`}
    ${sha256 === null ? nothing : html`<p class="quiet">SHA-256 <code>${sha256}</code></p>`}`;
  }

  #withdraw({ id, title }: Evidence): void {
    this.formDialog = {
      title: pageWords.control.withdrawEvidence,
      button: pageWords.control.withdraw,
      fields: () => html`<p>${title}: ${pageWords.control.withdrawHint}</p>
        ${textField(pageWords.reason, 'reason')}`,
      send: async ({ reason = '' }) => {
        await controls.evidence.withdraw(this.control.id, id, { reason });
        this.#finish(pageWords.control.withdrawn);
      },
    };
  }

  #erase({ id, title }: Evidence): void {
    const { erasing } = pageWords;
    const coverage = { clears: [erasing.evidenceTexts, erasing.textTraces], keeps: [erasing.keptEvidence] };
    const name = title ?? pageWords.control.evidence;
    this.formDialog = describeErasing(erasing.eraseEvidence, name, coverage, async (reason) => {
      this.erasure = await controls.evidence.erase(this.control.id, id, { reason });
      this.#finish('');
    });
  }

  #finish(notice: string): void {
    this.notice = notice;
    this.dispatchEvent(new Event('changed'));
    void this.querySelector<List<Evidence>>('svc-list')?.reload();
  }
}

const largestFile = 25 * 1024 * 1024;

/** The quota may have been lowered since. */
const countFree = ({ used, quota }: EvidenceUsage) => Math.max(quota - used, 0);

/** Why the server would reject a file; null if it would not. */
function findIssue({ size }: File, usage: EvidenceUsage | null): string | null {
  if (size === 0) return pageWords.control.emptyFile;
  if (size > largestFile) return `${pageWords.control.largeFile} ${formatSize(size)}.`;
  if (usage === null || size <= countFree(usage)) return null;
  return `${pageWords.control.noSpace} ${formatSize(countFree(usage))}.`;
}

function describeFile({ name, size }: { readonly name: string | null; readonly size: number }): TemplateResult {
  return html`<bdi>${name}</bdi>, ${formatSize(size)}`;
}

function viewValidity({ isValid, withdrawnAt, withdrawalReason }: Evidence): TemplateResult {
  if (withdrawnAt === null) return viewStatus(isValid ? 'valid' : 'expired');
  return html`${viewStatus('withdrawn')} ${viewTime(withdrawnAt)} <p class="quiet text">${withdrawalReason}</p>`;
}

customElements.define('svc-control-evidence', ControlEvidence);
