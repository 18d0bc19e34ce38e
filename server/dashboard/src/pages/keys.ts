import { html, nothing, type TemplateResult } from 'lit';
import type { ApiKey, ApiKeyInput, Scope } from '../../../../packages/node-sdk/src/types/api.ts';
import { apiKeyEnvironmentValues, apiKeyStatusValues, scopeValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { endOfDay, nameValues, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewHeading, viewOverlap } from '../page-element.ts';
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
  static override properties = { chosen: { state: true } };

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
      ...this.#actionColumn(),
    ],
    filters: [{ name: 'status', label: pageWords.status, options: nameValues(apiKeyStatusValues) }],
    load: (query) => apiKeys.list(query),
    empty: { text: pageWords.noKeys, docs: 'api/authentication' },
  };

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.keys, 'createApiKey', pageWords.createKey, this.#create)}
      ${this.viewOutcome()}
      <svc-list .view=${this.#view}></svc-list>
      ${this.viewDialogs()}`;
  }

  /** For users who may change keys. */
  #actionColumn(): ListView<ApiKey>['columns'] {
    if (!session.allows('createApiKey')) return [];
    return [[pageWords.actions, (key) => (key.status === 'active' ? this.#viewActions(key) : nothing)]];
  }

  #viewActions(key: ApiKey): TemplateResult {
    return html`<div class="actions">
      <button @click=${() => this.#rotate(key)}>${pageWords.rotate}</button>
      <button class="danger" @click=${() => this.#askRevoke(key)}>${pageWords.revoke}</button>
    </div>`;
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

  readonly #create = (): void => {
    this.#choose(presets.capture);
    this.formDialog = {
      title: pageWords.createKey,
      fields: () => this.#viewCreation(),
      send: async ({ name = '', environment, expiresAt = '' }) => {
        const input = {
          name,
          environment,
          scopes: [...this.chosen],
          expiresAt: expiresAt === '' ? null : endOfDay(expiresAt),
        } as ApiKeyInput;
        this.#show(await apiKeys.create(input));
      },
    };
  };

  #rotate({ id, name }: ApiKey): void {
    this.formDialog = {
      title: `${pageWords.rotate}: ${name}`,
      button: pageWords.rotate,
      fields: () => viewOverlap(pageWords.rotateKeyHint),
      send: async ({ overlapHours }) => this.#show(await apiKeys.rotate(id, { overlapHours: Number(overlapHours) })),
    };
  }

  #show({ name, key }: { readonly name: string; readonly key: string }): void {
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
