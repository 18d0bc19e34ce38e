import { html, type TemplateResult } from 'lit';
import { DashboardElement } from '../element.ts';
import { words } from '../preferences.ts';
import { session } from '../session.ts';

/** The start page. */
export class Home extends DashboardElement {
  protected override render(): TemplateResult {
    const { user, tenant, memberships } = session.me ?? {};
    return html`<h1>${tenant?.name}</h1>
      <p>${words.homeGreeting} ${user?.displayName} (${user?.role})</p>
      <section>
        <h2>${words.memberships}</h2>
        <ul class="plain">
          ${memberships?.map(({ tenantName, role }) => html`<li>${tenantName} <span class="quiet">${role}</span></li>`)}
        </ul>
      </section>`;
  }
}

customElements.define('svc-home', Home);
