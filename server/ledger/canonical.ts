/** A JSON value (RFC 8259). */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space. ECMAScript serializes
 * strings and numbers as the RFC requires.
 * @throws {TypeError} for values that are not JSON: undefined, functions, infinite numbers, lone surrogates.
 */
export function canonicalize(value: Json): string {
  switch (typeof value) {
    case 'string':
      if (!value.isWellFormed()) throw new TypeError('a string with a lone surrogate has no canonical form');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no canonical form`);
      return JSON.stringify(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      return value === null
        ? 'null'
        : Array.isArray(value)
          ? canonicalizeArray(value)
          : canonicalizeObject(value as JsonObject);
    default:
      throw new TypeError(`a ${typeof value} has no canonical form`);
  }
}

interface JsonObject {
  readonly [key: string]: Json;
}

function canonicalizeArray(items: readonly Json[]): string {
  return `[${items.map(canonicalize).join(',')}]`;
}

function canonicalizeObject(object: JsonObject): string {
  let text = '{';
  // The default sort order compares UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  for (const key of Object.keys(object).sort()) {
    if (text.length > 1) text += ',';
    text += `${canonicalize(key)}:${canonicalize(object[key] as Json)}`;
  }
  return `${text}}`;
}
