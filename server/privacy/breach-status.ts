import { Problem } from '../http/problem.ts';

export const breachStatuses = ['open', 'contained', 'closed'] as const;
export type BreachStatus = (typeof breachStatuses)[number];

/** Where an incident may go from each status; closed ones are opened again when more comes to light. */
export const breachMoves: Readonly<Record<BreachStatus, readonly BreachStatus[]>> = {
  open: ['contained', 'closed'],
  contained: ['closed'],
  closed: ['open'],
};

/**
 * Refuses a move that is not in the table; to stay is no move.
 * @throws {Problem} `breach_transition_not_allowed` with `from`, `to` and `allowed`.
 */
export function requireBreachMove(from: BreachStatus, to: BreachStatus): void {
  const allowed = breachMoves[from];
  if (from === to || allowed.includes(to)) return;
  throw new Problem(
    'breach_transition_not_allowed',
    `An incident that is ${from} cannot become ${to}; it can become ${allowed.join(' or ')}.`,
    { fields: { from, to, allowed } },
  );
}
