import type { IncomingMessage } from 'node:http';
import type { ScimResourceType, ScimSchema } from '../types/api.ts';
import { compilePath, hasBody, parseBody, readQuery, requireNames } from './read-request.ts';
import { invalidValues, notFound, Refusal } from './refusal.ts';
import { requestRules } from './request-rules.ts';
import { presentPage } from './scim-message.ts';
import type { Call } from './world.ts';

export const scimBase = '/scim/v2';
/** The most bytes of a body. */
export const scimBodyLimit = 1024 * 1024;
const bodyTypes = ['application/scim+json', 'application/json'];

/** A request of an identity provider. */
export interface ScimCall extends Omit<Call, 'query' | 'operation'> {
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The address of a resource, made of its path. */
  readonly locate: (path: string) => string;
}

/** A resource that is answered with its address. */
export class Located {
  readonly resource: object;
  readonly location: string;

  constructor(resource: object, location: string) {
    this.resource = resource;
    this.location = location;
  }
}

/** What answers an operation: a resource, or null for no content. */
export type ScimHandlers = Readonly<Record<string, (call: ScimCall) => object | null>>;

const routes = requestRules.others
  .filter(([, , path]) => path.startsWith(`${scimBase}/`))
  .map((route) => ({ route, matches: compilePath(route[2]) }));

/** Refuses what leads nowhere, as the server does. */
export function refuseScimPath(path: string): never {
  const methods = routes.filter(({ matches }) => matches(path) !== null).map(({ route }) => route[1]);
  if (methods.length === 0) throw notFound('path');
  const allow = [...new Set(methods.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])))].sort().join(', ');
  throw new Refusal(405, 'method_not_allowed', `This path takes ${allow}.`, { headers: { Allow: allow } });
}

const projection = ['attributes', 'excludedAttributes'];
const paging = ['filter', 'startIndex', 'count', ...projection];

/** Reads the parts of a request. Parameters that are not ours change nothing; one of ours in another case was meant. */
export function readScimParts(
  id: string,
  params: ScimCall['params'],
  request: IncomingMessage,
  search: string,
  bytes: Buffer,
): Pick<ScimCall, 'query' | 'body'> {
  requireNames(params);
  const isBodied = hasBody(request) && request.method !== 'GET' && request.method !== 'HEAD';
  const body = isBodied ? parseBody(request, bytes, { limit: scimBodyLimit, types: bodyTypes }) : undefined;
  const query = readQuery(search);
  const known = /^listScim(Users|Groups)$/.test(id) ? paging : isDiscovery(id) ? ['filter'] : projection;
  const details = Object.keys(query).flatMap((name) => {
    const spelling = known.find((one) => one.toLowerCase() === name.toLowerCase());
    const isOdd = spelling !== undefined && spelling !== name;
    return isOdd ? [{ path: `query.${name}`, issue: `must be written ${spelling}` }] : [];
  });
  const takesBody = /^(create|patch|replace)Scim/.test(id);
  const isEmpty = typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
  if (!takesBody && body !== undefined && !isEmpty)
    details.push({ path: 'body', issue: 'must be empty: this operation takes no fields' });
  if (details.length > 0) throw invalidValues(details);
  return { query, body };
}

/** Whether an operation tells what the provider can do. */
function isDiscovery(id: string): boolean {
  return /Schema|ResourceType|ServiceProviderConfig/.test(id);
}

type Described = ScimSchema | ScimResourceType;

/** The operations that tell what the provider can do (RFC 7644 section 4). */
export function scimDiscoveryHandlers(): ScimHandlers {
  const { config, schemas, resourceTypes } = requestRules.scim;
  const viewOf = ({ query, locate }: ScimCall) => {
    if (query.filter !== undefined)
      throw new Refusal(403, 'forbidden', 'What describes this provider cannot be filtered.');
    // The table has paths in place of addresses.
    return (resource: { readonly meta: { readonly location: string } }) => ({
      ...resource,
      meta: { ...resource.meta, location: locate(resource.meta.location) },
    });
  };
  const find = (resources: readonly Described[], { params }: ScimCall, what: string): Described => {
    const found = resources.find(({ id }) => id.toLowerCase() === (params.id ?? '').toLowerCase());
    if (found === undefined) throw notFound(what);
    return found;
  };
  return {
    getScimServiceProviderConfig: (call) => viewOf(call)(config),
    listScimSchemas: (call) => presentPage(schemas, {}, viewOf(call)),
    getScimSchema: (call) => viewOf(call)(find(schemas, call, 'schema')),
    listScimResourceTypes: (call) => presentPage(resourceTypes, {}, viewOf(call)),
    getScimResourceType: (call) => viewOf(call)(find(resourceTypes, call, 'resource type')),
  };
}
