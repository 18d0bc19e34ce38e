import { joinPage } from '../../headless/join-page.ts';
import type { Consent, ConsentMethod, ConsentSnapshot, Notice } from '../../headless.ts';
import { reportProblem } from '../../report-problem.ts';
import { saveReceipt } from '../../save-receipt.ts';
import { drawPurposes } from './draw-purposes.ts';
import { fillMarks } from './fill-marks.ts';
import { findUnfairness, isOpen, isWhole } from './layer-problems.ts';
import { type IsOn, readSwitches } from './read-switches.ts';
import { type ButtonRole, buttonRoles, findAround, findLayer, findRole, KEY } from './roles.ts';
import { tellProblems, tellUnfairness } from './tell-problems.ts';
import { readFacts, type ViewFacts } from './view-facts.ts';

export interface ViewSessionOptions {
  readonly view: HTMLElement;
  /** On no page; it has the attributes of the view. */
  readonly settings: HTMLElement;
  /** Told what holds. */
  readonly onStates: (states: ViewFacts['states']) => void;
}

/** What is changed by others, and may ask for another look at the view. */
const observed: MutationObserverInit = {
  childList: true,
  subtree: true,
  attributeFilter: ['data-svc', 'data-svc-text', 'data-svc-when', 'hidden', 'lang'],
};
/** Milliseconds until what is wrong is told: markup and style sheets may come one after the other. */
const PATIENCE = 1_000;

