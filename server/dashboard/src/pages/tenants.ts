import { html, type TemplateResult } from 'lit';
import { call, transport } from '../api.ts';
import type { TenantInput, TenantSummary } from '../api-types.ts';
import { field } from '../element.ts';
import { viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewHeading } from '../page-element.ts';
import { pageWords } from '../preferences.ts';

/** The tenants of the server, for its administrator. */
export class TenantsPage extends PageElement {
  readonly #tenants: ListView<TenantSummary> = {
    label: pageWords.tenants,
    columns: [
      [pageWords.name, ({ name }) => name],
      [pageWords.slug, ({ slug }) => html`<code>${slug}</code>`],
      [pageWords.members, ({ members }) => members],
      [pageWords.notices, ({ notices }) => notices],
      [pageWords.createdAt, ({ createdAt }) => viewTime(createdAt)],
    ],
    load: (query) =>
      transport.list<TenantSummary>({ id: 'listTenants', method: 'GET', path: '/v1/tenants', page: 'items', query }),
    empty: { text: pageWords.noTenants, docs: 'hosting/administration' },
  };

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.tenants, 'createTenant', pageWords.createTenant, this.#create)}
      <p class="quiet">${pageWords.tenantsHint} <a href="/docs/hosting/administration/" target="_blank">${pageWords.readDocs}</a></p>
      ${this.viewOutcome()}
      <svc-list .view=${this.#tenants}></svc-list>
      ${this.viewDialogs()}`;
  }

  readonly #create = (): void => {
    this.formDialog = {
      title: pageWords.createTenant,
      fields: () => html`${field(pageWords.name, 'name')}
      ${field(pageWords.slug, 'slug', { hint: pageWords.tenantSlugHint })}
      ${field(pageWords.tenantAdmin, 'adminEmail', { type: 'email', hint: pageWords.tenantAdminHint })}`,
      send: async (input) => {
        const body = input as unknown as TenantInput;
        const { invitation } = await call('createTenant', 'POST', '/v1/tenants', { body });
        this.secret = {
          title: `${pageWords.invitationLink} ${invitation.email}`,
          value: `${location.origin}/app/invite#${invitation.token}`,
          hint: pageWords.linkHint,
        };
        void this.querySelector<List<TenantSummary>>('svc-list')?.reload();
      },
    };
  };
}

customElements.define('svc-tenants', TenantsPage);
