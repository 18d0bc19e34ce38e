import { decidedIn } from '../decision/grants.ts';
import { basisIn } from '../decision/region.ts';
import type { Purposes, StoredDecision } from '../decision/stored-decision.ts';
import type { Notice } from '../notice/notice.ts';
import { toJson } from './browser.ts';
import type { PageView } from './consent-page.ts';

/** The view of a page, and what follows from nothing else in it. */
export interface PageState extends PageView {
  /** True if the visitor is undecided, decided too long ago or about an older notice. */
  readonly isDue: boolean;
  readonly isOpen: boolean;
  /** The decision that is neither too old nor overridden by a signal. */
  readonly inForce: StoredDecision | null;
  /** True if the decision in force grants something that needs consent in this region, or may: that is off. */
  readonly isNarrowed: boolean;
}

/** Subject of a page. */
export type PagePlace = Pick<PageState, 'element' | 'root' | 'noticeId' | 'address' | 'region' | 'hasSignal' | 'isDue'>;

/** Returns the properties that an event changes. Pure. */
export type Change = (state: PageState) => Partial<PageState>;

const closed = { isOpen: false, isOpening: false, isFailed: false, switchedOn: [] };

/** A page without an element. */
export const emptyState: PageState = {
  ...closed,
  element: undefined,
  root: undefined,
  noticeId: '',
  address: '',
  notice: null,
  isRecalled: false,
  stored: null,
  state: null,
  allowed: {},
  region: null,
  hasSignal: false,
  isAsking: false,
  layer: 'none',
  frames: [],
  isDue: false,
  inForce: null,
  isNarrowed: false,
};

/** Another notice replaces the one before. */
export const join =
  (place: PagePlace): Change =>
  ({ frames }) => ({ ...emptyState, frames, ...place });

/** Another element shows from now on, or none, or its attributes have changed. */
export const refresh =
  (place: Pick<PageState, 'element' | 'root'> & Partial<Pick<PageState, 'region'>>): Change =>
  ({ element }) => ({ ...place, ...(place.element !== element && closed) });

/** The notice is known, and with it the region. */
export const load =
  (notice: Notice, region: string | null): Change =>
  () => ({ notice, region, isRecalled: false, isFailed: false });

/** The notice of the stored decision is known; it replaces no loaded one. */
export const recall =
  (recalled: Notice): Change =>
  ({ notice }) =>
    notice ? {} : { notice: recalled, isRecalled: true };

/** The notice or the panel could not be loaded. */
export const fail: Change = () => ({ isFailed: true });

interface Decided {
  /** True if the decision is not too old. */
  readonly isInForce: boolean;
  /** True if the visitor made it on this page, which closes the panel. */
  readonly isOwn: boolean;
  /** Where it was made, if that counts as long as no other region is known. */
  readonly region: string | null;
}

export const decide =
  (decision: StoredDecision, { isInForce, isOwn, region: decidedIn }: Decided): Change =>
  ({ region }) => ({
    ...(isInForce && { inForce: decision, isDue: false }),
    ...(isOwn && closed),
    stored: decision,
    region: region ?? decidedIn,
  });

/** The notice asks for something new since the decision. */
export const askAgain: Change = () => ({ isDue: true });

/** Something outside of the state has changed, such as the receipt. */
export const touch: Change = () => ({});

/** The visitor asks for the panel. */
export const prepare =
  (switchedOn: readonly string[]): Change =>
  () => ({ ...closed, switchedOn, isOpening: true });

export const open: Change = () => ({ isOpen: true, isOpening: false, isFailed: false });

export const close: Change = () => closed;

/** Other tags are blocked. */
export const block =
  (frames: readonly HTMLElement[]): Change =>
  () => ({ frames });

/** The state after a change. Pure. */
export function reduce(before: PageState, change: Change): PageState {
  const state = { ...before, ...change(before) };
  const { notice, region, isDue, inForce } = state;
  const bases = notice?.purposes.map((purpose) => [purpose.key, basisIn(purpose, region)] as const);
  const isFree = (key: string, before: unknown): boolean => {
    const [, basis] = bases?.find(([one]) => one === key) ?? [];
    // A purpose that could not be refused was not chosen: a signal objects to it.
    if (basis === 'object') return before === 'object' || !state.hasSignal;
    return basis === 'exempt' || before === 'required';
  };
  const purposes = inForce ? decidedIn(inForce, region === inForce.region, bases && isFree) : undefined;
  const isNarrowed = !isSame(purposes, inForce?.purposes);
  // An unchanged value keeps its identity, so that a change of it is a change of the object.
  if (inForce?.decidedAt !== before.inForce?.decidedAt || !isSame(purposes, before.state?.purposes))
    state.state = purposes ? Object.freeze({ decided: true, purposes: Object.freeze(purposes) }) : null;
  // Without a decision about a purpose, the basis in a known region counts, and an objection by Global Privacy Control. Unlike
  // a consent, an objection does not expire.
  const based = bases?.map(([key, basis]) => {
    const isObjected = state.hasSignal || state.stored?.purposes[key] === false;
    return [key, basis === 'exempt' || (basis === 'object' && !isObjected)] as const;
  });
  const allowed = { ...(based && region !== null && Object.fromEntries(based)), ...purposes };
  // A visitor who refused everything is not asked because of another region.
  const isRefused = inForce?.decision === 'rejected';
  const isMissing = (key: string): boolean => !isRefused && inForce?.purposes[key] === true && !purposes?.[key];
  // In a known region, the notice says whether to ask.
  const isAsking =
    (isDue && region === null) || !!bases?.some(([key, basis]) => basis === 'consent' && (isDue || isMissing(key)));
  return {
    ...state,
    isAsking,
    isNarrowed,
    layer: state.isOpen ? 'panel' : isAsking && notice && !state.isRecalled ? 'first' : 'none',
    allowed: isSame(allowed, before.allowed) ? before.allowed : allowed,
  };
}

function isSame(one: Purposes | undefined, other: Purposes | undefined): boolean {
  return toJson(one) === toJson(other);
}
