import { attributeName, refuse } from './scim-message.ts';

/** Always returned. */
const always: readonly string[] = ['schemas', 'id'];
/** Names in small letters, each with the parts that are named; null for all of it. */
type Names = ReadonlyMap<string, ReadonlySet<string> | null>;

/** What a request wants to see of a resource: `attributes` and `excludedAttributes` (RFC 7644 section 3.9). */
export function readProjection(
  { attributes = '', excludedAttributes = '' }: Readonly<Record<string, string | undefined>>,
  urn: string,
): (resource: object) => object {
  const [wanted, excluded] = [readNames(attributes, urn), readNames(excludedAttributes, urn)];
  if (wanted.size > 0 && excluded.size > 0)
    throw refuse('invalidValue', 'Give attributes or excludedAttributes, not both: one rules the other out.');
  const schema = urn.toLowerCase();
  if (wanted.has(schema) || (wanted.size === 0 && excluded.size === 0)) return (resource) => resource;
  const isListed = wanted.size > 0;
  const names = isListed ? wanted : excluded;
  const shows = (name: string) =>
    always.includes(name) || (isListed ? names.has(name) : names.get(name) !== null && !names.has(schema));
  const showsPart = (name: string, part: string) => {
    const parts = names.get(name);
    return !parts || parts.has(part.toLowerCase()) === isListed;
  };
  return (resource) => {
    const shown = Object.entries(resource).filter(([name]) => shows(name.toLowerCase()));
    const picked = shown.map(([name, value]) => [
      name,
      always.includes(name) ? value : pick(value, (part) => showsPart(name.toLowerCase(), part)),
    ]);
    return Object.fromEntries(picked);
  };
}

function readNames(list: string, urn: string): Names {
  const names = new Map<string, Set<string> | null>();
  for (const item of list.split(',')) {
    const path = attributeName(item.trim(), urn);
    if (path === '') continue;
    // The URN alone has dots of its own.
    const [name = '', part] = path === urn.toLowerCase() ? [path] : path.split('.', 2);
    const parts = names.get(name);
    if (part === undefined || parts === null) names.set(name, null);
    else names.set(name, (parts ?? new Set()).add(part));
  }
  return names;
}

/** The parts that are shown, of one value or of each of several. */
function pick(value: unknown, shows: (part: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, shows));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([part]) => shows(part)));
}
