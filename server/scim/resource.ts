import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ReadyAnswer, type Surface } from '../http/answer.ts';
import type { AuditSource } from '../http/principal.ts';
import type { Problem, ProblemCode } from '../http/problem.ts';
import { type Client, readJsonBody, readOwnAddress } from '../http/request.ts';
import { type Call, defineRoute, type PrincipalCall, type Route, type RouteText } from '../http/route.ts';
import { namedObject, schemasOf } from '../http/schemas.ts';
import type { Installation } from '../installation/installation.ts';
import type { Transaction } from '../storage/database.ts';
import type { Queries } from '../storage/queries.ts';
import { type Attribute, attributeName, invalidValue, PatchBody } from './attribute.ts';
import {
  type Filter,
  type FoundPage,
  listOf,
  listQuery,
  type Page,
  type ProjectionQuery,
  presentPage,
  ResourceQuery,
  readFilter,
  readPage,
} from './list.ts';

/** RFC 7644 section 3.1. */
const scimType = 'application/scim+json';
const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';

/** The maximum size of a body under /scim/v2, in bytes (contract.md "Headers"). */
const bodyLimit = 1024 * 1024;

/** Our codes among the values of scimType that RFC 7644 section 3.12 defines. */
const scimTypes: ReadonlySet<string> = new Set([
  'invalidFilter',
  'invalidPath',
  'invalidSyntax',
  'invalidValue',
  'mutability',
  'noTarget',
  'uniqueness',
]);

/** Codes that every surface shares, as SCIM reports them: it has no 422. */
const renamed: Partial<Record<ProblemCode, Pick<Problem, 'status' | 'code'>>> = {
  invalid_json: { status: 400, code: 'invalidSyntax' },
  validation_failed: { status: 400, code: 'invalidValue' },
};

/** RFC 7644 section 3.12. */
const ScimError = namedObject('ScimError', {
  schemas: schemasOf(errorUrn),
  status: z.string().meta({ description: 'The HTTP status, as text.' }),
  scimType: z
    .enum([...scimTypes])
    .optional()
    .meta({ description: 'What is wrong, if the status is not specific enough.' }),
  detail: z.string().meta({ description: 'What is wrong and what to do about it, in plain text.' }),
});

/** SCIM 2.0: bare resources, and errors in the form of RFC 7644 section 3.12. */
export const scim: Surface = {
  base: '/scim/v2',
  answerType: scimType,
  bodyTypes: [scimType, 'application/json'],
  text: {
    errors: ScimError,
    commonCodes: [
      'invalidValue',
      'unauthenticated',
      'not_found',
      'method_not_allowed',
      'conflict',
      'rate_limited',
      'internal_error',
      'unavailable',
    ],
    bodyCodes: ['invalidSyntax', 'payload_too_large', 'unsupported_media_type'],
    nameCode: (code) => (scimTypes.has(code) ? code : null),
    sendsLocation: true,
  },
  authenticatesFirst: true,
  isVersioned: false,
  readBody: (request: IncomingMessage) => readJsonBody(request, bodyLimit, [scimType, 'application/json']),
  present: (resource) => JSON.stringify(resource),
  presentProblem(problem: Problem) {
    const { status, code: type } = renamed[problem.code] ?? problem;
    const body = {
      schemas: [errorUrn],
      status: String(status),
      ...(scimTypes.has(type) && { scimType: type }),
      detail: problem.message,
    };
    return { status, body };
  },
};

/** Returns the address of a resource from its path: `/Users/0190…`. */
export type Locate = (path: string) => string;

/**
 * Absolute addresses for `meta.location` and `Location` (RFC 7644 section 3.1).
 * @param baseUrl the public address of this server; null to use the Host header.
 * @throws {Problem} `validation_failed` for an invalid Host.
 */
