import { z } from 'zod';
import { Problem } from '../http/problem.ts';

/** An object of a message: values by lower-case names, which compare without case (RFC 7643 section 2.1). */
export type Attributes = ReadonlyMap<string, unknown>;

/** A 400 about a value. */
export function invalidValue(message: string): Problem {
  return new Problem('invalidValue', message);
}

/** Quotes text of the client for a message, cut to 80 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80).toWellFormed()}…` : text);
}

/** The maximum length of an attribute name or a path, which may contain a filter. */
export const longestPath = 1024;

/** The name of an attribute in lower case, without the URN of the schema (RFC 7644 section 3.10). */
export function attributeName(path: string, urn: string): string {
  const name = path.toLowerCase();
  const prefix = `${urn.toLowerCase()}:`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * Reads an object.
 * @param where its name in error messages.
 * @param code of the problem if the value is not an object.
 * @throws {Problem} `code`; `invalidSyntax` for a name that is too long, or that occurs twice in different case.
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
    if (attributes.has(key)) throw new Problem('invalidSyntax', `${where} has ${quote(name)} more than once.`);
    attributes.set(key, member);
  }
  return attributes;
}

/**
 * Reads the body of a request.
 * @param urn which `schemas` must contain (RFC 7643 section 3), in any case.
 * @throws {Problem} `invalidSyntax` if the body is not an object, `invalidValue` for other schemas.
 */
export function readMessage(body: unknown, urn: string): Attributes {
  const message = readAttributes(body, 'The body', urn, 'invalidSyntax');
  const schemas = message.get('schemas');
  const isUrn = (schema: unknown) =>
    typeof schema === 'string' && schema.length === urn.length && schema.toLowerCase() === urn.toLowerCase();
  if (!Array.isArray(schemas) || !schemas.some(isUrn))
    throw invalidValue(`schemas must be an array that contains ${urn}.`);
  return message;
}

/** Reads a boolean. Entra sends "True" and "False" unless its `aadOptscim062020` flag is set. */
export function readFlag(value: unknown, where: string): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' && value.length <= 'false'.length ? value.toLowerCase() : '';
  if (word !== 'true' && word !== 'false') throw invalidValue(`${where} must be true or false.`);
  return word === 'true';
}

/** Reads a string; null clears it (RFC 7643 section 2.5), undefined means that it was omitted. */
export function readText(value: unknown, where: string, longest: number): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string' || value.length > longest)
    throw invalidValue(`${where} must be a string of at most ${longest} characters.`);
  return value;
}

/**
 * A body that the handler reads itself, because its names compare without case.
 * @param documentedAs the schema in the OpenAPI document.
 */
export function readByHand(documentedAs: z.ZodType): z.ZodType<unknown> {
  return z.unknown().meta({ documentedAs });
}
