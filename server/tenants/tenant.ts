import { z } from 'zod';
import { dictionary, text, visibleText } from '../http/schemas.ts';
import { platformRole, type Role, RoleName, roleIds } from '../principal/roles.ts';

/** A tenant's short name in addresses: lower-case letters, digits and hyphens, 2 to 63 characters. */
export const TenantSlug = text(100)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/,
    'must be 2 to 63 lower-case letters, digits or hyphens, with no hyphen at an end',
  )
  .refine((slug) => !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(slug), 'must not look like an id');

export const TenantName = visibleText(200);

export interface Tenant {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** The API version that applies when a request names none. */
  readonly apiVersion: string;
  readonly createdAt: string;
  readonly settings: TenantSettings;
}

/** How strictly SCIM requests are read (contract.md "SCIM"). */
export const scimCompatibilities = ['strict', 'extended'] as const;

/** A group that is called like one role and means another would be either, depending on who asks. Names have no case. */
function isOtherRole(name: string, role: Role): boolean {
  const folded = name.toLowerCase();
  return folded !== role && [...roleIds, platformRole].includes(folded);
}

/** The single sign-on configuration of a tenant (spec.md "SCIM role group"). */
export const SsoConfiguration = z
  .strictObject({
    attributeMap: z
      .strictObject({
        scimGroupRoleMap: dictionary(text(256).min(1), RoleName, 100)
          .superRefine((map, context) => {
            const roles = new Map<string, string>();
            for (const [name, role] of Object.entries(map)) {
              const refuse = (message: string) => context.addIssue({ code: 'custom', path: [name], message });
              if (isOtherRole(name, role)) refuse(`is called like another role than ${role}`);
              // Providers write names in any case: which of the two is meant must not depend on that.
              const folded = name.toLowerCase();
              if ((roles.get(folded) ?? role) !== role)
                refuse('differs from another group in case alone, with another role');
              roles.set(folded, role);
            }
          })
          .default({})
          .meta({ description: 'The role of each group of the identity provider, by the name of the group.' }),
      })
      .meta({ id: 'SsoAttributeMapInput', outputId: 'SsoAttributeMap' })
      .default({ scimGroupRoleMap: {} }),
  })
  .meta({ id: 'SsoConfigurationInput', outputId: 'SsoConfiguration' });
export type SsoConfiguration = z.output<typeof SsoConfiguration>;

/** Unless the tenant chose: a month (GDPR Article 12(3)), as days. */
export const defaultDsrDays = 30;

/** Days in which a request of a data subject is answered: no more than an extended period may have. */
export const DsrDays = z.int().min(1).max(90).meta({
  description:
    'Days in which a request of a data subject must be answered, for requests made from now on. The month of GDPR Article 12(3) can be as short as 28 days.',
});

/** What a tenant may choose. */
export interface TenantSettings {
  /** The role of members that come by SCIM without one. */
  readonly defaultRole: Role;
  readonly scimCompatibility: (typeof scimCompatibilities)[number];
  readonly sso: SsoConfiguration;
  /** Whether members may do nothing without a second factor but enrol one. */
  readonly requireSecondFactor: boolean;
  /** Days in which a request of a data subject is answered. */
  readonly dsrDays: number;
}
