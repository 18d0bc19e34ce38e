import { writeLine } from '../reference/prose.ts';
import { writeCodeBlock } from './code-block.ts';
import { html, type Insertable, type Markup } from './markup.ts';
import type { PartialPlace, PartialResult } from './partials.ts';
import type { Member, WidgetBuild } from './widget-manifest.ts';
import { findWidget, readChoices, writeReleaseWarning, writeTag } from './widget-parts.ts';

/** Writes the banner, live: where its decisions go, a field for each attribute, what the page learns, the tag. */
export function writeLiveBanner(place: PartialPlace): PartialResult {
  const widget = findWidget('svc-consent', place);
  const content = html`<div class="live" data-live="svc-consent" role="group" aria-label="The consent banner, live">
${needsScript}
<fieldset class="live-form" disabled>
<legend>Try the banner</legend>
<div class="live-where">
<p class="live-label" id="where-label">Destination of your decisions</p>
<div role="radiogroup" aria-labelledby="where-label">
<label><input type="radio" name="where" value="page" checked> Nowhere: this page answers in place of a server</label>
<label><input type="radio" name="where" value="server" aria-describedby="where-about" disabled> Into the ledger of the demo tenant on this server</label>
</div>
<p class="live-note" id="where-about">You can choose the ledger if a server with a demo tenant serves this page, at the domain of its notice.</p>
<p class="live-note" data-note aria-live="polite">Nothing leaves this page. It shows below what would have been sent.</p>
</div>
<p class="live-actions"><button type="button" class="primary" data-action="show">Show the banner</button> <button type="button" data-action="open">Open the preferences</button> <button type="button" data-action="forget">Forget my choice and reload</button></p>
${writeForm(widget, accentField)}
</fieldset>
<h3 id="live-state">State of the page</h3>
<p><code>SvcConsent.get()</code> returns:</p>
<pre class="live-output" tabindex="0" role="group" aria-labelledby="live-state" data-state>null</pre>
<h3 id="live-requests">Requests and records</h3>
<pre class="live-output" tabindex="0" role="group" aria-labelledby="live-requests" data-log>Nothing yet.</pre>
${writeTagOutput(widget)}
</div>`;
  return {
    content,
    headings: liveHeadings(['live-state', 'State of the page'], ['live-requests', 'Requests and records']),
    extras: ['live-banner'],
    widgets: [widget.name],
  };
}

/** Writes the badge, live: a field for each attribute, the badge, the tag. */
export function writeLiveBadge(place: PartialPlace): PartialResult {
  const widget = findWidget('svc-trust-badge', place);
  const content = html`<div class="live" data-live="svc-trust-badge" role="group" aria-label="The trust badge, live">
${needsScript}
<div class="live-stage" data-stage></div>
<p class="live-note" data-note aria-live="polite">The badge shows a fictitious trust center: this page responds instead of a server.</p>
<fieldset class="live-form" disabled>
<legend>Try the badge</legend>
${writeForm(widget)}
</fieldset>
${writeTagOutput(widget)}
</div>`;
  return { content, headings: liveHeadings(), extras: ['live-badge'], widgets: [widget.name] };
}

const needsScript = html`<noscript><p class="live-note">The widgets need scripts, which are disabled here. The tables of this page describe each attribute.</p></noscript>`;

function liveHeadings(...more: readonly (readonly [string, string])[]) {
  return [...more, ['live-tag', 'Tag with these attributes'] as const].map(([id, text]) => ({ level: 3, id, text }));
}

function writeTagOutput(widget: WidgetBuild): Markup {
  return html`<h3 id="live-tag">Tag with these attributes</h3>
<div data-tag="${widget.name}">${writeCodeBlock({ language: 'html', code: writeTag(widget), title: 'Your page' })}</div>${writeReleaseWarning(widget)}`;
}

/** The accent is part of the notice; a custom property sets it on one page. */
const accentField = html`<div class="live-field"><label for="live-accent">Accent</label><input type="color" id="live-accent" value="#1d2a4d" data-accent aria-describedby="live-accent-about"><p id="live-accent-about">In your notice it is <code>theme.accent</code>, so the tag does not have it.</p></div>
`;

function writeForm({ name, attributes }: WidgetBuild, more: Insertable = ''): Markup {
  return html`<div class="live-fields">${attributes.map((attribute) => writeField(name, attribute))}${more}</div>
<p class="live-note">Another address in <code>api-base</code> changes only the tag: this page sends no requests to other servers.</p>`;
}

function writeField(element: string, attribute: Member): Markup {
  const id = `${element}-${attribute.name}`;
  return html`<div class="live-field"><label for="${id}"><code>${attribute.name}</code></label>${writeControl(id, attribute)}<p id="${id}-about">${writeLine(attribute.description ?? '')}</p></div>
`;
}

function writeControl(id: string, { name, type, default: fallback }: Member): Insertable {
  const choices = type?.text === 'boolean' ? ['true', 'false'] : readChoices(type?.text ?? '');
  const common = html`id="${id}" name="${name}" data-attribute="${name}" aria-describedby="${id}-about"`;
  if (choices !== null)
    return html`<select ${common}><option value="">${fallback === undefined ? 'not set' : `not set (${fallback})`}</option>${choices.map((value) => html`<option>${value}</option>`)}</select>`;
  return html`<input type="text" ${common} placeholder="${fallback ?? ''}" autocomplete="off" spellcheck="false">`;
}
