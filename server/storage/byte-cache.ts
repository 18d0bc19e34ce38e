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
