import type { Purposes, StoredDecision } from './stored-decision.ts';

/** What the visitor decided. */
export interface ConsentState {
  readonly decided: true;
  /** Purpose key to granted; required purposes are always true. */
  readonly purposes: Purposes;
}

export type DecisionListener = (state: ConsentState) => void;

/** `window.SvcConsent`: what the page may ask about the visitor's decision. */
export interface SvcConsent {
  /** The decision, or null before there is one. */
  get(): ConsentState | null;
  /** Calls back on each decision, at once if there is one already. Returns the way to unsubscribe. */
  onDecision(listener: DecisionListener): () => void;
  /** Opens the preferences panel again. */
  open(): void;
}

/** What stage one knows of the page at a moment. */
export interface PageView {
  /** The first of the page's elements: the one that shows. */
  readonly element: HTMLElement | undefined;
  readonly noticeId: string;
  /** The public address of the notice; it has no origin when `api-base` is no address. */
  readonly address: string;
  /** The decision in force. */
  readonly state: ConsentState | null;
  /** The latest decision, in force or not. */
  readonly stored: StoredDecision | null;
  /** Whether the visitor is to be asked: undecided, decided too long ago, or about an older notice. */
  readonly isAsking: boolean;
  /** The frames, images and videos that are held back and have a place in the page, in document order. */
  readonly frames: readonly HTMLElement[];
}

/** What stage two asks of stage one. */
export interface PageActions {
  /** Asks for the notice, or hands on the answer that stage one has asked for already. */
  readonly fetchNotice: () => Promise<Response>;
  /** Takes over a decision that is stored already, and tells it to the page. */
  readonly decide: (decision: StoredDecision) => void;
  /** Takes over what was decided in another tab, if it is a decision and newer. */
  readonly follow: (decision: unknown) => void;
}

/** Stage two, as stage one sees it: all that a visitor sees, and all that is recorded. */
export interface ConsentInterface {
  /** Something may have changed that is shown. */
  update(page: PageView): void;
  /** The preferences panel is wanted. */
  open(): void;
}

export type MountInterface = (actions: PageActions) => ConsentInterface;
export type LoadInterface = () => Promise<MountInterface>;
