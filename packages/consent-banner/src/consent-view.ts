import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { bannerStyles } from './banner.styles.ts';
import { bannerView } from './banner-view.ts';
import { checkAttributes, checkTags } from './check-attributes.ts';
import { ConsentSession, hasPrivacySignal } from './consent-session.ts';
import { fillWords } from './fill-words.ts';
import { FocusClearance } from './focus-clearance.ts';
import { FocusReturn } from './focus-return.ts';
import type { SpokenWords } from './load-words.ts';
import type { InterfaceLoaders } from './mount-interface.ts';
import type { PanelParts } from './mount-panel.ts';
import type { Notice, Purpose } from './notice.ts';
import { PanelLoader } from './panel-loader.ts';
import type { ConsentRecord } from './record-queue.ts';
import { reportProblem } from './report-problem.ts';
import { sharedStyles } from './shared.styles.ts';
import { Speaker } from './speaker.ts';
import { CORNER } from './stub/attribute-values.ts';
import type { ConsentInterface, PageActions, PageView } from './stub/consent-state.ts';

type IsGranted = (purpose: Purpose, index: number) => boolean;

/** Shows a page's consent in its first element (first layer, panel, floating button), and covers blocked content. */
export class ConsentView implements ConsentInterface {
  readonly #actions: PageActions;
  readonly #speaker: Speaker;
  readonly #focus = new FocusReturn();
  readonly #clearance = new FocusClearance();
  readonly #panel: PanelLoader;
  #page: PageView | undefined;
  #session: ConsentSession | undefined;
  #root: ShadowRoot | undefined;
  #isPanelOpen = false;
  /** The visitor's stored answer in place of a notice that cannot be loaded; only the panel shows it. */
  #recalled: Notice | undefined;

  constructor(actions: PageActions, { loadLanguage, loadPanel }: InterfaceLoaders) {
    this.#actions = actions;
    this.#speaker = new Speaker(loadLanguage);
    this.#panel = new PanelLoader(loadPanel);
    document.addEventListener('focusin', ({ target }) => {
      // The links inside the layer are not under it.
      if (!this.#page?.element?.contains(target as Node)) this.#clearance.clear(target as HTMLElement, this.#banner);
    });
  }

  update(page: PageView): void {
    const { element: host, noticeId, isAsking, frames } = page;
    this.#page = page;
    this.#useRoot(host && (host.shadowRoot ?? host.attachShadow({ mode: 'open' })));
    if (!host) return;
    checkAttributes(host);
    if (!page.state) checkTags();
    if (!noticeId) reportProblem('notice-id is missing. Set it to the id of a published notice.');
    const session = this.#useSession(page);
    if ((isAsking || frames[0]) && !session?.isFailed) void this.#prepare();
    else void this.#speaker.prepare(this.#language).then(() => this.#render());
    if ((frames[0] || CORNER.test(this.#read('trigger')) || this.#hasCookies) && !this.#panel.isFailed) {
      void this.#panel.prepare().then(() => {
        // Deletes cookies no matter what set them, and in which tab the decision was made.
        this.#panel.parts?.clearCookies(this.#page?.element, this.#page?.state?.purposes ?? {});
        this.#render();
      });
    }
    this.#render();
  }

  open(): void {
    if (!this.#page?.element) {
      reportProblem('SvcConsent.open() found no <svc-consent notice-id="…"> on this page. Add the element.');
    }
    const isReady = this.#session?.notice && this.#speaker.find(this.#language) && this.#panel.parts;
    if (isReady) this.#openPanel();
    else void this.#prepareToOpen();
  }

  async #prepareToOpen(): Promise<void> {
    const session = this.#session;
    const [isReady] = await Promise.all([this.#prepare(), this.#panel.prepare()]);
    const { noticeId, stored } = this.#page as PageView;
    const { parts } = this.#panel;
    if (!parts || !this.#root || session !== this.#session) return;
    if (!isReady) {
      if (!stored) return;
      this.#recalled = parts.recallNotice(noticeId, stored);
      await this.#speaker.prepare(this.#language);
    }
    this.#openPanel();
  }

  #openPanel(): void {
    this.#isPanelOpen = true;
    this.#render();
  }

  /** Another element shows from now on, or none. */
  #useRoot(root: ShadowRoot | undefined): void {
    if (root === this.#root) return;
    const left = this.#root;
    this.#root = undefined;
    this.#isPanelOpen = false;
    if (left) render(nothing, left);
    this.#root = root;
    root?.addEventListener('focusin', this.#focus.remember);
    this.#clearance.end();
  }

  #useSession(page: PageView): ConsentSession | undefined {
    const { noticeId, address } = page;
    if (this.#session?.address === address) this.#session.page = page;
    else {
      this.#closePanel();
      this.#session?.end();
      this.#recalled = undefined;
      const options = { page, actions: this.#actions, panel: this.#panel, onReceipt: () => this.#render() };
      this.#session = noticeId ? new ConsentSession(options) : undefined;
    }
    return this.#session;
  }

  /** Fetches the notice and its words concurrently. */
  async #prepare(): Promise<boolean> {
    const session = this.#session;
    void this.#speaker.prepare(this.#language);
    if (!(await session?.loadNotice())) return false;
    await this.#speaker.prepare(this.#language);
    this.#render();
    return session === this.#session && this.#root !== undefined;
  }

  /** The element's language, or the notice's. Until the notice is loaded, the page's language is a good guess. */
  get #language(): string {
    return this.#read('language') || this.#notice?.language || document.documentElement.lang || 'en';
  }

  get #notice(): Notice | null | undefined {
    return this.#session?.notice ?? this.#recalled;
  }

  /** Whether a decision affects cookies, which stage three handles. */
  get #hasCookies(): boolean {
    return (this.#read('cookie-domain') || this.#read('clear-cookies')) !== '';
  }

  #read(name: string): string {
    return this.#page?.element?.getAttribute(name) ?? '';
  }

