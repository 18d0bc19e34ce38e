import type { Purposes } from '../decision/stored-decision.ts';

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
  /**
   * Also blocks and releases tags in a shadow root, also in a closed one. Call it when the root has its content or before; it
   * need not be undone when the element is removed. Returns a function that stops it.
   */
  observe(root: ShadowRoot): () => void;
}
