import { html, type Insertable, type Markup } from '../site/markup.ts';
import { relateAddress } from '../site/page.ts';
import type { Schema } from './document.ts';
import { writeProse } from './prose.ts';
import { nameOf, type Reference, schemasAddress } from './reference.ts';
import { describeRules, describeType } from './schema-text.ts';

/** Context in which schemas are written. */
export interface SchemaView {
  readonly reference: Reference;
  /** The page that they are on. */
  readonly from: string;
  /** How many levels of named schemas are unfolded; deeper ones are links. */
  readonly depth: number;
  /** True if it comes from the server: nearly every field is then always there, and the others are marked. */
  readonly isAnswer?: boolean;
}

/** Writes the type of a schema, with links to those that have a name. */
export function writeType(schema: Schema, { reference, from }: SchemaView): Markup {
  const parts = describeType(schema, reference).map((part) =>
    typeof part === 'string'
      ? part
      : html`<a href="${relateAddress(from, schemasAddress)}#${part.schema}">${part.schema}</a>`,
  );
  return html`<span class="type">${parts}</span>`;
}

/** Writes the fields of an object, each with its type, its rules and its own fields. */
export function writeFields(schema: Schema, view: SchemaView): Markup | null {
  const { properties, required = [], additionalProperties } = view.reference.resolve(schema);
  if (properties === undefined) return null;
  const entries = Object.entries(properties).map(([name, field]) =>
    writeField(name, field, required.includes(name), view),
  );
  const further =
    typeof additionalProperties === 'object'
      ? html`<li><span class="type">Further fields may follow.</span></li>`
      : null;
  return html`<ul class="fields">${entries}${further}</ul>`;
}

function writeField(name: string, field: Schema, isRequired: boolean, view: SchemaView): Markup {
  const word = view.isAnswer === true ? (isRequired ? '' : 'may be missing') : isRequired ? 'required' : '';
  return html`<li><div class="field"><code>${name}</code> ${writeType(field, view)}${word === '' ? null : html` <span class="required">${word}</span>`}${writeRules(field)}</div>${writeDescription(field, view)}${writeInner(field, view)}</li>
`;
}

/** Writes what a value must be. */
export function writeRules(schema: Schema): Insertable {
  const rules = describeRules(schema);
  return rules.length === 0 ? null : html` <span class="rules">${rules.join(', ')}</span>`;
}

function writeDescription(field: Schema, { reference }: SchemaView): Insertable {
  const text = field.description ?? (field.$ref === undefined ? undefined : reference.resolve(field).description);
  return text === undefined || isSaidOnce(text) ? null : html`<div class="about">${writeProse(text)}</div>`;
}

/** The first page of the reference has what applies to every id and every time. */
export function isSaidOnce(description: string): boolean {
  return description.startsWith('UUID; ours are version 7') || description === 'RFC 3339, UTC, milliseconds.';
}

/** The fields of the objects within a value, folded where they have a name. */
function writeInner(field: Schema, view: SchemaView): Insertable {
  const inner = findObject(field, view.reference);
  if (inner === null || view.depth <= 0) return null;
  const name = nameOf(inner);
  const fields = writeFields(inner, { ...view, depth: name === null ? view.depth : view.depth - 1 });
  if (fields === null) return null;
  return html`<details><summary>${name === null ? 'Its fields' : html`Fields of ${name}`}</summary>${fields}</details>`;
}

/** The object in a value, a list or a map: what has fields to show. */
function findObject(schema: Schema, reference: Reference): Schema | null {
  const resolved = reference.resolve(schema);
  if (resolved.properties !== undefined) return schema;
  const { items, additionalProperties, anyOf, oneOf } = resolved;
  const nested = [
    items,
    typeof additionalProperties === 'object' ? additionalProperties : undefined,
    ...(anyOf ?? oneOf ?? []),
  ];
  for (const one of nested) {
    if (one === undefined) continue;
    const found = findObject(one, reference);
    if (found !== null) return found;
  }
  return null;
}
