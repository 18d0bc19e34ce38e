import { html, nothing, type TemplateResult } from 'lit/html.js';
import { type BadgeContent, liveView, titleView } from './badge-content.ts';
import { arrow, markView } from './icons.ts';

/** The single-line variants: mini, compact and status are one link each. */
export function lineView(content: BadgeContent): TemplateResult {
  const isMini = content.variant === 'mini';
  return html`
    <a class="face line" part="card" href=${content.link}>
      ${markView(!!content.trust)}
      <span class="text">${titleView(content)} ${isMini ? nothing : liveView(content)}</span>
      ${isMini ? nothing : arrow}
    </a>
  `;
}
