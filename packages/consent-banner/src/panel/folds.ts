import { html, nothing, type TemplateResult } from 'lit/html.js';
import { findTarget } from '../first-layer/focus.ts';
import type { Notice } from '../notice/notice.ts';
import { reportProblem } from '../page/browser.ts';
import type { PageView } from '../page/consent-page.ts';
import { readSource } from '../records/consent-record.ts';
import type { details } from './details.ts';
import { type Messages, readMessages } from './messages.ts';

type Content = TemplateResult | typeof nothing;

/** Folded content of the panel: the trackers and the receipt. Their views are loaded when the visitor unfolds one. */
export class Folds {
  details: typeof details | undefined;
  readonly #load: () => Promise<typeof details>;
  readonly #onChange: () => void;
  #isLoading = false;
  #isFailed = false;

  /** @param onChange called when there is more to show. */
  constructor(load: () => Promise<typeof details>, onChange: () => void) {
    this.#load = load;
    this.#onChange = onChange;
  }

  /** Returns the content of a fold: nothing until its view is loaded. */
  show(messages: Messages, view: (loaded: typeof details) => Content): Content {
    if (this.details) return view(this.details);
    if (!this.#isFailed) return nothing;
    return html`
      <p class="about" role="alert">${messages.loadFailed}</p>
      <button class="quiet" type="button" .onclick=${this.open}>${messages.tryAgain}</button>
    `;
  }

  /** The receipt of the decision in force. */
  receiptView({ noticeId, stored }: PageView, notice: Notice): Content {
    const messages = readMessages(notice);
    if (!stored || readSource(noticeId)?.record?.capturedAt !== stored.decidedAt) return nothing;
    const content = this.show(messages, ({ receiptView }) =>
      receiptView(noticeId, stored.decidedAt, messages, notice.language),
    );
    if (this.details && content === nothing) return nothing;
    return html`
      <details class="fold boxed" part="receipt" @toggle=${this.open}>
        <summary>${messages.receipt}</summary>
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

interface ClampedText {
  /** Id of the paragraph; the button gets the same with `-more`. */
  readonly id: string;
  readonly text: string;
  /** Id of the element that names what the text is about. */
  readonly about: string;
}

/** A text of some lines, and a button that shows the others. The button is hidden until `settleClamps` has measured the text. */
export function clampedView({ id, text, about }: ClampedText, messages: Messages): TemplateResult {
  return html`
    <p class="about clamp" part="text" id=${id} dir="auto">${text}</p>
    <button
      class="more"
      part="more"
      type="button"
      id="${id}-more"
      aria-expanded="false"
      aria-controls=${id}
      aria-labelledby="${id}-more ${about}"
      hidden
      .onclick=${toggle}
    >
      <span>${messages.more}</span><span>${messages.less}</span>
    </button>
  `;
}

function toggle(event: Event): void {
  const button = findTarget(event).closest('button') as HTMLElement;
  const isOpen = button.ariaExpanded === 'true';
  button.ariaExpanded = String(!isOpen);
  button.previousElementSibling?.classList.toggle('clamp', isOpen);
}

/** Shows the buttons of the texts that do not fit, as they are laid out now. */
export function settleClamps(root: ParentNode): void {
  for (const text of root.querySelectorAll<HTMLElement>('.clamp')) {
    const isWhole = text.scrollHeight <= text.clientHeight + 1;
    (text.nextElementSibling as HTMLElement).hidden = isWhole;
  }
}
