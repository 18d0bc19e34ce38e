import { html, nothing, type TemplateResult } from 'lit/html.js';
import { findTarget } from '../first-layer/shield-events.ts';
import type { Notice } from '../notice/notice.ts';
import { reportProblem } from '../page/browser.ts';
import type { PageView } from '../page/consent-page.ts';
import type { Parts } from '../parts.ts';
import { readSource } from '../records/consent-record.ts';
import type { details } from './details.ts';
import { readWords, type Words } from './words.ts';

type Content = TemplateResult | typeof nothing;

/** What is folded away in the panel: the trackers and the receipt. Their views are loaded when the visitor unfolds one. */
export class Folds {
  details: typeof details | undefined;
  readonly #load: Parts['details'];
  readonly #onChange: () => void;
  #isLoading = false;
  #isFailed = false;

  /** @param onChange called when there is more to show. */
  constructor(load: Parts['details'], onChange: () => void) {
    this.#load = load;
    this.#onChange = onChange;
  }

  /** What a fold contains: nothing until its view is loaded. */
  show(words: Words, view: (loaded: typeof details) => Content): Content {
    if (this.details) return view(this.details);
    if (!this.#isFailed) return nothing;
    return html`
      <p class="about" role="alert">${words.loadFailed}</p>
      <button class="quiet" type="button" .onclick=${this.open}>${words.tryAgain}</button>
    `;
  }

  /** The receipt of the decision in force. */
  receiptView({ noticeId, stored }: PageView, notice: Notice): Content {
    const words = readWords(notice);
    if (!stored || readSource(noticeId)?.record?.capturedAt !== stored.decidedAt) return nothing;
    const content = this.show(words, ({ receiptView }) =>
      receiptView(noticeId, stored.decidedAt, words, notice.language),
    );
    if (this.details && content === nothing) return nothing;
    return html`
      <details class="fold boxed" part="receipt" @toggle=${this.open}>
        <summary>${words.receipt}</summary>
        ${content}
      </details>
    `;
  }

  readonly open = async (event: Event): Promise<void> => {
    const fold = findTarget(event).closest('details');
    if (!fold?.open || this.details || this.#isLoading) return;
    // The button will be gone.
    if (event.type === 'click') fold.querySelector('summary')?.focus();
    this.#isLoading = true;
    this.#isFailed = false;
    try {
      this.details = await this.#load();
    } catch (cause) {
      this.#isFailed = true;
      reportProblem(`${cause} cannot be loaded`);
    }
    this.#isLoading = false;
    this.#onChange();
  };
}
