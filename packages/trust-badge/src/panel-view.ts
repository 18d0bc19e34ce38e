import { html, nothing, type TemplateResult } from 'lit/html.js';
import { type BadgeContent, liveView, titleView } from './badge-content.ts';
import { arrow, check, cross, markView } from './icons.ts';
import type { Trust } from './trust.ts';

/** The large variants: card, full, and the content of the drawer. */
export function panelView(content: BadgeContent): TemplateResult {
  const { variant, trust, words, link, shows } = content;
  const closeButton = (): TemplateResult => html`
    <button part="button" aria-label=${words.close}>${cross}</button>
  `;
  const chips = (): TemplateResult => html`
    <div class="shelf">${trust?.achievedFrameworks.length ? chipsView(trust, variant === 'card' ? 4 : 12) : nothing}</div>
  `;
  const footer = (): TemplateResult => html`
    <div class="foot" part="footer">
      ${liveView(content)} ${shows('powered-by') ? html`<span class="quiet">${words.powered}</span>` : nothing}
    </div>
  `;
  return html`
    <div class="face panel" part="card" role="group" aria-labelledby="name">
      ${markView(!!trust)}
      <div class="text">${titleView(content)}</div>
      ${variant === 'floating' ? closeButton() : nothing} ${shows('frameworks') ? chips() : nothing}
      <a class="cta" part="cta" href=${link}><span>${words.cta}</span>${arrow}</a>
      ${shows('updated') || shows('powered-by') ? footer() : nothing}
    </div>
  `;
}

/** The achieved frameworks without duplicates, and how many more there are. */
function chipsView({ achievedFrameworks }: Trust, room: number): TemplateResult {
  const names = [...new Set(achievedFrameworks)];
  const shown = names.length > room ? room - 1 : room;
  const rest = names.length - shown;
  return html`
    <ul part="chips">
      ${names.slice(0, shown).map((name) => html`<li part="chip">${check}<bdi>${name}</bdi></li>`)}
      ${rest > 0 ? html`<li part="chip">+${rest}</li>` : nothing}
    </ul>
  `;
}
