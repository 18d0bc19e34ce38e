import { html, render } from 'lit/html.js';
import { css } from '../first-layer/css.ts';
import { adoptStyles, readDirection } from '../first-layer/elements.ts';
import type { Notice } from '../notice/notice.ts';
import type { ConsentPage } from '../page/consent-page.ts';
import { readMessages } from '../panel/messages.ts';
import { trackerTable, trackerTableStyles } from '../panel/tracker-table.ts';

/** Type and colors are the page's; lines and quiet text are mixed from them. */
const styles = css`
  :host {
    display: block;
    text-align: start;
    --_border: color-mix(in srgb, currentColor 20%, transparent);
    --_muted: color-mix(in srgb, currentColor 75%, transparent);
  }
  :host([hidden]) {
    display: none;
  }
  * {
    box-sizing: border-box;
    margin: 0;
  }
  section + section {
    margin-block-start: 1.5em;
  }
  p {
    margin-block: 0.25em 0.5em;
    white-space: pre-line;
  }
`;

let listed: ConsentPage | undefined;

/** Defines `<svc-cookie-list>` for a page, once. */
export function defineCookieList(page: ConsentPage): void {
  listed = page;
  if (!customElements.get('svc-cookie-list')) customElements.define('svc-cookie-list', SvcCookieListElement);
}

/**
 * The cookies and similar technologies of the notice, per purpose, for the page about cookies of a site. Needs
 * `<svc-consent>` on the same page.
 *
 * @element svc-cookie-list
 *
 * @csspart purpose - A purpose.
 * @csspart title - Its name.
 * @csspart text - Its description.
 * @csspart trackers - Its table.
 */
export class SvcCookieListElement extends (globalThis.HTMLElement ?? (class {} as typeof HTMLElement)) {
  #stop: (() => void) | undefined;
  #shown: Notice | null | undefined;

  connectedCallback(): void {
    this.#stop = listed?.subscribe(this.#update);
    void listed?.loadNotice();
  }

  disconnectedCallback(): void {
    this.#stop?.();
  }

  readonly #update = (): void => {
    const notice = listed?.view.notice;
    if (!notice || notice === this.#shown) return;
    this.#shown = notice;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    adoptStyles(root, css`${styles}${trackerTableStyles}`);
    render(listView(notice), root);
  };
}

function listView(notice: Notice) {
  const { purposes, language } = notice;
  const listed = purposes.filter(({ trackers }) => trackers?.length);
  return html`
    <div lang=${language} dir=${readDirection(language)}>
      ${listed.map(
        ({ label, description, trackers = [] }) => html`
          <section part="purpose">
            <h3 part="title"><bdi>${label}</bdi></h3>
            <p part="text"><bdi>${description}</bdi></p>
            ${trackerTable(trackers, readMessages(notice), language)}
          </section>
        `,
      )}
    </div>
  `;
}
