import { readItem, writeItem } from '../../safe-storage.ts';
import { attempt } from '../../stub/attempt.ts';
import { decisionKey } from '../../stub/stored-decision.ts';
import type { VendorList } from './vendor-list.ts';
import type { VendorsAnswer } from './vendors-layer.ts';

/** What `localStorage` keeps under `svc-consent:{noticeId}:vendors`, as JSON; vendors by their ids. */
export interface VendorChoices {
  readonly policyVersion: number;
  /** ISO 8601, UTC: when the visitor last chose with these vendors before them. */
  readonly savedAt: string;
  /** The vendors disclosed to the visitor. */
  readonly disclosed: readonly number[];
  /** Switched on, switched off, and objected to by the visitor's own hand. */
  readonly allowed: readonly number[];
  readonly refused: readonly number[];
  readonly objected: readonly number[];
}

const DAY = 86_400_000;
/** Thirteen months. */
const LONGEST_AGE = 395 * DAY;
/** How far a clock may be ahead: five minutes. */
const LEEWAY = 300_000;

/** Nothing chosen, nothing disclosed. */
const noChoices: VendorChoices = {
  policyVersion: 0,
  savedAt: new Date(0).toISOString(),
  disclosed: [],
  allowed: [],
  refused: [],
  objected: [],
};

export function vendorsKey(noticeId: string): string {
  return `${decisionKey(noticeId)}:vendors`;
}

/** The choices that are kept for a notice. Garbage counts as none; without an id there are none. */
export function readChoices(noticeId: string): VendorChoices {
  if (!noticeId) return noChoices;
  const value = attempt<unknown>(() => JSON.parse(readItem(vendorsKey(noticeId)) as string));
  return isChoices(value) ? value : noChoices;
}

export function keepChoices(noticeId: string, choices: VendorChoices): void {
  if (noticeId) writeItem(vendorsKey(noticeId), JSON.stringify(choices));
}

/**
 * Those of the disclosed vendors whose disclosure still counts: it is not older than thirteen months, and was made under
 * the policy of the list (TCF: another version of the policy requires a new disclosure).
 */
export function listDisclosed(
  { policyVersion, savedAt, disclosed }: VendorChoices,
  list: VendorList,
): readonly number[] {
  const age = Date.now() - Date.parse(savedAt);
  return policyVersion === list.policyVersion && age < LONGEST_AGE && age > -LEEWAY ? disclosed : [];
}

function isChoices(value: unknown): value is VendorChoices {
  const { policyVersion, savedAt, disclosed, allowed, refused, objected } = Object(value) as VendorChoices;
  const lists: readonly unknown[] = [disclosed, allowed, refused, objected];
  return (
    Number.isSafeInteger(policyVersion) &&
    attempt(() => new Date(savedAt).toJSON()) === savedAt &&
    lists.every((list) => Array.isArray(list) && list.every((id) => Number.isSafeInteger(id)))
  );
}

/** After everything was rejected: no vendor stays switched on, and what was refused or objected to stays so. */
export function clearChoices(choices: VendorChoices): VendorChoices {
  return choices.allowed.length ? { ...choices, allowed: [] } : choices;
}

/**
 * The choices after an answer, which was given with all the vendors of the list before the visitor. What a saved layer
 * showed as off is refused; so is a vendor that it had not shown yet and that was never disclosed to the visitor.
 * @param answer of the vendors' layer; null for a decision in the banner, which changes nothing for single vendors.
 */
export function changeChoices(before: VendorChoices, list: VendorList, answer: VendorsAnswer | null): VendorChoices {
  const { vendors, policyVersion } = list;
  const everyone = vendors.map(({ id }) => id);
  const general = { policyVersion, savedAt: new Date().toISOString(), disclosed: everyone };
  if (!answer) return { ...before, ...general };
  // A partner that asks for nothing yet may ask in a later list: that was rejected, too.
  if (answer.kind === 'reject') return { ...general, allowed: [], refused: everyone, objected: everyone };
  const asking = vendors.filter(({ purposes }) => purposes.length).map(({ id }) => id);
  if (answer.kind === 'accept') return { ...general, allowed: asking, refused: [], objected: [] };
  const told = new Set([...listDisclosed(before, list), ...answer.seen]);
  const untold = asking.filter((id) => !told.has(id));
  return {
    ...general,
    allowed: change(before.allowed, answer.allowed, [...answer.refused, ...untold]),
    refused: change(before.refused, [...answer.refused, ...untold], answer.allowed),
    objected: change(before.objected, answer.objected, answer.restored),
  };
}

function change(ids: readonly number[], added: readonly number[], removed: readonly number[]): readonly number[] {
  const all = new Set([...ids, ...added]);
  for (const id of removed) all.delete(id);
  return [...all].sort((one, other) => one - other);
}
