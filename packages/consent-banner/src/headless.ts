import { type Consent, type ConsentOptions, type DecideOptions, writeElement } from './headless/consent.ts';
import { type HeadlessChoice, HeadlessPage } from './headless/headless-page.ts';
import type { Notice, Purposes } from './notice/notice.ts';
import { writeAddress } from './page/attributes.ts';
import { reportProblem } from './page/browser.ts';
import { publishApi, publishPage } from './page/consent-page.ts';

export type { Consent, ConsentOptions, DecideOptions, PurposeNames } from './headless/consent.ts';
export type { ConsentSnapshot, HeldTag } from './headless/headless-page.ts';
export type { Notice, Purpose, Purposes } from './notice/notice.ts';
export type { ConsentState } from './page/consent-page.ts';
export type { ReceiptProof, RecordReceipt } from './panel/receipt.ts';
export type { ConsentMethod } from './records/consent-record.ts';

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

interface User {
  readonly element: HTMLElement;
  readonly address: string;
  readonly openPreferences: ConsentOptions['openPreferences'];
}

const users = new Set<User>();
let page: HeadlessPage | undefined;

/**
 * Joins the consent of this page.
 * @param element detached; its attributes are the options, as on `<svc-consent>`, and are read when needed.
 * @throws TypeError if the page already uses another notice.
 */
function joinPage(
  element: HTMLElement,
  { method, openPreferences }: Pick<ConsentOptions, 'method' | 'openPreferences'>,
): Consent {
  const address = writeAddress(element.getAttribute('notice-id') ?? '', element.getAttribute('api-base'), '');
  for (const user of users) {
    if (user.address !== address) {
      throw new TypeError(`createConsent(): this page asks for ${user.address} already. Call its destroy() first.`);
    }
  }
  page ??= new HeadlessPage();
  const user = { element, address, openPreferences };
  publish(page);
  page.join(element);
  return createUser(user, page, method);
}

/** Scripts of the page use `SvcConsent` with any interface; if the banner is added, it takes over. */
function publish({ page: own }: HeadlessPage): void {
  if (customElements.get('svc-consent') || Object.hasOwn(window, 'SvcConsent')) return;
  publishApi(own.api);
  publishPage(own);
}

function createUser(user: User, own: HeadlessPage, method: ConsentOptions['method'] = 'banner'): Consent {
  const stops = new Set<() => void>();
  users.add(user);
  choosePreferences(own);

  async function choose(choice: Pick<HeadlessChoice, 'isGranted' | 'kind'>, given: DecideOptions = {}) {
    return users.has(user) ? own.decide({ ...choice, method: given.method ?? method }) : null;
  }

  return Object.freeze<Consent>({
    loadNotice: async () => (users.has(user) ? own.loadNotice() : null),
    get: () => (users.has(user) ? own.page.api.get() : null),
    isAsking: () => users.has(user) && own.isAsking,
    subscribe(listener) {
      if (!users.has(user)) return () => {};
      const stop = own.subscribe(listener);
      stops.add(stop);
      return () => {
        stop();
        stops.delete(stop);
      };
    },
    acceptAll: (given) => choose({ isGranted: () => true, kind: 'answer' }, given),
    rejectAll: (given) => choose({ isGranted: () => false, kind: 'refusal' }, given),
    decide: (purposes, given) =>
      choose({ isGranted: ({ key }, notice) => readChoice(purposes, key, notice), kind: 'answer' }, given),
    async withdraw(keys, given) {
      if (!own.page.api.get()) return null;
      const isKept: HeadlessChoice['isGranted'] = ({ key }, notice) =>
        keys !== undefined && !keys.includes(key) && own.carryOver(notice)[key] === true;
      return choose({ isGranted: isKept, kind: 'withdrawal' }, given);
    },
    carryOver: (notice) => own.carryOver(notice),
    readReceipt: () => (users.has(user) ? own.readReceipt() : null),
    destroy() {
      users.delete(user);
      for (const stop of stops) stop();
      stops.clear();
      choosePreferences(own);
      own.leave(user.element);
    },
  });
}

/** Opens the preferences of the latest one that has some. */
function choosePreferences(own: HeadlessPage): void {
  own.openPreferences = [...users].findLast(({ openPreferences }) => openPreferences)?.openPreferences;
}

/** Only `true` grants. */
function readChoice(purposes: Purposes, key: string, notice: Notice): boolean {
  const unknown = Object.keys(purposes).find((one) => !notice.purposes.some((purpose) => purpose.key === one));
  if (unknown !== undefined) reportProblem(`decide() names the purpose "${unknown}", which the notice does not have.`);
  return Object.hasOwn(purposes, key) && purposes[key] === true;
}
