/**
 * The canonical text of a JSON value (RFC 8785): what is hashed of an entry.
 * Keys are sorted by UTF-16 code units, as section 3.2.3 has it; strings and numbers are as ECMAScript writes them.
 * @throws {TypeError} for what is not JSON: undefined, functions, dates, infinite numbers, lone surrogates.
 */
export function canonicalize(value: unknown): string {
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, canonicalize).join()}]`;
  // The tag distinguishes a plain object from dates and maps of any realm.
  if (Object.prototype.toString.call(value) !== '[object Object]')
    throw new TypeError(`${typeof value === 'string' ? 'a lone surrogate' : typeof value} has no canonical form`);
  const object = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const key of Object.keys(object).sort())
    members += `${members === '' ? '' : ','}${canonicalize(key)}:${canonicalize(object[key])}`;
  return `{${members}}`;
}

/** The canonical text; null for a value that has none. */
export function canonicalizeIfValid(value: unknown): string | null {
  try {
    return canonicalize(value);
  } catch {
    return null;
  }
}
