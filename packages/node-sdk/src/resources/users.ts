import type { ApiPromise, ListOptions, PagePromise, RequestOptions } from '../transport.ts';
import type * as Api from '../types/api.ts';
import type { Items, PageParams } from '../types/values.ts';
import { get, page, patch, post, Resource, remove } from './resource.ts';

/**
 * The members of the tenant. Reading needs the scope `users:read`, the other methods `users:write` and every scope of
 * the role, of a new one too: for a member whose role has scopes that the caller lacks, they throw a PermissionError
 * `forbidden`. A caller cannot change, remove or erase itself: that is a ConflictError `conflict`.
 */
export class Users extends Resource {
  /** Invitations to the tenant. Scopes: `users:read`, `users:write`. */
  readonly invitations = new Invitations(this.api);
  /** The sessions of members. Scopes: `users:read`, `users:write`. */
  readonly sessions = new UserSessions(this.api);

  /**
   * Lists the members, newest first.
   * @throws {BadRequestError} `invalid_cursor` for a cursor of other filters.
   */
  list(params: Api.ListUsersParams = {}, options?: ListOptions): PagePromise<Api.User> {
    return this.api.list(page('listUsers', '/v1/users', {}, params), options);
  }

  /** Gets one member. */
  retrieve(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(get('getUser', '/v1/users/{id}', { id: userId }), options);
  }

  /**
   * Changes the role of a member, suspends them or makes them active again. A suspended member cannot sign in, and
   * their sessions in this tenant end at once.
   * @throws {ConflictError} `conflict` for the caller itself, and for the last administrator who can sign in.
   * @throws {PermissionError} `forbidden` for a role with scopes that the caller lacks.
   */
  update(userId: string, change: Api.UserChange, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(patch('editUser', '/v1/users/{id}', { id: userId }, change), options);
  }

  /**
   * Removes a member. The history stays; a member who comes back gets the same id.
   * @returns the member, with `status` `deleted`.
   * @throws {ConflictError} `conflict` for the caller itself, and for the last administrator who can sign in.
   * @throws {NotFoundError} `not_found`, also on a retry if an attempt whose response was lost removed the member.
   */
  remove(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(remove('removeUser', '/v1/users/{id}', { id: userId }), options);
  }

  /**
   * Erases what identifies a present or former member in this tenant: they are removed, and what they did stays in the
   * audit log without their address. Cannot be undone.
   * @throws {ConflictError} `conflict` for the caller itself, and for the last administrator who can sign in.
   * @throws {NotFoundError} `not_found`, also if they were erased before.
   * @throws {ValidationError} `validation_failed`, also for a reason that names the person.
   */
  erase(userId: string, input: Api.ErasureInput, options?: RequestOptions): ApiPromise<Api.UserErasure> {
    return this.api.request(post('eraseUser', '/v1/users/{id}/erase', { id: userId }, input), options);
  }

  /**
   * Creates the token of a link with which a member who forgot their password sets a new one; earlier links of the
   * member end.
   * @returns the `token`, which is shown only once: it works once, within a day, at `/app/reset#token` of the server.
   * @throws {ConflictError} `conflict` for a member who cannot sign in, and for one who also signs in to another
   *   tenant: the operator of the server resets that password.
   */
  createPasswordReset(userId: string, options?: RequestOptions): ApiPromise<Api.PasswordResetToken> {
    return this.api.request(post('createPasswordReset', '/v1/users/{id}/password-reset', { id: userId }), options);
  }

  /**
   * Takes the second factor from a member who lost their device: they sign in with only the password and enroll again.
   * @throws {ConflictError} `conflict` for a member without a second factor, also on a retry if an attempt whose response
   *   was lost reset it; and for one who also signs in to another tenant: the operator of the server resets that.
   */
  resetSecondFactor(userId: string, options?: RequestOptions): ApiPromise<Api.User> {
    return this.api.request(remove('resetUserSecondFactor', '/v1/users/{id}/mfa', { id: userId }), options);
  }
}

/**
 * The sessions of members in this tenant. Reading needs the scope `users:read`, the other methods `users:write` and
 * every scope of the role of the member, or they throw a PermissionError `forbidden`.
 */
class UserSessions extends Resource {
  /** Gets the sessions of a member, newest first. */
  list(userId: string, options?: RequestOptions): ApiPromise<Items<Api.Session>> {
    return this.api.request(get('listUserSessions', '/v1/users/{id}/sessions', { id: userId }), options);
  }

  /**
   * Ends one session of a member.
   * @throws {NotFoundError} `not_found` for an unknown session, and for one that has ended: on a retry, perhaps by an
   *   attempt whose response was lost.
   */
  revoke(userId: string, sessionId: string, options?: RequestOptions): ApiPromise<Api.EndedSessions> {
    const operation = remove('revokeUserSession', '/v1/users/{id}/sessions/{sessionId}', { id: userId, sessionId });
    return this.api.request(operation, options);
  }

  /** Ends every session of a member. */
  revokeAll(userId: string, options?: RequestOptions): ApiPromise<Api.EndedSessions> {
    return this.api.request(remove('revokeUserSessions', '/v1/users/{id}/sessions', { id: userId }), options);
  }
}

/** The members of the tenant by name, for those who assign work to them. */
export class Members extends Resource {
  /**
   * Lists the members who can sign in, with their names and roles, newest first. Needs the scope `members:read`, which
   * every role has.
   * @param params `limit` is 1 to 100, default 100.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.Member> {
    return this.api.list(page('listMembers', '/v1/members', {}, params), options);
  }
}

/**
 * Invitations to the tenant; each is good for a week. Reading needs the scope `users:read`, the other methods
 * `users:write`, and `create` every scope of the role.
 */
class Invitations extends Resource {
  /**
   * Lists the invitations, newest first.
   * @throws {BadRequestError} `invalid_cursor`.
   */
  list(params: PageParams = {}, options?: ListOptions): PagePromise<Api.Invitation> {
    return this.api.list(page('listInvitations', '/v1/users/invitations', {}, params), options);
  }

  /**
   * Invites a person. It also gives a member a new password.
   * @returns the invitation with its `token`, which is shown only once: hand it to the person.
   * @throws {ConflictError} `conflict` for a suspended member, and for a member with another role.
   * @throws {PermissionError} `forbidden` for a role with scopes that the caller lacks.
   */
  create(invitation: Api.InvitationInput, options?: RequestOptions): ApiPromise<Api.CreatedInvitation> {
    return this.api.request(post('inviteUser', '/v1/users/invitations', {}, invitation), options);
  }

  /** Revokes an invitation that is still open; one that was taken, revoked or has expired stays as it is. */
  revoke(invitationId: string, options?: RequestOptions): ApiPromise<Api.Invitation> {
    return this.api.request(remove('revokeInvitation', '/v1/users/invitations/{id}', { id: invitationId }), options);
  }
}
