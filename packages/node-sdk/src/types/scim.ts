import type { Role } from './people.ts';

/** What of a resource comes back (RFC 7644 section 3.9): one of the two, or neither. */
export interface ScimProjection {
  /** The attributes to return, separated by commas. */
  readonly attributes?: string | undefined;
  /** The attributes to leave out, separated by commas. */
  readonly excludedAttributes?: string | undefined;
}

/** Which resources are listed. */
export interface ScimListParams extends ScimProjection {
  /** One comparison, such as `userName eq "name@example.com"`. */
  readonly filter?: string | undefined;
  /** The place of the first resource, from 1; default: 1. */
  readonly startIndex?: number | undefined;
  /** The `nextCursor` of an earlier page, in place of `startIndex`. */
  readonly cursor?: string | undefined;
  /** How many resources a page has, 0 to 100; default: 100. */
  readonly count?: number | undefined;
}

/** A member of the tenant. What was not asked for is missing. */
export interface ScimUser {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:User'];
  /** The person; somebody who comes back keeps it. */
  readonly id: string;
  /** The id that the identity provider gave. */
  readonly externalId?: string;
  /** The e-mail address; case does not matter. */
  readonly userName?: string;
  readonly name?: { readonly givenName?: string; readonly familyName?: string; readonly formatted?: string };
  readonly displayName?: string;
  readonly emails?: readonly { readonly value?: string; readonly type?: 'work'; readonly primary?: true }[];
  /** False while the membership is suspended, for any cause. */
  readonly active?: boolean;
  /** The one role; none for whom the operator of the server manages. */
  readonly roles?: readonly { readonly value?: string; readonly primary?: true }[];
  /** The role group that the person stands in; none after a removal from it. */
  readonly groups?: readonly { readonly value?: string; readonly type?: 'direct' }[];
  readonly meta?: {
    readonly resourceType?: 'User';
    readonly created?: string;
    readonly lastModified?: string;
    readonly location?: string;
  };
}

/** A person who becomes a member, or what a member is to be. */
export interface ScimUserInput {
  /** The e-mail address; it never changes. */
  readonly userName: string;
  /** At most 256 characters each. */
  readonly name?: { readonly givenName?: string | undefined; readonly familyName?: string | undefined } | undefined;
  /** The id at the identity provider; at most 512 characters. */
  readonly externalId?: string | undefined;
  /** False makes a suspended membership; default: true. */
  readonly active?: boolean | undefined;
  /** One role, or several of which one is primary; default: the default role of the tenant. */
  readonly roles?: readonly { readonly value: Role; readonly primary?: boolean | undefined }[] | undefined;
}

/** One step of a PATCH (RFC 7644 section 3.5.2). */
export interface ScimPatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  /** For users `active` or `roles`; for groups `members`, or `members[value eq "…"]` to remove one. */
  readonly path?: string | undefined;
  readonly value?: unknown;
}

/** The members who have a role. What was not asked for is missing. */
export interface ScimGroup {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:Group'];
  /** The role. */
  readonly id: Role;
  /** The name of the group at the identity provider where the tenant mapped one, else the role. */
  readonly displayName?: string;
  /** Who has the role, but for those who were removed from it. */
  readonly members?: readonly { readonly value?: string; readonly display?: string }[];
  readonly meta?: { readonly resourceType?: 'Group'; readonly created?: string; readonly location?: string };
}

/** A group to find, and who joins it. */
export interface ScimGroupInput {
  /** A role, or the name of a group that the tenant mapped to one. */
  readonly displayName: string;
  /** Ids of users who join the group. */
  readonly members?: readonly { readonly value: string }[] | undefined;
}

/** The whole list of the members of a group. */
export interface ScimGroupReplacement {
  /** As it is: it cannot be changed. */
  readonly displayName?: string | undefined;
  /** Ids of all users who are to be in the group; everybody else is removed. */
  readonly members: readonly { readonly value: string }[];
}

/** What the provider can do (RFC 7643 section 5). */
export interface ScimServiceProviderConfig {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'];
  readonly patch: { readonly supported: boolean };
  readonly bulk: { readonly supported: boolean; readonly maxOperations: number; readonly maxPayloadSize: number };
  readonly filter: { readonly supported: boolean; readonly maxResults: number };
  readonly changePassword: { readonly supported: boolean };
  readonly sort: { readonly supported: boolean };
  readonly etag: { readonly supported: boolean };
  readonly authenticationSchemes: readonly {
    readonly type: 'oauthbearertoken';
    readonly name: string;
    readonly description: string;
    readonly specUri: string;
    readonly primary: boolean;
  }[];
  readonly meta: { readonly resourceType: 'ServiceProviderConfig'; readonly location: string };
}

/** What resources of a kind have (RFC 7643 section 7). */
export interface ScimSchema {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:Schema'];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly ScimAttribute[];
  readonly meta: { readonly resourceType: 'Schema'; readonly location: string };
}

/** One attribute of a schema. */
export interface ScimAttribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact?: boolean;
  readonly canonicalValues?: readonly string[];
  readonly mutability: 'readOnly' | 'readWrite' | 'immutable';
  readonly returned: 'default';
  readonly uniqueness?: 'none' | 'server';
  readonly subAttributes?: readonly ScimAttribute[];
}

/** A kind of resources (RFC 7643 section 6). */
export interface ScimResourceType {
  readonly schemas: readonly ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'];
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly endpoint: string;
  readonly schema: string;
  readonly schemaExtensions: readonly string[];
  readonly meta: { readonly resourceType: 'ResourceType'; readonly location: string };
}
