import { html, type Insertable, type Markup } from '../../http/html.ts';
import { normalizeWebAddress } from '../../http/web-address.ts';
import type { PublishedTrustCenter } from './store.ts';
import type { Achievement, Subprocessor, TrustContent } from './trust-center.ts';

// Runs in browsers too, where the dashboard shows a draft.

const mark = html`<svg class="mark" viewBox="0 0 48 48" aria-hidden="true" focusable="false"><path class="shield" d="M24 3 41 9v13c0 11-7 19-17 23C14 41 7 33 7 22V9z"/><path class="tick" d="m15.5 23.5 6 6 11.5-12"/></svg>`;

/** The body of a trust center page. @param publicKeyPath the path of the key that verifies its proof. */
export function writeTrustBody(
  center: PublishedTrustCenter,
  achievements: readonly Achievement[],
  now: string,
  publicKeyPath: string,
): Markup {
  const { name, content } = center;
  const { headline, description } = content;
  const lead = headline && html`<p class="lead" dir="auto">${headline}</p>\n`;
  const about =
    description &&
    html`<div class="about">\n${splitParagraphs(description).map((paragraph) => html`<p class="paragraph" dir="auto">${paragraph}</p>\n`)}</div>\n`;
  return html`<header>
${mark}
<p class="kicker">Trust center</p>
<h1>${writeForeign(name)}</h1>
${lead}</header>
<main>
${about}${writeList('frameworks', 'Frameworks', 'cards', achievements.map(writeAchievement))}${writeDocuments(content)}${writeSubprocessors(center, now)}${writeContact(content)}${writeCheck(center, publicKeyPath)}</main>
`;
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

/** A dated change of the subprocessors that was announced. */
export interface SubprocessorChange {
  readonly kind: 'added' | 'ended';
  readonly subprocessor: Subprocessor;
  /** From when it is in force. */
  readonly at: string;
  readonly announcedAt: string;
  readonly changedAt: string;
}

/** The dated changes of the subprocessors, the latest in force first. */
export function listChanges({ subprocessors }: Pick<TrustContent, 'subprocessors'>): readonly SubprocessorChange[] {
  const changes = subprocessors.flatMap((subprocessor): SubprocessorChange[] => {
    const { since, until, announcedAt, endAnnouncedAt, changedAt } = subprocessor;
    const added = since !== null && announcedAt !== null && changedAt !== null;
    const ended = until !== null && endAnnouncedAt !== null;
    return [
      ...(added ? [{ kind: 'added', subprocessor, at: since, announcedAt, changedAt } as const] : []),
      ...(ended
        ? [{ kind: 'ended', subprocessor, at: until, announcedAt: endAnnouncedAt, changedAt: endAnnouncedAt } as const]
        : []),
    ];
  });
  return changes.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
}

/** The path of the feed of the changes. */
export function feedPath(slug: string): string {
  return `/trust/${slug}/subprocessors.atom`;
}

function writeSubprocessors({ slug, content }: PublishedTrustCenter, now: string): Markup | null {
  const { subprocessors } = content;
  if (subprocessors.length === 0) return null;
  const current = subprocessors.filter(
    ({ since, until }) => (since === null || since <= now) && (until === null || until > now),
  );
  const changes = listChanges(content);
  const history =
    changes.length === 0
      ? null
      : html`<h3>Changes</h3>\n<ul class="changes">\n${changes.map((change) => writeChange(change, now))}</ul>\n`;
  return writeSection(
    'subprocessors',
    'Subprocessors',
    html`${current.length === 0 ? html`<p>None at present.</p>\n` : writeTable(current)}${history}<p><a class="link" href="${feedPath(slug)}"><span class="label">Follow the changes</span> <span class="host">Atom feed</span></a></p>`,
  );
}

function writeChange({ kind, subprocessor, at, announcedAt }: SubprocessorChange, now: string): Markup {
  const { name, purpose, country } = subprocessor;
  const [starts, ends] = at > now ? ['Starts', 'Ends'] : ['Added', 'Ended'];
  const what = kind === 'added' ? html`${starts} (${writeForeign(purpose)}, ${writeForeign(country)})` : ends;
  return html`<li>${writeDay(at)}: <strong>${writeForeign(name)}</strong>. ${what}. <span class="host">Announced ${writeDay(announcedAt)}</span></li>\n`;
}

/** The table has explicit roles, because `display: block` removes its semantics in some browsers. */
function writeTable(subprocessors: readonly Subprocessor[]): Markup {
  const cell = (name: string, value: Insertable) =>
    html`<td role="cell"><span class="column" aria-hidden="true">${name}</span> ${value}</td>\n`;
  const rows = subprocessors.map(
    ({ name, purpose, country, since }) => html`<tr role="row">
<th role="rowheader" scope="row">${writeForeign(name)}</th>
${cell('Purpose', writeForeign(purpose))}${cell('Location', writeForeign(country))}${cell('Since', since === null ? '–' : writeDay(since))}</tr>
`,
  );
  const columns = ['Name', 'Purpose', 'Location', 'Since'];
  const titles = columns.map((title) => html`<th role="columnheader" scope="col">${title}</th>`);
  return html`<table role="table" aria-labelledby="subprocessors">
<thead role="rowgroup"><tr role="row">${titles}</tr></thead>
<tbody role="rowgroup">
${rows}</tbody>
</table>
`;
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

function writeCheck(center: PublishedTrustCenter, publicKeyPath: string): Markup {
  const { name, slug, publishedAt, updatedAt, proof } = center;
  return writeSection(
    'check',
    'How this page can be checked',
    html`<p class="measure">${writeForeign(name)} is responsible for the content of this page. A framework is shown until its validity ends, and
every change of this page is recorded in a tamper-evident audit log.</p>
<dl class="dates"><div><dt>Last updated</dt> <dd>${writeMoment(updatedAt)}</dd></div>
<div><dt>Published since</dt> <dd>${writeMoment(publishedAt)}</dd></div></dl>
<p><a class="link" href="/v1/public/trust/${slug}/widget"><span class="label">The badge of this page as data</span> <span class="host">JSON</span></a></p>${proof && describeProof(proof, publicKeyPath)}`,
  );
}

function describeProof({ size, at, note }: NonNullable<PublishedTrustCenter['proof']>, publicKeyPath: string): Markup {
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

const makeFormats = () => ({
  day: new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  minute: new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }),
});
let formats: ReturnType<typeof makeFormats> | undefined;

/** Formats of times, made when they are first needed: each takes 10 ms. */
function getFormats() {
  formats ??= makeFormats();
  return formats;
}

/** A day in an unambiguous form: 3 March 2026. */
function writeDay(time: string): Markup {
  return html`<time datetime="${time}">${getFormats().day.format(new Date(time))}</time>`;
}

function writeMoment(time: string): Markup {
  const date = new Date(time);
  const { day, minute } = getFormats();
  return html`<time datetime="${time}">${day.format(date)}, ${minute.format(date)} UTC</time>`;
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
