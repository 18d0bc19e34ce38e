import { html, type TemplateResult } from 'lit';
import type { Tenant, TenantChange } from '../../../../packages/node-sdk/src/types/api.ts';
import { roleValues, scimCompatibilityValues } from '../api-types.ts';
import { choice, field, readForm } from '../element.ts';
import { nameValue, nameValues, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { tenantSettings } from '../sdk.ts';
import { session } from '../session.ts';

/** The settings of the tenant. What changes is shown before it is saved. */
export class SettingsPage extends PageElement {
  static override properties = { tenant: { state: true } };

  declare tenant: Tenant | null;

  constructor() {
    super();
    this.tenant = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.run(async () => {
      this.tenant = await tenantSettings.retrieve();
    });
  }

  protected override render(): TemplateResult {
    const { tenant } = this;
    return html`<h1>${pageWords.settings}</h1>
      ${this.confirmation === null ? this.viewOutcome() : ''}
      ${tenant === null ? (this.error === null ? html`<p role="status">${words.loading}</p>` : '') : this.#view(tenant)}
      ${this.viewDialogs()}`;
  }

  #view(tenant: Tenant): TemplateResult {
    const mayEdit = session.allows('editTenant');
    return html`<dl>
        ${viewTerm(pageWords.slug, tenant.slug)} ${viewTerm(pageWords.apiVersion, tenant.apiVersion)}
        ${viewTerm(pageWords.createdAt, viewTime(tenant.createdAt))}
      </dl>
      <form @submit=${this.#review}>
        <fieldset ?disabled=${!mayEdit}>
          <legend>${pageWords.settings}</legend>
          ${field(pageWords.name, 'name', { value: tenant.name })}
          ${choice(pageWords.defaultRole, 'defaultRole', nameValues(roleValues), tenant.defaultRole)}
          ${choice(
            pageWords.scimCompatibility,
            'scimCompatibility',
            nameValues(scimCompatibilityValues),
            tenant.scimCompatibility,
          )}
          ${field(pageWords.dsrDays, 'dsrDays', { type: 'number', value: String(tenant.dsrDays) })}
          <label class="check"
            ><input type="checkbox" name="requireSecondFactor" ?checked=${tenant.requireSecondFactor} />
            ${pageWords.requireSecondFactor}</label
          >
          ${mayEdit ? html`<div class="actions"><button class="primary">${pageWords.save}</button></div>` : ''}
        </fieldset>
      </form>`;
  }

  /** Asks with what changes, field by field. */
  readonly #review = (event: SubmitEvent): void => {
    const { name = '', defaultRole, scimCompatibility, dsrDays, requireSecondFactor } = readForm(event);
    const tenant = this.tenant as Tenant;
    const wanted = {
      name,
      defaultRole,
      scimCompatibility,
      dsrDays: Number(dsrDays),
      requireSecondFactor: requireSecondFactor !== undefined,
    } as Required<Omit<TenantChange, 'sso'>>;
    const changed = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((key) => wanted[key] !== tenant[key]);
    if (changed.length === 0) {
      this.notice = pageWords.nothingChanged;
      return;
    }
    const change = Object.fromEntries(changed.map((key) => [key, wanted[key]])) as TenantChange;
    const list = changed.map((key) => `${pageWords[key]}: ${show(key, tenant)} → ${show(key, wanted)}`);
    this.confirmation = {
      title: pageWords.saveSettings,
      text: list.join('; '),
      button: pageWords.save,
      run: async () => {
        this.tenant = await tenantSettings.update(change);
      },
    };
  };
}

function show(key: keyof TenantChange, values: Readonly<Record<string, unknown>> | Tenant): string {
  const value = (values as Readonly<Record<string, unknown>>)[key];
  if (typeof value === 'boolean') return value ? pageWords.on : pageWords.off;
  return key === 'name' ? String(value) : nameValue(String(value));
}

customElements.define('svc-settings', SettingsPage);
