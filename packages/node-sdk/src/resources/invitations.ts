import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type { CreatedInvitation, Invitation, InvitationInput } from '../types/api.ts';
import type { PageParams } from '../types/values.ts';
import { page, post, Resource, remove } from './resource.ts';

/** Invitations to the tenant; each is good for a week. */
export class Invitations extends Resource {
  /**
   * Lists the invitations, newest first. Needs the scope `users:read`.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Invitation> {
    return this.transport.list(page('listInvitations', '/v1/users/invitations', {}, params), options);
  }

  /**
   * Invites a person. It also gives a member a new password. Needs the scope `users:write`, and every scope of the role.
   * @returns the invitation with its `token`, which is shown this once: hand it to the person.
   * @throws {ConflictError} `conflict` for a suspended member, and for a member with another role.
   * @throws {PermissionError} `forbidden` for a role with scopes that the caller lacks.
   */
  create(invitation: InvitationInput, options?: RequestOptions): ApiPromise<CreatedInvitation> {
    return this.transport.request(post('inviteUser', '/v1/users/invitations', {}, invitation), options);
  }

  /**
   * Revokes an invitation that is still open; one that was taken, revoked or has expired stays as it is. Needs the scope
   * `users:write`.
   */
  revoke(invitationId: string, options?: RequestOptions): ApiPromise<Invitation> {
    return this.transport.request(
      remove('revokeInvitation', '/v1/users/invitations/{id}', { id: invitationId }),
      options,
    );
  }
}
