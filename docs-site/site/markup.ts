import { html, type Markup } from '../../server/http/html.ts';

export { escapeHtml, html, type Insertable, type Markup } from '../../server/http/html.ts';

/** Takes text that is HTML already: what markdown-it or the highlighter wrote, which escape what they are given. */
export function markUp(text: string): Markup {
  return html(Object.assign([text], { raw: [text] }));
}
