import { text } from '../http/schemas.ts';
import { attributeName, invalidValue } from './message.ts';

/** Some hundred names with their URNs. */
const longestList = 8192;

/** The parameters that choose what a resource shows (RFC 7644 section 3.9). */
export const projectionQuery = {
  attributes: text(longestList).optional().meta({ description: 'The attributes to return, separated by commas.' }),
  excludedAttributes: text(longestList)
    .optional()
    .meta({ description: 'The attributes to leave out, separated by commas.' }),
};

export interface ProjectionQuery {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** What a resource shows. */
export interface Projection {
  /** Whether anything of an attribute is shown: what is not need not be looked up. */
  shows(attribute: string): boolean;
  /** The resource with what is shown of it. */
  apply<Resource extends object>(resource: Resource): Resource;
}

/** Always returned (RFC 7643 section 3.1), whatever is asked for. */
const always: readonly string[] = ['schemas', 'id'];

/** Names in small letters, each with the sub-attributes that are named; `null` for all of it. */
type Names = ReadonlyMap<string, ReadonlySet<string> | null>;

/**
 * Reads the parameters. Names that a resource does not have are passed over.
 * @param urn the schema of the resource, which names may begin with.
 * @throws {Problem} `invalidValue` when both are given, which RFC 7644 section 3.9 rules out.
 */
export function readProjection({ attributes = '', excludedAttributes = '' }: ProjectionQuery, urn: string): Projection {
  const wanted = readNames(attributes, urn);
  const excluded = readNames(excludedAttributes, urn);
  if (wanted.size > 0 && excluded.size > 0)
    throw invalidValue('Give attributes or excludedAttributes, not both: one rules the other out.');
  const schema = urn.toLowerCase();
  const isWhole = (wanted.size === 0 && excluded.size === 0) || wanted.has(schema);
  const shows = (attribute: string): boolean => {
    const name = attribute.toLowerCase();
    if (isWhole || always.includes(name)) return true;
    return wanted.size > 0 ? wanted.has(name) : excluded.get(name) !== null && !excluded.has(schema);
  };
  const showsPart = (attribute: string, part: string): boolean => {
    const [names, isListed] = wanted.size > 0 ? [wanted, true] : [excluded, false];
    const parts = names.get(attribute.toLowerCase());
    return !parts || parts.has(part.toLowerCase()) === isListed;
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

function readNames(list: string, urn: string): Names {
  const names = new Map<string, Set<string> | null>();
  for (const item of list.split(',')) {
    const path = attributeName(item.trim(), urn);
    if (path === '') continue;
    // The URN alone stands for all that the schema has; it has dots of its own.
    const [name = '', part] = path === urn.toLowerCase() ? [path] : path.split('.', 2);
    const parts = names.get(name);
    if (part === undefined || parts === null) names.set(name, null);
    else names.set(name, (parts ?? new Set()).add(part));
  }
  return names;
}

/** The sub-attributes that are shown, of one value or of each of several. */
function pick(value: unknown, shows: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, shows));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => shows(part)));
}
