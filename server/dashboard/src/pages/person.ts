import { html, nothing, type TemplateResult } from 'lit';
import type { Session, User, UserChange, UserErasure } from '../../../../packages/node-sdk/src/types/api.ts';
import { roleValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { countItem, describeErasing, viewErased } from '../erase.ts';
import { nameDevice, nameValue, viewMemberStatus, viewTerm, viewTime } from '../format.ts';
import { PageElement } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { users } from '../sdk.ts';
import { session } from '../session.ts';

/** One member: role, status, sessions and second factor. */
export class PersonPage extends PageElement {
  static override properties = {
    userId: {},
    user: { state: true },
    sessions: { state: true },
    erasure: { state: true },
  };

  declare userId: string;
  declare user: User | null;
  declare sessions: readonly Session[];
  /** The erasure that was made; null before. */
  declare erasure: UserErasure | null;

  constructor() {
    super();
    this.user = null;
    this.sessions = [];
    this.erasure = null;
  }

  protected override render(): TemplateResult {
    const { user } = this;
    if (this.erasure !== null)
      return html`<h1>${pageWords.erasing.erasedUser}</h1>
        ${viewErased(this.erasure)}
        <p><a href="/app/people">${pageWords.people}</a></p>`;
    if (user === null) return this.viewPending(pageWords.member);
    return html`<h1>${user.displayName}</h1>
      ${this.viewOutcome()}
      <dl>
        ${viewTerm(words.email, user.email)} ${viewTerm(pageWords.role, nameValue(user.role))}
        ${viewTerm(pageWords.status, viewMemberStatus(user))}
        ${viewTerm(words.secondFactor, user.mfaEnabled ? pageWords.on : pageWords.off)}
        ${viewTerm(pageWords.lastSignIn, viewTime(user.lastSignedInAt))}
        ${viewTerm(pageWords.createdAt, viewTime(user.createdAt))}
        ${user.externalId === null ? nothing : viewTerm(pageWords.externalId, user.externalId)}
      </dl>
      ${session.allows('editUser') && (roleValues as readonly string[]).includes(user.role) ? this.#viewActions(user) : nothing}
      <h2>${words.sessions}</h2>
      ${this.sessions.length === 0 ? html`<p>${pageWords.noSessions}</p>` : this.#viewSessions()}
      ${this.viewDialogs()}`;
  }

  #viewActions(user: User): TemplateResult {
    const { email, status } = user;
    const suspend = { active: status === 'suspended' };
    return html`<div class="actions">
      <button class="primary" @click=${() => this.#changeRole(user)}>${pageWords.changeRole}</button>
      ${
        status === 'suspended'
          ? html`<button ?disabled=${this.isBusy} @click=${() => this.#change(suspend)}>${pageWords.reactivate}</button>`
          : html`<button
              @click=${() =>
                this.#ask(pageWords.suspend, `${email}: ${pageWords.suspendHint}`, () => this.#update(suspend))}
            >
              ${pageWords.suspend}
            </button>`
      }
      ${
        user.canSignIn && user.id !== session.me?.user.id
          ? html`<button ?disabled=${this.isBusy} @click=${this.#resetPassword}>${pageWords.resetPassword}</button>`
          : nothing
      }
      ${
        user.mfaEnabled
          ? html`<button
              @click=${() =>
                this.#ask(pageWords.resetFactor, `${email}: ${pageWords.resetFactorHint}`, async () => {
                  this.user = await users.resetSecondFactor(user.id);
                })}
            >
              ${pageWords.resetFactor}
            </button>`
          : nothing
      }
      <button
        class="danger"
        @click=${() =>
          this.#ask(pageWords.remove, `${email}: ${pageWords.removeHint}`, async () => {
            await users.remove(user.id);
            this.goTo('people');
          })}
      >
        ${pageWords.remove}
      </button>
      ${
        session.allows('eraseUser') && user.id !== session.me?.user.id
          ? html`<button class="danger" @click=${() => this.#erase(user)}>${pageWords.erasing.erase}</button>`
          : nothing
      }
    </div>`;
  }

  #erase({ id, email }: User): void {
    const { erasing } = pageWords;
    const coverage = {
      clears: [erasing.profile, countItem('sessions', this.sessions.length), erasing.userTraces],
      keeps: [erasing.keptActions, erasing.keptKeys, erasing.keptTenants],
    };
    this.formDialog = describeErasing(erasing.eraseUser, email, coverage, async (reason) => {
      this.erasure = await users.erase(id, { reason });
    });
  }

  #viewSessions(): TemplateResult {
    return html`<ul class="plain">
        ${this.sessions.map(
          ({ id, device, createdAt, lastSeenAt }) =>
            html`<li>
              <span
                ><strong>${nameDevice(device)}</strong><br />${pageWords.started} ${viewTime(createdAt)}, ${words.lastSeen}
                ${viewTime(lastSeenAt)}</span
              >
              ${
                session.allows('revokeUserSession')
                  ? html`<button ?disabled=${this.isBusy} @click=${() => this.#endSession(id)}>${words.endSession}</button>`
                  : nothing
              }
            </li>`,
        )}
      </ul>
      ${
        session.allows('revokeUserSessions')
          ? html`<div class="actions"><button @click=${this.#endSessions}>${pageWords.endSessions}</button></div>`
          : nothing
      }`;
  }

  #changeRole({ role }: User): void {
    this.formDialog = {
      title: pageWords.changeRole,
      button: pageWords.save,
      fields: () => html`${choice(
        pageWords.role,
        'role',
        roleValues.map((one) => [one, `${nameValue(one)}: ${pageWords.roles[one]}`] as const),
        role,
      )}
      ${field(pageWords.reasonForLog, 'reason', { isOptional: true })}`,
      send: ({ role: wanted, reason = '' }) =>
        this.#update({ role: wanted, ...(reason.trim() !== '' && { reason }) } as UserChange),
    };
  }

  protected override async load(): Promise<void> {
    const [user, { items }] = await Promise.all([users.retrieve(this.userId), users.sessions.list(this.userId)]);
    this.user = user;
    this.sessions = items;
  }

  #ask(title: string, text: string, run: () => Promise<void>): void {
    this.confirmation = { title, text, button: title, run };
  }

  async #update(change: UserChange): Promise<void> {
    this.user = await users.update(this.userId, change);
    await this.loadAgain();
  }

  #change(change: UserChange): void {
    void this.run(() => this.#update(change));
  }

  readonly #resetPassword = (): void => {
    void this.run(async () => {
      const { token } = await users.createPasswordReset(this.userId);
      const title = `${pageWords.resetPasswordLink} ${this.user?.displayName}`;
      this.secret = { title, value: `${location.origin}/app/reset#${token}`, hint: pageWords.linkHint };
    });
  };

  #endSession(id: string): void {
    void this.run(async () => {
      await users.sessions.revoke(this.userId, id);
      await this.loadAgain();
    });
  }

  readonly #endSessions = (): void =>
    this.#ask(pageWords.endSessions, `${this.user?.email}: ${pageWords.endSessionsHint}`, async () => {
      await users.sessions.revokeAll(this.userId);
      await this.loadAgain();
    });
}

customElements.define('svc-person', PersonPage);
