import { Problem } from '../http/problem.ts';
import { attributeName } from './message.ts';

/** The one expression that a filter may be: an attribute equals a text. */
export interface EqualityFilter {
  /** In small letters, without the URN of its schema. */
  readonly attribute: string;
  readonly value: string;
}

/** An attribute with its URN, and a value: external ids have 512 characters, each of which JSON may write with six. */
const longestFilter = 4096;

/** `attrPath SP "eq" SP compValue`, where the value is a JSON string (RFC 7644 section 3.4.2.2). */
const expression = /^ *([^\s"()[\]]+) +eq +(".*") *$/is;

/**
 * Reads a filter (spec.md "SCIM 2.0" rule 1). The attribute, its URN and the operator compare without case.
 * @param urn the schema of the resources.
 * @param attributes the names that can be filtered by.
 * @throws {Problem} `invalidFilter` for everything but one `eq` on one of the attributes.
 */
export function readFilter(text: string, urn: string, attributes: readonly string[]): EqualityFilter {
  const [, path = '', literal = ''] = (text.length <= longestFilter && expression.exec(text)) || [];
  const attribute = attributeName(path, urn);
  const value = readLiteral(literal);
  if (value === undefined || !attributes.some((name) => name.toLowerCase() === attribute)) {
    const examples = attributes.map((name) => `${name} eq "…"`).join(' or ');
    throw new Problem('invalidFilter', `A filter is one comparison: ${examples}, with the value as a JSON string.`);
  }
  return { attribute, value };
}

function readLiteral(literal: string): string | undefined {
  try {
    // What stands behind the closing quote is no JSON, so that nothing trails the value.
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}
