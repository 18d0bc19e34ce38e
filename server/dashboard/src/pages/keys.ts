import { html, nothing, type TemplateResult } from 'lit';
import type { ApiKey, ApiKeyInput, Scope } from '../../../../packages/node-sdk/src/types/api.ts';
import { apiKeyEnvironmentValues, apiKeyStatusValues, scopeValues } from '../api-types.ts';
import { choice, field, readForm } from '../element.ts';
import { nameValues, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewOverlap } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { apiKeys } from '../sdk.ts';
import { session } from '../session.ts';

/** The scopes of a key for a usual task. */
const presets = {
  capture: ['consent:read', 'consent:write'],
  evidence: ['controls:read', 'controls:write'],
  readOnly: scopeValues.filter((scope) => scope.endsWith(':read')),
} as const satisfies Record<string, readonly Scope[]>;

/** The API keys of a tenant. */
export class KeysPage extends PageElement {
  static override properties = { form: { state: true }, chosen: { state: true } };

  /** The dialog that is open: a new key, or the rotation of one. */
  declare form: 'create' | ApiKey | null;
  /** The scopes of the new key. */
  declare chosen: ReadonlySet<string>;

  readonly #view: ListView<ApiKey> = {
    label: pageWords.keys,
    columns: [
      [pageWords.name, ({ name }) => name],
      [pageWords.prefix, ({ displayPrefix }) => html`<code>${displayPrefix}…</code>`],
      [pageWords.environment, ({ environment }) => environment],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [
        pageWords.scopes,
        ({ scopes }) => html`<details><summary>${scopes.length}</summary>${scopes.join(', ')}</details>`,
      ],
      [words.lastSeen, ({ lastUsedAt }) => viewTime(lastUsedAt)],
      [pageWords.expires, ({ expiresAt }) => (expiresAt === null ? pageWords.never : viewTime(expiresAt))],
      [pageWords.actions, (key) => (key.status === 'active' ? this.#viewActions(key) : nothing)],
    ],
    filters: [
      {
        name: 'status',
        label: pageWords.status,
        options: nameValues(apiKeyStatusValues),
      },
    ],
    load: (query) => apiKeys.list(query),
    empty: html`<p>${pageWords.noKeys}</p>`,
  };

  constructor() {
    super();
    this.form = null;
    this.chosen = new Set(presets.capture);
  }

  protected override render(): TemplateResult {
    return html`<div class="heading">
        <h1>${pageWords.keys}</h1>
        <button class="primary" @click=${() => this.#open('create')}>${pageWords.createKey}</button>
      </div>
      ${this.form === null && this.confirmation === null ? this.viewOutcome() : nothing}
      <svc-list .view=${this.#view}></svc-list>
      ${this.#viewForm()}`;
  }

  #viewActions(key: ApiKey): TemplateResult {
    return html`<div class="actions">
      <button @click=${() => this.#open(key)}>${pageWords.rotate}</button>
      <button class="danger" @click=${() => this.#askRevoke(key)}>${pageWords.revoke}</button>
    </div>`;
  }

  #viewForm(): TemplateResult {
    const { form } = this;
    const close = () => this.#open(null);
    if (form === null) return this.viewDialogs();
    return form === 'create'
      ? this.viewFormDialog(pageWords.createKey, this.#viewCreation(), this.#create, close)
      : this.viewFormDialog(
          `${pageWords.rotate}: ${form.name}`,
          viewOverlap(pageWords.rotateKeyHint),
          this.#rotate,
          close,
          pageWords.rotate,
        );
  }

  #viewCreation(): TemplateResult {
    const mine = scopeValues.filter((scope) => session.me?.scopes.includes(scope));
    return html`${field(pageWords.name, 'name', { hint: pageWords.keyNameHint })}
      ${choice(
        pageWords.environment,
        'environment',
        apiKeyEnvironmentValues.map((value) => [value, value]),
      )}
      <fieldset>
        <legend>${pageWords.scopes}</legend>
        <div class="actions">
          ${Object.entries(presets).map(
            ([name, scopes]) =>
              html`<button type="button" @click=${() => this.#choose(scopes)}>
                ${pageWords.presets[name as keyof typeof presets]}
              </button>`,
          )}
        </div>
        <div class="checks">
          ${mine.map(
            (scope) =>
              html`<label
                ><input
                  type="checkbox"
                  name="scopes"
                  value=${scope}
                  .checked=${this.chosen.has(scope)}
                  @change=${this.#toggle}
                />
                ${scope}</label
              >`,
          )}
        </div>
      </fieldset>
      ${field(pageWords.expires, 'expiresAt', { type: 'date', isOptional: true, hint: pageWords.expiresHint })}`;
  }

  #open(form: KeysPage['form']): void {
    this.form = form;
    this.error = null;
  }

  #choose(scopes: readonly string[]): void {
    this.chosen = new Set(scopes.filter((scope) => session.me?.scopes.includes(scope)));
  }

  readonly #toggle = (event: Event): void => {
    const { value, checked } = event.currentTarget as HTMLInputElement;
    const chosen = new Set(this.chosen);
    if (checked) chosen.add(value);
    else chosen.delete(value);
    this.chosen = chosen;
  };

  readonly #create = (event: SubmitEvent): void => {
    const { name = '', environment, expiresAt = '' } = readForm(event);
    const input = {
      name,
      environment,
      scopes: [...this.chosen],
      // The key works until the end of the day that the user chose.
      expiresAt: expiresAt === '' ? null : new Date(`${expiresAt}T23:59:59`),
    } as ApiKeyInput;
    void this.run(async () => this.#show(await apiKeys.create(input)));
  };

  readonly #rotate = (event: SubmitEvent): void => {
    const { overlapHours } = readForm(event);
    const { id } = this.form as ApiKey;
    void this.run(async () => this.#show(await apiKeys.rotate(id, { overlapHours: Number(overlapHours) })));
  };

  #show({ name, key }: { readonly name: string; readonly key: string }): void {
    this.form = null;
    this.secret = { title: `${pageWords.key}: ${name}`, value: key };
    this.#reload();
  }

  #askRevoke({ id, name, displayPrefix }: ApiKey): void {
    this.confirmation = {
      title: pageWords.revokeKey,
      text: `${name} (${displayPrefix}…): ${pageWords.revokeKeyHint}`,
      button: pageWords.revoke,
      run: async () => {
        await apiKeys.revoke(id);
        this.#reload();
      },
    };
  }

  #reload(): void {
    void this.querySelector<List<ApiKey>>('svc-list')?.reload();
  }
}

customElements.define('svc-keys', KeysPage);
