import { css } from '../first-layer/css.ts';
import { adoptStyles, create, readDirection } from '../first-layer/elements.ts';
import type { Page } from '../page/page.ts';
import { findTexts } from './load-elements.ts';
import { createOptOutIcon, describeOpener } from './opt-out-button.ts';

const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let page: Page | undefined;
const elements = new Set<SvcPrivacyChoicesElement>();

const styles = css`
  button {
    all: unset;
    min-block-size: 24px;
    text-decoration: underline;
    cursor: pointer;
  }
  button:focus-visible {
    outline: auto;
  }
  svg {
    block-size: 0.875em;
    margin-inline-end: 0.375em;
  }
`;

/** Defines the element for a page. */
export function definePrivacyChoices(consent: Page): void {
  page = consent;
  consent.subscribe(() => {
    for (const element of elements) element.update();
  });
  if (!customElements.get('svc-privacy-choices'))
    customElements.define('svc-privacy-choices', SvcPrivacyChoicesElement);
}

/**
 * A button in the text of the page that opens the preferences. Where visitors can only object, it is called "Your Privacy
 * Choices", and says whether Global Privacy Control is applied.
 *
 * @element svc-privacy-choices
 *
 * @slot - Your own text of the button. Without it, the notice's text in its language.
 *
 * @csspart button - The button.
 * @csspart status - What it says about Global Privacy Control.
 */
export class SvcPrivacyChoicesElement extends Base {
  readonly #icon = createOptOutIcon();
  readonly #label = create('span');
  readonly #slot = create('slot', {}, this.#label);
  readonly #status = create('span', { part: 'status', role: 'status' });

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const button = create('button', { type: 'button', part: 'button', 'aria-haspopup': 'dialog' }, this.#slot);
      const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
      adoptStyles(root, styles);
      root.append(button, ' ', this.#status);
      button.onclick = () => page?.open();
    }
    elements.add(this);
    findTexts(page);
    this.update();
  }

  disconnectedCallback(): void {
    elements.delete(this);
  }

  /** Shows the texts of the notice, once they are known. */
  update(): void {
    if (!page) return;
    const { label, status, isObjection } = describeOpener(page.view);
    if (isObjection) this.#slot.before(this.#icon);
    else this.#icon.remove();
    const language = page.view.notice?.language ?? '';
    const script = { lang: language, dir: readDirection(language) };
    Object.assign(this.#label, script, { textContent: label });
    Object.assign(this.#status, script, { textContent: status });
  }
}
