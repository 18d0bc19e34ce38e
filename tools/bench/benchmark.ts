import type { Site } from './site.ts';
import type { Pace, Spread } from './slices.ts';

/** The least or the greatest value that a figure may have. */
export type Budget = { readonly atLeast: number } | { readonly atMost: number };

/** One line of the table. */
export interface Finding {
  readonly what: string;
  /** Our figure and the floor's, each with its unit, to be read beside the ratio and never across runs. */
  readonly ours: string;
  readonly floor: string;
  readonly value: Spread;
  readonly unit: '×' | 's' | 'ms' | 'MB' | 'kB' | '';
  readonly budget: Budget;
  readonly note?: string;
}

/** State that the benchmarks of one run share. */
export interface Bench {
  readonly pace: Pace;
  /** How many rows the large ledger gets. */
  readonly largeRows: number;
  /** Where profiles of the server go; null when none are wanted. */
  readonly profiles: string | null;
  /** An empty folder on a real disk. */
  createFolder(name: string): string;
  /** An installation with a ledger of `largeRows`, filled when the first benchmark asks for it. */
  openLargeSite(): Promise<Site>;
  /** Prints progress. */
  say(line: string): void;
}

/** Ours and its floor. */
export interface Benchmark {
  readonly name: string;
  /** The workspaces whose build is measured: what is recorded is measured on a new one. */
  readonly builds?: readonly string[];
  run(bench: Bench): Promise<readonly Finding[]>;
}
