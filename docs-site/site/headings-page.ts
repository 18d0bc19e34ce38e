import { indexAddress } from './layout.ts';
import { html } from './markup.ts';
import type { Navigation } from './navigation.ts';
import { type Page, relateAddress } from './page.ts';

/** Makes the page that replaces the search where there are no scripts: every heading, by page. */
export function writeHeadingsPage({ groups }: Navigation): Page {
  const sections = groups.map(({ title, folder, pages }) => {
    const lists = pages.map(({ title: name, address, headings }) => {
      const at = relateAddress(indexAddress, address);
      const shown = headings.filter(({ level }) => level <= 3);
      return html`<li><a href="${at}"><strong>${name}</strong></a>${shown.length === 0 ? null : html`<ul>${shown.map(({ id, text }) => html`<li><a href="${at}#${id}">${text}</a></li>`)}</ul>`}</li>
`;
    });
    return html`<section><h2 id="${folder}">${title}</h2><ul>${lists}</ul></section>`;
  });
  return {
    file: 'docs-site/site/headings-page.ts',
    title: 'All headings',
    description: 'All pages and headings of this documentation, to search with Ctrl+F.',
    order: 0,
    address: indexAddress,
    section: null,
    content: String(html`<div class="headings">${sections}</div>`),
    headings: [],
    links: [],
    outerLinks: [],
    entries: [],
    kind: 'plain',
    extras: [],
    widgets: [],
  };
}

/** Makes the page for unknown addresses. Its links are relative to the root; the server adapts them to the address. */
export function writeMissingPage(): Page {
  const content = html`<p>The address may be mistyped, or the page has moved.</p>
<p><a href="./">Go to the first page</a>, search, or look through <a href="${indexAddress}">all headings</a>.</p>`;
  return {
    file: 'docs-site/site/headings-page.ts',
    title: 'There is no such page',
    description: 'This documentation has no page at this address.',
    order: 0,
    address: '',
    section: null,
    content: String(content),
    headings: [],
    links: [],
    outerLinks: [],
    entries: [],
    kind: 'plain',
    extras: [],
    widgets: [],
  };
}
