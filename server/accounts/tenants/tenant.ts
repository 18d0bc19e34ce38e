import { z } from 'zod';
import { isPlatformRole, isRole, RoleName } from '../../http/roles.ts';
import { dictionary, Id, namedObject, text, UtcTime, visibleText } from '../../http/schemas.ts';

/** A tenant's short name in addresses: lower-case letters, digits and hyphens, 2 to 63 characters. */
export const TenantSlug = text(100)
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/,
    'must be 2 to 63 lower-case letters, digits or hyphens, with no hyphen at an end',
  )
  .refine((slug) => !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(slug), 'must not look like an id');

export const TenantName = visibleText(200);

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
              // Group names compare without case, so both rules apply to names in any case.
              const folded = name.toLowerCase();
              const isOtherRole = folded !== role && (isRole(folded) || isPlatformRole(folded));
              if (isOtherRole) refuse(`is the name of a role other than ${role}`);
              if ((roles.get(folded) ?? role) !== role)
                refuse('differs from another group only in case, but has another role');
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

const textDays = (owners: string) =>
  z
    .int()
    .min(30)
    .max(3650)
    .nullable()
    .meta({
      description: `Days after which the texts of ${owners} are erased, irrevocably; null keeps them. A change applies to earlier ones too.`,
    });

const settings = {
  defaultRole: RoleName.meta({ description: 'The role of members whom SCIM provisions without a role.' }),
  scimCompatibility: z.enum(['strict', 'extended']).meta({
    id: 'ScimCompatibility',
    description:
      'With `extended`, SCIM also accepts requests that Okta, authentik and JumpCloud send for users and that `strict` rejects; each use is audited.',
  }),
  sso: SsoConfiguration,
  requireSecondFactor: z.boolean().meta({
    description:
      'Members without a second factor can only enrol one; every other request returns 403 `second_factor_required`.',
  }),
  dsrDays: z.int().min(1).max(90).meta({
    description:
      'Days in which a data-subject request must be answered, for requests opened from now on. The month of GDPR Article 12(3) can be as short as 28 days.',
  }),
  dsrForm: z.boolean().meta({
    description: 'Whether everyone can make a data-subject request with the form at `/privacy/{slug}/request`.',
  }),
  dsrTextDays: textDays('completed data-subject requests'),
  breachTextDays: textDays('closed breaches'),
  webhookDays: z.int().min(7).max(90).meta({
    description:
      'Days after which events for webhooks are deleted with their deliveries, attempts and dead letters, unless they were sent again since. What still waits for a paused webhook is deleted too. A change applies to earlier ones too.',
  }),
  firstSteps: z.boolean().meta({
    description:
      'Whether the start page of the dashboard lists the first steps. It switches this off when all are done.',
  }),
};

/** A tenant with its settings. `apiVersion` is the API version of requests that name none. */
export const Tenant = namedObject('Tenant', {
  id: Id,
  slug: TenantSlug,
  apiVersion: z.string(),
  name: TenantName,
  ...settings,
  createdAt: UtcTime,
});
export type Tenant = Readonly<z.output<typeof Tenant>>;

/** An edit of the tenant; omitted fields keep their values. */
export const TenantChange = z
  .strictObject({ name: TenantName, ...settings })
  .partial()
  .meta({ id: 'TenantChange' });
