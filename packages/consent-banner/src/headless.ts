import { type ConsentOptions, writeElement } from './headless/consent-options.ts';
import type { ConsentSnapshot } from './headless/consent-snapshot.ts';
import { joinPage } from './headless/join-page.ts';
import type { Notice, Purposes } from './notice.ts';
import type { RecordReceipt } from './receipt.ts';
import type { ConsentMethod } from './record-queue.ts';
import type { ConsentState } from './stub/consent-state.ts';

export type { ConsentOptions, PurposeNames } from './headless/consent-options.ts';
export type { ConsentSnapshot, HeldTag } from './headless/consent-snapshot.ts';
export type { Notice, Purpose, Purposes } from './notice.ts';
export type { ReceiptProof, ReceiptPurpose, RecordReceipt } from './receipt.ts';
export type { ConsentMethod } from './record-queue.ts';
export type { ConsentState } from './stub/consent-state.ts';

export interface DecideOptions {
  /** How the visitor was asked this time. Default: the `method` of `createConsent()`. */
  readonly method?: ConsentMethod | undefined;
}

/** Everything that the banner does, for an interface of your own. */
export interface Consent {
  /** The notice to be shown; null when it cannot be had, which the console explains. Asks once, and again after a failure. */
  loadNotice(): Promise<Notice | null>;
  /** The decision in force, or null. Required purposes are always true in it. */
  get(): ConsentState | null;
  /** Whether the visitor is to be asked: undecided, decided too long ago, or about an older version of the notice. */
  isAsking(): boolean;
  /** Calls back at once, and whenever something changes. Returns the way to unsubscribe. */
  subscribe(listener: (snapshot: ConsentSnapshot) => void): () => void;
  /** Grants every purpose. Resolves to what is in force then; null when nothing was recorded. */
  acceptAll(options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Refuses every purpose that can be refused; also when the notice cannot be had, if it was decided on before. It waits for
   * the notice only while the visitor is to be asked.
   */
  rejectAll(options?: DecideOptions): Promise<ConsentState | null>;
  /** Grants the purposes that are `true`, and no others. A key that is no purpose of the notice is told in the console. */
  decide(purposes: Purposes, options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Takes back these purposes and keeps the rest; all that can be refused when none is named. It is about the version that was
   * answered, and waits for no server: a newer version is asked about still. Null before a decision.
   */
  withdraw(keys?: readonly string[], options?: DecideOptions): Promise<ConsentState | null>;
  /** What the visitor granted before and chose themselves: how to set your switches. */
  carryOver(notice: Notice): Purposes;
  /** The receipt of the latest decision in this browser, with its proof once the server has answered. */
  readReceipt(): RecordReceipt | null;
  /** Ends this object: it neither tells nor decides any more. What is held back stays under the visitor's decision. */
  destroy(): void;
}

/**
 * Asks for consent without showing anything: storage, records, other tabs, Global Privacy Control, Consent Mode and tags that
 * are held back are as with `<svc-consent>`. On a server it does nothing.
 * @throws TypeError when the page asks for another notice already, or a name in the options cannot be written.
 */
export function createConsent(options: ConsentOptions): Consent {
  if (!globalThis.document) return createIdleConsent();
  return joinPage(writeElement(options), options);
}

/** Where there is no page nobody is asked. */
function createIdleConsent(): Consent {
  const nothing = async (): Promise<null> => null;
  return Object.freeze<Consent>({
    loadNotice: nothing,
    get: () => null,
    isAsking: () => false,
    subscribe: () => () => {},
    acceptAll: nothing,
    rejectAll: nothing,
    decide: nothing,
    withdraw: nothing,
    carryOver: () => ({}),
    readReceipt: () => null,
    destroy: () => {},
  });
}
