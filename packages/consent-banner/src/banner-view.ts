import { html, nothing, type TemplateResult } from 'lit/html.js';
import { choicesView } from './choices-view.ts';
import { fillText, writeMoment } from './fill-words.ts';
import type { SpokenWords } from './load-words.ts';

export interface BannerContent {
  readonly words: SpokenWords;
  /** When the visitor decided on an earlier version of the notice; null if never. */
  readonly changedSince: string | null;
}

export interface BannerActions {
  readonly acceptAll: () => void;
  readonly rejectAll: () => void;
  readonly showPanel: () => void;
  /** The visitor is likely to open the panel next, so that it can be preloaded. */
  readonly expectPanel: () => void;
}

/** The first layer: a named region above the page that neither blocks it nor takes the focus. */
export function bannerView({ words, changedSince }: BannerContent, actions: BannerActions): TemplateResult {
  const date = changedSince && writeMoment(changedSince, words.lang);
  return html`
    <section
      class="layer banner"
      part="banner"
      popover="manual"
      role="region"
      aria-labelledby="title"
      lang=${words.lang}
      dir=${words.dir}
    >
      <h2 id="title" part="title">${words.title}</h2>
      ${date ? html`<p part="text">${fillText(words.changed, { date })}</p>` : nothing}
      <p part="text">${words.intro}</p>
      ${choicesView(words, actions)}
      <button
        class="quiet"
        part="preferences"
        type="button"
        aria-haspopup="dialog"
        @pointerover=${actions.expectPanel}
        @focus=${actions.expectPanel}
        @click=${actions.showPanel}
      >
        ${words.preferences}
      </button>
      <slot name="more"></slot>
    </section>
  `;
}
