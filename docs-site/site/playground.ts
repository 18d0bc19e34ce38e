import { html, type Markup } from './markup.ts';
import type { PartialResult } from './partials.ts';

const secret = 'whsec_VGhpcyBpcyBhIHNlY3JldCBmb3IgZXhhbXBsZXMgb25seQ';
const body = `{"id":"019aa4c2-7b1e-7d33-9c41-5f0e2b8a6d17","type":"dsr.completed","createdAt":"2026-01-01T00:00:00.000Z","tenantId":"019aa4c2-0000-7000-8000-000000000001","data":{"dsrId":"019aa4c2-1111-7000-8000-000000000002","subjectId":"customer-42","type":"access","outcome":"fulfilled"}}`;

/** Writes the playground of signatures: sign a body, and verify what was received. */
export function writePlayground(): PartialResult {
  const content = html`<div class="live playground" data-playground role="group" aria-label="Signature playground">
<noscript><p class="live-note">The playground needs scripts, which are disabled here.</p></noscript>
<h2 id="sign"><a class="anchor" href="#sign">Sign</a></h2>
<form data-form="sign"><fieldset class="live-form" disabled>
<legend>What is sent</legend>
${area('sign-body', 'Body', 6, body, 'The exact bytes: one more space changes the signature.')}
${line('sign-secret', 'Secret', secret, 'The whole text, including whsec_. Do not use a real one.')}
<div class="live-fields">
${line('sign-id', 'Delivery id', '019aa4c2-9c00-7000-8000-00000000000a', 'Goes into Svc-Delivery and webhook-id.')}
${line('sign-time', 'Time', '1767225600', 'Unix seconds.')}
</div>
<p class="live-actions"><button type="button" data-action="now">Use the current time</button></p>
</fieldset></form>
<p class="live-label" id="sign-result-label">Headers</p>
<pre class="live-output" tabindex="0" role="group" aria-labelledby="sign-result-label" data-output="sign">The headers appear here.</pre>
<p class="live-actions"><button type="button" class="needs-script" data-action="take">Verify these below</button></p>
<h2 id="verify"><a class="anchor" href="#verify">Verify</a></h2>
<form data-form="verify"><fieldset class="live-form" disabled>
<legend>What was received</legend>
${area('verify-headers', 'Headers', 5, '', 'One per line, as received. Other headers are ignored.')}
${area('verify-body', 'Body', 6, '', 'As received, byte for byte.')}
<div class="live-fields">
${line('verify-secrets', 'Secrets', secret, 'Separated by spaces. During a rotation there are two.')}
${line('verify-time', 'Received at', '1767225600', 'Unix seconds. Empty for the current time.')}
${line('verify-tolerance', 'Tolerance', '300', 'The maximum number of seconds between signature and receipt.')}
</div>
</fieldset></form>
<p class="live-label" id="verify-result-label">Verdict</p>
<div class="verdict" role="status" aria-labelledby="verify-result-label" data-output="verify">Paste headers and body.</div>
</div>`;
  const headings = [
    { level: 2, id: 'sign', text: 'Sign' },
    { level: 2, id: 'verify', text: 'Verify' },
  ];
  const entries = [
    {
      anchor: 'sign',
      title: 'Sign',
      text: 'Create Svc-Signature and webhook headers from a body, a secret and a time.',
    },
    { anchor: 'verify', title: 'Verify', text: 'Paste headers, body and secret: genuine or not, and why.' },
  ];
  return { content, headings, entries, extras: ['playground'] };
}

function area(id: string, label: string, rows: number, value: string, about: string): Markup {
  return html`<div class="live-field"><label for="${id}">${label}</label><textarea id="${id}" rows="${rows}" aria-describedby="${id}-about" autocomplete="off" spellcheck="false">${value}</textarea><p id="${id}-about">${about}</p></div>
`;
}

function line(id: string, label: string, value: string, about: string): Markup {
  return html`<div class="live-field"><label for="${id}">${label}</label><input type="text" id="${id}" value="${value}" aria-describedby="${id}-about" autocomplete="off" spellcheck="false"><p id="${id}-about">${about}</p></div>
`;
}
