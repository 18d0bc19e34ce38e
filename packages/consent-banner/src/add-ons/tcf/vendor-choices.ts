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
  /** Whom the visitor has been told of. */
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

/** Nothing chosen, nobody told. */
export const noChoices: VendorChoices = {
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

/** The choices that are kept. Garbage counts as none. */
export function readChoices(noticeId: string): VendorChoices {
  const value = attempt<unknown>(() => JSON.parse(readItem(vendorsKey(noticeId)) as string));
  return isChoices(value) ? value : noChoices;
}

export function keepChoices(noticeId: string, choices: VendorChoices): void {
  writeItem(vendorsKey(noticeId), JSON.stringify(choices));
}

/**
 * Those of the disclosed vendors whose disclosure still counts: it is not older than thirteen months, and was made under
 * the policy of the list (TCF: another version of the policy has to be told anew).
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

/** Takes back what was chosen for single vendors; what remains says only whom the visitor was told of, and when. */
export function clearChoices(choices: VendorChoices): VendorChoices {
  return { ...noChoices, policyVersion: choices.policyVersion, savedAt: choices.savedAt, disclosed: choices.disclosed };
}

/**
 * The choices after an answer, which was given with all the vendors of the list before the visitor.
 * @param answer of the vendors' layer; null for a decision in the banner, which changes nothing for single vendors.
 */
export function changeChoices(before: VendorChoices, list: VendorList, answer: VendorsAnswer | null): VendorChoices {
  const { vendors, policyVersion } = list;
  const general = { policyVersion, savedAt: new Date().toISOString(), disclosed: vendors.map(({ id }) => id) };
  if (!answer) return { ...before, ...general };
  const asking = vendors.filter(({ purposes }) => purposes.length).map(({ id }) => id);
  const claiming = vendors.filter(({ interests }) => interests.length).map(({ id }) => id);
  if (answer.kind === 'accept') return { ...general, allowed: asking, refused: [], objected: [] };
  if (answer.kind === 'reject') return { ...general, allowed: [], refused: asking, objected: claiming };
  return {
    ...general,
    allowed: change(before.allowed, answer.allowed, answer.refused),
    refused: change(before.refused, answer.refused, answer.allowed),
    objected: change(before.objected, answer.objected, answer.restored),
  };
}

function change(ids: readonly number[], added: readonly number[], removed: readonly number[]): readonly number[] {
  const all = new Set([...ids, ...added]);
  for (const id of removed) all.delete(id);
  return [...all].sort((one, other) => one - other);
}
