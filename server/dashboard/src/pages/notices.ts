import { html, nothing, type TemplateResult } from 'lit';
import type { Notice, NoticeContent } from '../../../../packages/node-sdk/src/types/api.ts';
import { noticeStatusValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { formatCount, nameValues, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewHeading } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
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
  readonly #view: ListView<Notice> = {
    label: pageWords.notices,
    columns: [
      [pageWords.name, ({ id, name }) => html`<a href="/app/notices/${id}">${name}</a>`],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.version, ({ version }) => version ?? '–'],
      [pageWords.domain, ({ domain }) => domain],
      [
        pageWords.records,
        ({ id, recordCount }) =>
          html`${formatCount(recordCount)}
            <a href="/app/notices/${id}/statistics">${pageWords.statistics.title}</a>`,
      ],
      [pageWords.lastSeen, ({ lastSeenAt }) => viewTime(lastSeenAt)],
      [pageWords.unpublished, ({ hasUnpublishedChanges }) => (hasUnpublishedChanges ? pageWords.yes : pageWords.no)],
      ...(session.allows('archiveConsentNotice')
        ? ([[pageWords.actions, (notice: Notice) => this.#viewActions(notice)]] as const)
        : []),
    ],
    filters: [
      { name: 'status', label: pageWords.status, options: nameValues(noticeStatusValues) },
      { name: 'domain', label: pageWords.domain },
      { name: 'search', label: pageWords.search },
    ],
    load: (query) => notices.list(query),
    empty: { text: pageWords.noNotices, docs: 'guides/notices' },
  };

  override connectedCallback(): void {
    super.connectedCallback();
    // The setup of the server leads here. Once it is open, the way back and a reload must not open it again.
    if (location.hash !== '#new') return;
    history.replaceState(history.state, '', location.pathname + location.search);
    if (session.allows('createConsentNotice')) this.#create();
  }

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.notices, 'createConsentNotice', pageWords.newNotice, this.#create)}
      ${this.viewOutcome()}
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  /** A draft that no visitor has seen can go; anything else stays, at most archived. */
  #viewActions(notice: Notice): TemplateResult | typeof nothing {
    const { name, status, version } = notice;
    const button = (text: string, act: () => void) =>
      html`<button aria-label="${text}: ${name}" @click=${act}>${text}</button>`;
    return html`<div class="actions">
      ${status === 'archived' ? nothing : button(pageWords.archive, () => this.#askArchive(notice))}
      ${version === null ? button(pageWords.delete, () => this.#askDelete(notice)) : nothing}
    </div>`;
  }

  readonly #create = (): void => {
    this.formDialog = {
      title: pageWords.newNotice,
      button: pageWords.createNotice,
      fields: () => html`${choice(pageWords.template, 'template', Object.entries(pageWords.templates))}
      ${field(pageWords.domain, 'domain', { hint: pageWords.domainHint })}
      ${field(pageWords.controller, 'controllerName', {
        hint: pageWords.controllerHint,
        value: session.me?.tenant.name ?? '',
      })}`,
      send: async ({ template = '', domain = '', controllerName = '' }) => {
        const { id } = await notices.create(fillTemplate(template as keyof typeof templates, domain, controllerName));
        this.goTo(`notices/${id}`);
      },
    };
  };

  #askDelete({ id, name }: Notice): void {
    this.confirmation = {
      title: pageWords.deleteNotice,
      text: `${name}: ${pageWords.deleteNoticeHint}`,
      button: pageWords.delete,
      run: async () => {
        await notices.delete(id);
        void this.querySelector<List<Notice>>('svc-list')?.reload();
      },
    };
  }

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
