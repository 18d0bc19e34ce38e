import { html, type Markup } from '../http/html.ts';
import { trustPath } from '../trust/trust-center.ts';
import { writeScriptTag } from '../widgets/tags.ts';
import type { Widget } from '../widgets/widget.ts';

/** What the demo page shows. */
export interface DemoPage {
  readonly banner: Widget;
  /** Undefined where it was not built: the page is then without it. */
  readonly badge: Widget | undefined;
  readonly noticeId: string;
  readonly slug: string;
  readonly baseUrl: string;
}

/** Writes the demo page. */
export function writeDemoPage({ banner, badge, noticeId, slug, baseUrl }: DemoPage): string {
  const tag = `${writeScriptTag(banner, baseUrl)}\n${html`<svc-consent notice-id="${noticeId}" api-base="${baseUrl}"></svc-consent>`}`;
  const read = `curl -s ${baseUrl}/v1/consent/${noticeId}/records -H "Authorization: Bearer $KEY"`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Svc demo</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo/demo.css">
<script src="/demo/demo.js" defer></script>
${tag}
${badge === undefined ? '' : writeScriptTag(badge, baseUrl)}
</head>
<body>
<main>
<h1>From a script tag to a ledger row</h1>
<p>This page carries the consent banner the way your site would: one pinned, integrity-checked script, under a
Content-Security-Policy that allows nothing inline.</p>
<h2>1. Decide</h2>
<p>Use the banner. <button type="button" id="open">Change my choices</button></p>
<h2>2. What the page knows</h2>
<p><code>SvcConsent.get()</code> says:</p>
<pre id="state" role="status" tabindex="0">null</pre>
<h2>3. What the ledger holds</h2>
<p>Read it back with the API key that the server printed (it also stands in <code>demo-credentials.json</code>):</p>
<pre tabindex="0">${html`${read}`}</pre>
<p>Then prove that nobody changed it:</p>
<pre tabindex="0">npx @svc/server verify</pre>
<h2>The tag</h2>
<pre tabindex="0">${html`${tag}`}</pre>
${badge === undefined ? '' : writeBadges(badge, slug, baseUrl)}</main>
</body>
</html>
`;
}

/** The badge in a few variants, and what to paste for it. */
function writeBadges(badge: Widget, slug: string, baseUrl: string): Markup {
  const page = baseUrl + trustPath(slug);
  // The link inside is what stands there until the script runs, or without it.
  const write = (variant: string) =>
    html`<svc-trust-badge tenant="${slug}" api-base="${baseUrl}" variant="${variant}" theme="auto"><a href="${page}">Trust center</a></svc-trust-badge>`;
  const shown = ['compact', 'status', 'card'].map((variant) => html`<li>${write(variant)}</li>\n`);
  return html`<h2 id="badge">The trust badge</h2>
<p>The second widget shows what stands in the <a href="${page}">trust center of the demo</a>, a page that needs no script.
One more badge floats at the edge of this page.</p>
<ul class="badges" aria-labelledby="badge">
${shown}</ul>
${write('floating')}
<pre tabindex="0">${writeScriptTag(badge, baseUrl)}
${String(write('compact'))}</pre>
`;
}
