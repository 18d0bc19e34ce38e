import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { Notice, NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { viewError } from './element.ts';
import { viewStatus } from './format.ts';
import { PageElement } from './page-element.ts';
import { pageWords, words } from './preferences.ts';
import { notices } from './sdk.ts';

/** A page about one notice, with links to the others. Its heading stays while the notice is loaded, since it has the focus. */
export abstract class NoticePage extends PageElement {
  static override properties: PropertyDeclarations = { noticeId: {}, stored: { state: true } };

  declare noticeId: string;
  /** The notice as the server has it; null until it is loaded. */
  declare stored: Notice | null;

  constructor() {
    super();
    this.stored = null;
  }

  /** Draws the page below its heading. */
  protected abstract viewNotice(notice: Notice): TemplateResult;

  /** Reads what the page shows. */
  protected async load(): Promise<void> {
    this.stored = await notices.retrieve(this.noticeId);
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('noticeId')) return;
    this.stored = null;
    void this.run(() => this.load());
  }

  protected override render(): TemplateResult {
    const { stored } = this;
    return html`<h1>${stored?.name ?? pageWords.notice}</h1>
      ${
        stored === null
          ? this.error === null
            ? html`<p role="status">${words.loading}</p>`
            : viewError(this.error)
          : html`${this.#viewState(stored)} ${this.viewNotice(stored)}`
      }`;
  }

  #viewState({ id, status, version, hasUnpublishedChanges }: Notice): TemplateResult {
    const links = [
      ['', pageWords.edit],
      ['/publish', pageWords.publish],
      ['/install', pageWords.install],
      ['/records', pageWords.records],
    ] as const;
    return html`<p>
        ${viewStatus(status)} ${version === null ? nothing : `${pageWords.version} ${version}`}
        ${hasUnpublishedChanges ? html`<a href="/app/notices/${id}/publish">${pageWords.unpublished}</a>` : nothing}
      </p>
      <nav aria-label=${pageWords.notice}>
        <ul class="tabs">
          ${links.map(([path, title]) => {
            const address = `/app/notices/${id}${path}`;
            const isCurrent = location.pathname === address;
            return html`<li><a href=${address} aria-current=${isCurrent ? 'page' : nothing}>${title}</a></li>`;
          })}
        </ul>
      </nav>`;
  }
}

/** The fields that visitors see and that are edited. */
export function contentOf(notice: NoticeContent): NoticeContent {
  const { name, controllerName, language, domain, purposes } = notice;
  return { name, controllerName, language, domain, purposes };
}

/** Whether two notices have the same content. Both come from the server, which writes the fields in one order. */
export function hasSameContent(one: NoticeContent, other: NoticeContent): boolean {
  return JSON.stringify(contentOf(one)) === JSON.stringify(contentOf(other));
}
