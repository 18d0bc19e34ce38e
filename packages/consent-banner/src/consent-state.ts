import type { Purposes } from './notice.ts';

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
