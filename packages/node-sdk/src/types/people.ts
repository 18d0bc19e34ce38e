import type { PageParams } from './lists.ts';

/** The roles that a tenant gives to its members. */
export type Role = 'admin' | 'dpo' | 'engineer' | 'auditor' | 'cs_agent';

/** Those, and the one that the operator of the server gives. */
export type MemberRole = Role | 'dpco_principal';

/** A member of the tenant. */
export interface User {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly givenName: string | null;
  readonly familyName: string | null;
  /** The id that the identity provider gave. */
  readonly externalId: string | null;
  readonly role: MemberRole;
  readonly status: 'active' | 'suspended' | 'deleted';
  /** False until the person has taken an invitation of this tenant. */
  readonly canSignIn: boolean;
  readonly mfaEnabled: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly lastSignedInAt: string | null;
}

/** Which members are listed. */
export interface UserListParams extends PageParams {
  readonly status?: 'active' | 'suspended' | undefined;
  readonly role?: MemberRole | undefined;
  /** The member with this address alone. */
  readonly email?: string | undefined;
}

/** A change of a member; what is left out stays as it is. */
export interface UserChange {
  readonly role?: Role | undefined;
  /** False suspends the member, true makes them active again. */
  readonly active?: boolean | undefined;
  /** Why; stands in the audit log. 1 to 500 characters. */
  readonly reason?: string | undefined;
}

/** A session of a member in this tenant. */
export interface Session {
  readonly id: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** When it ends in any case; without requests it ends earlier. */
  readonly expiresAt: string;
  /** The challenge that was answered with a code; null without one. */
  readonly challengeId: string | null;
  /** Whether it is the one that asks; never with an API key. */
  readonly isCurrent: boolean;
}

/** How many sessions were ended. */
export interface EndedSessions {
  readonly ended: number;
}

/** An invitation to the tenant. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly status: 'pending' | 'accepted' | 'revoked' | 'expired';
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly acceptedAt: string | null;
  readonly revokedAt: string | null;
}

/** An invitation with its token. */
export interface CreatedInvitation extends Invitation {
  /** What the person takes the invitation with: shown this once. */
  readonly token: string;
}

/** Whom to invite. */
export interface InvitationInput {
  /** An e-mail address; case does not matter. */
  readonly email: string;
  /** Default: the default role of the tenant. */
  readonly role?: Role | undefined;
}

/** A tenant and its settings. */
export interface Tenant {
  readonly id: string;
  readonly slug: string;
  /** The API version that applies when a request names none. */
  readonly apiVersion: string;
  readonly name: string;
  /** The role of members that come by SCIM without one. */
  readonly defaultRole: Role;
  /** How strictly SCIM requests are read. */
  readonly scimCompatibility: 'strict' | 'extended';
  readonly sso: {
    readonly attributeMap: {
      /** The role of each group of the identity provider, by the name of the group. */
      readonly scimGroupRoleMap: Readonly<Record<string, Role>>;
    };
  };
  /** Whether members may do nothing without a second factor but enrol one. */
  readonly requireSecondFactor: boolean;
  /** Days in which a request of a data subject must be answered. */
  readonly dsrDays: number;
  readonly createdAt: string;
}

/** A change of the settings; what is left out stays as it is. */
export interface TenantChange {
  /** 1 to 200 characters. */
  readonly name?: string | undefined;
  /** The role of members that come by SCIM without one. */
  readonly defaultRole?: Role | undefined;
  /** With `extended`, SCIM also takes what Okta, authentik and JumpCloud send for users; each use is audited. */
  readonly scimCompatibility?: 'strict' | 'extended' | undefined;
  /** Replaced whole. */
  readonly sso?:
    | {
        readonly attributeMap?:
          | {
              /** The role of each group of the identity provider, by the name of the group; at most 100. */
              readonly scimGroupRoleMap?: Readonly<Record<string, Role>> | undefined;
            }
          | undefined;
      }
    | undefined;
  /** Whether members may do nothing without a second factor but enrol one. */
  readonly requireSecondFactor?: boolean | undefined;
  /** 1 to 90, for requests made from now on. */
  readonly dsrDays?: number | undefined;
}
