import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Middleware } from 'koa';
import { html, type Insertable, type Markup } from '../http/html.ts';
import { requireGetOrHead } from '../http/problem.ts';
import { normalizeWebAddress } from '../http/schemas.ts';
import { immutable, StaticFile } from '../http/static-file.ts';
import type { Installation } from '../installation/installation.ts';
import type { StoredCheckpoint } from '../ledger/checkpoint-store.ts';
import { publicKeyPath } from '../proofs/routes.ts';
import type { PublishedTrust, PublishedTrustCenter } from './store.ts';
import { type Achievement, listAchievements, type TrustContent, trustPath } from './trust-center.ts';

/** Allows one style sheet, no script, nothing inline or from other origins, and no frame around the page. */
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const stylePath = '/trust/trust.css';

/** Serves the public page of every published trust center at `/trust/<slug>`. */
export function serveTrust(
  { clock, settings: { baseUrl } }: Pick<Installation, 'clock' | 'settings'>,
  publishedTrust: PublishedTrust,
): Middleware {
  const style = readFileSync(join(import.meta.dirname, 'trust.css'));
  const pinned = new StaticFile('trust.css', style, immutable);
  const unpinned = new StaticFile('trust.css', style, 'no-cache');
  const surroundings = { stylePath: `${stylePath}?v=${pinned.tag}`, baseUrl };
  const missing = writeMissingPage(surroundings);
  return async (ctx, next) => {
    if (ctx.path !== '/trust' && !ctx.path.startsWith('/trust/')) return next();
    ctx.state.route = '/trust/{slug}';
    requireGetOrHead(ctx);
    if (ctx.path === stylePath) return (ctx.querystring === `v=${pinned.tag}` ? pinned : unpinned).send(ctx);
    if (ctx.path.endsWith('/')) {
      ctx.status = 301;
      ctx.redirect(ctx.path.replace(/(?<!\/)\/+$/, ''));
      return;
    }
    const center = await publishedTrust.find(ctx.path.slice('/trust/'.length));
    const page = center === undefined ? missing : writeTrustPage(center, clock(), surroundings);
    ctx.status = center === undefined ? 404 : 200;
    ctx.set({
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cache-Control': 'no-cache',
      ...(center !== undefined && { ETag: `"${hash('sha256', page).slice(0, 16)}"` }),
    });
    ctx.type = 'text/html; charset=utf-8';
    if (ctx.fresh) ctx.status = 304;
    else ctx.body = page;
  };
}

/** What a page needs from its server. `baseUrl` is null if none is set: the Host header is not trusted for metadata. */
type PageSurroundings = Readonly<{ stylePath: string; baseUrl: string | null }>;

const mark = html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true" focusable="false"><path class="shield" d="M24 3 41 9v13c0 11-7 19-17 23C14 41 7 33 7 22V9z"/><path class="tick" d="m15.5 23.5 6 6 11.5-12"/></svg>`;

/** The public page of a trust center at a time. */
function writeTrustPage(center: PublishedTrustCenter, now: string, surroundings: PageSurroundings): string {
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
${about}${writeList('frameworks', 'Frameworks', 'cards', listAchievements(content, now).map(writeAchievement))}${writeDocuments(content)}${writeSubprocessors(content)}${writeContact(content)}${writeCheck(center)}</main>
`,
  });
}

/** The page for an unknown and for an unpublished trust center, which look the same. */
function writeMissingPage(surroundings: PageSurroundings): string {
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

/** `path` is the canonical one; null for the missing page. */
type PageText = PageSurroundings & Readonly<{ title: string; description: string; path: string | null; body: Markup }>;

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
  const items = links.map(({ label, url }) => html`<li>${writeLink(label, url)}</li>\n`);
  return writeList('documents', 'Documents and links', 'links', items);
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
  const address = contactEmail?.split('@').map(encodeURIComponent).join('@');
  const email =
    contactEmail &&
    html`<li><a class="link" href="mailto:${address ?? ''}"><span class="label">Questions about trust and privacy</span> <span class="host">${writeForeign(contactEmail)}</span></a></li>\n`;
  const security = securityContact && html`<li>${writeLink('Report a vulnerability', securityContact)}</li>\n`;
  const items = [email, security].filter((item) => item !== null);
  return writeList('contact', 'Contact', 'links', items);
}

/** A section with a list; null without any item. */
function writeList(id: string, title: string, kind: 'cards' | 'links', items: readonly Insertable[]): Markup | null {
  return items.length === 0 ? null : writeSection(id, title, html`<ul class="${kind}">\n${items}</ul>`);
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
