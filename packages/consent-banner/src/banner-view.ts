import { html, type TemplateResult } from 'lit';
import { choicesView } from './choices-view.ts';
import type { SpokenWords } from './choose-words.ts';

export interface BannerActions {
  readonly acceptAll: () => void;
  readonly rejectAll: () => void;
  readonly showPanel: () => void;
  readonly rememberFocus: (event: FocusEvent) => void;
}

/** The first layer: a named region above the page that neither blocks it nor takes the focus. */
export function bannerView(words: SpokenWords, actions: BannerActions): TemplateResult {
  return html`
    <section
      class="layer banner"
      part="banner"
      popover="manual"
      role="region"
      aria-labelledby="title"
      lang=${words.lang}
      dir=${words.dir}
      @focusin=${actions.rememberFocus}
    >
      <h2 id="title" part="title">${words.title}</h2>
      <p part="text">${words.intro}</p>
      ${choicesView(words, actions)}
      <button class="quiet" part="preferences" type="button" aria-haspopup="dialog" @click=${actions.showPanel}>
        ${words.preferences}
      </button>
    </section>
  `;
}