  #render(): void {
    const { isAsking, frames } = this.#page as PageView;
    const words = this.#speaker.find(this.#language);
    const root = this.#root;
    if (!root || !words) return;
    const { parts } = this.#panel;
    adoptStyles(root, sharedStyles, bannerStyles, parts?.styles ?? '');
    const notice = this.#notice;
    const trigger = this.#read('trigger');
    const isTriggered = CORNER.test(trigger) && !isAsking && this.#session;
    render(
      html`
        <div id="root">
          ${notice ? this.#renderLayers(notice, words, parts) : nothing}
          ${isTriggered && parts ? parts.triggerView(words, trigger, () => this.open()) : nothing}
        </div>
      `,
      root,
    );
    for (const layer of root.querySelectorAll<HTMLElement>('[popover]')) {
      if (layer.showPopover && !layer.matches(':popover-open')) layer.showPopover();
    }
    if (!this.#banner) this.#clearance.end();
    const dialog = this.#dialog;
    if (dialog && this.#isPanelOpen && !dialog.open) {
      dialog.showModal();
      // An invisible dialog must not block the page.
      if (!dialog.checkVisibility()) {
        reportProblem('the preferences are invisible. The element or an ancestor of it is hidden.');
        this.#closePanel();
      }
    }
    const offered = this.#session?.notice;
    if (!offered || !parts) return;
    parts.covers.cover(frames, {
      notice: offered,
      words,
      theme: this.#read('theme'),
      // Read when it is pressed, because the visitor may have decided on other purposes by then.
      allow: (keys) =>
        this.#decide(
          ({ key }) => keys.includes(key) || Object.hasOwn(parts.carryOver(this.#page as PageView, offered), key),
          'inline',
        ),
    });
  }

  #renderLayers(notice: Notice, spoken: SpokenWords, parts: PanelParts | undefined): TemplateResult {
    const { isAsking, stored } = this.#page as PageView;
    const words = fillWords(spoken, notice);
    const earlier = stored && stored.noticeVersion < notice.version ? stored : null;
    // The panel first: of two slots with the same name the first is filled, and the panel has one only while it is open.
    const isShown = isAsking && this.#session?.notice && (parts || !this.#hasCookies);
    return html`
      ${parts ? this.#renderPanel(notice, words, parts) : nothing}
      ${isShown ? this.#renderBanner(words, earlier?.decidedAt ?? null) : nothing}
    `;
  }

  #renderBanner(words: SpokenWords, changedSince: string | null): TemplateResult {
    return bannerView(
      { words, changedSince },
      {
        acceptAll: () => this.#decide(() => true, 'banner'),
        rejectAll: () => this.#decide(() => false, 'banner'),
        showPanel: () => this.open(),
        expectPanel: () => void this.#panel.prepare(),
      },
    );
  }

  #renderPanel(notice: Notice, words: SpokenWords, { carryOver, panelView }: PanelParts): TemplateResult {
    const page = this.#page as PageView;
    const { noticeId, stored } = page;
    const granted = carryOver(page, notice);
    const content = { noticeId, notice, words, granted, stored, hasPrivacySignal: hasPrivacySignal() };
    return panelView(words, this.#isPanelOpen ? content : null, {
      acceptAll: () => this.#decide(() => true, 'modal'),
      rejectAll: () => this.#decide(() => false, 'modal'),
      save: (isOn) => this.#decide(isOn, 'modal'),
      close: () => this.#closePanel(),
      followDialog: this.#followDialog,
    });
  }

  get #banner(): Element | null | undefined {
    return this.#root?.querySelector('.banner');
  }

  get #dialog(): HTMLDialogElement | null | undefined {
    return this.#root?.querySelector('dialog');
  }

  #decide(isGranted: IsGranted, method: ConsentRecord['method']): void {
    const root = this.#root;
    const notice = this.#notice;
    if (!notice || !root) return;
    const hadFocus = root.activeElement !== null;
    this.#closePanel();
    this.#session?.decide(notice, isGranted, method);
    if (hadFocus) this.#focus.restore(root);
  }

  #closePanel(): void {
    this.#isPanelOpen = false;
    this.#dialog?.close();
    this.#render();
  }

  /** Escape closes the dialog natively. The event is late: the dialog may already be open again. */
  readonly #followDialog = (): void => {
    this.#isPanelOpen = this.#dialog?.open === true;
    this.#render();
  };
}
