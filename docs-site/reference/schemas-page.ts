import { html, type Insertable, type Markup } from '../site/markup.ts';
import { relateAddress } from '../site/page.ts';
import { writeProse } from './prose.ts';
import { type Operation, type Reference, schemasAddress } from './reference.ts';
import { writeFields, writeRules, writeType } from './schema-view.ts';

/** Writes what the page of all schemas holds. */
export function writeSchemasPage(reference: Reference): Markup {
  const view = { reference, from: schemasAddress, depth: 0 };
  const users = findUsers(reference);
  const sections = reference.schemaNames.map((name) => {
    const schema = reference.document.components.schemas[name] ?? {};
    return html`<section class="schema" aria-labelledby="${name}">
<h2 id="${name}"><a class="anchor" href="#${name}">${name}</a></h2>
${schema.description === undefined ? null : writeProse(schema.description)}
${writeFields(schema, view) ?? html`<p class="form">${writeType(schema, view)}${writeRules(schema)}</p>`}
${writeUsers(users.get(name) ?? [])}
</section>
`;
  });
  return html`${sections}`;
}

function writeUsers(operations: readonly Operation[]): Insertable {
  if (operations.length === 0 || operations.length > 12) return null;
  const links = operations.map(
    ({ summary, place }, index) =>
      html`${index > 0 ? ', ' : ''}<a href="${relateAddress(schemasAddress, place.address)}#${place.anchor}">${summary}</a>`,
  );
  return html`<p class="form">In: ${links}.</p>`;
}

/** The operations that name a schema themselves. */
function findUsers({ operations }: Reference): ReadonlyMap<string, readonly Operation[]> {
  const users = new Map<string, Operation[]>();
  for (const operation of operations) {
    const text = JSON.stringify([operation.requestBody, operation.responses]);
    const names = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name));
    for (const name of names) users.set(name, [...(users.get(name) ?? []), operation]);
  }
  return users;
}
