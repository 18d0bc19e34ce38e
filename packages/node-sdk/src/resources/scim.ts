import { ScimGroups, ScimMethods, ScimUsers } from './methods.ts';

/**
 * SCIM 2.0 (RFC 7643, RFC 7644) with the SCIM token of the tenant, as an identity provider uses it. Errors are those of
 * SCIM: their `code` is the `scimType`, where there is one. `projection` chooses the attributes that are returned.
 */
export class Scim extends ScimMethods {
  /** The members of the tenant as an identity provider sees them. */
  readonly users = new ScimUsers(this.api);
  /** The role groups: one for each role. */
  readonly groups = new ScimGroups(this.api);
}