export function createLocate(baseUrl: string | null, client: Pick<Client, 'host'>): Locate {
  const address = readOwnAddress(baseUrl, client);
  return (path) => address + scim.base + path;
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
  create(tx: Transaction, source: AuditSource, body: unknown): Promise<Item>;
  patch(tx: Transaction, source: AuditSource, id: string, body: unknown): Promise<Item>;
  replace(tx: Transaction, source: AuditSource, id: string, body: unknown): Promise<Item>;
  delete(tx: Transaction, source: AuditSource, id: string): Promise<void>;
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
  const writeBy =
    (change: typeof type.patch) =>
    async (call: PrincipalCall<Readonly<Record<string, string>>, ProjectionQuery>, tx: Transaction) => {
      const view = openView(call);
      const item = await change(tx, call.source(), idOf(call), call.body);
      return (await view(tx.queries, item)).shown;
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
        async write(call, tx) {
          const view = openView(call);
          const item = await type.create(tx, call.source(), call.body);
          const { location, shown } = await view(tx.queries, item);
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
    patch: (text) => defineRoute(`PATCH ${address}`, { ...one, body: PatchBody, ...text, write: writeBy(type.patch) }),
    replace: (text) => defineRoute(`PUT ${address}`, { ...one, ...text, write: writeBy(type.replace) }),
    delete: (text) =>
      defineRoute(`DELETE ${address}`, {
        ...one,
        ...text,
        result: z.null(),
        async write(call, tx) {
          await type.delete(tx, call.source(), idOf(call));
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

interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Most requests choose nothing. */
const whole = {
  shows: (_attribute: string): boolean => true,
  apply: <Resource extends object>(resource: Resource): Resource => resource,
};

/** Always returned (RFC 7643 section 3.1). */
const always: readonly string[] = ['schemas', 'id'];

/**
 * Reads `attributes` and `excludedAttributes`. Names that the resource does not have are ignored.
 * @param urn the schema of the resource: an optional prefix of names, and by itself the name of all its attributes.
 * @returns `shows`: true if any part of an attribute is included (others need not be read from the database); `apply`:
 *   removes the parts of a resource that are not included.
 * @throws {Problem} `invalidValue` if both are given, which RFC 7644 section 3.9 rules out.
 */
export function readProjection({ attributes = '', excludedAttributes = '' }: Projection, urn: string) {
  if (attributes === '' && excludedAttributes === '') return whole;
  const [wanted, excluded] = [readPaths(attributes, urn), readPaths(excludedAttributes, urn)];
  if (wanted.size > 0 && excluded.size > 0) throw invalidValue('Give either attributes or excludedAttributes.');
  const schema = urn.toLowerCase();
  const isWhole = wanted.size + excluded.size === 0 || wanted.has(schema);
  const wantedInPart = new Set([...wanted].map((path) => path.split('.', 1)[0]));
  const shows = (attribute: string): boolean => {
    const name = attribute.toLowerCase();
    if (isWhole || always.includes(name)) return true;
    return wanted.size > 0 ? wantedInPart.has(name) : !excluded.has(name) && !excluded.has(schema);
  };
  const showsPart = (attribute: string, part: string): boolean => {
    const name = attribute.toLowerCase();
    const path = `${name}.${part.toLowerCase()}`;
    return wanted.size > 0 ? wanted.has(name) || wanted.has(path) : !excluded.has(path);
  };
  const apply = <Resource extends object>(resource: Resource): Resource => {
    if (isWhole) return resource;
    const shown = Object.entries(resource)
      .filter(([name]) => shows(name))
      .map(([name, value]) => [name, always.includes(name) ? value : pick(value, (part) => showsPart(name, part))]);
    return Object.fromEntries(shown) as Resource;
  };
  return { shows, apply };
}

/** Paths in lower case: `name`, or `name.givenname` for a sub-attribute. A URN has one dot, and stays as it is, too. */
function readPaths(list: string, urn: string): ReadonlySet<string> {
  const paths = list.split(',').map((item) => attributeName(item.trim(), urn).split('.', 2).join('.'));
  return new Set(paths.filter((path) => path !== ''));
}

/** The sub-attributes that are shown, of one value or of each of several. */
function pick(value: unknown, shows: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, shows));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => shows(part)));
}
