import { ByteCache } from './byte-cache.ts';

const lifeMilliseconds = 1000;

/**
 * What was looked up, kept for a second: what many ask for costs one look per second, and another server on the same
 * database is never more than that second behind. What was not found is not kept.
 */
export class BriefCache<Value extends object> {
  readonly #find: (name: string) => Promise<{ readonly value: Value; readonly length: number } | undefined>;
  readonly #milliseconds: () => number;
  readonly #entries = new ByteCache<{ readonly value: Value; readonly until: number }>();
  #changes = 0;

  /** @param find looks something up by its name; `length` is how many characters it takes as text. */
  constructor(
    find: (name: string) => Promise<{ readonly value: Value; readonly length: number } | undefined>,
    milliseconds: () => number = performance.now.bind(performance),
  ) {
    this.#find = find;
    this.#milliseconds = milliseconds;
  }

  async find(name: string): Promise<Value | undefined> {
    const now = this.#milliseconds();
    const known = this.#entries.get(name);
    if (known !== undefined && now < known.until) return known.value;
    this.#entries.delete(name);
    const changes = this.#changes;
    const found = await this.#find(name);
    if (found === undefined) return undefined;
    // What was changed meanwhile may have been read before.
    if (changes === this.#changes)
      this.#entries.set(name, { value: found.value, until: now + lifeMilliseconds }, found.length);
    return found.value;
  }

  /** Forgets what was changed here. */
  forget(name: string): void {
    this.#changes += 1;
    this.#entries.delete(name);
  }
}
