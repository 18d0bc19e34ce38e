import { html, type TemplateResult } from 'lit';
import type { Tenant, TenantChange } from '../../../../packages/node-sdk/src/types/api.ts';
import { call } from '../api.ts';
import { roleValues, scimCompatibilityValues } from '../api-types.ts';
import { choice, field, readForm } from '../element.ts';
import { nameValue, nameValues, viewTerm, viewTime } from '../format.ts';
import { PageElement, viewRecipe } from '../page-element.ts';
import { pageWords } from '../preferences.ts';
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

  protected override async load(): Promise<void> {
    this.tenant = await tenantSettings.retrieve();
  }

  protected override render(): TemplateResult {
    const { tenant } = this;
    if (tenant === null) return this.viewPending(pageWords.settings);
    return html`<h1>${pageWords.settings}</h1>
      ${this.viewOutcome()} ${this.#view(tenant)} ${this.viewDialogs()}`;
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
          ${viewDays('dsrTextDays', tenant)} ${viewDays('breachTextDays', tenant)}
          ${field(pageWords.webhookDays, 'webhookDays', { type: 'number', value: String(tenant.webhookDays) })}
          <label class="check"
            ><input type="checkbox" name="dsrForm" ?checked=${tenant.dsrForm} /> ${pageWords.dsrForm}</label
          >
          <label class="check"
            ><input type="checkbox" name="requireSecondFactor" ?checked=${tenant.requireSecondFactor} />
            ${pageWords.requireSecondFactor}</label
          >
          <label class="check"
            ><input type="checkbox" name="firstSteps" ?checked=${tenant.firstSteps} /> ${pageWords.firstSteps}</label
          >
          ${mayEdit ? html`<div class="actions"><button class="primary">${pageWords.save}</button></div>` : ''}
        </fieldset>
      </form>
      ${
        tenant.dsrForm
          ? viewRecipe(
              pageWords.dsrFormAddress,
              pageWords.dsrFormHint,
              `${location.origin}/privacy/${tenant.slug}/request`,
            )
          : ''
      }`;
  }

  /** Asks with what changes, field by field. */
  readonly #review = (event: SubmitEvent): void => {
    const {
      name = '',
      defaultRole,
      scimCompatibility,
      dsrDays,
      dsrTextDays = '',
      breachTextDays = '',
      webhookDays,
      dsrForm,
      requireSecondFactor,
      firstSteps,
    } = readForm(event);
    const tenant = this.tenant as Tenant;
    const wanted = {
      name,
      defaultRole,
      scimCompatibility,
      dsrDays: Number(dsrDays),
      dsrTextDays: dsrTextDays === '' ? null : Number(dsrTextDays),
      breachTextDays: breachTextDays === '' ? null : Number(breachTextDays),
      webhookDays: Number(webhookDays),
      dsrForm: dsrForm !== undefined,
      requireSecondFactor: requireSecondFactor !== undefined,
      firstSteps: firstSteps !== undefined,
    } as Required<Omit<TenantChange, 'sso'>>;
    const changed = (Object.keys(wanted) as (keyof typeof wanted)[]).filter((key) => wanted[key] !== tenant[key]);
    if (changed.length === 0) {
      this.notice = pageWords.nothingChanged;
      return;
    }
    const change = Object.fromEntries(changed.map((key) => [key, wanted[key]])) as TenantChange;
    const list = changed.map((key) => html`<li>${pageWords[key]}: ${show(key, tenant)} → ${show(key, wanted)}</li>`);
    void this.runQuietly(async () => {
      const warnings = [];
      if (change.dsrTextDays || change.breachTextDays || (change.webhookDays ?? 90) < tenant.webhookDays)
        warnings.push(pageWords.textDaysWarning);
      if (change.requireSecondFactor === true) warnings.push(await warnOfFactor());
      this.confirmation = {
        title: pageWords.saveSettings,
        text: html`<ul>${list}</ul>${warnings.map((warning) => html`<p>${warning}</p>`)}`,
        button: pageWords.save,
        run: async () => {
          this.tenant = await tenantSettings.update(change);
          this.notice = pageWords.saved;
        },
      };
    });
  };
}

/** How long texts are kept: empty for as long as the tenant is. */
function viewDays(name: 'dsrTextDays' | 'breachTextDays', tenant: Tenant): TemplateResult {
  const value = String(tenant[name] ?? '');
  return field(pageWords[name], name, { type: 'number', isOptional: true, hint: pageWords.textDaysHint, value });
}

/** Whom the requirement of a second factor locks out of everything but their own account. */
async function warnOfFactor(): Promise<string> {
  const { enabled } = await call('getMfaStatus', 'GET', '/v1/me/mfa', { answer: 'bare' });
  return enabled ? pageWords.factorWarning : `${pageWords.factorWarning} ${pageWords.ownFactorWarning}`;
}

function show(key: keyof TenantChange, values: Readonly<Record<string, unknown>> | Tenant): string {
  const value = (values as Readonly<Record<string, unknown>>)[key];
  if (value === null) return pageWords.never;
  if (typeof value === 'boolean') return value ? pageWords.on : pageWords.off;
  return key === 'name' ? String(value) : nameValue(String(value));
}

customElements.define('svc-settings', SettingsPage);
