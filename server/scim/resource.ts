import { z } from 'zod';
import { ReadyAnswer } from '../http/answer.ts';
import type { AuditSource } from '../http/principal.ts';
import { Problem } from '../http/problem.ts';
import { type Call, defineRoute, type PrincipalCall, type Route, type RouteText } from '../http/route.ts';
import { schemasOf, text } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import type { UnitOfWork } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { type Attribute, attributeName, invalidValue, readProjection } from './attribute.ts';
import { createLocate, PatchBody, scim } from './surface.ts';

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
type ProjectionQuery = z.output<typeof ResourceQuery>;

/** The query parameters of a list. @param filters the attributes that can be filtered by. */
export function listQuery(filters: readonly string[]) {
  const description = `One comparison: ${filters.map((name) => `\`${name} eq "…"\``).join(' or ')}.`;
  return queryOf({ filter: z.string().optional().meta({ description }), ...pageQuery, ...projectionQuery });
}

interface OperationText extends Pick<RouteText, 'sdkMethod' | 'summary' | 'description' | 'errors'> {
  readonly body?: z.ZodType;
}

/** A type of resource: its operations have the same form for all. Changes return it as it is after the change. */
export interface ResourceType<Item, Shown extends object> {
  readonly name: 'User' | 'Group';
  /** For the schema. */
  readonly description: string;
  /** For the type of resource. */
  readonly plural: string;
  readonly urn: string;
  readonly attributes: Readonly<Record<string, Attribute<never, unknown>>>;
  readonly result: z.ZodType<Shown>;
  /** The parameter of the path, and its schema. */
  readonly parameter: readonly [string, z.ZodString];
  readonly filters: readonly string[];
  /** The operations in the order of the documentation. */
  readonly operations: Readonly<Record<'list' | 'create' | 'get' | 'patch' | 'replace' | 'delete', OperationText>>;
  idOf(item: Item): string;
  /** @param shows returns true if an attribute is part of the response; others need not be read. */
  present(queries: Queries, item: Item, location: string, shows: (attribute: string) => boolean): Promise<Shown>;
  /** Lists the resources that match a filter, ordered by id. */
  list(queries: Queries, tenantId: string, filter: Filter | undefined, page: Page): Promise<FoundPage<Item>>;
  /** Finds a resource by the segment of a path. @throws {Problem} `not_found`. */
  get(queries: Queries, tenantId: string, segment: string): Promise<Item>;
  create(work: UnitOfWork, source: AuditSource, body: unknown): Promise<Item>;
  patch(work: UnitOfWork, source: AuditSource, id: string, body: unknown): Promise<Item>;
  replace(work: UnitOfWork, source: AuditSource, id: string, body: unknown): Promise<Item>;
  delete(work: UnitOfWork, source: AuditSource, id: string): Promise<void>;
}

/** The operations on a type of resource (RFC 7644 section 3). */
export function resourceRoutes<Item, Shown extends object>(
  { database, settings }: Installation,
  type: ResourceType<Item, Shown>,
): readonly Route[] {
  const [parameter, Parameter] = type.parameter;
  const common = { auth: 'scim', surface: scim, tag: 'SCIM', query: ResourceQuery } as const;
  const all = { ...common, result: type.result } as const;
  const one = { ...all, params: z.strictObject({ [parameter]: Parameter }) } as const;
  const segment = `/${type.name}s`;
  const path = scim.base + segment;
  const address = `${path}/{${parameter}}`;
  const idOf = ({ params }: Call<Readonly<Record<string, string>>>) => params[parameter] as string;
  /** Checks the query and the Host of a call, before any change, and returns what presents its resources. */
  const openView = ({ query, client }: Call<unknown, ProjectionQuery>) => {
    const projection = readProjection(query, type.urn);
    const locate = createLocate(settings.baseUrl, client);
    return async (queries: Queries, item: Item) => {
      const location = locate(`${segment}/${type.idOf(item)}`);
      const shown = await type.present(queries, item, location, projection.shows);
      return { location, shown: projection.apply(shown) };
    };
  };
  const changeBy =
    (change: typeof type.patch) =>
    async (call: PrincipalCall<Readonly<Record<string, string>>, ProjectionQuery>, work: UnitOfWork) => {
      const view = openView(call);
      const item = await change(work, call.source(), idOf(call), call.body);
      return (await view(work.transaction, item)).shown;
    };
  const routes: Readonly<
    Record<keyof typeof type.operations, (text: OperationText & Pick<RouteText, 'operationId'>) => Route>
  > = {
    list: (text) =>
      defineRoute(`GET ${path}`, {
        ...common,
        ...text,
        query: listQuery(type.filters),
        result: listOf(type.result),
        async handle(call) {
          const view = openView(call);
          const page = readPage(call.query);
          const { filter } = call.query;
          const wanted = filter === undefined ? undefined : readFilter(filter, type.urn, type.filters);
          const { items, total } = await type.list(database.kysely, call.principal.tenantId, wanted, page);
          const shown: Shown[] = [];
          for (const item of items) shown.push((await view(database.kysely, item)).shown);
          return presentPage(shown, total, page.startIndex);
        },
      }),
    create: (text) =>
      defineRoute(`POST ${path}`, {
        ...all,
        ...text,
        status: 201,
        async change(call, work) {
          const view = openView(call);
          const item = await type.create(work, call.source(), call.body);
          const { location, shown } = await view(work.transaction, item);
          return new ReadyAnswer(201, scim.present(shown), { Location: location });
        },
      }),
    get: (text) =>
      defineRoute(`GET ${address}`, {
        ...one,
        ...text,
        async handle(call) {
          const view = openView(call);
          const item = await type.get(database.kysely, call.principal.tenantId, idOf(call));
          return (await view(database.kysely, item)).shown;
        },
      }),
    patch: (text) =>
      defineRoute(`PATCH ${address}`, { ...one, body: PatchBody, ...text, change: changeBy(type.patch) }),
    replace: (text) => defineRoute(`PUT ${address}`, { ...one, ...text, change: changeBy(type.replace) }),
    delete: (text) =>
      defineRoute(`DELETE ${address}`, {
        ...one,
        ...text,
        result: z.null(),
        async change(call, work) {
          await type.delete(work, call.source(), idOf(call));
          return null;
        },
      }),
  };
  const named = Object.entries(type.operations) as [keyof typeof routes, OperationText][];
  return named.map(([name, text]) => {
    const operationId = `${name}Scim${type.name}${name === 'list' ? 's' : ''}`;
    const sdkMethod = `scim.${type.name.toLowerCase()}s.${name === 'get' ? 'retrieve' : name}`;
    return routes[name]({ sdkMethod, ...text, operationId });
  });
}
