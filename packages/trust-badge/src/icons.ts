import { html, type TemplateResult } from 'lit/html.js';

/** The icon beside the name: a seal with a check mark if there is data from a trust center, else an info icon. */
export function markView(isSealed: boolean): TemplateResult {
  const shape = isSealed ? 'M6 6h12v12H6zM12 3.5l8.5 8.5-8.5 8.5L3.5 12z' : 'M12 3a9 9 0 1 0 .1 0z';
  const sign = isSealed ? 'M8.5 12l2.5 2.5 4.5-5' : 'M12 11.5v5M12 7.5v.1';
  return html`
    <svg class="mark ${isSealed ? 'seal' : ''}" part="mark" viewBox="2 2 20 20" aria-hidden="true">
      <path d="${shape}" /><path d="${sign}" />
    </svg>
  `;
}

export const arrow = drawLine('arrow', 'M5 12h14M13 6l6 6-6 6');
export const check = drawLine('check', 'M5 12l5 5 9-10');
export const cross = drawLine('', 'M6 6l12 12M18 6L6 18');

function drawLine(name: string, path: string): TemplateResult {
  return html`<svg class=${name} viewBox="0 0 24 24" aria-hidden="true"><path d="${path}" /></svg>`;
}
