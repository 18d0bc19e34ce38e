import { html, type TemplateResult } from 'lit';
import { transport } from '../api.ts';
import type { PortfolioTenant } from '../api-types.ts';
import { formatCount, formatPercent } from '../format.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { session } from '../session.ts';

/** The tenants that the operator's staff reads, with what is overdue in each. */
export class StaffPage extends PageElement {
  readonly #tenants: ListView<PortfolioTenant> = {
    label: pageWords.staff.title,
    columns: [
      [pageWords.name, ({ name }) => name],
      [pageWords.staff.requests, ({ overdueRequests }) => viewOverdue(overdueRequests)],
      [pageWords.staff.breaches, ({ overdueBreaches }) => viewOverdue(overdueBreaches)],
      [pageWords.staff.evidence, ({ overdueEvidence }) => viewOverdue(overdueEvidence)],
      [pageWords.staff.tests, ({ dueTests }) => formatCount(dueTests)],
      [pageWords.staff.webhooks, ({ failingWebhooks }) => viewOverdue(failingWebhooks)],
      [pageWords.readiness, ({ readiness }) => (readiness === null ? '–' : formatPercent(readiness))],
      [
        pageWords.actions,
        ({ id, name }) =>
          html`<button aria-label="${pageWords.staff.open}: ${name}" @click=${() => this.#open(id)}>
            ${pageWords.staff.open}
          </button>`,
      ],
    ],
    load: (query) =>
      transport.list<PortfolioTenant>({
        id: 'listPortfolio',
        method: 'GET',
        path: '/v1/staff/tenants',
        page: 'items',
        query,
      }),
    empty: { text: pageWords.staff.none, docs: 'hosting/administration', action: ['/app/', words.toHome] },
  };

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.staff.title}</h1>
      <p class="quiet">
        ${pageWords.staff.hint}
        <a href="/docs/hosting/administration/" target="_blank">${pageWords.readDocs}</a>
      </p>
      ${this.viewOutcome()}
      <svc-list .view=${this.#tenants}></svc-list>`;
  }

  #open(id: string): void {
    void this.run(async () => {
      await session.switchTenant(id);
      location.assign('/app/');
    });
  }
}

function viewOverdue(count: number): TemplateResult | string {
  return count === 0 ? formatCount(0) : html`<strong class="overdue">${formatCount(count)}</strong>`;
}

customElements.define('svc-staff', StaffPage);
