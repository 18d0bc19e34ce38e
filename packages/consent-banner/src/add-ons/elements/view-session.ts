import { joinPage } from '../../headless/join-page.ts';
import type { Consent, ConsentMethod, ConsentSnapshot, Notice } from '../../headless.ts';
import { reportProblem } from '../../report-problem.ts';
import { saveReceipt } from '../../save-receipt.ts';
import { drawPurposes } from './draw-purposes.ts';
import { fillMarks } from './fill-marks.ts';
import { findUnfairness, followRest } from './find-unfairness.ts';
import { followTab, isTooEarly, markFresh } from './fresh-layers.ts';
import { keepFromForms, stopRepeat } from './guard-buttons.ts';
import { findFocused, focusPart, passFocus } from './keep-focus.ts';
import { isOpen, isWhole } from './layer-problems.ts';
import { type IsOn, isMore, readSwitches } from './read-switches.ts';
import { type ButtonRole, buttonSelector, findAround, findLayer, findRole, KEY } from './roles.ts';
import { closeUnseen, hideLayer, showBanner, showDialog } from './show-layer.ts';
import { tellProblems, tellUnfairness } from './tell-problems.ts';
import { readFacts, type ViewFacts } from './view-facts.ts';

export interface ViewSessionOptions {
  readonly view: HTMLElement;
  /** On no page; it has the attributes of the view. */
  readonly settings: HTMLElement;
  /** Called with the current state. */
  readonly onStates: (states: ViewFacts['states']) => void;
}

