import { leastRole, type Role } from '../../server/http/roles.ts';
import { ConformanceError, type Target } from './target.ts';
import type { Scene, Sequence, Setting } from './transcript.ts';

const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** An unknown id. */
const unknownId = '00000000-0000-7000-8000-000000000000';

/** Finds out how the tenant reads SCIM, without a key: by a PUT of an unknown user. @throws {ConformanceError} */
export async function findSetting(target: Target): Promise<Setting> {
  const body = { schemas: [userUrn], userName: 'unknown@example.com' };
  const { status } = await target.scim('PUT', `/Users/${unknownId}`, body);
  if (status === 401) throw new ConformanceError('The server does not accept the SCIM token.');
  if (status === 501) return 'strict';
  if (status === 404) return 'extended';
  throw new ConformanceError(`PUT of a user who is not there answers ${status}, so this is no SCIM of Svc.`);
}

/** @throws {ConformanceError} when a group that the sequence works with has members: they would lose access. */
export async function requireEmptyGroups(target: Target, roles: readonly Role[]): Promise<void> {
  const { status, body } = await target.scim('GET', '/Groups');
  if (status === 401) throw new ConformanceError('The server does not accept the SCIM token.');
  if (status !== 200) throw new ConformanceError(`GET /Groups answers ${status}.`);
  for (const { id, members } of body.Resources)
    if (roles.includes(id) && members.length > 0)
      throw new ConformanceError(
        `The group ${id} has ${members.length} members, whom this would remove: use a tenant where ${roles.join(', ')} are empty.`,
      );
}

/** Sets the tenant as a sequence needs it. @returns what sets it back. */
export async function prepareTenant(target: Target, sequence: Sequence, scene: Scene): Promise<AsyncDisposable> {
  if (!target.hasKey) return { [Symbol.asyncDispose]: async () => {} };
  const { defaultRole, scimCompatibility, sso } = await target.rest('GET', '/v1/tenant');
  const scimGroupRoleMap = Object.fromEntries(sequence.roles.map((role) => [scene.group(role), role]));
  await target.rest('PATCH', '/v1/tenant', {
    defaultRole: leastRole,
    scimCompatibility: sequence.setting,
    sso: { attributeMap: { scimGroupRoleMap } },
  });
  return {
    [Symbol.asyncDispose]: async () => {
      await target.rest('PATCH', '/v1/tenant', { defaultRole, scimCompatibility, sso });
    },
  };
}
