import type { MemberRole } from '../../http/roles.ts';

/** Scopes of each role, from contract.md "Principals, scopes, roles". */
export const documentedRoles: Readonly<Record<MemberRole, string>> = {
  admin:
    'audit:read consent:read consent:write controls:read controls:write trust:read trust:write webhooks:read ' +
    'webhooks:write members:read users:read users:write keys:read keys:write dsr:read dsr:write breach:read breach:write tenant:write',
  dpo:
    'audit:read consent:read consent:write controls:read controls:write trust:read trust:write webhooks:read ' +
    'webhooks:write members:read users:read keys:read dsr:read dsr:write breach:read breach:write',
  engineer:
    'consent:read consent:write webhooks:read webhooks:write controls:read controls:write audit:read members:read',
  auditor:
    'audit:read consent:read controls:read trust:read webhooks:read members:read users:read keys:read dsr:read breach:read',
  cs_agent: 'consent:read dsr:read dsr:write members:read',
  platform_admin:
    'audit:read consent:read consent:write controls:read controls:write trust:read trust:write webhooks:read ' +
    'webhooks:write members:read users:read users:write keys:read keys:write dsr:read dsr:write breach:read breach:write ' +
    'tenant:write tenants:read tenants:write system:read system:write',
  dpco_principal:
    'audit:read consent:read controls:read trust:read webhooks:read members:read users:read keys:read dsr:read breach:read portfolio:read',
};
