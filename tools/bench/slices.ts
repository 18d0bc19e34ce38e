/** Works for a while and returns the cost of one operation, in any unit; both sides of a pair use the same one. */
export type Slice = () => number | Promise<number>;

/** How long and how often. */
export interface Pace {
  readonly pairs: number;
  /** Pairs before those, which do not count: V8 takes seconds of load to settle. */
  readonly warmups: number;
  readonly milliseconds: number;
}

/** The median, and the quartiles around it: half of the slices lie between them. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Result of a comparison. */
export interface Comparison {
  /** Cost of an operation, ours and the floor's: medians over all slices. */
  readonly ours: number;
  readonly floor: number;
  /** How many times as fast as the floor ours is, pair by pair. */
  readonly speed: Spread;
  /** How many times as much as the floor ours costs, pair by pair. */
  readonly cost: Spread;
}

/**
 * Runs two slices in turn. What else the machine does changes over a run, but little between the two halves of a
 * pair: so each pair gives a ratio, and the ratios are compared. Who goes first changes from pair to pair.
 */
export async function compareInTurn(ours: Slice, floor: Slice, { pairs, warmups }: Pace): Promise<Comparison> {
  const costs: { ours: number; floor: number }[] = [];
  for (let pair = -warmups; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? await ours() : await floor();
    const second = pair % 2 === 0 ? await floor() : await ours();
    if (pair >= 0) costs.push(pair % 2 === 0 ? { ours: first, floor: second } : { ours: second, floor: first });
  }
  return {
    ours: spreadOf(costs.map((cost) => cost.ours)).median,
    floor: spreadOf(costs.map((cost) => cost.floor)).median,
    speed: spreadOf(costs.map((cost) => cost.floor / cost.ours)),
    cost: spreadOf(costs.map((cost) => cost.ours / cost.floor)),
  };
}

/** The quartiles of some figures. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (part: number) => {
    const place = part * (sorted.length - 1);
    const below = sorted[Math.floor(place)] as number;
    const above = sorted[Math.ceil(place)] as number;
    return below + (above - below) * (place % 1);
  };
  return { low: at(0.25), median: at(0.5), high: at(0.75) };
}
