import { writeCodeBlock } from '../site/code-block.ts';
import { html, type Markup } from '../site/markup.ts';
import { relateAddress } from '../site/page.ts';
import { writeProse } from './prose.ts';
import type { Reference } from './reference.ts';

const from = 'reference/';

/** Writes the first page of the reference: what holds for every operation, and a list of them all. */
export function writeOverview({ document, tags }: Reference): Markup {
  const groups = tags.map(
    ({
      name,
      address,
      operations,
    }) => html`<section class="group"><h3><a href="${relateAddress(from, address)}">${name}</a></h3>
<ul class="calls">${operations.map(
      ({ method, path, summary, operationId }) =>
        html`<li><a href="${relateAddress(from, address)}#${operationId}">${summary}</a> <span class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`)}</code></span></li>\n`,
    )}</ul></section>
`,
  );
  return html`<h2 id="conventions"><a class="anchor" href="#conventions">Conventions</a></h2>
${writeProse(document.info.description)}
<p>Every operation below <code>/v1</code> accepts two headers. <code>Svc-Version</code> (${document.info.version}) pins the version of the API; without it, the version of the tenant applies. <code>Svc-Tenant</code> selects the tenant, by id or slug, for keys that can act for several. Every response has <code>Svc-Request-Id</code>.</p>
<p>Ids are UUIDs; the server generates version 7, so later ids sort after earlier ones. Times are RFC 3339 in UTC with milliseconds.</p>
<p>The whole reference as one file: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1), which the server also serves at <code>/v1/openapi.json</code>.</p>
<h2 id="examples"><a class="anchor" href="#examples">Examples</a></h2>
<p>A test sends every example to a real server. First set the variables: those below, and names like <code>$NOTICE</code> or <code>$PASSWORD</code>, which are placeholders for your own values. A public capture needs an <code>Origin</code> of the notice’s domain: replace <code>https://example.com</code> with yours. Examples that use a session read <code>cookies.txt</code>, which the sign-in example writes.</p>
<p>The responses were recorded from a server. Ids, times, hashes and secrets differ in yours. Long lists are shortened to two items; long texts and secrets end in <code>…</code>.</p>
${writeCodeBlock({ language: 'sh', code: shellStart, title: 'Once in your shell' })}
${writeCodeBlock({ language: 'ts', code: nodeStart, title: 'Once in your program' })}
<h2 id="operations"><a class="anchor" href="#operations">Operations</a></h2>
${groups}`;
}

const shellStart = `BASE=http://localhost:8787
KEY=$(node -p 'require("./data/demo-credentials.json").apiKey')
SCIM_TOKEN=$(node -p 'require("./data/demo-credentials.json").scimToken')`;

const nodeStart = `import { Svc } from '@svc/node-sdk';

const svc = new Svc({
  baseUrl: 'http://localhost:8787',
  apiKey: process.env.SVC_API_KEY,
  scimToken: process.env.SVC_SCIM_TOKEN,
});`;
