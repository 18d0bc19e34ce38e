import type { Purposes, StoredDecision } from './stored-decision.ts';

/** What the visitor decided. */
export interface ConsentState {
  readonly decided: true;
  /** Purpose key to granted; required purposes are always true. */
  readonly purposes: Purposes;
}

export type DecisionListener = (state: ConsentState) => void;

/** `window.SvcConsent`: the API for the page. */
export interface SvcConsent {
  /** The decision, or null before there is one. */
  get(): ConsentState | null;
  /** Calls back on each decision, immediately if there already is one. Returns a function that unsubscribes. */
  onDecision(listener: DecisionListener): () => void;
  /** Opens the preferences panel again. */
  open(): void;
}

/** The state of the page in stage one. */
export interface PageView {
  /** The first of the page's elements, which shows the interface. */
  readonly element: HTMLElement | undefined;
  readonly noticeId: string;
  /** The public address of the notice; without an origin if `api-base` is invalid. */
  readonly address: string;
  /** The decision in force. */
  readonly state: ConsentState | null;
  /** The latest decision, in force or not. */
  readonly stored: StoredDecision | null;
  /** Whether to ask the visitor: undecided, decided too long ago, or about an older notice. */
  readonly isAsking: boolean;
  /** The blocked frames, images and videos with a place in the page, in document order. */
  readonly frames: readonly HTMLElement[];
}

/** The functions of stage one that stage two uses. */
export interface PageActions {
  /** Fetches the notice, or returns the response that stage one has already requested. */
  readonly fetchNotice: () => Promise<Response>;
  /** Adopts a decision that is already stored, and announces it to the page. */
  readonly decide: (decision: StoredDecision) => void;
  /** Adopts a decision of another tab, if it is valid and newer. */
  readonly follow: (decision: unknown) => void;
}

/** Stage two, as seen by stage one: the interface and the recording. */
export interface ConsentInterface {
  /** Something that is shown may have changed. */
  update(page: PageView): void;
  /** Opens the preferences panel. */
  open(): void;
}

export type MountInterface = (actions: PageActions) => ConsentInterface;
export type LoadInterface = () => Promise<MountInterface>;
