import { html, type TemplateResult } from 'lit';
import type {
  ControlDetail,
  ControlFramework,
  ControlInput,
  Member,
} from '../../../packages/node-sdk/src/types/api.ts';
import { controlCadenceValues } from './api-types.ts';
import { choice, field } from './element.ts';
import { nameValues } from './format.ts';
import { memberChoice, nameMember } from './members.ts';
import { textField } from './page-element.ts';
import { pageWords } from './preferences.ts';

/** The name of an owner, or that there is none. */
export function nameOwner(owners: readonly Member[], id: string | null): string {
  return id === null ? pageWords.control.noOwner : nameMember(owners, id);
}

/** The fields of owner and cadence. @param control null for a new one. */
export function viewPlan(owners: readonly Member[], control: ControlDetail | null): TemplateResult {
  const { owner, noOwner } = pageWords.control;
  return html`${memberChoice(owner, 'ownerUserId', owners, control?.ownerUserId ?? null, noOwner)}
  ${choice(pageWords.control.cadence, 'cadence', nameValues(controlCadenceValues), control?.cadence ?? 'annual')}`;
}

/** The fields that define a control of one's own. @param domains those in use, as suggestions. */
export function viewDefinition(
  frameworks: readonly ControlFramework[],
  domains: readonly string[],
  control: ControlDetail | null,
): TemplateResult {
  return html`${field(pageWords.title, 'title', { value: control?.title ?? '' })}
    ${textField(pageWords.description, 'description', { value: control?.description ?? '' })}
    <label class="field"
      ><span>${pageWords.control.domain}</span
      ><input name="domain" list="domains" required autocomplete="off" .value=${control?.domain ?? ''} /><datalist id="domains"
        >${domains.map((domain) => html`<option value=${domain}></option>`)}</datalist
      ></label
    >
    <details ?open=${control !== null && Object.keys(control.mappings).length > 0}>
      <summary>${pageWords.control.mappings}</summary>
      <p class="quiet">${pageWords.control.mappingsHint}</p>
      ${frameworks.map(({ code, name }) =>
        field(name, `mappings.${code}`, {
          isOptional: true,
          value: control?.mappings[code]?.join(', ') ?? '',
        }),
      )}
    </details>`;
}

/** Reads the fields of `viewDefinition` and `viewPlan`. */
export function readControl(values: Readonly<Record<string, string>>): Omit<ControlInput, 'code'> {
  const { title = '', description = '', domain = '', cadence, ownerUserId } = values;
  const mappings = Object.entries(values).flatMap(([name, text]) => {
    const requirements = text.split(',').flatMap((one) => one.trim() || []);
    return name.startsWith('mappings.') && requirements.length > 0 ? [[name.slice(9), requirements] as const] : [];
  });
  return {
    title,
    description,
    domain,
    mappings: Object.fromEntries(mappings),
    cadence: cadence as ControlInput['cadence'],
    ownerUserId: ownerUserId || null,
  };
}
