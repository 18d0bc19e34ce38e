import { html, nothing, type TemplateResult } from 'lit';
import type { Role, Tenant } from '../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from './api.ts';
import { roleValues } from './api-types.ts';
import { choice, field } from './element.ts';
import { nameValues } from './format.ts';
import { PageElement } from './page-element.ts';
import { pageWords } from './preferences.ts';
import { tenantSettings } from './sdk.ts';
import { session } from './session.ts';

interface Group {
  readonly name: string;
  readonly role: Role;
}

/** The path of the map in the tenant. A rejected name is part of the path, so the field of each name has it, too. */
const path = 'sso.attributeMap.scimGroupRoleMap';

/** The roles of the groups of the identity provider. */
export class GroupMap extends PageElement {
  static override properties = { groups: { state: true } };

  /** The groups in the form; null before they are loaded. */
  declare groups: readonly Group[] | null;

  constructor() {
    super();
    this.groups = null;
  }

  protected override async load(): Promise<void> {
    this.groups = readGroups(await tenantSettings.retrieve());
  }

  protected override render(): TemplateResult {
    return html`<section>
      <h2>${pageWords.groups.title}</h2>
      <p>${pageWords.groups.hint}</p>
      ${this.groups === null ? html`${this.viewOutcome()} ${this.viewWaiting()}` : this.#viewForm(this.groups)}
    </section>`;
  }

  #viewForm(groups: readonly Group[]): TemplateResult {
    const mayEdit = session.allows('editTenant');
    return html`<form @submit=${this.#submit}>
      <fieldset class="plain" ?disabled=${!mayEdit}>
        ${groups.length === 0 ? html`<p>${pageWords.groups.none}</p>` : nothing}
        ${groups.map((group, index) => this.#viewGroup(group, index, mayEdit))} ${this.viewOutcome()}
        ${
          mayEdit
            ? html`<div class="actions">
                <button type="button" data-add @click=${this.#add}>${pageWords.groups.add}</button>
                <button class="primary" ?disabled=${this.isBusy}>${pageWords.save}</button>
              </div>`
            : nothing
        }
      </fieldset>
    </form>`;
  }

  #viewGroup({ name, role }: Group, index: number, mayEdit: boolean): TemplateResult {
    const title = name || `${pageWords.groups.one} ${index + 1}`;
    const edit = ({ target }: Event) => {
      const { value } = target as HTMLInputElement | HTMLSelectElement;
      const changed = target instanceof HTMLSelectElement ? { name, role: value as Role } : { name: value, role };
      this.groups = this.groups?.with(index, changed) ?? null;
    };
    return html`<fieldset class="row" @input=${edit}>
      <legend>${title}</legend>
      ${field(pageWords.groups.name, `${path}.${name.trim()}`, { value: name })}
      ${choice(pageWords.role, `role.${index}`, nameValues(roleValues), role)}
      ${
        mayEdit
          ? html`<button type="button" aria-label="${pageWords.remove}: ${title}" @click=${() => this.#remove(index)}>
              ${pageWords.remove}
            </button>`
          : nothing
      }
    </fieldset>`;
  }

  readonly #add = (): void => {
    void this.#arrange([...(this.groups ?? []), { name: '', role: 'auditor' }], '.row:last-of-type input');
  };

  #remove(index: number): void {
    void this.#arrange((this.groups ?? []).toSpliced(index, 1), '[data-add]');
  }

  /** @param focus the selector of what has the focus then. */
  async #arrange(groups: readonly Group[], focus: string): Promise<void> {
    this.groups = groups;
    this.markUnsaved();
    await this.updateComplete;
    this.querySelector<HTMLElement>(focus)?.focus();
  }

  readonly #submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { groups } = this;
    void this.run(async () => {
      const entries = (groups ?? []).map(({ name, role }) => [name.trim(), role] as const);
      const scimGroupRoleMap = Object.fromEntries(entries);
      const repeated = entries.find(([name], index) => entries.findIndex(([other]) => other === name) < index);
      // The map would silently hold only the last of them.
      if (repeated !== undefined)
        throw new RequestError(422, {
          details: [{ path: `${path}.${repeated[0]}`, issue: pageWords.groups.repeated }],
        });
      const stored = await tenantSettings.update({ sso: { attributeMap: { scimGroupRoleMap } } });
      // Changes made while saving are kept.
      if (this.groups === groups) this.groups = readGroups(stored);
      this.notice = pageWords.saved;
    });
  };
}

function readGroups({ sso }: Tenant): readonly Group[] {
  return Object.entries(sso.attributeMap.scimGroupRoleMap).map(([name, role]) => ({ name, role }));
}

customElements.define('svc-group-map', GroupMap);
