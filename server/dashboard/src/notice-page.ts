import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { WithResponse } from '../../../packages/node-sdk/src/transport.ts';
import type { Notice, NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from './api.ts';
import type { Texts } from './differences.ts';
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

/** The fields that are edited. */
export function contentOf(notice: NoticeContent): NoticeContent {
  const { name, controllerName, language, domain, purposes } = notice;
  return { name, controllerName, language, domain, purposes, ...factsOf(notice) };
}

/** What a notice states about the processing; what it does not state is absent, as in the answer of the server. */
function factsOf(notice: NoticeContent): Partial<NoticeContent> {
  const { controllerContact, links, rights, jurisdictions, consentDuration } = notice;
  const facts = { controllerContact, links, rights, jurisdictions, consentDuration };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== null));
}

/** Facts as lines of text: `storage.period: P1Y`. */
function writeFacts(facts: object, path = ''): readonly string[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || Object.keys(value).length === 0) return [`${path}${name}: ${value}`];
    return writeFacts(value, `${path}${name}.`);
  });
}

/** Whether an error says that another user changed the content meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof RequestError && error.code === 'consent_notice_changed';
}

/** The parts of a content for a comparison: fields, each purpose, and the order of the purposes. */
export function listTexts(content: NoticeContent): Texts {
  const { name, controllerName, language, domain, purposes } = content;
  const inOrder = purposes.map(({ key }) => key).join(', ');
  return new Map([
    ['name', { label: pageWords.name, text: name }],
    ['controllerName', { label: pageWords.controller, text: controllerName }],
    ['language', { label: pageWords.noticeLanguage, text: language }],
    ['domain', { label: pageWords.domain, text: domain }],
    ['order', { label: pageWords.purposes, text: inOrder }],
    ['processing', { label: pageWords.processing, text: writeFacts(factsOf(content)).join('\n') }],
    ...purposes.map(({ key, label, description, required, ...facts }) => {
      const text = [label, description, ...(required ? [pageWords.required] : []), ...writeFacts(facts)].join('\n');
      return [`purposes.${key}`, { label: `${pageWords.purpose} ${key}`, text }] as const;
    }),
  ]);
}
