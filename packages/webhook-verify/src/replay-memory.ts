import { fail, type Names, requireOptions } from './error.ts';
import type { ReplayStore } from './replay.ts';

export interface MemoryReplayOptions {
  /** Default: 10,000 ids, of some 100 bytes each. */
  readonly maxEntries?: number | undefined;
  /** The time in milliseconds. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

const optionNames: Names<MemoryReplayOptions> = { maxEntries: 1, now: 1 };

interface Entry {
  readonly isDone: boolean;
  readonly endsAt: number;
}

/** A store in memory, for one process. When it is full it forgets what was done first; what runs is never forgotten. */
export function createMemoryReplayStore(options: MemoryReplayOptions = {}): ReplayStore {
  const { maxEntries = 10_000, now = Date.now } = requireOptions(options, optionNames);
  if (!(maxEntries >= 1) || typeof now !== 'function')
    fail('options_invalid', 'maxEntries must be 1 or more, now a function.');
  const entries = new Map<string, Entry>();
  const put = (id: string, isDone: boolean, seconds: number) => {
    // Last in the order of the map, which is the order of forgetting.
    entries.delete(id);
    entries.set(id, { isDone, endsAt: now() + seconds * 1000 });
  };
  return {
    claim: (id, leaseSeconds) => {
      const entry = entries.get(id);
      if (entry !== undefined && entry.endsAt > now()) return entry.isDone ? 'done' : 'running';
      entries.delete(id);
      // As if it ran already: the sender comes again.
      if (entries.size >= maxEntries && !forgetOne(entries, now())) return 'running';
      put(id, false, leaseSeconds);
      return 'claimed';
    },
    complete: (id, ttlSeconds) => put(id, true, ttlSeconds),
    release: (id) => entries.delete(id),
  };
}

function forgetOne(entries: Map<string, Entry>, now: number): boolean {
  for (const [id, { isDone, endsAt }] of entries) if (isDone || endsAt <= now) return entries.delete(id);
  return false;
}
