import { Problem } from '../http/problem.ts';
import { IncompleteTiles } from '../ledger/tiles.ts';

/** @throws {Problem} `rate_limited` if the step needs tiles that are being rebuilt. */
export async function explainIncomplete<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof IncompleteTiles) throw isBusy();
    throw error;
  }
}

/** The response while a tree still lacks many entries. */
export function isBusy(): Problem {
  const fault = 'The server is still reading this ledger into its Merkle tree; try again in a minute.';
  return new Problem('rate_limited', fault, { headers: { 'Retry-After': '60' } });
}
