import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** The requests of one kind. */
export interface KindResult {
  readonly kind: string;
  /** Answered as expected. */
  readonly answered: number;
  readonly perSecond: number;
  /** Time until an expected answer, in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  /** How often something else came: a status code, also of the proxy, `reset`, `refused`, `timeout`, `cut off`, `not sent`. */
  readonly errors: Readonly<Record<string, number>>;
}

/** The phase in which nothing is done to the servers. */
export const quiet = 'nothing';

/** Measures requests by kind, and counts errors also by what the run does to the servers at the time. */
export class Measurements {
  /** What is done to the servers now. */
  phase: string = quiet;
  /** The first answer of each error in each phase, to find its cause. */
  readonly samples = new Map<string, string>();
  readonly #times = new Map<string, RecordableHistogram>();
  readonly #errors = new Map<string, Map<string, number>>();
  readonly #errorsOfPhases = new Map<string, Map<string, number>>();

  /** @param milliseconds until the answer. */
  succeed(kind: string, milliseconds: number): void {
    const times = this.#times.get(kind) ?? createHistogram();
    this.#times.set(kind, times);
    times.record(Math.max(1, Math.round(milliseconds * 1000)));
  }

  /** @param error a status code, or the name of a failure. */
  fail(kind: string, error: string, detail: string): void {
    count(this.#errors, kind, error);
    count(this.#errorsOfPhases, this.phase, error);
    const name = `${error}, ${this.phase}`;
    if (!this.samples.has(name)) this.samples.set(name, `${kind}: ${detail.slice(0, 300)}`);
  }

  /** How often requests of a kind were answered as expected. */
  countAnswered(kind: string): number {
    return this.#times.get(kind)?.count ?? 0;
  }

  /** The errors of a phase, by their names. */
  errorsOf(phase: string): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#errorsOfPhases.get(phase) ?? []);
  }

  /** @param seconds how long the load took. */
  summarize(seconds: number): readonly KindResult[] {
    return [...new Set([...this.#times.keys(), ...this.#errors.keys()])].map((kind) => {
      const times = this.#times.get(kind);
      const read = (microseconds: number | undefined) => (microseconds ?? 0) / 1000;
      return {
        kind,
        answered: times?.count ?? 0,
        perSecond: (times?.count ?? 0) / seconds,
        p50: read(times?.percentile(50)),
        p99: read(times?.percentile(99)),
        longest: read(times?.max),
        errors: Object.fromEntries(this.#errors.get(kind) ?? []),
      };
    });
  }
}

function count(counts: Map<string, Map<string, number>>, group: string, name: string): void {
  const ofGroup = counts.get(group) ?? new Map<string, number>();
  counts.set(group, ofGroup.set(name, (ofGroup.get(name) ?? 0) + 1));
}
