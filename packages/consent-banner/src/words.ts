/**
 * What the banner itself says, in one language. `{controller}`, `{purposes}`, `{label}` and `{date}` stand for the
 * notice's own words and for a moment of the visitor's.
 */
export interface Words {
  readonly title: string;
  /** GDPR Article 7(3) and Recital 42: the choice is free, and may be taken back at any time. */
  readonly intro: string;
  readonly reject: string;
  readonly accept: string;
  readonly preferences: string;
  readonly panelTitle: string;
  readonly panelIntro: string;
  /** Beside a purpose that cannot be refused. */
  readonly required: string;
  readonly save: string;
  readonly close: string;
  /** The browser sends Global Privacy Control. */
  readonly privacySignal: string;
  /** The notice has another version than the one that was answered. */
  readonly changed: string;
  /** Beside a purpose that the answered version did not have. */
  readonly newPurpose: string;
  /** Name of the floating button that opens the panel again. */
  readonly trigger: string;
  /** In the place of content that is held back. */
  readonly placeholder: string;
  readonly placeholderAllow: string;
  readonly receipt: string;
  readonly decidedAt: string;
  /** Above the purposes that were allowed. */
  readonly granted: string;
  /** Above the purposes that were not. */
  readonly refused: string;
  /** The server has not answered yet. */
  readonly pending: string;
  readonly download: string;
  /** How names are joined: what stands between two of them, and before the last one. */
  readonly list: string;
}
