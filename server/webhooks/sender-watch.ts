/** Tells which processes that send have ended: those that have not beaten for ten seconds of ours; no two clocks are compared. */
export class SenderWatch {
  readonly #id: string;
  #notedAt = Number.NEGATIVE_INFINITY;
  #seen: ReadonlyMap<string, { readonly beats: number; readonly since: number }> = new Map();

  /** @param id the process that watches, which does not count itself as ended. */
  constructor(id: string) {
    this.#id = id;
  }

  /**
   * Notes the beats of all. Silence counts only while this process itself looks: after a pause of its own, or an outage of
   * the database, the others get the whole time again.
   * @param now milliseconds on a clock that never goes back.
   * @returns those that have ended.
   */
  note(beats: ReadonlyMap<string, number>, now: number): readonly string[] {
    const wasAway = now - this.#notedAt >= longestPause;
    this.#notedAt = now;
    const seen = [...beats].map(([id, count]) => {
      const before = this.#seen.get(id);
      return [id, !wasAway && before?.beats === count ? before : { beats: count, since: now }] as const;
    });
    this.#seen = new Map(seen);
    return seen.filter(([id, { since }]) => id !== this.#id && now - since >= silence).map(([id]) => id);
  }
}

const silence = 10_000;
/** Between two looks of this process; they come every two seconds. */
const longestPause = 5000;
