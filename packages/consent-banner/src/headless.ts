import { type ConsentOptions, writeElement } from './headless/consent-options.ts';
import type { ConsentSnapshot } from './headless/consent-snapshot.ts';
import { joinPage } from './headless/join-page.ts';
import type { Notice, Purposes } from './notice/notice.ts';
import type { ConsentState } from './page/consent-page.ts';
import type { RecordReceipt } from './panel/receipt.ts';
import type { ConsentMethod } from './records/consent-record.ts';

export type { ConsentOptions, PurposeNames } from './headless/consent-options.ts';
export type { ConsentSnapshot, HeldTag } from './headless/consent-snapshot.ts';
export type { Notice, Purpose, Purposes } from './notice/notice.ts';
export type { ConsentState } from './page/consent-page.ts';
export type { ReceiptProof, RecordReceipt } from './panel/receipt.ts';
export type { ConsentMethod } from './records/consent-record.ts';

export interface DecideOptions {
  /** How the visitor was asked this time. Default: the `method` of `createConsent()`. */
  readonly method?: ConsentMethod | undefined;
}

/** Everything that the banner does, for a custom interface. */
export interface Consent {
  /** The notice to show; null if it cannot be loaded, which is logged. Fetched once, and again after a failure. */
  loadNotice(): Promise<Notice | null>;
  /** The decision in force, or null. Required purposes are always true in it. */
  get(): ConsentState | null;
  /** Whether to ask the visitor: undecided, decided too long ago, or about an older version of the notice. */
  isAsking(): boolean;
  /** Calls back immediately and on every change. Returns a function that unsubscribes. */
  subscribe(listener: (snapshot: ConsentSnapshot) => void): () => void;
  /** Grants every purpose. Resolves to the decision in force then; null if nothing was recorded. */
  acceptAll(options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Refuses every optional purpose. If there was a decision before, it works without the notice; it waits for the notice
   * only while the visitor is to be asked.
   */
  rejectAll(options?: DecideOptions): Promise<ConsentState | null>;
  /** Grants exactly the purposes that are `true`. Unknown keys are logged in the console. */
  decide(purposes: Purposes, options?: DecideOptions): Promise<ConsentState | null>;
  /**
   * Withdraws these purposes and keeps the others; without purposes, withdraws all optional ones. It applies to the version of
   * the last decision and needs no server: a newer version is still asked about. Null before a decision.
   */
  withdraw(keys?: readonly string[], options?: DecideOptions): Promise<ConsentState | null>;
  /** The purposes that the visitor granted before and chose themselves: the initial state of switches. */
  carryOver(notice: Notice): Purposes;
  /** The receipt of the latest decision in this browser, with its proof once the server has responded. */
  readReceipt(): RecordReceipt | null;
  /** Ends this object: it neither calls back nor records decisions. Blocked content follows the visitor's decision. */
  destroy(): void;
}

/**
 * Manages consent without an interface: storage, records, other tabs, Global Privacy Control, Consent Mode and blocked tags
 * work as with `<svc-consent>`. On a server it does nothing.
 * @throws TypeError if the page already uses another notice, or a name in the options contains a separator.
 */
export function createConsent(options: ConsentOptions): Consent {
  if (!globalThis.document) return createIdleConsent();
  return joinPage(writeElement(options), options);
}

/** The implementation without a page. */
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
