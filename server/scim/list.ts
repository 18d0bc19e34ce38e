import { z } from 'zod';
import { schemasOf, text } from '../http/schemas.ts';
import { invalidValue } from './message.ts';

export const listUrn = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** The most resources of one page (spec.md "Limits"), which a client gets that asks for no other number. */
export const largestPage = 100;

/** Beyond any list, and within what both databases take as an offset. */
const lastIndex = 2 ** 31 - 1;

/** Clients may send any number; what is beyond a list counts as its end. */
const longestNumber = 100;

function describeAsInteger(description: string, bounds: Readonly<Record<string, number>>) {
  return {
    description,
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.maxLength;
      Object.assign(jsonSchema, { type: 'integer', ...bounds });
    },
  };
}

/** The parameters of a page (RFC 7644 section 3.4.2.4). */
export const pageQuery = {
  startIndex: text(longestNumber)
    .optional()
    .meta(describeAsInteger('The place of the first resource, from 1; less counts as 1.', { default: 1 })),
  count: text(longestNumber)
    .optional()
    .meta(
      describeAsInteger('How many resources; less than 0 counts as 0, more than 100 as 100.', { default: largestPage }),
    ),
};

export interface Page {
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** Reads the parameters of a page. @throws {Problem} `invalidValue` for what is no whole number. */
export function readPage(query: {
  readonly startIndex?: string | undefined;
  readonly count?: string | undefined;
}): Page {
  const startIndex = readInteger('startIndex', query.startIndex ?? '1');
  const count = readInteger('count', query.count ?? String(largestPage));
  return {
    startIndex: Math.min(Math.max(startIndex, 1), lastIndex),
    count: Math.min(Math.max(count, 0), largestPage),
  };
}

function readInteger(name: string, text: string): number {
  if (!/^-?\d+$/.test(text)) throw invalidValue(`${name} must be a whole number.`);
  return Number(text);
}

/** A list of resources. */
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

/** The answer with one page of a list. */
export function presentPage<Resource>(resources: readonly Resource[], totalResults: number, { startIndex }: Page) {
  return {
    schemas: [listUrn] as [typeof listUrn],
    totalResults,
    startIndex,
    itemsPerPage: resources.length,
    Resources: [...resources],
  };
}

/** One page of a list that is short enough to have whole. */
export function slicePage<Item>(items: readonly Item[], { startIndex, count }: Page): readonly Item[] {
  return items.slice(startIndex - 1, startIndex - 1 + count);
}
