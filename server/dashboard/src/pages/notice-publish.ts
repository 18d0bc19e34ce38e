import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Notice, NoticeVersion } from '../../../../packages/node-sdk/src/types/api.ts';
import '../differences.ts';
import { formatCount, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { isConflict, NoticePage } from '../notice-page.ts';
import { mustAskAgain } from '../notice-rules.ts';
import { listTexts } from '../notice-texts.ts';
import { viewVersion } from '../notice-version.ts';
import { viewWarnings } from '../notice-warnings.ts';
import { pageWords } from '../preferences.ts';
import { viewMissingFacts } from '../receipt-facts.ts';
import { notices } from '../sdk.ts';
import { session } from '../session.ts';

/** The changes that publishing a notice would make, and its versions. */
export class NoticePublication extends NoticePage {
  static override properties: PropertyDeclarations = {
    latest: { state: true },
    isJustPublished: { state: true },
    asksAgain: { state: true },
  };

  /** The latest version; null before the first. */
  declare latest: NoticeVersion | null;
  /** True if the user has published on this visit: the next step is to install the banner. */
  declare isJustPublished: boolean;
  /** True if all visitors are to be asked again, whatever has changed. */
  declare asksAgain: boolean;
  #versions: ListView<NoticeVersion> | null = null;
  /** The versions that were loaded with the page, for the list. */
  #loaded: ReturnType<typeof notices.listVersions> | null = null;

  constructor() {
    super();
    this.latest = null;
    this.isJustPublished = false;
    this.asksAgain = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    const { noticeId } = this;
    this.#versions = {
      label: pageWords.versions,
      columns: [
        [pageWords.version, viewVersion],
        [pageWords.publishedAt, ({ publishedAt }) => viewTime(publishedAt)],
        [pageWords.contentHash, ({ contentHash }) => html`<code>${contentHash}</code>`],
      ],
      load: () => {
        const loaded = this.#loaded ?? notices.listVersions(noticeId);
        this.#loaded = null;
        return loaded;
      },
      empty: { text: pageWords.noVersions, docs: 'guides/notices' },
    };
  }

  protected override async load(): Promise<void> {
    const { noticeId } = this;
    const loaded = notices.listVersions(noticeId);
    const [stored, { items }] = await Promise.all([notices.retrieve(noticeId).withResponse(), loaded]);
    this.#loaded = loaded;
    this.latest = items[0] ?? null;
    this.keep(stored);
  }

  protected override viewNotice(notice: Notice): TemplateResult {
    const { latest } = this;
    const { status, hasUnpublishedChanges } = notice;
    const isChanged = hasUnpublishedChanges || status === 'archived';
    const mayPublish = session.allows('publishConsentNotice');
    return html`${this.viewOutcome()}
      ${
        this.isJustPublished
          ? html`<p><a href="/app/notices/${notice.id}/install">${pageWords.installBanner}</a></p>`
          : nothing
      }
      <h2>${latest === null ? pageWords.firstVersion : `${pageWords.changesSince} ${latest.version}`}</h2>
      <svc-differences .earlier=${latest === null ? new Map() : listTexts(latest)} .later=${listTexts(notice)}></svc-differences>
      ${viewWarnings(notice)}
      ${
        isChanged
          ? html`<p>${explain(notice)}</p>
              ${latest === null ? nothing : html`<p>${pageWords.recordsSoFar} ${formatCount(notice.recordCount)}</p>`}
              ${viewMissingFacts(notice)}`
          : nothing
      }
      ${latest === null || !hasUnpublishedChanges ? nothing : html`<p class="notice">${explainAsking(latest, notice)}</p>`}
      ${
        mayPublish && latest !== null && !(hasUnpublishedChanges && mustAskAgain(latest, notice))
          ? html`<label class="check"
              ><input type="checkbox" .checked=${this.asksAgain} @change=${this.#choose} /> ${pageWords.askAgain}</label
            >`
          : nothing
      }
      ${
        mayPublish && (isChanged || this.asksAgain)
          ? html`<div class="actions">
              <button class="primary" @click=${() => this.#ask(notice)}>${this.#nameNext(notice)}</button>
            </div>`
          : nothing
      }
      <h2>${pageWords.versions}</h2>
      <svc-list .view=${this.#versions}></svc-list>
      ${this.viewDialogs()}`;
  }

  /** "Publish version 2"; an archived notice without changes keeps its version. */
  #nameNext({ version, hasUnpublishedChanges }: Notice): string {
    return `${pageWords.publishVersion} ${(version ?? 0) + (hasUnpublishedChanges || this.asksAgain ? 1 : 0)}`;
  }

  readonly #choose = (event: Event): void => {
    this.asksAgain = (event.currentTarget as HTMLInputElement).checked;
  };

  #ask(reviewed: Notice): void {
    const { id, name } = reviewed;
    const { tag, latest, asksAgain } = this;
    const asking = asksAgain ? `${pageWords.askAgain}.` : latest === null ? '' : explainAsking(latest, reviewed);
    this.confirmation = {
      title: this.#nameNext(reviewed),
      text: [`${name}:`, asksAgain ? pageWords.publishHint : explain(reviewed), asking].join(' '),
      button: pageWords.publish,
      run: async () => {
        try {
          // Only what the user has reviewed is published.
          const { version } = await notices.publish(id, { ifMatch: tag, ...(asksAgain && { asksAgain }) });
          this.notice = `${pageWords.published} ${version}.`;
          this.isJustPublished = true;
          this.asksAgain = false;
        } catch (error) {
          if (!isConflict(error)) throw error;
          this.notice = pageWords.reviewAgain;
        }
        await this.loadAgain();
        void this.querySelector<List<NoticeVersion>>('svc-list')?.reload();
      },
    };
  }
}

/** Explains the effect of publishing on visitors. */
function explain({ version, hasUnpublishedChanges }: Notice): string {
  if (version === null) return pageWords.firstHint;
  return hasUnpublishedChanges ? pageWords.publishHint : pageWords.republishHint;
}

/** Explains whether visitors who have decided are asked again, by the same rule as publication. */
function explainAsking(latest: NoticeVersion, notice: Notice): string {
  return mustAskAgain(latest, notice) ? pageWords.askedAgain : pageWords.notAskedAgain;
}

customElements.define('svc-notice-publish', NoticePublication);
