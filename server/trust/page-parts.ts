import { html, type Insertable, type Markup } from '../http/html.ts';
import { normalizeWebAddress } from '../http/web-address.ts';

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** A day, as people in every part of the world read it without doubt: 3 March 2026. */
export function writeDay(time: string): Markup {
  return html`<time datetime="${time}">${days.format(new Date(time))}</time>`;
}

/** A day with its hour and minute. */
export function writeMoment(time: string): Markup {
  const date = new Date(time);
  return html`<time datetime="${time}">${days.format(date)}, ${minutes.format(date)} UTC</time>`;
}

/** Text of somebody else: what stands beside it keeps its direction. */
export function writeForeign(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** A link that says which site it leads to, whatever its label says; only the label for what is no web address. */
export function writeLink(label: string, url: string): Markup {
  const address = normalizeWebAddress(url);
  if (address === null) return writeForeign(label);
  return html`<a class="link" href="${address}" rel="noopener noreferrer nofollow"><span class="label">${writeForeign(label)}</span> <span class="host">${writeForeign(new URL(address).host)}</span></a>`;
}

/** A section of the page, named by its heading. */
export function writeSection(id: string, title: string, content: Insertable): Markup {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>
`;
}
