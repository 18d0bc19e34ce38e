import { html, type Insertable, type Markup } from '../http/html.ts';
import { writeForeign } from './page-parts.ts';
import {
  writeCheck,
  writeContact,
  writeDocuments,
  writeFrameworks,
  writeParagraphs,
  writeSubprocessors,
} from './page-sections.ts';
import { listAchievements, type ProvenTrustCenter, trustPath } from './trust-center.ts';

/** What a page needs to know of the server that shows it. */
export interface PageSurroundings {
  /** Where the style sheet is. */
  readonly stylePath: string;
  /** The public address of this server; null where none is set: what a client writes into Host is no address to spread. */
  readonly baseUrl: string | null;
}

const mark = html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true" focusable="false"><path class="shield" d="M24 3 41 9v13c0 11-7 19-17 23C14 41 7 33 7 22V9z"/><path class="tick" d="m15.5 23.5 6 6 11.5-12"/></svg>`;

/** The public page of a trust center at a time. */
export function writeTrustPage(center: ProvenTrustCenter, now: string, surroundings: PageSurroundings): string {
  const { name, content } = center;
  const { headline, description } = content;
  const lead = headline && html`<p class="lead" dir="auto">${headline}</p>\n`;
  const about = description && html`<div class="about">\n${writeParagraphs(description)}</div>\n`;
  return writeDocument({
    ...surroundings,
    title: `${withoutTurns(name)} · Trust center`,
    description: headline ?? `Frameworks, documents and contacts in the trust center of ${withoutTurns(name)}.`,
    path: trustPath(center.slug),
    body: html`<header>
${mark}
<p class="kicker">Trust center</p>
<h1>${writeForeign(name)}</h1>
${lead}</header>
<main>
${about}${writeFrameworks(listAchievements(content, now))}${writeDocuments(content)}${writeSubprocessors(content)}${writeContact(content)}${writeCheck(center)}</main>
`,
  });
}

/** The page for a trust center that is unknown or not published: it does not tell which. */
export function writeMissingPage(surroundings: PageSurroundings): string {
  return writeDocument({
    ...surroundings,
    title: 'No trust center here',
    description: 'There is no published trust center at this address.',
    path: null,
    body: html`<main class="missing">
<p class="kicker">Trust center</p>
<h1>No trust center here</h1>
<p class="lead">Nothing is published at this address. It may be mistyped, or the page may not be public: the company that
you are looking for can tell you.</p>
</main>
`,
  });
}

interface PageText extends PageSurroundings {
  readonly title: string;
  readonly description: string;
  /** The one address of the page; null for one that has none. */
  readonly path: string | null;
  readonly body: Markup;
}

function writeDocument({ title, description, path, body, stylePath, baseUrl }: PageText): string {
  const address: Insertable =
    path &&
    baseUrl &&
    html`<link rel="canonical" href="${baseUrl}${path}">\n<meta property="og:url" content="${baseUrl}${path}">\n`;
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${address}<link rel="icon" href="data:,">
<link rel="stylesheet" href="${stylePath}">
</head>
<body>
${body}<footer><p class="colophon">Published with Svc</p></footer>
</body>
</html>
`}`;
}

/** A title has no direction of its own: what turns text is left out of it. */
function withoutTurns(text: string): string {
  return text.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}
