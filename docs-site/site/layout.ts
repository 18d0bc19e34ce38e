import { html, type Insertable, type Markup, markUp } from './markup.ts';
import { type Navigation, writeNavigation } from './navigation.ts';
import { type Page, relateAddress } from './page.ts';
import type { WidgetBuild } from './widget-manifest.ts';

/** Parts of the site that surround the content of every page. */
export interface Surroundings {
  readonly navigation: Navigation;
  /** The built scripts and styles by their entry: where each is below the root. */
  readonly assets: Readonly<Record<string, string>>;
  readonly widgets: readonly WidgetBuild[];
  readonly policy: string;
}

/** The search that is for those without scripts: every heading of the site. */
export const indexAddress = 'all-headings/';

/** Writes a whole page. */
export function writeDocument(page: Page, surroundings: Surroundings): string {
  const { address, title, description, kind, content } = page;
  const at = (target: string) => relateAddress(address, target);
  const { assets, policy } = surroundings;
  const text = html`<!doctype html>
<html lang="en" data-root="${at('')}" data-index="${at(assets.search ?? '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${kind === 'home' ? title : `${title} · Svc`}</title>
<meta name="description" content="${description}">
<link rel="icon" href="${at('icon.svg')}" type="image/svg+xml">
<script src="${at(assets.theme ?? '')}"></script>
<link rel="stylesheet" href="${at(assets.styles ?? '')}">
<script type="module" src="${at(assets.main ?? '')}"></script>
${page.extras.map((extra) => html`<script type="module" src="${at(assets[extra] ?? '')}"></script>\n`)}${page.widgets.map((name) => writeWidgetScript(name, surroundings, at))}</head>
<body class="${kind}">
<a class="skip" href="#content">Skip to the content</a>
${writeHeader(page, at)}
<div class="frame">
${writeNavigation(page, surroundings.navigation)}
<main id="content">
<article>
${writeTrail(page, surroundings)}
<h1>${title}</h1>
<p class="lead">${description}</p>
${writeContents(page, 'narrow')}
${markUp(content)}
</article>
${writeNeighbours(page, surroundings.navigation, at)}
</main>
${writeContents(page, 'wide')}
</div>
<footer><p>Svc, a privacy and compliance platform that you host yourself. Apache-2.0.</p></footer>
</body>
</html>
`;
  return String(text);
}

/** The page's own copy of a widget: the same bytes as the server has, whatever serves this page. */
function writeWidgetScript(name: string, { widgets }: Surroundings, at: (target: string) => string): Insertable {
  const widget = widgets.find((one) => one.name === name);
  if (widget === undefined) return null;
  return html`<script src="${at(`live/${widget.name}/${widget.version}/${widget.file}`)}" integrity="${widget.integrity}" crossorigin="anonymous" defer></script>
`;
}

function writeHeader({ address }: Page, at: (target: string) => string): Markup {
  return html`<header class="top">
<a class="brand" href="${at('')}"${address === '' ? html` aria-current="page"` : null}><svg viewBox="0 0 32 32" aria-hidden="true" width="26" height="26"><path class="shield" d="M16 2.5 27 6v9.5c0 6.6-4.4 11.6-11 14-6.6-2.4-11-7.4-11-14V6z"/><path class="tick" d="m10.5 16 4 4 7.5-8"/></svg><span>Svc <span class="brand-word">Docs</span></span></a>
<a class="search-link" href="${at(indexAddress)}" data-search><svg viewBox="0 0 20 20" width="16" height="16" aria-hidden="true"><circle cx="8.5" cy="8.5" r="5.5"/><path d="m13 13 5 5"/></svg><span>Search</span><kbd class="needs-script" aria-hidden="true">/</kbd></a>
<button type="button" class="theme needs-script" data-theme-switch aria-label="Colors: as the system">
<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><circle cx="10" cy="10" r="7.5"/><path class="half" d="M10 2.5a7.5 7.5 0 0 1 0 15z"/></svg></button>
<button type="button" class="menu-button" popovertarget="menu">Menu</button>
</header>`;
}

function writeTrail({ section, address }: Page, { navigation }: Surroundings): Insertable {
  const group = navigation.groups.find(({ folder }) => folder === section);
  if (group === undefined) return null;
  const [first] = group.pages;
  const isFirst = first === undefined || first.address === address;
  const name = isFirst ? group.title : html`<a href="${relateAddress(address, first.address)}">${group.title}</a>`;
  return html`<p class="trail">${name}</p>`;
}

/** Twice on a page, of which one is shown: folded above a narrow page, beside a wide one. */
function writeContents({ headings, kind }: Page, width: 'narrow' | 'wide'): Insertable {
  const shown = headings.filter(({ level }) => level === 2 || (level === 3 && headings.length <= 24));
  if (shown.length < 2 || kind === 'home' || kind === 'plain') return null;
  const list = html`<ul>${shown.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>`)}</ul>`;
  if (width === 'narrow')
    return html`<details class="contents-narrow"><summary>On this page</summary>${list}</details>`;
  return html`<nav class="contents" aria-labelledby="contents-title"><p id="contents-title">On this page</p>${list}</nav>`;
}

function writeNeighbours({ address }: Page, { order }: Navigation, at: (target: string) => string): Insertable {
  const index = order.findIndex((page) => page.address === address);
  if (index < 0) return null;
  const link = (page: Page | undefined, word: string, relation: string) =>
    page === undefined
      ? null
      : html`<a class="${relation}" rel="${relation}" href="${at(page.address)}"><span>${word}</span> ${page.title}</a>`;
  return html`<nav class="neighbours" aria-label="Before and after">${link(order[index - 1], 'Previous', 'prev')}${link(order[index + 1], 'Next', 'next')}</nav>`;
}
