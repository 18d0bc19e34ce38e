import { html, type Markup } from './markup.ts';
import { type Page, relateAddress, type Section } from './page.ts';

/** The pages in the order in which they are read. */
export interface Navigation {
  readonly groups: readonly NavigationGroup[];
  /** All of them in one row. */
  readonly order: readonly Page[];
}

interface NavigationGroup extends Section {
  readonly pages: readonly Page[];
}

/** Orders pages by their sections and places; sections without a page are left out. */
export function orderPages(sections: readonly Section[], pages: readonly Page[]): Navigation {
  const groups = sections
    .map((section) => ({
      ...section,
      pages: pages
        .filter((page) => page.section === section.folder)
        .sort((one, other) => one.order - other.order || one.address.localeCompare(other.address, 'en')),
    }))
    .filter((group) => group.pages.length > 0);
  return { groups, order: groups.flatMap((group) => group.pages) };
}

/** Writes the menu: beside the page where there is room, else behind a button, which needs no script (popover). */
export function writeNavigation({ address, section }: Page, { groups }: Navigation): Markup {
  const sections = groups.map(({ folder, title, pages }, index) => {
    // Outside of the sections, such as on the first page, the first one is open.
    const isOpen = section === null ? index === 0 : folder === section;
    const links = pages.map(
      (page) =>
        html`<li><a href="${relateAddress(address, page.address)}"${page.address === address ? html` aria-current="page"` : null}>${page.title}</a></li>`,
    );
    return html`<details${isOpen ? html` open` : null}><summary>${title}</summary><ul>${links}</ul></details>
`;
  });
  return html`<nav class="menu" id="menu" popover aria-label="Documentation">${sections}</nav>`;
}
