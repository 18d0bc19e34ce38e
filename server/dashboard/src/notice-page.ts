import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { WithResponse } from '../../../packages/node-sdk/src/transport.ts';
import type { Notice } from '../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from './api.ts';
import { viewStatus } from './format.ts';
import { PageElement } from './page-element.ts';
import { pageWords } from './preferences.ts';
import { notices } from './sdk.ts';

/** A page about one notice, with links to the others. */
export abstract class NoticePage extends PageElement {
  static override properties: PropertyDeclarations = { noticeId: {}, stored: { state: true } };

  declare noticeId: string;
  /** The notice as the server has it; null until it is loaded. */
  declare stored: Notice | null;
  /** The entity tag of its content: what another user saved meanwhile is not overwritten. */
  protected tag: string | undefined;

  constructor() {
    super();
    this.stored = null;
  }

  /** Draws the page below its heading. */
  protected abstract viewNotice(notice: Notice): TemplateResult;

  protected override async load(): Promise<void> {
    this.keep(await notices.retrieve(this.noticeId).withResponse());
  }

  /** Takes a notice over, as the server has it now. */
  protected keep({ data, response }: WithResponse<Notice>): void {
    this.stored = data;
    this.tag = response.headers.etag;
  }

  protected override render(): TemplateResult {
    const { stored } = this;
    if (stored === null) return this.viewPending(pageWords.notice);
    return html`<h1>${stored.name}</h1>
      ${this.#viewState(stored)} ${this.viewNotice(stored)}`;
  }

  #viewState({ id, status, version, hasUnpublishedChanges }: Notice): TemplateResult {
    const links = [
      ['', pageWords.edit],
      ['/publish', pageWords.publish],
      ['/install', pageWords.install],
      ['/records', pageWords.records],
      ['/statistics', pageWords.statistics.title],
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

/** True for the error that another user has changed the content in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'consent_notice_changed';
}
