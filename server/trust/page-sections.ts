import { html, type Markup } from '../http/html.ts';
import { publicKeyPath } from '../proofs/public-key.ts';
import { writeDay, writeForeign, writeLink, writeMoment, writeSection } from './page-parts.ts';
import { splitParagraphs } from './public-text.ts';
import type { Achievement, ProvenTrustCenter, TrustProof } from './trust-center.ts';
import type { TrustContent } from './trust-content.ts';

/** The frameworks that are achieved, each with what that means and what it does not. */
export function writeFrameworks(achievements: readonly Achievement[]): Markup | null {
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

/** What the tenant has to read. */
export function writeDocuments({ links }: TrustContent): Markup | null {
  if (links.length === 0) return null;
  const items = links.map(({ label, url }) => html`<li>${writeLink(label, url)}</li>\n`);
  return writeSection('documents', 'Documents and links', html`<ul class="links">\n${items}</ul>`);
}

/** Who else handles data. Roles are written out: as a stack of blocks, some browsers take it for no table any more. */
export function writeSubprocessors({ subprocessors }: TrustContent): Markup | null {
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

/** Whom to write to. */
export function writeContact({ contactEmail, securityContact }: TrustContent): Markup | null {
  if (contactEmail === null && securityContact === null) return null;
  const address = contactEmail?.split('@').map(encodeURIComponent).join('@');
  const email =
    contactEmail &&
    html`<li><a class="link" href="mailto:${address ?? ''}"><span class="label">Questions about trust and privacy</span> <span class="host">${writeForeign(contactEmail)}</span></a></li>\n`;
  const security = securityContact && html`<li>${writeLink('Report a vulnerability', securityContact)}</li>\n`;
  return writeSection('contact', 'Contact', html`<ul class="links">\n${email}${security}</ul>`);
}

/** How far one may rely on the page. */
export function writeCheck({ name, slug, publishedAt, updatedAt, proof }: ProvenTrustCenter): Markup {
  return writeSection(
    'check',
    'How this page can be checked',
    html`<p class="measure">${writeForeign(name)} states what stands here and answers for it. A framework is shown until the day that its
validity ends, and every change of this page is kept in an audit log in which nothing can be rewritten unnoticed.</p>
<dl class="dates"><div><dt>Last updated</dt> <dd>${writeMoment(updatedAt)}</dd></div>
<div><dt>Published since</dt> <dd>${writeMoment(publishedAt)}</dd></div></dl>
<p><a class="link" href="/v1/public/trust/${slug}/widget"><span class="label">The badge of this page as data</span> <span class="host">JSON</span></a></p>${proof && describeProof(proof)}`,
  );
}

/** What the latest checkpoint of the audit log states, and the statement itself. */
function describeProof({ size, at, note }: TrustProof): Markup {
  return html`
<p class="measure">On ${writeMoment(at)} the audit log held ${new Intl.NumberFormat('en-GB').format(size)} events. The
statement below is signed and fixes every one of them: whoever keeps it can show later that none was changed or left out.</p>
<details class="measure"><summary>The signed statement</summary>
<pre>${note}</pre></details>
<p><a class="link" href="${publicKeyPath}"><span class="label">The key that verifies it</span> <span class="host">plain text</span></a></p>`;
}

/** The paragraphs of a text. */
export function writeParagraphs(text: string): readonly Markup[] {
  return splitParagraphs(text).map((paragraph) => html`<p class="paragraph" dir="auto">${paragraph}</p>\n`);
}
