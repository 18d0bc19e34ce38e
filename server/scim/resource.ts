import { z } from 'zod';
import type { AuditSource } from '../audit/source.ts';
import { ReadyAnswer } from '../http/answer.ts';
import { type Call, defineRoute, type PrincipalCall, type Route, type RouteText } from '../http/route.ts';
import type { Installation } from '../installation/installation.ts';
import type { Queries, UnitOfWork } from '../storage/database.ts';
import { PatchBody } from './patch.ts';
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
  readProjection,
} from './query.ts';
import { createLocate, scim } from './surface.ts';

interface OperationText extends Pick<RouteText, 'sdkMethod' | 'summary' | 'description' | 'errors'> {
  readonly body?: z.ZodType;
}

/** A type of resource: its operations have the same form for all. Changes return it as it is after the change. */
export interface ResourceType<Item, Shown extends object> {
  readonly name: 'User' | 'Group';
  readonly urn: string;
  readonly result: z.ZodType<Shown>;
  /** The parameter of the path, and its schema. */
  readonly parameter: readonly [string, z.ZodString];
  readonly filters: readonly string[];
  /** The operations in the order of the documentation. */
  readonly operations: Readonly<Record<'list' | 'create' | 'get' | 'patch' | 'replace' | 'delete', OperationText>>;
  idOf(item: Item): string;
  /** @param shows whether an attribute is part of the response; others need not be read. */
  present(queries: Queries, item: Item, location: string, shows: (attribute: string) => boolean): Promise<Shown>;
  /** Lists what matches a filter, ordered by id. */
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
