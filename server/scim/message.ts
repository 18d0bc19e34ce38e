import { z } from 'zod';
import { Problem } from '../http/problem.ts';

/** An object of a message: its values by their names in small letters, which compare without case (RFC 7643 section 2.1). */
export type Attributes = ReadonlyMap<string, unknown>;

/** A 400 about a value. */
export function invalidValue(message: string): Problem {
  return new Problem('invalidValue', message);
}

/** A text of the client's as a message may repeat it: quoted, and not longer than a line. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
}

/** No attribute and no path that means anything to us is longer: a path may name a value with its filter. */
export const longestPath = 1024;

/** The name of an attribute in small letters, without the URN of the schema (RFC 7644 section 3.10). */
export function attributeName(path: string, urn: string): string {
  const name = path.toLowerCase();
  const prefix = `${urn.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Reads an object.
 * @param where what a message calls it.
 * @throws {Problem} for anything else, and for a name that comes twice in different case: which one counts?
 */
export function readAttributes(
  value: unknown,
  where: string,
  urn: string,
  code: 'invalidSyntax' | 'invalidValue' = 'invalidValue',
): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(code, `${where} must be an object.`);
  const attributes = new Map<string, unknown>();
  for (const [name, member] of Object.entries(value)) {
    if (name.length > longestPath)
      throw new Problem('invalidSyntax', `${where} has a name that is too long: ${quote(name)}.`);
    const key = attributeName(name, urn);
    if (attributes.has(key)) throw new Problem('invalidSyntax', `${where} gives ${quote(name)} more than once.`);
    attributes.set(key, member);
  }
  return attributes;
}

/**
 * Reads the object that a body is.
 * @param urn which must be named in `schemas` (RFC 7643 section 3).
 * @throws {Problem} `invalidSyntax` for a body that is no object, `invalidValue` for other schemas.
 */
export function readMessage(body: unknown, urn: string): Attributes {
  const message = readAttributes(body, 'The body', urn, 'invalidSyntax');
  const schemas = message.get('schemas');
  const isNamed =
    Array.isArray(schemas) &&
    schemas.some((schema) => schema === urn || (typeof schema === 'string' && isSame(schema, urn)));
  if (!isNamed) throw invalidValue(`schemas must be an array that contains ${urn}.`);
  return message;
}

/** Whether a text is a name in another case. */
function isSame(text: string, name: string): boolean {
  return text.length === name.length && text.toLowerCase() === name.toLowerCase();
}

/** Reads a boolean. Entra writes "True" and "False" unless a flag of its own is set. */
export function readFlag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' && value.length <= 'false'.length ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw invalidValue(`${where} must be true or false.`);
  return word === 'true';
}

/** Reads a text; null for none (RFC 7643 section 2.5), undefined where nothing is said. */
export function readText(value: unknown, where: string, longest: number): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string' || value.length > longest)
    throw invalidValue(`${where} must be a text of at most ${longest} characters.`);
  return value;
}

/**
 * A body that is read by hand, because its names compare without case.
 * @param documentedAs the schema that the OpenAPI document shows for it.
 */
export function readByHand(documentedAs: z.ZodType): z.ZodType<unknown> {
  return z.unknown().meta({ documentedAs });
}
