import { html, LitElement, nothing } from 'lit';

interface Row {
  readonly id: string;
  readonly action: string;
  readonly targetRef: string | null;
  readonly actorEmail: string | null;
  readonly actorType: string;
  readonly at: string;
}

/** The floor of the dashboard: requests the first page of the audit log, lists it, and marks the row whose link is pressed. */
class LitList extends LitElement {
  static override properties = { rows: { state: true }, chosen: { state: true } };

  declare rows: readonly Row[];
  declare chosen: string;

  constructor() {
    super();
    this.rows = [];
    this.chosen = '';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#load();
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): unknown {
    if (this.rows.length === 0) return nothing;
    const titles = ['Action', 'Target', 'Actor', 'Time'].map((title) => html`<th>${title}</th>`);
    return html`<table>
      <thead>
        <tr>
          ${titles}
        </tr>
      </thead>
      <tbody>
        ${this.rows.map((row) => this.#viewRow(row))}
      </tbody>
    </table>`;
  }

  #viewRow({ id, action, targetRef, actorEmail, actorType, at }: Row): unknown {
    const choose = (event: Event): void => {
      event.preventDefault();
      this.chosen = id;
    };
    return html`<tr aria-current=${id === this.chosen}>
      <td><a href="#${id}" @click=${choose}>${action}</a></td>
      <td>${targetRef}</td>
      <td>${actorEmail ?? actorType}</td>
      <td>${at}</td>
    </tr>`;
  }

  async #load(): Promise<void> {
    const response = await fetch('/v1/audit');
    this.rows = (await response.json()).data.items;
  }
}

customElements.define('lit-list', LitList);
