import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ConsentRecord, PublicNotice } from '../../../packages/node-sdk/src/types/api.ts';
import { TaskElement, viewError, viewRetry } from './element.ts';
import { nameLifetime } from './notice-names.ts';
import { writeNotice } from './notice-rules.ts';
import { pageWords, words } from './preferences.ts';
import { notices } from './sdk.ts';

/** The exact words that a visitor was shown, with their hash computed in this browser. */
export class ShownNotice extends TaskElement {
  static override properties = { record: { attribute: false }, shown: { state: true }, isProven: { state: true } };

  declare record: ConsentRecord;
  /** Null until it is loaded. */
  declare shown: PublicNotice | null;
  declare isProven: boolean;

  constructor() {
    super();
    this.shown = null;
    this.isProven = false;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('record')) this.#load();
  }

  protected override render(): TemplateResult {
    const { shown, error } = this;
    return html`<section>
      <h2>${pageWords.shown.title}</h2>
      ${viewError(error)} ${error === null ? nothing : viewRetry(error, () => this.#load())}
      ${shown === null ? (error === null ? html`<p role="status">${words.loading}</p>` : nothing) : this.#view(shown)}
    </section>`;
  }

  #load(): void {
    const { noticeId, shownHash } = this.record;
    this.shown = null;
    void this.runQuietly(async () => {
      const shown = await notices.retrieveShown(noticeId, shownHash ?? '');
      this.isProven = (await hashText(writeNotice(shown))) === shownHash;
      this.shown = shown;
    });
  }

  #view({ language, texts, purposes }: PublicNotice): TemplateResult {
    const { shown } = pageWords;
    const buttons = [texts.reject, texts.accept, texts.preferences, texts.save];
    return html`${
      this.isProven
        ? html`<p class="notice"><strong>${shown.proven}</strong> ${shown.provenHint}</p>`
        : html`<div class="error" role="alert"><p><strong>${shown.wrong}</strong> ${shown.wrongHint}</p></div>`
    }
      <div lang=${language} dir="auto" class="shown">
        <h3>${texts.title}</h3>
        <p>${texts.intro}</p>
        <h3>${texts.panelTitle}</h3>
        <p>${texts.panelIntro}</p>
        ${purposes.map(
          ({ key, label, description, required, trackers = [] }) => html`<div>
            <p>
              <strong>${label}</strong> <code>${key}</code> ${required ? html`<span class="quiet">${texts.required}</span>` : nothing}
              ${description === '' ? nothing : html`<br />${description}`}
            </p>
            ${
              trackers.length === 0
                ? nothing
                : html`<ul>
                    ${trackers.map(
                      ({ name, provider, lifetime, thirdParty }) =>
                        html`<li>
                          ${[name, provider, nameLifetime(lifetime, texts, language), ...(thirdParty ? [texts.thirdParty] : [])].join(' · ')}
                        </li>`,
                    )}
                  </ul>`
            }
          </div>`,
        )}
        <p class="quiet">${buttons.join(' · ')}</p>
      </div>`;
  }
}

async function hashText(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

customElements.define('svc-shown-notice', ShownNotice);
