import { z } from 'zod';
import { Problem } from '../http/problem.ts';
import { schemasOf, text } from '../http/schemas.ts';
import { attributeName, invalidValue } from './attribute.ts';

/**
 * The query parameters of an operation. Unknown parameters are ignored, because providers add their own; a known one in
 * another case is rejected: ignoring `Filter` would return everything.
 */
export function queryOf<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape> {
  const spellings = new Map(Object.keys(shape).map((name) => [name.toLowerCase(), name]));
  const query = z.looseObject(shape).superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      const spelling = spellings.get(name.toLowerCase());
      if (spelling !== undefined && spelling !== name)
        context.addIssue({ code: 'custom', path: [name], message: `must be written ${spelling}` });
    }
  });
  return query as unknown as z.ZodObject<Shape>;
}

const longestFilter = 4096;

/** `attrPath SP "eq" SP compValue`, where the value is a JSON string (RFC 7644 section 3.4.2.2). */
const expression = /^ *([^\s"()[\]]+) +eq +(".*") *$/is;

/** The attribute in lower case without its URN, and the value. */
export interface Filter {
  readonly attribute: string;
  readonly value: string;
}

/**
 * Reads a filter: one `eq` comparison (spec.md "SCIM 2.0" rule 1; RFC 7644 section 3.4.2.2). The attribute, its URN and
 * the operator compare without case.
 * @param urn the schema of the resources.
 * @param attributes the attributes that can be filtered by.
 * @throws {Problem} `invalidFilter`.
 */
export function readFilter(text: string, urn: string, attributes: readonly string[]): Filter {
  const [, path = '', literal = ''] = (text.length <= longestFilter && expression.exec(text)) || [];
  const attribute = attributeName(path, urn);
  try {
    // Anything after the closing quote makes the literal invalid JSON.
    if (attributes.some((name) => name.toLowerCase() === attribute)) return { attribute, value: JSON.parse(literal) };
  } catch {
    // Rejected below.
  }
  const examples = attributes.map((name) => `${name} eq "…"`).join(' or ');
  throw new Problem('invalidFilter', `A filter is one comparison: ${examples}, with the value as a JSON string.`);
}

const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** The maximum and default number of resources on a page (spec.md "Limits"). */
export const largestPage = 100;

/** The maximum startIndex: beyond any list, and a valid offset in both databases. */
const lastIndex = 2 ** 31 - 1;

/** A query parameter that is documented as an integer. RFC 7644 clamps any number, so it is read as text. */
function integer(description: string, fallback: number) {
  return text(100)
    .optional()
    .meta({
      description,
      override: ({ jsonSchema }) => {
        delete jsonSchema.maxLength;
        Object.assign(jsonSchema, { type: 'integer', default: fallback });
      },
    });
}

/** The parameters of a page (RFC 7644 section 3.4.2.4). */
const pageQuery = {
  startIndex: integer('The index of the first resource, from 1; smaller values count as 1.', 1),
  count: integer('The number of resources; less than 0 counts as 0, more than 100 as 100.', largestPage),
};

export interface Page {
  /** From 1. */
  readonly startIndex: number;
  /** From 0 to 100. */
  readonly count: number;
}

/** Reads the parameters of a page and clamps them. @throws {Problem} `invalidValue` for anything but an integer. */
export function readPage(query: z.output<z.ZodObject<typeof pageQuery>>): Page {
  const read = (name: keyof Page, fallback: number, least: number, most: number) => {
    const text = query[name] ?? String(fallback);
    if (!/^-?\d+$/.test(text)) throw invalidValue(`${name} must be an integer.`);
    return Math.min(Math.max(Number(text), least), most);
  };
  return { startIndex: read('startIndex', 1, 1, lastIndex), count: read('count', largestPage, 0, largestPage) };
}

/** The schema of a list of resources (RFC 7644 section 3.4.2). */
export function listOf<Resource extends z.ZodType>(resource: Resource) {
  return z
    .strictObject({
      schemas: schemasOf(listUrn),
      totalResults: z.int().min(0).meta({ description: 'How many resources match, on all pages.' }),
      startIndex: z.int().min(1),
      itemsPerPage: z.int().min(0).meta({ description: 'How many resources this page has.' }),
      Resources: z.array(resource),
    })
    .meta({ id: `${resource.meta()?.id}List` });
}

/** A page of resources as a list. */
export function presentPage<Resource>(resources: readonly Resource[], totalResults: number, startIndex: number) {
  return {
    schemas: [listUrn] as [typeof listUrn],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

/** One page of resources, and the number of all that match. */
export interface FoundPage<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** One page of a list that is in memory. */
export function slicePage<Item>(items: readonly Item[], { startIndex, count }: Page): FoundPage<Item> {
  return { items: items.slice(startIndex - 1, startIndex - 1 + count), total: items.length };
}

/** Some hundred names with their URNs. */
const longestList = 8192;

/** The parameters that choose the attributes to return (RFC 7644 section 3.9). */
const projectionQuery = {
  attributes: text(longestList).optional().meta({ description: 'The attributes to return, separated by commas.' }),
  excludedAttributes: text(longestList)
    .optional()
    .meta({ description: 'The attributes to leave out, separated by commas.' }),
};

/** The query parameters of an operation on one resource. */
export const ResourceQuery = queryOf(projectionQuery);
export type ProjectionQuery = z.output<typeof ResourceQuery>;

/** The query parameters of a list. @param filters the attributes that can be filtered by. */
export function listQuery(filters: readonly string[]) {
  const description = `One comparison: ${filters.map((name) => `\`${name} eq "…"\``).join(' or ')}.`;
  return queryOf({ filter: z.string().optional().meta({ description }), ...pageQuery, ...projectionQuery });
}
