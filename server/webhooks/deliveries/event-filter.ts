import { z } from 'zod';
import { dictionary, list, refuseRepeated, text } from '../../http/schemas.ts';
import type { Json } from '../../ledger/canonical.ts';

const mostPaths = 10;
const mostValues = 50;
const longestText = 200;
/** Every event of the tenant reads the filters of all its endpoints. */
const longestFilter = 8192;

const Path = text(256).regex(
  /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/,
  'must begin with a letter and have at most 128 of A-Z a-z 0-9 _ . -',
);

const Value = z
  .union([text(longestText), z.number(), z.boolean(), z.null()], {
    error: `must be a text of at most ${longestText} characters, a number, true, false or null`,
  })
  .meta({ id: 'WebhookFilterValue' });

const Values = list(Value, mostValues).min(1).superRefine(refuseRepeated('is listed twice'));

/** The condition on the data of events: a list of accepted values for each path. */
export const EventFilter = dictionary(Path, Values, mostPaths)
  .refine((filter) => Object.keys(filter).length > 0, 'must have at least one path')
  .refine(
    (filter) => JSON.stringify(filter).length <= longestFilter,
    `must be at most ${longestFilter} characters of JSON altogether`,
  )
  .meta({ id: 'WebhookFilter' });
export type EventFilter = Readonly<Record<string, readonly z.output<typeof Value>[]>>;

/** A filter that is ready to look at many events. */
export type ReadyFilter = readonly (readonly [path: string, accepted: ReadonlySet<unknown>])[];

/** Makes a filter ready. @param text as it is stored. */
export function readFilter(text: string): ReadyFilter {
  return Object.entries(JSON.parse(text) as EventFilter).map(([path, values]) => [path, new Set(values)]);
}

/** True if data has, at every path of a filter, one of the values that are accepted there. */
export function passesFilter(filter: ReadyFilter, data: Json): boolean {
  return filter.every(([path, accepted]) => holds(data, path, accepted));
}

/** @param path the rest of the path; null where it has ended. */
function holds(value: Json, path: string | null, accepted: ReadonlySet<unknown>): boolean {
  if (Array.isArray(value)) return value.some((item) => holds(item, path, accepted));
  if (path === null) return accepted.has(value);
  if (typeof value !== 'object' || value === null) return false;
  // Keys may contain dots, as those of purposes do: the rest of the path follows any key that is a prefix of it.
  return Object.entries(value).some(([key, inner]) => {
    if (path === key) return holds(inner, null, accepted);
    return path.startsWith(`${key}.`) && holds(inner, path.slice(key.length + 1), accepted);
  });
}
