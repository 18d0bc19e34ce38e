import type { Schema } from './document.ts';
import { nameOf, type Reference } from './reference.ts';

/** A part of the name of a type: text, or the name of a schema to link to. */
export type TypePart = string | { readonly schema: string };

/** Names the type of a schema: `string (uuid)`, `array of Purpose`, `integer or null`. */
export function describeType(schema: Schema, reference: Reference): readonly TypePart[] {
  const name = nameOf(schema);
  if (name !== null) {
    // The values of an enum are what a reader looks for; its name is for generated code.
    const { enum: values } = reference.resolve(schema);
    return values === undefined || values.length > mostValues ? [{ schema: name }] : writeValues(values);
  }
  const { const: only, enum: values, anyOf, oneOf, allOf, type, items, format } = schema;
  if (only !== undefined) return [JSON.stringify(only)];
  if (values !== undefined) return writeValues(values);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined)
    return choices.flatMap((choice, index) => [...(index > 0 ? [' or '] : []), ...describeType(choice, reference)]);
  if (allOf !== undefined)
    return allOf.flatMap((part, index) => [...(index > 0 ? [' and '] : []), ...describeType(part, reference)]);
  if (Array.isArray(type))
    return type.flatMap((one, index) => [
      ...(index > 0 ? [' or '] : []),
      ...describeType({ ...schema, type: one }, reference),
    ]);
  if (type === 'array') return ['array of ', ...describeType(items ?? {}, reference)];
  if (type === 'object' && typeof schema.additionalProperties === 'object' && schema.properties === undefined)
    return ['map of ', ...describeType(schema.additionalProperties, reference)];
  if (typeof type === 'string') return [format === undefined || type === 'null' ? type : `${type} (${format})`];
  return ['any JSON value'];
}

const mostValues = 12;

function writeValues(values: readonly unknown[]): readonly string[] {
  return [values.map((value) => JSON.stringify(value)).join(' | ')];
}

/** Describes the limits of a value beside its type: `1 to 256 characters`, `default 25`. */
export function describeRules(schema: Schema): readonly string[] {
  const inner = (schema.anyOf ?? schema.oneOf ?? []).flatMap((choice) =>
    choice.type === 'null' ? [] : describeRules(choice),
  );
  return [
    ...range(schema.minLength, schema.maxLength, 'character'),
    ...range(schema.minimum, schema.maximum, ''),
    ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${schema.exclusiveMinimum}`]),
    ...(schema.exclusiveMaximum === undefined ? [] : [`less than ${schema.exclusiveMaximum}`]),
    ...range(schema.minItems, schema.maxItems, 'item'),
    ...(schema.uniqueItems === true ? ['each once'] : []),
    ...(schema.pattern === undefined ? [] : [`matches ${schema.pattern}`]),
    ...inner,
    ...(schema.items === undefined ? [] : describeRules(schema.items).map((rule) => `each ${rule}`)),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
}

/** The limits of JavaScript's safe integers are not written: they are no rule of the API. */
function range(least: number | undefined, most: number | undefined, unit: string): readonly string[] {
  const low = least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const high = most === Number.MAX_SAFE_INTEGER ? undefined : most;
  const name = (count: number) => (unit === '' ? '' : count === 1 ? ` ${unit}` : ` ${unit}s`);
  if (low !== undefined && high !== undefined)
    return [low === high ? `${low}${name(low)}` : `${low} to ${high}${name(high)}`];
  if (low !== undefined) return low === 0 ? [] : [`${low}${name(low)} or more`];
  return high === undefined ? [] : [`at most ${high}${name(high)}`];
}
