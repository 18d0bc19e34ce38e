import { html, nothing, type TemplateResult } from 'lit';
import type { Notice, NoticeContent } from '../../../../packages/node-sdk/src/types/api.ts';
import { noticeStatusValues } from '../api-types.ts';
import { choice, field, readForm, viewError } from '../element.ts';
import { formatCount, nameValues, viewStatus } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { notices } from '../sdk.ts';
import { session } from '../session.ts';

type PurposeName = keyof typeof pageWords.templatePurposes;

/** The purposes of each template, by their keys. */
const templates: Readonly<Record<keyof typeof pageWords.templates, readonly PurposeName[]>> = {
  shop: ['necessary', 'preferences', 'statistics', 'marketing'],
  blog: ['necessary', 'statistics', 'media'],
  app: ['necessary', 'diagnostics', 'statistics'],
};

/** The notices of a tenant. */
export class NoticeList extends PageElement {
  static override properties = { isAdding: { state: true } };

  declare isAdding: boolean;

  readonly #view: ListView<Notice> = {
    label: pageWords.notices,
    columns: [
      [pageWords.name, ({ id, name }) => html`<a href="/app/notices/${id}">${name}</a>`],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.version, ({ version }) => version ?? '–'],
      [pageWords.domain, ({ domain }) => domain],
      [pageWords.records, ({ recordCount }) => formatCount(recordCount)],
      [pageWords.unpublished, ({ hasUnpublishedChanges }) => (hasUnpublishedChanges ? pageWords.yes : pageWords.no)],
      ...(session.allows('archiveConsentNotice')
        ? ([[pageWords.actions, (notice: Notice) => this.#viewArchive(notice)]] as const)
        : []),
    ],
    filters: [
      {
        name: 'status',
        label: pageWords.status,
        options: nameValues(noticeStatusValues),
      },
      { name: 'domain', label: pageWords.domain },
      { name: 'search', label: pageWords.search },
    ],
    load: (query) => notices.list(query),
    empty: html`<p>${pageWords.noNotices}</p>
      <p><a href="/docs/guides/notices/" target="_blank">${pageWords.readDocs}</a></p>`,
  };

  constructor() {
    super();
    this.isAdding = false;
  }

  protected override render(): TemplateResult {
    return html`<div class="heading">
        <h1>${pageWords.notices}</h1>
        ${
          session.allows('createConsentNotice')
            ? html`<button class="primary" @click=${() => this.#toggle(true)}>${pageWords.newNotice}</button>`
            : nothing
        }
      </div>
      ${this.isAdding || this.confirmation !== null ? nothing : this.viewOutcome()}
      <svc-list .view=${this.#view}></svc-list>
      ${this.isAdding ? this.#viewForm() : this.viewDialogs()}`;
  }

  #viewForm(): TemplateResult {
    const close = () => this.#toggle(false);
    return this.viewDialog(
      pageWords.newNotice,
      html`<form @submit=${this.#create}>
        ${choice(pageWords.template, 'template', Object.entries(pageWords.templates))}
        ${field(pageWords.domain, 'domain', { hint: pageWords.domainHint })}
        ${field(pageWords.controller, 'controllerName', {
          hint: pageWords.controllerHint,
          value: session.me?.tenant.name ?? '',
        })}
        ${viewError(this.error)}
        <div class="actions">
          <button class="primary" ?disabled=${this.isBusy}>${pageWords.createNotice}</button>
          <button type="button" @click=${close}>${words.cancel}</button>
        </div>
      </form>`,
      close,
    );
  }

  #viewArchive(notice: Notice): TemplateResult | typeof nothing {
    if (notice.status === 'archived') return nothing;
    const { name } = notice;
    return html`<button aria-label="${pageWords.archive}: ${name}" @click=${() => this.#askArchive(notice)}>
      ${pageWords.archive}
    </button>`;
  }

  #toggle(isAdding: boolean): void {
    this.isAdding = isAdding;
    this.error = null;
  }

  readonly #create = (event: SubmitEvent): void => {
    const { template = '', domain = '', controllerName = '' } = readForm(event);
    const content = fillTemplate(template as keyof typeof templates, domain, controllerName);
    void this.run(async () => {
      const { id } = await notices.create(content);
      this.isAdding = false;
      // The dialog has no unsaved input any more when the page is left.
      await this.updateComplete;
      this.dispatchEvent(new CustomEvent('go', { detail: `notices/${id}`, bubbles: true }));
    });
  };

  #askArchive({ id, name }: Notice): void {
    this.confirmation = {
      title: pageWords.archiveNotice,
      text: `${name}: ${pageWords.archiveHint}`,
      button: pageWords.archive,
      run: async () => {
        await notices.archive(id);
        void this.querySelector<List<Notice>>('svc-list')?.reload();
      },
    };
  }
}

/** The content of a new notice in the language of the user. */
function fillTemplate(template: keyof typeof templates, domain: string, controllerName: string): NoticeContent {
  return {
    name: pageWords.templateNames[template],
    controllerName,
    language: document.documentElement.lang,
    domain,
    purposes: templates[template].map((key) => ({
      key,
      ...pageWords.templatePurposes[key],
      required: key === 'necessary',
    })),
  };
}

customElements.define('svc-notices', NoticeList);
