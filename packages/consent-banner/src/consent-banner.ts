import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { bannerView } from './banner-view.ts';
import { chooseWords } from './choose-words.ts';
import { styles } from './consent-banner.styles.ts';
import type { ConsentSession } from './consent-session.ts';
import type { Notice, Purpose } from './notice.ts';
import { type ConsentView, pageConsent } from './page-consent.ts';
import { panelView } from './panel-view.ts';
import type { ConsentRecord } from './record-queue.ts';
import { reportProblem } from './report-problem.ts';
import { scriptOrigin } from './script-origin.ts';

/**
 * Asks the visitor for consent to a published notice, remembers the answer and brings it to the consent ledger.
 *
 * @element svc-consent
 *
 * @attr {string} notice-id - Id of the published notice. Required.
 * @attr {string} api-base - Address of the API. Default: the origin this script came from.
 *
 * @fires {CustomEvent<ConsentState>} svc-consent - On `document`: the visitor decided, or a stored decision was found.
 *
 * @csspart banner - The first layer.
 * @csspart panel - The preferences dialog.
 * @csspart title - Heading of either.
 * @csspart text - Introduction of either.
 * @csspart choice - "Reject all" and "Accept all" alike.
 * @csspart preferences - Button that opens the panel.
 * @csspart purposes - List of purposes.
 * @csspart purpose - One purpose.
 * @csspart switch - Switch of a purpose.
 * @csspart save - "Save choices".
 * @csspart close - Button that closes the panel.
 * @csspart about - Name and version of the notice.
 *
 * @cssprop [--svc-c-bg=#ffffff] - Background.
 * @cssprop [--svc-c-text=#101322] - Text.
 * @cssprop [--svc-c-muted=#566076] - Quiet text.
 * @cssprop [--svc-c-border=#dfe4ee] - Edges and lines.
 * @cssprop [--svc-c-control=#737d91] - Edges of controls, switches that are off.
 * @cssprop [--svc-c-accent=#1d2a4d] - Buttons, and switches that are on.
 * @cssprop [--svc-c-accent-text=#ffffff] - Text on the accent.
 * @cssprop [--svc-c-focus=#2f6fde] - Focus ring.
 * @cssprop [--svc-c-radius=16px] - Corners.
 * @cssprop [--svc-c-shadow] - Shadow.
 * @cssprop [--svc-c-backdrop] - Veil behind the panel.
 * @cssprop [--svc-c-font=system-ui, sans-serif] - Font family.
 * @cssprop [--svc-c-width=27em] - Greatest width of the first layer.
 * @cssprop [--svc-c-gap=16px] - Distance to the edges of the window.
 */
export class SvcConsentElement extends LitElement implements ConsentView {
  static override styles = styles;
  static override properties = {
    noticeId: { attribute: 'notice-id' },
    apiBase: { attribute: 'api-base' },
    notice: { state: true },
    isDecided: { state: true },
    isPanelOpen: { state: true },
  };

