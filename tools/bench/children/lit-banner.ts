import { css, html, LitElement, nothing } from 'lit';

interface Notice {
  readonly controllerName: string;
  readonly purposes: readonly { readonly label: string }[];
}

/** The floor of what is written with Lit: it fetches the notice, shows three buttons, and forgets the answer. */
class LitBanner extends LitElement {
  static override properties = { notice: { state: true } };
  static override styles = css`
    .banner {
      position: fixed;
      inset: auto auto 16px 16px;
      max-width: 27em;
      padding: 22px;
      border: 1px solid #dfe4ee;
      border-radius: 16px;
      font: 16px/1.5 system-ui;
    }
    button {
      min-height: 44px;
    }
  `;

  declare notice: Notice | undefined;

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load();
  }

  async #load(): Promise<void> {
    const response = await fetch(`/v1/public/consent/${this.getAttribute('notice-id')}`, { credentials: 'omit' });
    this.notice = (await response.json()).data;
  }

  protected override updated(): void {
    this.renderRoot.querySelector<HTMLElement>('.banner')?.showPopover();
  }

  protected override render(): unknown {
    if (!this.notice) return nothing;
    const leave = (): void => {
      this.notice = undefined;
    };
    return html`
      <section class="banner" popover="manual">
        <h2>Your privacy, your choice</h2>
        <p>${this.notice.controllerName} asks for: ${this.notice.purposes.map(({ label }) => label).join(', ')}.</p>
        ${['Reject all', 'Accept all', 'Preferences'].map((choice) => html`<button @click=${leave}>${choice}</button>`)}
      </section>
    `;
  }
}

customElements.define('lit-banner', LitBanner);
