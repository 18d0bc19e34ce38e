import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import type { AuditEvent, ScimToken } from '../../../../packages/node-sdk/src/types/api.ts';
import { RequestError } from '../api.ts';
import { viewTerm, viewTime } from '../format.ts';
import '../group-map.ts';
import '../list.ts';
import type { ListView } from '../list.ts';
import { PageElement, viewCopyable } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { audit, scimTokens } from '../sdk.ts';
import { session } from '../session.ts';

/** Provisioning by an identity provider: the SCIM address, its token, the roles of its groups, and what came over it. */
export class ProvisioningPage extends PageElement {
  static override properties = { token: { state: true } };

  /** The token in use; null for none, undefined before it is loaded. */
  declare token: ScimToken | null | undefined;

  protected override async load(): Promise<void> {
    this.token = await scimTokens.retrieve().catch((error: unknown) => {
      if (error instanceof RequestError && error.status === 404) return null;
      throw error;
    });
  }

  protected override render(): TemplateResult {
    return html`<h1>${pageWords.provisioning}</h1>
      <p>${pageWords.provisioningHint} <a href="/docs/identity/scim/" target="_blank">${pageWords.readDocs}</a></p>
      ${this.viewOutcome()}
      <dl>${viewTerm(pageWords.scimAddress, viewCopyable(`${location.origin}/scim/v2`))}</dl>
      ${this.token === undefined ? this.viewWaiting() : this.#viewToken(this.token)}
      ${this.token === undefined ? nothing : html`<svc-group-map></svc-group-map>`}
      ${this.token ? viewEvents(this.token) : nothing} ${this.viewDialogs()}`;
  }

  #viewToken(token: ScimToken | null): TemplateResult {
    return html`<section>
      <h2>${pageWords.scimToken}</h2>
      ${
        token === null
          ? html`<p>${pageWords.noScimToken}</p>`
          : html`<dl>
              ${viewTerm(pageWords.prefix, html`<code>${token.displayPrefix}…</code>`)}
              ${viewTerm(pageWords.createdAt, viewTime(token.createdAt))}
              ${viewTerm(words.lastSeen, viewTime(token.lastUsedAt))}
            </dl>`
      }
      ${session.allows('createScimToken') ? this.#viewTokenActions(token) : nothing}
    </section>`;
  }

  #viewTokenActions(token: ScimToken | null): TemplateResult {
    return html`<div class="actions">
      <button ?disabled=${this.isBusy} @click=${token === null ? this.#create : this.#askReplace}>
        ${token === null ? pageWords.createToken : pageWords.replaceToken}
      </button>
      ${token === null ? nothing : html`<button class="danger" @click=${this.#askRevoke}>${pageWords.revoke}</button>`}
    </div>`;
  }

  async #replace(): Promise<void> {
    const { token, ...created } = await scimTokens.create();
    this.token = created;
    this.secret = { title: pageWords.scimToken, value: token };
  }

  readonly #create = (): void => {
    void this.run(() => this.#replace());
  };

  readonly #askReplace = (): void => {
    this.confirmation = {
      title: pageWords.replaceToken,
      text: pageWords.replaceTokenHint,
      button: pageWords.replaceToken,
      run: () => this.#replace(),
    };
  };

  readonly #askRevoke = (): void => {
    this.confirmation = {
      title: pageWords.revokeToken,
      text: pageWords.revokeTokenHint,
      button: pageWords.revoke,
      run: async () => {
        await scimTokens.revoke();
        this.token = null;
      },
    };
  };
}

/** Events of the token in use: the audit log has those of earlier ones, beside those of API keys. */
function viewEvents({ id }: ScimToken): TemplateResult {
  const view: ListView<AuditEvent> = {
    label: pageWords.provisioningEvents,
    columns: [
      [pageWords.time, ({ at }) => viewTime(at)],
      [pageWords.action, ({ action }) => action],
      [
        pageWords.member,
        ({ targetId, targetRef }) => html`<a href="/app/people/${targetId}">${targetRef ?? targetId}</a>`,
      ],
    ],
    load: () => audit.list({ actorId: id }),
    empty: {
      text: pageWords.noProvisioningEvents,
      docs: 'identity/scim',
      action: ['/app/audit?module=identity', pageWords.audit],
    },
  };
  return html`<h2>${pageWords.provisioningEvents}</h2>
    ${keyed(id, html`<svc-list .view=${view}></svc-list>`)}`;
}

customElements.define('svc-provisioning', ProvisioningPage);
