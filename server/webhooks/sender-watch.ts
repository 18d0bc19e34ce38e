/** Tells which processes that send have ended: those that have not beaten for ten seconds of ours; no two clocks are compared. */
export class SenderWatch {
  readonly #id: string;
  #seen: ReadonlyMap<string, { readonly beats: number; readonly since: number }> = new Map();

  /** @param id the process that watches, which does not count itself as ended. */
  constructor(id: string) {
    this.#id = id;
  }

  /**
   * Notes the beats of all. Whoever has beaten since the last time lives, however long ago that was: this process itself may
   * have stood still.
   * @param now milliseconds on a clock that never goes back.
   * @returns those that have ended.
   */
  note(beats: ReadonlyMap<string, number>, now: number): readonly string[] {
    const seen = [...beats].map(([id, count]) => {
      const before = this.#seen.get(id);
      return [id, before?.beats === count ? before : { beats: count, since: now }] as const;
    });
    this.#seen = new Map(seen);
    return seen.filter(([id, { since }]) => id !== this.#id && now - since >= silence).map(([id]) => id);
  }
}

const silence = 10_000;
