import { invalidValues, type ProblemDetail } from '../http/problem.ts';
import type { Purpose } from './notice.ts';
import type { CaptureBody, PurposeChoices, PurposeStates, RecordDraft } from './record.ts';

/** What an earlier record of a subject on the notice says; any record or draft will do. */
export type EarlierRecord = Pick<RecordDraft, 'id' | 'purposes' | 'otherPurposes' | 'capturedAt' | 'method' | 'source'>;

/**
 * Checks choices against the purposes of a notice: none unknown, no required one refused.
 * @param complete whether every purpose must be named.
 * @param pathOf the path of the choice about a purpose in the request.
 * @throws {Problem} `validation_failed` naming each wrong one.
 */
export function checkChoices(
  purposes: readonly Purpose[],
  choices: PurposeChoices,
  complete: boolean,
  pathOf: (purpose: string) => string = (purpose) => `body.purposes.${purpose}`,
): void {
  const details: ProblemDetail[] = [];
  let known = 0;
  for (const { key, required } of purposes) {
    const choice = Object.hasOwn(choices, key) ? choices[key] : undefined;
    if (choice !== undefined) known += 1;
    else if (complete) details.push({ path: pathOf(key), issue: 'is missing: name every purpose of the notice' });
    if (required && choice === false) {
      details.push({ path: pathOf(key), issue: 'is required and cannot be refused' });
    }
  }
  const named = Object.keys(choices);
  if (named.length > known) {
    const unknown = named.filter((key) => !purposes.some((purpose) => purpose.key === key));
    details.push(...unknown.map((key) => ({ path: pathOf(key), issue: 'is not a purpose of the notice' })));
  }
  if (named.length === 0 && !complete) details.push({ path: 'body.purposes', issue: 'must name at least one purpose' });
  if (details.length > 0) throw invalidValues(details);
}

/** What holds for a subject on a notice in one space after its latest record there: purpose key to state. */
export function stateAfter(latest: EarlierRecord | undefined): PurposeStates {
  if (latest === undefined) return {};
  const named = Object.entries(latest.purposes).map(
    ([key, granted]) => [key, { granted, recordId: latest.id }] as const,
  );
  return { ...latest.otherPurposes, ...Object.fromEntries(named) };
}

/** The part of a state that choices leave as it is. */
export function keepOthers(state: PurposeStates, choices: PurposeChoices): PurposeStates {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !Object.hasOwn(choices, key)));
}

/** The records that choices turn off: each grants, in this state, something that is refused now. */
export function findGranting(state: PurposeStates, choices: PurposeChoices): ReadonlySet<string> {
  const granting = Object.keys(choices)
    .filter((key) => choices[key] === false && Object.hasOwn(state, key) && state[key]?.granted === true)
    .map((key) => (state[key] as PurposeStates[string]).recordId);
  return new Set(granting);
}

/**
 * The earlier record that a visitor's request repeats: the same choices, made at the same moment.
 * @param history records of the subject on the notice, in any order.
 */
export function findRepeated<Earlier extends EarlierRecord>(
  history: readonly Earlier[],
  { capturedAt, method, purposes }: CaptureBody,
): Earlier | undefined {
  return history.find(
    (record) =>
      record.source === 'public' &&
      record.capturedAt === capturedAt &&
      (record.method ?? undefined) === method &&
      sameChoices(record.purposes, purposes),
  );
}

function sameChoices(one: PurposeChoices, other: PurposeChoices): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}
