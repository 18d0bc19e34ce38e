import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { Notice, NoticeVersion } from '../../../../packages/node-sdk/src/types/api.ts';
import '../differences.ts';
import { formatCount, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { hasSameContent, NoticePage } from '../notice-page.ts';
import { pageWords } from '../preferences.ts';
import { notices } from '../sdk.ts';
import { session } from '../session.ts';

/** What publishing a notice would change, and its versions. */
export class NoticePublication extends NoticePage {
  static override properties: PropertyDeclarations = { latest: { state: true } };

  /** The latest version; null before the first. */
  declare latest: NoticeVersion | null;
  #versions: ListView<NoticeVersion> | null = null;

  constructor() {
    super();
    this.latest = null;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    super.willUpdate(changed);
    const { noticeId } = this;
    if (!changed.has('noticeId')) return;
    this.#versions = {
      label: pageWords.versions,
      columns: [
        [pageWords.contentHash, ({ contentHash }) => html`<code>${contentHash}</code>`],
        [pageWords.version, ({ version }) => version],
        [pageWords.name, ({ name }) => name],
        [pageWords.publishedAt, ({ publishedAt }) => viewTime(publishedAt)],
      ],
      load: () => notices.listVersions(noticeId),
      empty: pageWords.noVersions,
    };
  }

  protected override async load(): Promise<void> {
    const { noticeId } = this;
    const [stored, { items }] = await Promise.all([
      notices.retrieve(noticeId),
      notices.listVersions(noticeId, { limit: 1 }),
    ]);
    this.latest = items[0] ?? null;
    this.stored = stored;
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { latest } = this;
    const { status, hasUnpublishedChanges } = notice;
    const isPublishable = hasUnpublishedChanges || status === 'archived';
    return html`${this.confirmation === null ? this.viewOutcome() : nothing}
      <h2>${latest === null ? pageWords.firstVersion : `${pageWords.changesSince} ${latest.version}`}</h2>
      <svc-differences .earlier=${latest} .later=${notice}></svc-differences>
      ${
        isPublishable
          ? html`<p>${explain(notice)}</p>
              ${latest === null ? nothing : html`<p>${pageWords.recordsSoFar} ${formatCount(notice.recordCount)}</p>`}`
          : nothing
      }
      ${
        isPublishable && session.allows('publishConsentNotice')
          ? html`<div class="actions">
              <button class="primary" @click=${() => this.#ask(notice)}>${nameNext(notice)}</button>
            </div>`
          : nothing
      }
      <h2>${pageWords.versions}</h2>
      <svc-list .view=${this.#versions}></svc-list>
      ${this.viewDialogs()}`;
  }

  #ask(reviewed: Notice): void {
    const { id, name } = reviewed;
    this.confirmation = {
      title: nameNext(reviewed),
      text: `${name}: ${explain(reviewed)}`,
      button: pageWords.publish,
      run: async () => {
        await this.load();
        // Only what the user has reviewed is published.
        if (this.stored === null || !hasSameContent(this.stored, reviewed)) {
          this.notice = pageWords.reviewAgain;
          return;
        }
        const { version } = await notices.publish(id);
        await this.load();
        this.notice = `${pageWords.published} ${version}.`;
        void this.querySelector<List<NoticeVersion>>('svc-list')?.reload();
      },
    };
  }
}

/** What publishing means for visitors. */
function explain({ version, hasUnpublishedChanges }: Notice): string {
  if (version === null) return pageWords.firstHint;
  return hasUnpublishedChanges ? pageWords.publishHint : pageWords.republishHint;
}

/** "Publish version 2"; an archived notice without changes keeps its version. */
function nameNext({ version, hasUnpublishedChanges }: Notice): string {
  return `${pageWords.publishVersion} ${(version ?? 0) + (hasUnpublishedChanges ? 1 : 0)}`;
}

customElements.define('svc-notice-publish', NoticePublication);
