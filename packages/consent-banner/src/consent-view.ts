import { html, nothing, render, type TemplateResult } from 'lit/html.js';
import { adoptStyles } from './adopt-styles.ts';
import { bannerView } from './banner-view.ts';
import { checkAttributes } from './check-attributes.ts';
import { styles } from './consent-banner.styles.ts';
import { ConsentSession, hasPrivacySignal } from './consent-session.ts';
import { FrameCovers } from './cover-frames.ts';
import { fillWords } from './fill-words.ts';
import { FocusReturn } from './focus-return.ts';
import type { SpokenWords } from './load-words.ts';
import type { Notice, Purpose } from './notice.ts';
import { panelView } from './panel-view.ts';
import type { ConsentRecord } from './record-queue.ts';
import { reportProblem } from './report-problem.ts';
import { Speaker } from './speaker.ts';
import type { ConsentInterface, PageActions, PageView } from './stub/consent-state.ts';
import { triggerView } from './trigger-view.ts';

type IsGranted = (purpose: Purpose, index: number) => boolean;

/** Shows a page's consent in the first of its elements: first layer, panel, floating button; and covers what is held back. */
export class ConsentView implements ConsentInterface {
  readonly #actions: PageActions;
  readonly #speaker: Speaker;
  readonly #focus = new FocusReturn();
  readonly #covers = new FrameCovers();
  #page: PageView | undefined;
  #session: ConsentSession | undefined;
  #root: ShadowRoot | undefined;
  #isPanelOpen = false;

  constructor(actions: PageActions, loadLanguage: (language: string) => Promise<unknown>) {
    this.#actions = actions;
    this.#speaker = new Speaker(loadLanguage);
  }

  update(page: PageView): void {
    const { element, noticeId, isAsking, frames } = page;
    this.#page = page;
    this.#useRoot(element && (element.shadowRoot ?? element.attachShadow({ mode: 'open' })));
    if (!element) return;
    checkAttributes(element);
    if (!noticeId) reportProblem('notice-id is missing. Set it to the id of a published notice.');
    const session = this.#useSession(page);
    if ((isAsking || frames[0]) && !session?.isFailed) void this.#prepare();
    else void this.#speaker.prepare(this.#language).then(() => this.#render());
    this.#render();
  }

  open(): void {
    if (!this.#page?.element) {
      reportProblem('SvcConsent.open() found no <svc-consent notice-id="…"> on this page. Add the element.');
    }
    const isReady = this.#session?.notice && this.#speaker.find(this.#language);
    if (isReady) this.#openPanel();
    else void this.#prepare().then((isPrepared) => isPrepared && this.#openPanel());
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
    if (root) adoptStyles(root, styles);
  }

  #useSession(page: PageView): ConsentSession | undefined {
    const { noticeId, address } = page;
    if (this.#session?.address === address) this.#session.page = page;
    else {
      this.#closePanel();
      const options = { page, actions: this.#actions, onReceipt: () => this.#render() };
      this.#session = noticeId ? new ConsentSession(options) : undefined;
    }
    return this.#session;
  }

  /** Fetches what is to be shown, the notice and its words at the same time. */
  async #prepare(): Promise<boolean> {
    const session = this.#session;
    void this.#speaker.prepare(this.#language);
    if (!(await session?.loadNotice())) return false;
    await this.#speaker.prepare(this.#language);
    this.#render();
    return session === this.#session && this.#root !== undefined;
  }

  /** The element's own language, or the notice's. Until that is known the page's is a good guess. */
  get #language(): string {
    return (
      this.#page?.element?.getAttribute('language') ||
      this.#session?.notice?.language ||
      document.documentElement.lang ||
      'en'
    );
  }

  #render(): void {
    const { element, isAsking, frames } = this.#page as PageView;
    const words = this.#speaker.find(this.#language);
    const root = this.#root;
    if (!element || !root || !words) return;
    const notice = this.#session?.notice;
    const trigger = element.getAttribute('trigger') ?? '';
    const isTriggered = /^bottom-(left|right)$/.test(trigger) && !isAsking && this.#session;
    render(
      html`
        ${notice ? this.#renderLayers(notice, words) : nothing}
        ${isTriggered ? triggerView(words, trigger, () => this.open()) : nothing}
      `,
      root,
    );
    for (const layer of root.querySelectorAll<HTMLElement>('[popover]')) {
      if (layer.showPopover && !layer.matches(':popover-open')) layer.showPopover();
    }
    if (this.#isPanelOpen && !this.#dialog?.open) this.#dialog?.showModal();
    if (!notice) return;
    this.#covers.cover(frames, {
      notice,
      words,
      theme: element.getAttribute('theme'),
      // Asked when it is pressed: by then the visitor may have decided on other purposes.
      allow: (keys) =>
        this.#decide(({ key }) => keys.includes(key) || this.#page?.state?.purposes[key] === true, 'inline'),
    });
  }

  #renderLayers(notice: Notice, spoken: SpokenWords): TemplateResult {
    const { isAsking, stored } = this.#page as PageView;
    const words = fillWords(spoken, notice);
    const earlier = stored && stored.noticeVersion < notice.version ? stored : null;
    return html`
      ${isAsking ? this.#renderBanner(words, earlier?.decidedAt ?? null) : nothing}
      <dialog
        class="layer panel"
        part="panel"
        aria-labelledby="panel-title"
        lang=${words.lang}
        dir=${words.dir}
        @close=${this.#followDialog}
      >
        ${this.#isPanelOpen ? this.#renderPanel(notice, words) : nothing}
      </dialog>
    `;
  }

  #renderBanner(words: SpokenWords, changedSince: string | null): TemplateResult {
    return bannerView(
      { words, changedSince },
      {
        acceptAll: () => this.#decide(() => true, 'banner'),
        rejectAll: () => this.#decide(() => false, 'banner'),
        showPanel: () => this.open(),
        rememberFocus: this.#focus.remember,
      },
    );
  }

  #renderPanel(notice: Notice, words: SpokenWords): TemplateResult {
    const { state, stored } = this.#page as PageView;
    const known = stored?.purposes ?? null;
    const granted = state?.purposes ?? {};
    const receipt = this.#session?.receipt ?? null;
    return panelView(
      { notice, words, granted, known, receipt, hasPrivacySignal: hasPrivacySignal() },
      {
        acceptAll: () => this.#decide(() => true, 'modal'),
        rejectAll: () => this.#decide(() => false, 'modal'),
        save: () => this.#decide(this.#readSwitches(), 'modal'),
        close: () => this.#closePanel(),
      },
    );
  }

  get #dialog(): HTMLDialogElement | null | undefined {
    return this.#root?.querySelector('dialog');
  }

  #readSwitches(): IsGranted {
    const switches = [...(this.#root?.querySelectorAll('input') ?? [])].map(({ checked }) => checked);
    return (_, index) => switches[index] === true;
  }

  #decide(isGranted: IsGranted, method: ConsentRecord['method']): void {
    const root = this.#root;
    const notice = this.#session?.notice;
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

  /** Escape closes the dialog without us. The event comes late: by then it may have been opened again. */
  readonly #followDialog = (): void => {
    this.#isPanelOpen = this.#dialog?.open === true;
    this.#render();
  };
}
