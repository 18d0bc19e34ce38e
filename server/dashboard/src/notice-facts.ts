import { html, nothing, type TemplateResult } from 'lit';
import type { ControllerContact } from '../../../packages/node-sdk/src/types/api.ts';
import { choice, field, viewHinted } from './element.ts';
import { type Draft, type DraftPurpose, readDuration } from './notice-draft.ts';
import { pageWords } from './preferences.ts';

/** Actions of the recipients' buttons; null for a user who may not edit. */
interface RowActions {
  add(): void;
  remove(index: number): void;
}

/** The inputs for what a notice states about all purposes, closed at first. */
export function viewNoticeFacts({ controllerContact, rights, jurisdictions, consentDuration }: Draft): TemplateResult {
  const { facts } = pageWords;
  return html`<details>
    <summary>${pageWords.processing}</summary>
    <p class="quiet">${facts.hint}</p>
    ${viewContact('controllerContact', facts.controllerAddress, facts.controllerEmail, controllerContact)}
    ${viewChoices('rights', facts.rights, facts.rightNames, rights)}
    ${viewTerritories('jurisdictions', facts.jurisdictions, jurisdictions)}
    ${viewDuration('consentDuration', facts.consentDuration, consentDuration)}
  </details>`;
}

/** The inputs for what a notice states about one purpose, closed at first. @param place the name of the purpose. */
export function viewPurposeFacts(
  place: string,
  { label, dataCategories, storage, recipients }: DraftPurpose,
  actions: RowActions | null,
): TemplateResult {
  const { facts } = pageWords;
  return html`<details>
    <summary aria-label="${facts.purpose}: ${label}">${facts.purpose}</summary>
    ${viewChoices(`${place}.dataCategories`, facts.data, facts.dataNames, dataCategories)}
    ${viewDuration(`${place}.storage.period`, facts.period, storage?.period)}
    ${field(facts.criteria, `${place}.storage.criteria`, {
      hint: facts.criteriaHint,
      isOptional: true,
      value: storage?.criteria ?? '',
    })}
    ${viewTerritories(`${place}.storage.locations`, facts.locations, storage?.locations)}
    ${(recipients ?? []).map((recipient, index) => {
      const row = `${place}.recipients.${index}`;
      const name = recipient.name || `${facts.recipient} ${index + 1}`;
      return html`<fieldset class="row">
        <legend>${name}</legend>
        ${field(pageWords.name, `${row}.name`, { isOptional: true, value: recipient.name })}
        ${choice(facts.role, `${row}.role`, Object.entries(facts.roles), recipient.role)}
        ${viewContact(row, facts.address, facts.email, recipient)}
        ${field(facts.country, `${row}.country`, { hint: facts.countryHint, isOptional: true, value: recipient.country ?? '' })}
        ${
          actions === null
            ? nothing
            : html`<button type="button" aria-label="${pageWords.remove}: ${name}" @click=${() => actions.remove(index)}>
                ${pageWords.remove}
              </button>`
        }
      </fieldset>`;
    })}
    ${
      recipients?.length
        ? nothing
        : html`<label class="check"
            ><input type="checkbox" name="${place}.recipients" data-kind="none" .checked=${recipients !== undefined} />
            ${facts.noRecipients}</label
          >`
    }
    ${actions === null ? nothing : html`<p><button type="button" @click=${actions.add}>${facts.addRecipient}</button></p>`}
  </details>`;
}

function viewContact(
  place: string,
  addressLabel: string,
  emailLabel: string,
  { address = '', email = '' }: ControllerContact = {},
): TemplateResult {
  return html`${field(addressLabel, `${place}.address`, { isOptional: true, value: address })}
  ${field(emailLabel, `${place}.email`, { type: 'email', isOptional: true, value: email })}`;
}

/** The inputs for the links of the banner. */
export function viewLinks({ links }: Draft): TemplateResult {
  const { facts } = pageWords;
  const labels = {
    privacyPolicy: facts.privacyPolicy,
    imprint: facts.imprint,
    cookiePolicy: facts.cookiePolicy,
    terms: facts.terms,
    withdrawal: facts.withdrawal,
    rights: facts.rightsLink,
  };
  return html`<details>
    <summary>${facts.links}</summary>
    <p class="quiet">${facts.linkHint}</p>
    ${Object.entries(labels).map(([name, label]) =>
      field(label, `links.${name}`, {
        type: 'url',
        isOptional: true,
        value: links?.[name as keyof typeof labels] ?? '',
      }),
    )}
  </details>`;
}

/** Checkboxes with one name: an error of the list belongs to the first. */
function viewChoices(
  name: string,
  title: string,
  options: Readonly<Record<string, string>>,
  chosen: readonly string[] = [],
): TemplateResult {
  return html`<fieldset data-group>
    <legend>${title}</legend>
    <div class="checks">
      ${Object.entries(options).map(
        ([value, label]) =>
          html`<label
            ><input type="checkbox" name=${name} value=${value} data-kind="choice" .checked=${chosen.includes(value)} />
            ${label}</label
          >`,
      )}
    </div>
  </fieldset>`;
}

/** Codes of countries in one field, with their names below. */
function viewTerritories(name: string, label: string, codes: readonly string[] = []): TemplateResult {
  return viewHinted(
    label,
    html`<input name=${name} data-kind="codes" autocomplete="off" .value=${codes.join(', ')} aria-describedby="${name}-hint" />`,
    html`<span class="quiet" id="${name}-hint">${nameTerritories(codes) || pageWords.facts.territoriesHint}</span>`,
  );
}

/** A duration of ISO 8601 as a number of each unit. */
function viewDuration(name: string, title: string, value = ''): TemplateResult {
  const amounts = readDuration(value);
  return html`<fieldset class="row" data-group>
    <legend>${title}</legend>
    ${Object.entries(pageWords.facts.units).map(
      ([unit, label]) =>
        html`<label class="field">
          <span>${label}</span>
          <input type="number" step="any" name=${name} data-kind=${unit} .value=${amounts[unit] ?? ''} />
        </label>`,
    )}
  </fieldset>`;
}

function nameTerritories(codes: readonly string[]): string {
  const names = new Intl.DisplayNames(document.documentElement.lang, { type: 'region', fallback: 'none' });
  return codes.flatMap((code) => (/^[A-Z]{2}$/.test(code.trim()) ? (names.of(code.trim()) ?? []) : [])).join(', ');
}
