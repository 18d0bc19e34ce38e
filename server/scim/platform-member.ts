import { Problem } from '../http/problem.ts';
import type { Membership } from '../identity/membership.ts';
import { platformRole } from '../principal/roles.ts';

/**
 * Whether a member has the role of the platform, which the operator of the server alone gives (spec.md "SCIM role group").
 * A tenant may always take their access away, and never gives it.
 */
export function isPlatformMember({ role }: Pick<Membership, 'role'>): boolean {
  return role === platformRole;
}

/** The 400 for a request that would give a platform member access or another role. */
export function managedByOperator(): Problem {
  return new Problem(
    'mutability',
    'This user is managed by the operator of this server: SCIM can suspend or delete them, but not make them active or change their role.',
  );
}
