import { html, nothing, type TemplateResult } from 'lit/html.js';
import { type BadgeContent, liveView, titleView } from './badge-content.ts';
import { arrow, check, cross, markView } from './icons.ts';

export interface PanelOptions {
  /** How many chips there is room for. */
  readonly room: number;
  /** A drawer has a button that closes it. */
  readonly isDrawer?: boolean;
}

/** The variants with room for everything: card, full, and what the drawer holds. */
export function panelView(content: BadgeContent, { room, isDrawer }: PanelOptions): TemplateResult {
  const { trust, words, link, showFrameworks, showUpdated, showPoweredBy } = content;
  const closeButton = (): TemplateResult => html`
    <button part="button" aria-label=${words.close}>${cross}</button>
  `;
  const chips = (): TemplateResult => html`
    <div class="shelf">${trust?.frameworks.length ? chipsView(trust.frameworks, room) : nothing}</div>
  `;
  const footer = (): TemplateResult => html`
    <div class="foot" part="footer">
      ${liveView(content)} ${showPoweredBy ? html`<span class="quiet">${words.powered}</span>` : nothing}
    </div>
  `;
  return html`
    <div class="face panel" part="card" role="group" aria-labelledby="name">
      ${markView(!!trust)}
      <div class="text">${titleView(content)}</div>
      ${isDrawer ? closeButton() : nothing} ${showFrameworks ? chips() : nothing}
      <a class="cta" part="cta" href=${link}><span>${words.cta}</span>${arrow}</a>
      ${showUpdated || showPoweredBy ? footer() : nothing}
    </div>
  `;
}

/** What was achieved, and how much more than there is room for. */
function chipsView(names: readonly string[], room: number): TemplateResult {
  const shown = names.length > room ? room - 1 : room;
  const rest = names.length - shown;
  return html`
    <ul part="chips">
      ${names.slice(0, shown).map((name) => html`<li part="chip">${check}<bdi>${name}</bdi></li>`)}
      ${rest > 0 ? html`<li part="chip">+${rest}</li>` : nothing}
    </ul>
  `;
}
