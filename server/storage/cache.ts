import { setTimeout as wait } from 'node:timers/promises';
import { DatabaseUnavailable } from './unavailable.ts';

/** How long a value is served without another lookup. */
const freshMilliseconds = 1000;
/** How long the last value may be served while the database is unavailable. */
const staleMilliseconds = 24 * 60 * 60 * 1000;
/** How long a lookup may take before the last value is served instead. */
const patienceMilliseconds = 500;

interface Found<Value> {
  readonly value: Value;
  /** The number of characters of the value as text. */
  readonly length: number;
}

interface Entry<Value> extends Found<Value> {
  /** When the database last confirmed it. */
  readonly confirmedAt: number;
  /** When it must be looked up again. */
  readonly freshUntil: number;
}

/**
 * Caches looked-up values for a second: concurrent requests share one lookup per second, and a change by another server
 * on the same database is visible after at most a second. Missing values are not cached. While the database is
 * unavailable, the last value is served for up to a day.
 */
export class BriefCache<Value extends object> {
  readonly #find: (name: string) => Promise<Found<Value> | undefined>;
  readonly #milliseconds: () => number;
  readonly #entries = new ByteCache<Entry<Value>>();
  /** The lookups in progress, which concurrent callers share. */
  readonly #looks = new Map<string, Promise<Value | undefined>>();

  /** @param find looks up a value by its name. */
  constructor(find: (name: string) => Promise<Found<Value> | undefined>, milliseconds = () => performance.now()) {
    this.#find = find;
    this.#milliseconds = milliseconds;
  }

  /** @throws {DatabaseUnavailable} if the database is unavailable and there is no earlier value. */
  async find(name: string): Promise<Value | undefined> {
    const now = this.#milliseconds();
    const known = this.#entries.get(name);
    if (known !== undefined && now < known.freshUntil) return known.value;
    const isUsable = known !== undefined && now < known.confirmedAt + staleMilliseconds;
    return this.#looks.get(name) ?? this.#look(name, isUsable ? known : undefined, now);
  }

  /** Removes a value that was changed by this process. */
  forget(name: string): void {
    // A lookup in progress may have read the value before the change.
    this.#looks.delete(name);
    this.#entries.delete(name);
  }

  /** @param known the value to use if the lookup fails or takes too long. */
  #look(name: string, known: Entry<Value> | undefined, now: number): Promise<Value | undefined> {
    const isCurrent = () => this.#looks.get(name) === look;
    const confirm = async (): Promise<Value | undefined> => {
      try {
        const entry = await this.#read(name, known, now);
        if (isCurrent()) this.#entries.delete(name);
        if (isCurrent() && entry !== undefined) this.#entries.set(name, entry, entry.length);
        return entry?.value;
      } finally {
        if (isCurrent()) this.#looks.delete(name);
      }
    };
    // At most one timer a second for each name, so it is left to run out.
    const late = known && wait(patienceMilliseconds, known.value, { ref: false });
    const look = late === undefined ? confirm() : Promise.race([confirm(), late]);
    this.#looks.set(name, look);
    return look;
  }

  async #read(name: string, known: Entry<Value> | undefined, now: number): Promise<Entry<Value> | undefined> {
    try {
      const found = await this.#find(name);
      return found && { ...found, confirmedAt: now, freshUntil: now + freshMilliseconds };
    } catch (error) {
      if (known === undefined || !(error instanceof DatabaseUnavailable)) throw error;
      // Retry after a second instead of with the next request.
      return { ...known, freshUntil: this.#milliseconds() + freshMilliseconds };
    }
  }
}

/** A map that evicts its oldest entries to stay within a number of bytes. */
export class ByteCache<Value> {
  readonly #budget: number;
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(budget = 32 * 1024 * 1024) {
    this.#budget = budget;
  }

  get(name: string): Value | undefined {
    return this.#entries.get(name)?.value;
  }

  /** @param length the number of characters of the value as text; each may take two bytes. */
  set(name: string, value: Value, length: number): void {
    this.delete(name);
    const bytes = 2 * (name.length + length);
    this.#entries.set(name, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#budget) break;
      this.delete(oldest);
    }
  }

  delete(name: string): void {
    this.#bytes -= this.#entries.get(name)?.bytes ?? 0;
    this.#entries.delete(name);
  }
}
