import { problemKinds } from '../../server/http/problem.ts';
import { writeJson } from '../../server/site/documentation/write-json.ts';
import { writeCodeBlock } from '../site/code-block.ts';
import { html, type Insertable, type Markup } from '../site/markup.ts';
import { relateAddress } from '../site/page.ts';
import { advice } from './advice.ts';
import { exampleColumns } from './curl.ts';
import { writeLine } from './prose.ts';
import { errorsAddress, isProblemCode, type Operation, readCodes } from './reference.ts';

/** With more operations than this, an error has their number in place of a list. */
const many = 12;

/** Writes what the page of all error codes holds. */
export function writeErrorsPage(operations: readonly Operation[]): Markup {
  const users = new Map<string, Operation[]>();
  for (const operation of operations)
    for (const { description } of Object.values(operation.responses))
      for (const code of readCodes(description)) users.set(code, [...(users.get(code) ?? []), operation]);
  const sections = Object.entries(problemKinds).map(([code, { status, meaning }]) => {
    const used = users.get(code) ?? [];
    return html`<section class="error-code" aria-labelledby="${code}">
<h2 id="${code}"><a class="anchor" href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p>${writeLine(meaning)}</p>
<p><strong>What to do.</strong> ${isProblemCode(code) ? advice[code] : null}</p>
${writeUsers(used, operations.length)}
</section>
`;
  });
  return html`<p>Below <code>/v1</code> an error is one object. Its <code>code</code> stays what it is, its <code>message</code> may become clearer, and <code>requestId</code> finds the request in the log of the server. Below <code>/scim/v2</code> errors have the form of RFC 7644, below <code>/oauth</code> that of RFC 6749.</p>
${writeCodeBlock({ language: 'json', title: 'Response 422', code: writeJson(sample, exampleColumns) })}
${sections}`;
}

const sample = {
  error: {
    code: 'validation_failed',
    message: 'body.purposes.analytics: expected boolean',
    details: [{ path: 'body.purposes.analytics', issue: 'expected boolean' }],
    requestId: '0b6c8f4e-2f0e-4d0a-8d7e-8a1f5f7c2b11',
  },
};

function writeUsers(used: readonly Operation[], total: number): Insertable {
  if (used.length === 0) return null;
  if (used.length > many) return html`<p class="form">${used.length} of ${total} operations answer with it.</p>`;
  const links = used.map(
    ({ summary, place }, index) =>
      html`${index > 0 ? ', ' : ''}<a href="${relateAddress(errorsAddress, place.address)}#${place.anchor}">${summary}</a>`,
  );
  return html`<p class="form">Returned by: ${links}.</p>`;
}

/** Writes the error codes of a status, or all, as a table for a page of text. */
export function writeErrorTable(status: string, from: string): Markup {
  const rows = Object.entries(problemKinds)
    .filter(([, kind]) => status === '' || String(kind.status) === status)
    .map(
      ([code, kind]) =>
        html`<tr><th scope="row"><a href="${relateAddress(from, errorsAddress)}#${code}"><code>${code}</code></a></th><td>${kind.status}</td><td>${writeLine(kind.meaning)}</td><td>${isProblemCode(code) ? advice[code] : null}</td></tr>\n`,
    );
  return html`<div class="table" tabindex="0" role="group" aria-label="Error codes"><table><thead><tr><th>Code</th><th>Status</th><th>Meaning</th><th>What to do</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
