import { readForeignAddress, type Sighting } from './sighting.ts';

/** The requests to other origins, by origin and by what asked. */
export function listRequests(entries: Iterable<PerformanceEntry>): readonly Sighting[] {
  const requests = new Map<string, Sighting & { readonly at: number; readonly count: number }>();
  for (const { name, startTime, initiatorType } of entries as Iterable<PerformanceResourceTiming>) {
    const url = readForeignAddress(name, location.href);
    if (!url) continue;
    const key = `${initiatorType} ${url.origin}`;
    const { at, count } = requests.get(key) ?? { at: startTime, count: 0 };
    const first = Math.min(at, startTime);
    requests.set(key, { kind: 'request', name: url.origin, initiator: initiatorType, at: first, count: count + 1 });
  }
  return [...requests.values()];
}
