import { UsersInvitations, UsersMethods, UsersSessions } from './methods.ts';

/**
 * The members of the tenant. Reading needs the scope `users:read`, the other methods `users:write` and every scope of
 * the role, of a new one too: for a member whose role has scopes that the caller lacks, they throw a PermissionError
 * `forbidden`. A caller cannot change, remove or erase itself: that is a ConflictError `conflict`.
 */
export class Users extends UsersMethods {
  /** Invitations to the tenant. Scopes: `users:read`, `users:write`. */
  readonly invitations = new UsersInvitations(this.api);
  /** The sessions of members. Scopes: `users:read`, `users:write`. */
  readonly sessions = new UsersSessions(this.api);
}
