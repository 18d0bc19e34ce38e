import { html, nothing, type TemplateResult } from 'lit';
import type { Invitation, InvitationInput, User } from '../../../../packages/node-sdk/src/types/api.ts';
import { memberRoleValues, roleValues } from '../api-types.ts';
import { choice, field } from '../element.ts';
import { nameValue, nameValues, viewMemberStatus, viewStatus, viewTime } from '../format.ts';
import '../list.ts';
import type { List, ListView } from '../list.ts';
import { PageElement, viewHeading } from '../page-element.ts';
import { pageWords, words } from '../preferences.ts';
import { users } from '../sdk.ts';
import { session } from '../session.ts';

/** The members of a tenant, and who is invited. */
export class PeoplePage extends PageElement {
  readonly #members: ListView<User> = {
    label: pageWords.members,
    columns: [
      [words.email, ({ id, email }) => html`<a href="/app/people/${id}">${email}</a>`],
      [pageWords.name, ({ displayName }) => displayName],
      [pageWords.role, ({ role }) => nameValue(role)],
      [pageWords.status, viewMemberStatus],
      [words.secondFactor, ({ mfaEnabled }) => (mfaEnabled ? pageWords.on : pageWords.off)],
      [pageWords.lastSignIn, ({ lastSignedInAt }) => viewTime(lastSignedInAt)],
    ],
    filters: [
      { name: 'email', label: words.email },
      { name: 'role', label: pageWords.role, options: nameValues(memberRoleValues) },
      { name: 'status', label: pageWords.status, options: nameValues(['active', 'suspended']) },
    ],
    load: (query) => users.list(query),
    empty: { text: pageWords.noMembers, docs: 'identity/people' },
  };

  readonly #invitations: ListView<Invitation> = {
    label: pageWords.invitations,
    columns: [
      [words.email, ({ email }) => email],
      [pageWords.role, ({ role }) => nameValue(role)],
      [pageWords.status, ({ status }) => viewStatus(status)],
      [pageWords.expires, ({ expiresAt }) => viewTime(expiresAt)],
      [
        pageWords.actions,
        (invitation) =>
          invitation.status === 'pending' && session.allows('revokeInvitation')
            ? html`<button @click=${() => this.#askRevoke(invitation)}>${pageWords.revoke}</button>`
            : nothing,
      ],
    ],
    load: () => users.invitations.list(),
    empty: { text: pageWords.noInvitations, docs: 'identity/people' },
  };

  protected override render(): TemplateResult {
    return html`${viewHeading(pageWords.people, 'inviteUser', pageWords.invite, this.#invite)}
      ${this.viewOutcome()}
      <svc-list .view=${this.#members}></svc-list>
      <h2>${pageWords.invitations}</h2>
      <svc-list class="invitations" .view=${this.#invitations}></svc-list>
      ${this.viewDialogs()}`;
  }

  readonly #invite = (): void => {
    this.formDialog = {
      title: pageWords.invite,
      button: pageWords.createInvitation,
      fields: () => html`${field(words.email, 'email', { type: 'email' })}
      ${choice(
        pageWords.role,
        'role',
        roleValues.map((role) => [role, `${nameValue(role)}: ${pageWords.roles[role]}`] as const),
        'auditor',
      )}`,
      send: async (input) => {
        const { token, email } = await users.invitations.create(input as unknown as InvitationInput);
        this.secret = {
          title: `${pageWords.invitationLink} ${email}`,
          value: `${location.origin}/app/invite#${token}`,
          hint: pageWords.linkHint,
        };
        this.#reloadInvitations();
      },
    };
  };

  #askRevoke({ id, email }: Invitation): void {
    this.confirmation = {
      title: pageWords.revokeInvitation,
      text: `${email}: ${pageWords.revokeInvitationHint}`,
      button: pageWords.revoke,
      run: async () => {
        await users.invitations.revoke(id);
        this.#reloadInvitations();
      },
    };
  }

  #reloadInvitations(): void {
    void this.querySelector<List<Invitation>>('svc-list.invitations')?.reload();
  }
}

customElements.define('svc-people', PeoplePage);
