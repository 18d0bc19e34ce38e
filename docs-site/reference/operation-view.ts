import { problemKinds } from '../../server/http/problem.ts';
import { writeCodeBlock } from '../site/code-block.ts';
import { html, type Insertable, type Markup } from '../site/markup.ts';
import { relateAddress } from '../site/page.ts';
import { writeAnswer } from './answer-examples.ts';
import { writeCurl } from './curl.ts';
import type { Parameter, Schema } from './document.ts';
import { writeLine, writeProse } from './prose.ts';
import { errorsAddress, nameOf, type Operation, readCodes } from './reference.ts';
import { isSaidOnce, type SchemaView, writeFields, writeRules, writeType } from './schema-view.ts';
import { writeSdkCall } from './sdk-call.ts';

/** Headers that the overview of the reference explains once for all operations. */
const commonHeaders = new Set(['Svc-Version', 'Svc-Tenant']);

/** Writes an operation: what it is, what it takes, what it answers, how it is called. */
export function writeOperation(operation: Operation, view: SchemaView): Markup {
  const { operationId, method, path, summary, description = '', parameters } = operation;
  const title = `${method} ${path}`;
  const shown = parameters.filter(({ in: place, name }) => place !== 'header' || !commonHeaders.has(name));
  return html`<section class="operation" aria-labelledby="${operationId}">
<h2 id="${operationId}"><a class="anchor" href="#${operationId}">${summary}</a></h2>
<p class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
<div class="operation-parts"><div class="operation-text">
${writeProse(description.replace(/(^|\n\n)Needs the scope `[^`]+`\.$/, ''))}
${writeAccess(operation)}
${(['path', 'query', 'header'] as const).map((place) => writeParameters(place, shown, view, operationId))}
${writeBody(operation, view)}
${writeAnswers(operation, view)}
${writeErrors(operation, view)}
</div><div class="operation-code">
${writeCalls(operation, title)}
${writeAnswerExample(operation, title)}
</div></div>
</section>
`;
}

/** Long paths may break behind a slash. */
function breakable(path: string): Insertable {
  return path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
}

function writeAccess({ security = [], 'x-scope': scope }: Operation): Markup {
  const schemes = new Set(security.flatMap((one) => Object.keys(one)));
  if (schemes.has('scimToken')) return html`<p class="access">Access: SCIM token</p>`;
  if (schemes.has('apiKey'))
    return html`<p class="access">Scope: <code>${scope ?? ''}</code>. API key, access token or session</p>`;
  if (schemes.has('session')) return html`<p class="access">Access: the session of the person</p>`;
  return html`<p class="access">Access: none needed</p>`;
}

const placeTitles = { path: 'Path', query: 'Query', header: 'Headers' } as const;

function writeParameters(
  place: keyof typeof placeTitles,
  parameters: readonly Parameter[],
  view: SchemaView,
  operationId: string,
): Insertable {
  const wanted = parameters.filter((parameter) => parameter.in === place);
  if (wanted.length === 0) return null;
  const items = wanted.map(({ name, schema, required, description }) => {
    const about = description ?? schema.description;
    return html`<li><div class="field"><code>${name}</code> ${writeType(schema, view)}${required ? html` <span class="required">required</span>` : null}${writeRules(schema)}</div>${about === undefined || isSaidOnce(about) ? null : html`<div class="about">${writeProse(about)}</div>`}</li>
`;
  });
  return html`<h3 id="${operationId}-${place}">${placeTitles[place]}</h3><ul class="fields">${items}</ul>`;
}

function writeBody({ requestBody, operationId }: Operation, view: SchemaView): Insertable {
  if (requestBody === undefined) return null;
  const types = Object.keys(requestBody.content ?? {});
  const schema = Object.values(requestBody.content ?? {})[0]?.schema ?? {};
  return html`<h3 id="${operationId}-body">Body</h3><p class="form">${writeNamed(schema, view)}<code>${types.join(' or ')}</code></p>${writeFields(schema, view)}`;
}

function writeNamed(schema: Schema, view: SchemaView): Insertable {
  return nameOf(schema) === null ? null : html`${writeType(schema, view)}, `;
}

/** The schema of `data`, without the envelope, which is the same everywhere. */
function unwrap(schema: Schema, { reference }: SchemaView): { readonly schema: Schema; readonly isWrapped: boolean } {
  const { properties = {} } = reference.resolve(schema);
  const { data } = properties;
  const isWrapped = nameOf(schema) === null && data !== undefined && Object.keys(properties).length === 1;
  return isWrapped ? { schema: data, isWrapped } : { schema, isWrapped: false };
}

function writeAnswers({ responses, operationId }: Operation, view: SchemaView): Insertable {
  const successes = Object.entries(responses).filter(([status]) => status < '300');
  return successes.map(([status, { description, content = {}, headers = {} }]) => {
    const [type] = Object.keys(content);
    const answer = unwrap(content[type ?? '']?.schema ?? {}, view);
    const shown = Object.keys(headers).filter((name) => name !== 'Svc-Request-Id' && name !== 'Svc-Version');
    return html`<h3 id="${operationId}-${status}">Response ${status}: ${description}</h3>
${type === undefined ? html`<p class="form">No body.</p>` : html`<p class="form"><code>${type}</code>, ${answer.isWrapped ? 'in ' : null}${answer.isWrapped ? html`<code>data</code>: ` : null}${writeType(answer.schema, view)}</p>`}
${type === undefined ? null : writeAnswerFields(answer.schema, view)}
${shown.length === 0 ? null : html`<p class="form">Headers: ${shown.map((name, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`)}</p>`}`;
  });
}

function writeAnswerFields(schema: Schema, view: SchemaView): Insertable {
  const fields = writeFields(schema, { ...view, isAnswer: true });
  return fields === null ? null : html`<details><summary>Fields</summary>${fields}</details>`;
}

function writeErrors({ responses, operationId }: Operation, { from }: SchemaView): Markup {
  const rows = Object.entries(responses)
    .filter(([status]) => status >= '300')
    .flatMap(([status, { description }]) => {
      const codes = readCodes(description);
      if (codes.length === 0)
        return [html`<li><span class="status">${status}</span> <span>${writeLine(description)}</span></li>\n`];
      return codes.map(
        (code) =>
          html`<li><span class="status">${status}</span> <span><a href="${relateAddress(from, errorsAddress)}#${code}"><code>${code}</code></a> ${writeLine(problemKinds[code].meaning)}</span></li>\n`,
      );
    });
  return html`<h3 id="${operationId}-errors">Errors</h3><details><summary>${rows.length} that can occur</summary><ul class="errors">${rows}</ul></details>`;
}

function writeCalls(operation: Operation, title: string): Markup {
  const sdk = writeSdkCall(operation);
  const curl = writeCodeBlock({ language: 'sh', code: writeCurl(operation), title: 'curl', purpose: title });
  if (sdk === null) return html`<div class="tabs">${curl}</div>`;
  return html`<div class="tabs">${curl}${writeCodeBlock({ language: 'ts', code: sdk, title: 'Node', purpose: title })}</div>`;
}

function writeAnswerExample(operation: Operation, title: string): Insertable {
  const status = Object.keys(operation.responses).find((one) => one < '300');
  const code = writeAnswer(operation);
  return code === null ? null : writeCodeBlock({ language: 'json', code, title: `Response ${status}`, purpose: title });
}
