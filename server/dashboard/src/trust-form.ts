import { html, nothing, type TemplateResult } from 'lit';
import type { ControlFramework } from '../../../packages/node-sdk/src/types/api.ts';
import { choice, field, viewHinted } from './element.ts';
import { pageWords } from './preferences.ts';
import type { Draft, ListName } from './trust-draft.ts';

/** How a field of a row is edited. Dates stand for midnight in UTC, as on the public page. */
interface Column {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'date' | 'url';
  readonly isOptional?: boolean;
}

/** Actions of the buttons of the lists; null for a user who may not edit. */
interface RowActions {
  add(list: ListName): void;
  remove(list: ListName, index: number): void;
}

/** The fields of a trust center. @param frameworks those of the catalogue. */
export function viewTrustFields(
  { texts, lists, showsProof }: Draft,
  frameworks: readonly ControlFramework[],
  actions: RowActions | null,
): TemplateResult {
  const viewRows = (list: ListName, title: string, hint: string) =>
    viewList(list, title, hint, lists[list], frameworks, actions);
  return html`${field(pageWords.headline, 'headline', { isOptional: true, value: texts.headline })}
    ${viewHinted(
      pageWords.trustDescription,
      html`<textarea name="description" rows="5" .value=${texts.description} aria-describedby="description-hint"></textarea>`,
      html`<span class="quiet" id="description-hint">${pageWords.paragraphHint}</span>`,
    )}
    ${field(pageWords.contactEmail, 'contactEmail', { type: 'email', isOptional: true, value: texts.contactEmail })}
    ${field(pageWords.securityContact, 'securityContact', {
      type: 'url',
      hint: pageWords.securityContactHint,
      isOptional: true,
      value: texts.securityContact,
    })}
    ${viewRows('frameworks', pageWords.frameworks, pageWords.frameworksHint)}
    ${viewRows('links', pageWords.links, pageWords.linksHint)}
    ${viewRows('subprocessors', pageWords.subprocessors, pageWords.subprocessorsHint)}
    <label class="check"
      ><input type="checkbox" name="showsProof" .checked=${showsProof} /> ${pageWords.showsProof}</label
    >
    <p class="quiet">${pageWords.showsProofHint}</p>`;
}

/** The fields of a row. */
export function listColumns(list: ListName): readonly Column[] {
  if (list === 'links')
    return [
      { name: 'label', label: pageWords.label },
      { name: 'url', label: pageWords.url, type: 'url' },
    ];
  if (list === 'subprocessors')
    return [
      { name: 'name', label: pageWords.name },
      { name: 'purpose', label: pageWords.purpose },
      { name: 'country', label: pageWords.country },
      { name: 'since', label: pageWords.sinceOptional, type: 'date', isOptional: true },
      { name: 'until', label: pageWords.untilOptional, type: 'date', isOptional: true },
    ];
  return [
    { name: 'code', label: pageWords.framework },
    { name: 'achievedAt', label: pageWords.achieved, type: 'date' },
    { name: 'expiresAt', label: pageWords.validUntil, type: 'date', isOptional: true },
    { name: 'reportUrl', label: pageWords.reportUrl, type: 'url', isOptional: true },
  ];
}

/** The name of a row; empty for a new one. */
export function nameRow(
  list: ListName,
  row: Readonly<Record<string, string>>,
  frameworks: readonly ControlFramework[],
): string {
  if (list !== 'frameworks') return row[list === 'links' ? 'label' : 'name'] ?? '';
  return frameworks.find(({ code }) => code === row.code)?.name ?? row.code ?? '';
}

function viewList(
  list: ListName,
  title: string,
  hint: string,
  rows: Draft['lists'][ListName],
  frameworks: readonly ControlFramework[],
  actions: RowActions | null,
): TemplateResult {
  return html`<h2>${title}</h2>
    <p class="quiet">${hint}</p>
    ${rows.map((row, index) => {
      const name = nameRow(list, row, frameworks) || `${title} ${index + 1}`;
      return html`<fieldset class="row">
        <legend>${name}</legend>
        ${listColumns(list).map((column) =>
          viewCell(`${list}.${index}.${column.name}`, column, row[column.name] ?? '', frameworks),
        )}
        ${
          actions === null
            ? nothing
            : html`<button
                type="button"
                aria-label="${pageWords.remove}: ${name}"
                @click=${() => actions.remove(list, index)}
              >
                ${pageWords.remove}
              </button>`
        }
      </fieldset>`;
    })}
    ${
      actions === null
        ? nothing
        : html`<p>
            <button type="button" data-list=${list} @click=${() => actions.add(list)}>${pageWords.addTo[list]}</button>
          </p>`
    }`;
}

function viewCell(
  place: string,
  { name, label, type = 'text', isOptional = false }: Column,
  value: string,
  frameworks: readonly ControlFramework[],
): TemplateResult {
  if (name === 'code')
    return choice(
      label,
      place,
      frameworks.map((framework) => [framework.code, framework.name] as const),
      value,
    );
  return field(label, place, { type, isOptional, value: type === 'date' ? value.slice(0, 10) : value });
}
