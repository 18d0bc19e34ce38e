import { html, type Insertable, type Markup } from '../http/html.ts';
import { normalizeWebAddress } from '../http/schemas.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { publicKeyPath } from '../proofs/public-key.ts';
import {
  type Achievement,
  listAchievements,
  type PublishedTrustCenter,
  type TrustContent,
  trustPath,
} from './trust-center.ts';

/** What a page needs from its server. */
export interface PageSurroundings {
  /** The path of the style sheet. */
  readonly stylePath: string;
  /** The public address of this server; null if none is set: the Host header is not trusted for metadata. */
  readonly baseUrl: string | null;
}

const mark = html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true" focusable="false"><path class="shield" d="M24 3 41 9v13c0 11-7 19-17 23C14 41 7 33 7 22V9z"/><path class="tick" d="m15.5 23.5 6 6 11.5-12"/></svg>`;

/** The public page of a trust center at a time. */
export function writeTrustPage(center: PublishedTrustCenter, now: string, surroundings: PageSurroundings): string {
  const { name, content } = center;
  const { headline, description } = content;
  const lead = headline && html`<p class="lead" dir="auto">${headline}</p>\n`;
  const about =
    description &&
    html`<div class="about">\n${splitParagraphs(description).map((paragraph) => html`<p class="paragraph" dir="auto">${paragraph}</p>\n`)}</div>\n`;
  return writeDocument({
    ...surroundings,
    title: `${withoutDirections(name)} · Trust center`,
    description: headline ?? `Frameworks, documents and contacts in the trust center of ${withoutDirections(name)}.`,
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

/** The page for an unknown and for an unpublished trust center, which look the same. */
export function writeMissingPage(surroundings: PageSurroundings): string {
  return writeDocument({
    ...surroundings,
    title: 'No trust center here',
    description: 'There is no published trust center at this address.',
    path: null,
    body: html`<main class="missing">
<p class="kicker">Trust center</p>
<h1>No trust center here</h1>
<p class="lead">Nothing is published at this address. It may be mistyped, or the page may not be public: ask the company
that you are looking for.</p>
</main>
`,
  });
}

interface PageText extends PageSurroundings {
  readonly title: string;
  readonly description: string;
  /** the canonical path; null for the missing page. */
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

/** Removes characters that change the text direction: a title has no markup that would isolate them. */
function withoutDirections(text: string): string {
  return text.replace(/[\p{Cc}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, '');
}

function writeFrameworks(achievements: readonly Achievement[]): Markup | null {
  if (achievements.length === 0) return null;
  const cards = html`<ul class="cards">
${achievements.map(writeAchievement)}</ul>`;
  return writeSection('frameworks', 'Frameworks', cards);
}

const tick = html`<svg class="achieved" viewBox="0 0 48 48" aria-hidden="true" focusable="false"><circle class="shield" cx="24" cy="24" r="21"/><path class="tick" d="m15 24.5 6.5 6.5 12-13"/></svg>`;

function writeAchievement({ framework, achievedAt, expiresAt, reportUrl }: Achievement): Markup {
  const until = expiresAt && html`<div><dt>Valid until</dt> <dd>${writeDay(expiresAt)}</dd></div>`;
  const report =
    reportUrl &&
    html`<p class="report">${writeLink(`Document on ${framework.name}`, reportUrl)}</p>
`;
  return html`<li class="card">
${tick}
<h3>${framework.name}</h3>
<p class="kind">${framework.category}</p>
<dl class="dates"><div><dt>Since</dt> <dd>${writeDay(achievedAt)}</dd></div>${until}</dl>
<p>${framework.allowedClaim}</p>
${report}<details><summary>What this does not mean<span class="unseen">: ${framework.name}</span></summary>
<p class="boundary">${framework.assuranceBoundary}</p></details>
</li>
`;
}

function writeDocuments({ links }: TrustContent): Markup | null {
  if (links.length === 0) return null;
  const items = links.map(({ label, url }) => html`<li>${writeLink(label, url)}</li>\n`);
  return writeSection('documents', 'Documents and links', html`<ul class="links">\n${items}</ul>`);
}

/** The table has explicit roles, because `display: block` removes its semantics in some browsers. */
function writeSubprocessors({ subprocessors }: TrustContent): Markup | null {
  if (subprocessors.length === 0) return null;
  const rows = subprocessors.map(
    ({ name, purpose, country }) => html`<tr role="row">
<th role="rowheader" scope="row">${writeForeign(name)}</th>
<td role="cell"><span class="column" aria-hidden="true">Purpose</span> ${writeForeign(purpose)}</td>
<td role="cell"><span class="column" aria-hidden="true">Country</span> ${writeForeign(country)}</td>
</tr>
`,
  );
  const table = html`<table role="table" aria-labelledby="subprocessors">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Name</th><th role="columnheader" scope="col">Purpose</th><th role="columnheader" scope="col">Country</th></tr></thead>
<tbody role="rowgroup">
${rows}</tbody>
</table>`;
  return writeSection('subprocessors', 'Subprocessors', table);
}

function writeContact({ contactEmail, securityContact }: TrustContent): Markup | null {
  if (contactEmail === null && securityContact === null) return null;
  const address = contactEmail?.split('@').map(encodeURIComponent).join('@');
  const email =
    contactEmail &&
    html`<li><a class="link" href="mailto:${address ?? ''}"><span class="label">Questions about trust and privacy</span> <span class="host">${writeForeign(contactEmail)}</span></a></li>\n`;
  const security = securityContact && html`<li>${writeLink('Report a vulnerability', securityContact)}</li>\n`;
  return writeSection('contact', 'Contact', html`<ul class="links">\n${email}${security}</ul>`);
}

function writeCheck({ name, slug, publishedAt, updatedAt, proof }: PublishedTrustCenter): Markup {
  return writeSection(
    'check',
    'How this page can be checked',
    html`<p class="measure">${writeForeign(name)} is responsible for the content of this page. A framework is shown until its validity ends, and
every change of this page is recorded in a tamper-evident audit log.</p>
<dl class="dates"><div><dt>Last updated</dt> <dd>${writeMoment(updatedAt)}</dd></div>
<div><dt>Published since</dt> <dd>${writeMoment(publishedAt)}</dd></div></dl>
<p><a class="link" href="/v1/public/trust/${slug}/widget"><span class="label">The badge of this page as data</span> <span class="host">JSON</span></a></p>${proof && describeProof(proof)}`,
  );
}

function describeProof({ size, at, note }: StoredCheckpoint): Markup {
  return html`
<p class="measure">On ${writeMoment(at)} the audit log had ${new Intl.NumberFormat('en-GB').format(size)} events. The
signed statement below commits to all of them: with a copy of it, you can prove later that none was changed or removed.</p>
<details class="measure"><summary>The signed statement</summary>
<pre>${note}</pre></details>
<p><a class="link" href="${publicKeyPath}"><span class="label">The key that verifies it</span> <span class="host">plain text</span></a></p>`;
}

/** The paragraphs of a text, which blank lines separate. */
export function splitParagraphs(text: string): readonly string[] {
  return text.split(/\n[ \t]*(?:\n[ \t]*)+/).filter((paragraph) => paragraph.trim() !== '');
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const minutes = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** A day in an unambiguous form: 3 March 2026. */
function writeDay(time: string): Markup {
  return html`<time datetime="${time}">${days.format(new Date(time))}</time>`;
}

function writeMoment(time: string): Markup {
  const date = new Date(time);
  return html`<time datetime="${time}">${days.format(date)}, ${minutes.format(date)} UTC</time>`;
}

/** Isolates the direction of text that the tenant wrote. */
function writeForeign(text: string): Markup {
  return html`<bdi>${text}</bdi>`;
}

/** A link that shows its host beside the label; only the label for an invalid address. */
function writeLink(label: string, url: string): Markup {
  const address = normalizeWebAddress(url);
  if (address === null) return writeForeign(label);
  return html`<a class="link" href="${address}" rel="noopener noreferrer nofollow"><span class="label">${writeForeign(label)}</span> <span class="host">${writeForeign(new URL(address).host)}</span></a>`;
}

function writeSection(id: string, title: string, content: Insertable): Markup {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>
`;
}