/** One view at work: shows the page's own markup as the consent stands, and takes what the visitor decides in it. */
export class ViewSession {
  readonly #view: HTMLElement;
  readonly #onStates: ViewSessionOptions['onStates'];
  readonly #consent: Consent;
  readonly #ended = new AbortController();
  readonly #observer = new MutationObserver(() => this.#render());
  #snapshot: ConsentSnapshot | undefined;
  #notice: Notice | null = null;
  #loading: Promise<unknown> | undefined;
  #isFailed = false;
  /** Whether the preferences are wanted. */
  #isOpen = false;
  /** The dialog that was shown; one that is closed by now was closed by the visitor. */
  #dialog: HTMLDialogElement | undefined;
  /** The switches that the visitor turned and has not saved. */
  readonly #turned = new Map<string, boolean>();
  /** Where the focus was before it came into the banner. */
  #focusedBefore: HTMLElement | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @throws TypeError when the page asks for another notice already. */
  constructor({ view, settings, onStates }: ViewSessionOptions) {
    this.#view = view;
    this.#onStates = onStates;
    const { signal } = this.#ended;
    view.addEventListener('click', (event) => this.#press(event), { signal });
    view.addEventListener('change', (event) => this.#turn(event), { signal });
    view.addEventListener('focusin', (event) => this.#remember(event), { signal });
    // They do not go up the tree. The page may open the dialog itself, by `command="show-modal"`.
    for (const type of ['close', 'toggle'])
      view.addEventListener(type, () => this.#render(), { signal, capture: true });
    addEventListener.call(document, 'DOMContentLoaded', () => this.#render(), { signal });
    this.#consent = joinPage(settings, { method: 'banner', openPreferences: () => void this.open() });
    this.#consent.subscribe((snapshot) => this.#follow(snapshot));
    this.#observer.observe(view, observed);
  }

  /** Shows the preferences; without a dialog for them, the banner. */
  async open(): Promise<void> {
    this.#followDialog();
    this.#isOpen = true;
    if (!this.#notice) await this.#load();
    this.#render();
  }

  /** Shows what is to be shown, after the view was moved. */
  refresh(): void {
    this.#render();
  }

  /** Hides everything, and decides no more. */
  end(): void {
    this.#ended.abort();
    this.#observer.disconnect();
    clearTimeout(this.#timer);
    this.#consent.destroy();
    for (const layer of this.#findLayers()) hide(layer);
    this.#onStates(new Set());
  }

  #follow(snapshot: ConsentSnapshot): void {
    // What was decided, here or in another tab, is what the switches show from now on.
    if (this.#snapshot?.decidedAt !== snapshot.decidedAt) this.#turned.clear();
    this.#snapshot = snapshot;
    if (snapshot.isAsking && !this.#notice && !this.#isFailed) void this.#load().then(() => this.#render());
    this.#render();
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#consent.loadNotice().then((notice) => {
      this.#loading = undefined;
      this.#notice = notice;
      this.#isFailed = !notice;
    });
    await this.#loading;
  }

  #findLayers(): readonly HTMLElement[] {
    return [...findRole(this.#view, 'banner'), ...findRole(this.#view, 'preferences')];
  }

  #render(): void {
    const snapshot = this.#snapshot;
    if (!snapshot || this.#ended.signal.aborted) return;
    const notice = this.#notice;
    this.#followDialog();
    const facts = readFacts({ consent: this.#consent, snapshot, notice, isFailed: this.#isFailed });
    if (notice) this.#draw(notice);
    fillMarks(this.#view, facts);
    const [dialog] = findRole<HTMLDialogElement>(this.#view, 'preferences');
    const isReopened = this.#isOpen && !dialog && notice !== null;
    for (const [at, banner] of findRole(this.#view, 'banner').entries()) {
      const isWanted = at === 0 && notice !== null && (snapshot.isAsking || isReopened);
      this.#show(banner, isWanted && isWhole(banner));
    }
    if (dialog) this.#showDialog(dialog);
    this.#onStates(facts.states);
    // What we changed ourselves is no reason to look again.
    this.#observer.takeRecords();
    this.#checkSoon();
  }

  #draw(notice: Notice): void {
    const { state } = this.#snapshot as ConsentSnapshot;
    const isOn = this.#readChoice(notice);
    const isKnown = state && ((key: string) => Object.hasOwn(state.purposes, key));
    for (const template of findRole<HTMLTemplateElement>(this.#view, 'purpose')) {
      if (template.localName === 'template') drawPurposes(template, { notice, isOn, isKnown });
    }
  }

  /** What the visitor turned, or granted before. */
  #readChoice(notice: Notice): IsOn {
    const carried = this.#consent.carryOver(notice);
    return ({ key }) => this.#turned.get(key) ?? (Object.hasOwn(carried, key) && carried[key] === true);
  }

  #show(banner: HTMLElement, isShown: boolean): void {
    if (!isShown) {
      if (banner.hidden) return;
      const hadFocus = banner.matches(':focus-within');
      hide(banner);
      if (hadFocus) this.#focusedBefore?.focus({ preventScroll: true });
      return;
    }
    if (!banner.matches('[role],section,aside')) banner.setAttribute('role', 'region');
    banner.hidden = false;
    if (banner.popover && !banner.matches(':popover-open')) banner.showPopover();
  }

  #showDialog(dialog: HTMLDialogElement): void {
    const isModal = dialog.matches(':modal');
    if (!isWhole(dialog)) return;
    if (isModal && !this.#isOpen) void this.open();
    else if (isModal) this.#dialog = dialog;
    else {
      // It was moved while it was open, or opened by the page: then the page behind it is not held.
      dialog.close();
      // Who may take something back may do so while the notice cannot be had; there is nothing to be granted then.
      if (!this.#isOpen || !(this.#notice || this.#snapshot?.decidedAt)) return;
      dialog.hidden = false;
      dialog.showModal();
      this.#dialog = dialog;
    }
  }

  /** The event of a dialog that was closed comes late: by then it may be wanted again. */
  #followDialog(): void {
    if (this.#dialog?.isConnected && !this.#dialog.open) this.#forget();
  }

  /** The preferences were closed. What was turned and not saved is forgotten. */
  #forget(): void {
    this.#isOpen = false;
    this.#dialog = undefined;
    this.#turned.clear();
  }

  #turn({ target }: Event): void {
    const input = target as HTMLInputElement;
    const key = findAround(input, `[${KEY}]`)?.getAttribute(KEY);
    if (key == null || input.dataset.svc !== 'purpose-switch') return;
    this.#turned.set(key, input.checked);
    this.#render();
  }

  #remember({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof HTMLElement && findLayer(target as Element) && !findLayer(relatedTarget))
      this.#focusedBefore = relatedTarget;
  }

  #press(event: Event): void {
    const button = findAround(event.target as Element, buttonRoles.map((role) => `button[data-svc="${role}"]`).join());
    if (!button || (button as HTMLButtonElement).disabled) return;
    // In a form it would send that.
    event.preventDefault();
    const layer = findLayer(button);
    const method = layer?.dataset.svc === 'preferences' ? 'modal' : 'banner';
    const actions: Readonly<Record<ButtonRole, () => unknown>> = {
      accept: () => this.#mayGrant(button, layer) && this.#decide(() => this.#consent.acceptAll({ method })),
      save: () => this.#mayGrant(button, layer) && this.#save(layer as HTMLElement, method),
      reject: () => this.#decide(() => this.#consent.rejectAll({ method })),
      withdraw: () => this.#decide(() => this.#withdraw(button, method)),
      open: () => this.open(),
      close: () => this.#close(layer),
      receipt: () => this.#keepReceipt(),
    };
    void actions[button.dataset.svc as ButtonRole]();
  }

  /** Something is granted only in a layer that is shown, of a notice that is there, where refusing is as easy at this moment. */
  #mayGrant(button: HTMLElement, layer: HTMLElement | null): boolean {
    const isShown =
      layer &&
      this.#notice &&
      isWhole(layer) &&
      isOpen(layer) &&
      button.checkVisibility?.({ visibilityProperty: true });
    const unfairness = isShown ? findUnfairness(layer, button) : null;
    if (!layer)
      reportProblem(`data-svc="${button.dataset.svc}" is in no layer. Move it into the banner or the preferences.`);
    else if (!isShown) this.#tellProblems();
    else if (unfairness) tellUnfairness(layer, unfairness);
    return isShown === true && !unfairness;
  }

  #save(layer: HTMLElement, method: ConsentMethod): unknown {
    const notice = this.#notice as Notice;
    const purposes = readSwitches(layer, notice, this.#readChoice(notice));
    return this.#decide(() => this.#consent.decide(purposes, { method }));
  }

  /** The dialog goes first: it gives the focus back to where it came from, be that in the banner. */
  #decide(decide: () => unknown): unknown {
    this.#closePreferences();
    return decide();
  }

  #closePreferences(): void {
    this.#dialog?.close();
    this.#forget();
    this.#render();
  }

  #withdraw(button: HTMLElement, method: ConsentMethod): Promise<unknown> {
    const key = findAround(button, `[${KEY}]`)?.getAttribute(KEY);
    return this.#consent.withdraw(key == null ? undefined : [key], { method });
  }

  #close(layer: HTMLElement | null): void {
    if (layer?.dataset.svc === 'banner' && this.#snapshot?.isAsking) {
      reportProblem('data-svc="close" does nothing in the banner while it asks. Write data-svc="reject" on it.');
    } else this.#closePreferences();
  }

  #keepReceipt(): void {
    const receipt = this.#consent.readReceipt();
    if (receipt) saveReceipt(receipt);
  }

  /** Looks in a while whether something is wrong with the page: what is still to come is not. */
  #checkSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const { signal } = this.#ended;
      if (Reflect.get(Document.prototype, 'readyState', document) === 'complete') this.#tellProblems();
      else addEventListener('load', () => this.#checkSoon(), { signal, once: true });
    }, PATIENCE);
  }

  #tellProblems(): void {
    const { isAsking = false } = this.#snapshot ?? {};
    tellProblems(this.#view, { isAsking: isAsking && this.#notice !== null, isOpen: this.#isOpen });
  }
}

function hide(layer: HTMLElement): void {
  if (layer instanceof HTMLDialogElement) layer.close();
  else {
    if (layer.matches(':popover-open')) layer.hidePopover();
    layer.hidden = true;
  }
}
