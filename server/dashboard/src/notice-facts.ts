import { html, nothing, type TemplateResult } from 'lit';
import type { ControllerContact, NoticeChange, NoticeContent } from '../../../packages/node-sdk/src/types/api.ts';
import { choice, field } from './element.ts';
import { pageWords } from './preferences.ts';

type Purpose = NoticeContent['purposes'][number];

/** What the buttons of the recipients do; null for a user who may not edit. */
interface RowActions {
  add(): void;
  remove(index: number): void;
}

/** The inputs for what a notice states about all purposes, closed at first. */
export function viewNoticeFacts({
  controllerContact,
  links,
  rights,
  jurisdictions,
  consentDuration,
}: NoticeContent): TemplateResult {
  const { facts } = pageWords;
  return html`<details>
    <summary>${pageWords.processing}</summary>
    <p class="quiet">${facts.hint}</p>
    ${viewContact('controllerContact', facts.controllerAddress, facts.controllerEmail, controllerContact)}
    ${viewLink('links.privacyPolicy', facts.privacyPolicy, links?.privacyPolicy)}
    ${viewLink('links.withdrawal', facts.withdrawal, links?.withdrawal)}
    ${viewLink('links.rights', facts.rightsLink, links?.rights)}
    ${viewChoices('rights', facts.rights, facts.rightNames, rights)}
    ${viewTerritories('jurisdictions', facts.jurisdictions, jurisdictions)}
    ${viewDuration('consentDuration', facts.consentDuration, consentDuration)}
  </details>`;
}

/** The inputs for what a notice states about one purpose, closed at first. @param place the name of the purpose. */
export function viewPurposeFacts(
  place: string,
  { label, dataCategories, storage, recipients }: Purpose,
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

function viewLink(name: string, label: string, value = ''): TemplateResult {
  return field(label, name, { type: 'url', hint: pageWords.facts.linkHint, isOptional: true, value });
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
  return html`<label class="field">
    <span>${label}</span>
    <input name=${name} data-kind="codes" autocomplete="off" .value=${codes.join(', ')} aria-describedby="${name}-hint" />
    <span class="quiet" id="${name}-hint">${nameTerritories(codes) || pageWords.facts.territoriesHint}</span>
  </label>`;
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

/** The draft with the value of an input, whose name is a path such as `purposes.0.storage.period`. */
export function putInput(
  draft: NoticeContent,
  { name, type, checked, value, dataset }: HTMLInputElement,
): NoticeContent {
  const path = name.split('.');
  const before = path.reduce<unknown>((part, step) => Object(part)[step], draft);
  const read = () => {
    switch (dataset.kind) {
      case undefined:
        return type === 'checkbox' ? checked : value;
      case 'none':
        return checked ? [] : undefined;
      case 'choice': {
        const others = ((before ?? []) as readonly string[]).filter((one) => one !== value);
        return checked ? [...others, value] : others;
      }
      case 'codes':
        return value.split(', ');
      default:
        return writeDuration({ ...readDuration(String(before ?? '')), [dataset.kind]: value });
    }
  };
  return put(draft, path, read()) as NoticeContent;
}

function put(target: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const next = put(Object(target)[step], rest, value);
  return Array.isArray(target) ? target.with(Number(step), next) : { ...Object(target), [step]: next };
}

/** What the form holds as the API takes it: without facts that are empty, for an empty field states nothing. */
export function trimFacts({ purposes, ...content }: NoticeContent): NoticeContent {
  const { controllerContact, links, rights, jurisdictions, consentDuration, ...texts } = content;
  const facts = trim({ controllerContact, links, rights, jurisdictions, consentDuration });
  return {
    ...texts,
    purposes: purposes.map(({ dataCategories, storage, recipients, ...purpose }) => ({
      ...purpose,
      ...trim({ dataCategories, storage }),
      ...(recipients && { recipients: recipients.map(({ name, role, ...more }) => ({ name, role, ...trim(more) })) }),
    })),
    ...facts,
  } as NoticeContent;
}

function trim(facts: object): object {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) => {
      const kept = Array.isArray(value)
        ? value.flatMap((text: string) => text.split(',')).flatMap((text) => text.trim() || [])
        : typeof value === 'object'
          ? trim(value)
          : value;
      return kept === undefined || kept === '' || Object.keys(Object(kept)).length === 0 ? [] : [[name, kept]];
    }),
  );
}

/** What an edit removes. */
export function listRemoved(before: NoticeContent, after: NoticeContent): NoticeChange {
  return Object.fromEntries(Object.keys(before).flatMap((name) => (name in after ? [] : [[name, null]])));
}

function nameTerritories(codes: readonly string[]): string {
  const names = new Intl.DisplayNames(document.documentElement.lang, { type: 'region', fallback: 'none' });
  return codes.flatMap((code) => (/^[A-Z]{2}$/.test(code.trim()) ? (names.of(code.trim()) ?? []) : [])).join(', ');
}

function readDuration(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([^PYMD]+)([YMD])/g)].map(([, amount = '', unit = '']) => [unit, amount]),
  );
}

function writeDuration(amounts: Readonly<Record<string, string>>): string {
  const parts = ['Y', 'M', 'D'].map((unit) => (amounts[unit] ? `${amounts[unit]}${unit}` : '')).join('');
  return parts && `P${parts}`;
}