/** What is changed by others, and may ask for another look at the view. */
const observed: MutationObserverInit = {
  childList: true,
  characterData: true,
  subtree: true,
  attributeFilter: ['data-svc', 'data-svc-text', 'data-svc-when', 'hidden', 'lang', 'open', 'popover', 'type'],
};
/** Milliseconds before problems are logged: markup and style sheets may load one after the other. */
const PATIENCE = 1_000;
/** Milliseconds that a visitor who decided before waits for the notice: taking back needs none (GDPR, Article 7(3)). */
const LONGEST_WAIT = 1_000;

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
  /** Whether they wait for the notice. */
  #isHeld = false;
  /** The dialog that was shown; one that is closed by now was closed by the visitor. */
  #dialog: HTMLDialogElement | undefined;
  /** What stands for the purposes. */
  #drawn: ReadonlySet<HTMLElement> = new Set();
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
    view.addEventListener('keydown', (event) => this.#leave(event), { signal });
    view.addEventListener('keydown', stopRepeat, { signal, capture: true });
    view.addEventListener('keyup', followTab, { signal, capture: true });
    view.addEventListener('focusin', (event) => this.#remember(event), { signal });
    // They do not go up the tree. The page may open the dialog itself, by `command="show-modal"`.
    for (const type of ['close', 'toggle'])
      view.addEventListener(type, () => this.#render(), { signal, capture: true });
    followRest(view, signal);
    addEventListener.call(document, 'DOMContentLoaded', () => this.#render(), { signal });
    keepFromForms(view);
    this.#consent = joinPage(settings, { method: 'banner', openPreferences: () => void this.open() });
    this.#consent.subscribe((snapshot) => this.#follow(snapshot));
    this.#observer.observe(view, observed);
  }

  /** Shows the preferences; without a dialog for them, the banner. */
  async open(): Promise<void> {
    this.#followDialog();
    const isShown = this.#mayOpen();
    this.#isOpen = true;
    if (!this.#notice) {
      const loading = this.#load();
      this.#isHeld = !isShown;
      await (this.#snapshot?.decidedAt ? Promise.race([loading, wait(LONGEST_WAIT)]) : loading);
      this.#isHeld = false;
    }
    this.#render();
    if (this.#isOpen && !this.#findDialog()) this.#focusBanner();
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
    for (const layer of this.#findLayers()) hideLayer(layer);
    this.#onStates(new Set());
  }

  #follow(snapshot: ConsentSnapshot): void {
    // What was decided, here or in another tab, is what the switches show from now on.
    if (this.#snapshot?.decidedAt !== snapshot.decidedAt) this.#turned.clear();
    this.#snapshot = snapshot;
    if (snapshot.isAsking && !this.#notice && !this.#isFailed) void this.#load();
    this.#render();
  }

  async #load(): Promise<void> {
    this.#loading ??= this.#consent.loadNotice().then((notice) => {
      this.#loading = undefined;
      this.#notice = notice;
      this.#isFailed = !notice;
      // What stands there already is about to grow: a press at that moment is meant for something else.
      for (const layer of this.#findLayers().filter(isOpen)) markFresh(layer);
      this.#render();
    });
    await this.#loading;
  }

  #findDialog(): HTMLDialogElement | undefined {
    return findRole<HTMLDialogElement>(this.#view, 'preferences')[0];
  }

  #findLayers(): readonly HTMLElement[] {
    return [...findRole(this.#view, 'banner'), ...findRole(this.#view, 'preferences')];
  }

  #render(): void {
    const snapshot = this.#snapshot;
    if (this.#ended.signal.aborted) return;
    keepFromForms(this.#view);
    if (!snapshot) return;
    const notice = this.#notice;
    const focused = findFocused(this.#view);
    this.#followDialog();
    const facts = readFacts({ consent: this.#consent, snapshot, notice, isFailed: this.#isFailed });
    if (notice) this.#draw(notice);
    // What was drawn a moment ago has buttons, too.
    keepFromForms(this.#view);
    fillMarks(this.#view, facts);
    const dialog = this.#findDialog();
    const isWanted = (snapshot.isAsking && notice !== null) || (!dialog && this.#mayOpen());
    for (const [at, banner] of findRole(this.#view, 'banner').entries()) {
      if (at === 0 && isWanted && isWhole(banner)) showBanner(banner);
      else hideLayer(banner);
    }
    if (dialog) this.#showDialog(dialog);
    passFocus({ view: this.#view, focused, before: this.#focusedBefore });
    this.#onStates(facts.states);
    // What we changed ourselves is no reason to look again.
    this.#observer.takeRecords();
    this.#checkSoon();
  }

  /** Who may take something back may do so while the notice cannot be had; there is nothing to be granted then. */
  #mayOpen(): boolean {
    return this.#isOpen && !this.#isHeld && (this.#notice !== null || this.#snapshot?.decidedAt != null);
  }

  #draw(notice: Notice): void {
    const { state } = this.#snapshot as ConsentSnapshot;
    const isOn = this.#readChoice(notice);
    const isKnown = state && ((key: string) => Object.hasOwn(state.purposes, key));
    const templates = findRole<HTMLTemplateElement>(this.#view, 'purpose').filter(
      (one) => one.localName === 'template',
    );
    const drawn = new Set(templates.flatMap((one) => [...drawPurposes(one, { notice, isOn, isKnown })]));
    // A framework takes its template away, and knows nothing of what was drawn from it.
    for (const node of this.#drawn) if (!drawn.has(node)) node.remove();
    this.#drawn = drawn;
  }

  /** What the visitor turned, or granted before. */
  #readChoice(notice: Notice): IsOn {
    const carried = this.#consent.carryOver(notice);
    return ({ key }) => this.#turned.get(key) ?? (Object.hasOwn(carried, key) && carried[key] === true);
  }

  #showDialog(dialog: HTMLDialogElement): void {
    const isModal = dialog.matches(':modal');
    if (isModal && closeUnseen(dialog)) this.#forget();
    else if (!isWhole(dialog)) return;
    else if (isModal && !this.#isOpen) {
      markFresh(dialog);
      void this.open();
    } else if (isModal) this.#dialog = dialog;
    else {
      // It was moved while it was open, or opened by the page: then the page behind it is not held.
      dialog.close();
      if (!this.#mayOpen()) return;
      if (showDialog(dialog)) this.#dialog = dialog;
      else this.#forget();
    }
  }

  /** Who asked for it is brought there. */
  #focusBanner(): void {
    const [banner] = findRole(this.#view, 'banner');
    if (!banner?.checkVisibility?.()) return;
    if (!banner.matches(':focus-within')) focusPart(banner);
  }

  /** The event of a dialog that was closed comes late: by then it may be wanted again. */
  #followDialog(): void {
    // One that is modal still was not closed: what writes the page's first markup over it took the attribute away.
    if (this.#dialog?.matches(':modal:not([open])')) this.#dialog.open = true;
    if (this.#dialog?.isConnected && !this.#dialog.open) this.#forget();
  }

  /** The preferences were closed. What was turned and not saved is forgotten. */
  #forget(): void {
    // What the dialog lay over stands where it was pressed.
    if (this.#dialog) for (const banner of findRole(this.#view, 'banner')) markFresh(banner);
    this.#isOpen = false;
    this.#dialog = undefined;
    this.#turned.clear();
  }

  #turn({ target, isTrusted }: Event): void {
    const input = target as HTMLInputElement;
    const key = findAround(input, `[${KEY}]`)?.getAttribute(KEY);
    if (key == null || input.dataset.svc !== 'purpose-switch') return;
    // A script of the page may turn one off, not on.
    if (isTrusted || !input.checked) this.#turned.set(key, input.checked);
    this.#render();
  }

  #remember({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof HTMLElement && findLayer(target as Element) && !findLayer(relatedTarget))
      this.#focusedBefore = relatedTarget;
  }

  /** Escape closes a banner that was opened and does not ask, as it closes a dialog. */
  #leave(event: KeyboardEvent): void {
    const layer = findLayer(event.target as Element);
    const isLeft = event.key === 'Escape' && !event.defaultPrevented && layer?.dataset.svc === 'banner';
    if (isLeft && this.#isOpen && !this.#findDialog() && !this.#snapshot?.isAsking) this.#closePreferences();
  }

  #press(event: Event): void {
    const button = findAround(event.target as Element, buttonSelector);
    if (!button || (button as HTMLButtonElement).disabled) return;
    // In a form it would send that.
    event.preventDefault();
    const layer = findLayer(button);
    if (isTooEarly(event, layer) && /^(accept|save|reject|withdraw)$/.test(button.dataset.svc ?? '')) return;
    const method = layer?.dataset.svc === 'preferences' ? 'modal' : 'banner';
    const actions: Readonly<Record<ButtonRole, () => unknown>> = {
      accept: () => this.#mayGrant(button, layer) && this.#decide(() => this.#consent.acceptAll({ method })),
      save: () => this.#save(button, layer, method),
      reject: () => this.#decide(() => this.#consent.rejectAll({ method })),
      withdraw: () => this.#decide(() => this.#withdraw(button, method)),
      open: () => this.open(),
      close: () => this.#close(layer),
      receipt: () => this.#keepReceipt(),
    };
    void actions[button.dataset.svc as ButtonRole]();
  }

  /** Something is granted only in a layer that is shown, of a notice that is there, where refusing is as easy at this moment. */
  #mayGrant(button: HTMLElement, layer: HTMLElement | null, isGrant = true): boolean {
    const isShown =
      layer &&
      this.#notice &&
      isWhole(layer) &&
      isOpen(layer) &&
      button.checkVisibility?.({ visibilityProperty: true });
    const unfairness = isShown && isGrant ? findUnfairness(layer, button) : null;
    if (!layer)
      reportProblem(`data-svc="${button.dataset.svc}" is in no layer. Move it into the banner or the preferences.`);
    else if (!isShown) this.#tellProblems();
    else if (unfairness) tellUnfairness(layer, unfairness);
    return isShown === true && !unfairness;
  }

  /** To keep or take back what was granted needs no fair look, as a withdrawal needs none. */
  #save(button: HTMLElement, layer: HTMLElement | null, method: ConsentMethod): unknown {
    const notice = this.#notice;
    const snapshot = this.#snapshot;
    const purposes = layer && notice ? readSwitches(layer, notice, this.#readChoice(notice)) : {};
    const isGrant = !notice || !snapshot || isMore(purposes, { notice, snapshot });
    if (!this.#mayGrant(button, layer, isGrant)) return;
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

function wait(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