  declare noticeId: string | null;
  declare apiBase: string | null;
  declare protected notice: Notice | null;
  declare protected isDecided: boolean;
  declare protected isPanelOpen: boolean;
  #session: ConsentSession | undefined;
  #unsubscribe: (() => void) | undefined;
  #focusedBefore: HTMLElement | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#unsubscribe = pageConsent.onDecision(() => {
      this.isDecided = true;
    });
    pageConsent.join(this);
    this.requestUpdate(); // An element that was moved lost its place in the top layer.
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unsubscribe?.();
    this.#closePanel();
    this.notice = null;
    this.#session = undefined;
    pageConsent.leave(this);
  }

  activate(): void {
    if (!this.noticeId) return;
    const session = pageConsent.useSession(this.noticeId, this.apiBase || scriptOrigin());
    if (session === this.#session) return;
    this.#session = session;
    this.notice = null;
    this.isPanelOpen = false;
    this.isDecided = session.decision !== null;
    if (!this.isDecided) void this.#loadNotice();
  }

  showPanel(): void {
    if (this.notice) this.isPanelOpen = true;
    else void this.#loadNotice().then((isLoaded) => isLoaded && this.showPanel());
  }

  protected override render(): TemplateResult | typeof nothing {
    if (!this.notice) return nothing;
    const words = chooseWords(this.notice);
    return html`
      ${this.isDecided ? nothing : this.#renderBanner(words)}
      <dialog
        class="layer panel"
        part="panel"
        aria-labelledby="panel-title"
        lang=${words.lang}
        dir=${words.dir}
        @close=${this.#followDialog}
      >
        ${this.isPanelOpen ? this.#renderPanel(this.notice, words) : nothing}
      </dialog>
    `;
  }

  protected override updated(changed: PropertyValues): void {
    if (!this.isConnected) return;
    if (!this.noticeId) reportProblem('notice-id is missing. Set it to the id of a published notice.');
    if ((changed.has('noticeId') || changed.has('apiBase')) && pageConsent.isFirst(this)) this.activate();
    const banner = this.renderRoot.querySelector<HTMLElement>('.banner');
    if (banner?.showPopover && !banner.matches(':popover-open')) banner.showPopover();
    if (changed.has('isPanelOpen') && this.isPanelOpen) this.#dialog?.showModal();
  }

  get #dialog(): HTMLDialogElement | null {
    return this.renderRoot?.querySelector('dialog') ?? null;
  }

  #renderBanner(words: ReturnType<typeof chooseWords>): TemplateResult {
    return bannerView(words, {
      acceptAll: () => this.#decide(() => true, 'banner'),
      rejectAll: () => this.#decide(() => false, 'banner'),
      showPanel: () => this.showPanel(),
      rememberFocus: (event) => this.#rememberFocus(event),
    });
  }

  #renderPanel(notice: Notice, words: ReturnType<typeof chooseWords>): TemplateResult {
    const granted = this.#session?.decision?.purposes ?? {};
    return panelView(
      { notice, words, granted },
      {
        acceptAll: () => this.#decide(() => true, 'modal'),
        rejectAll: () => this.#decide(() => false, 'modal'),
        save: () => this.#decide(this.#readSwitches(), 'modal'),
        close: () => this.#closePanel(),
      },
    );
  }

  async #loadNotice(): Promise<boolean> {
    const session = this.#session;
    const notice = (await session?.loadNotice()) ?? null;
    if (session !== this.#session || !notice) return false;
    this.notice = notice;
    return true;
  }

  #readSwitches(): (purpose: Purpose, index: number) => boolean {
    const switches = [...this.renderRoot.querySelectorAll('input')].map(({ checked }) => checked);
    return (_, index) => switches[index] === true;
  }

  #decide(isGranted: (purpose: Purpose, index: number) => boolean, method: ConsentRecord['method']): void {
    if (!this.notice) return;
    const notice = this.notice;
    const hadFocus = this.renderRoot.contains(this.shadowRoot?.activeElement ?? null);
    this.#closePanel();
    this.#session?.decide(notice, isGranted, method);
    if (hadFocus) void this.updateComplete.then(() => this.#returnFocus());
  }

  #closePanel(): void {
    this.#dialog?.close();
    this.isPanelOpen = false;
  }

  /** Escape closes the dialog without us. The event comes late: by then it may have been opened again. */
  #followDialog(): void {
    this.isPanelOpen = this.#dialog?.open === true;
  }

  #rememberFocus({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof HTMLElement && !this.renderRoot.contains(relatedTarget)) {
      this.#focusedBefore = relatedTarget;
    }
  }

  /** The button that was pressed is gone: the focus goes where it was before the visitor came to the banner. */
  #returnFocus(): void {
    const { activeElement } = this.getRootNode() as Document | ShadowRoot;
    if (!activeElement || activeElement === document.body) this.#focusedBefore?.focus({ preventScroll: true });
  }
}
