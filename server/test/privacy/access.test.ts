import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MemberRole, roleIds, type Scope, scopes } from '../../http/roles.ts';
import { documentedRoles } from '../accounts/keys/role-scopes.ts';
import { assertNothingWritten, assertProblem, createFreshTenant, describeServer } from '../consent/helpers.ts';
import { PrivacyClient } from './requests.ts';

describeServer('requests and incidents', (server) => {
  const createClient = async () => new PrivacyClient(server, await createFreshTenant(server));

  /** Every operation, on what a tenant has; reading comes first, because the rest changes it. */
  const operations = async (client: PrivacyClient) => {
    const [dsr, other, breach] = [await client.opened(), await client.opened(), await client.reported()];
    const { reference } = await client.submitted();
    const incident = { title: 't', description: 'd', severity: 'low', discoveredAt: server.clock.now() };
    return [
      ['dsr:read', 'GET', '/v1/dsr'],
      ['dsr:read', 'GET', `/v1/dsr/${dsr.id}`],
      ['dsr:write', 'POST', '/v1/dsr', { subjectId: 's', type: 'access' }],
      ['dsr:write', 'POST', `/v1/dsr/${dsr.id}/extend`, { reason: 'r' }],
      ['dsr:write', 'POST', `/v1/dsr/${reference}/confirmation-link`],
      ['dsr:write', 'POST', `/v1/dsr/${other.id}/complete`, { outcome: 'fulfilled' }],
      ['breach:read', 'GET', '/v1/breach'],
      ['breach:read', 'GET', `/v1/breach/${breach.id}`],
      ['breach:write', 'POST', '/v1/breach', incident],
      ['breach:write', 'PATCH', `/v1/breach/${breach.id}`, { title: 'x' }],
    ] as const satisfies (readonly [Scope, string, string, object?])[];
  };

  test('need each their own scope, and no other', async () => {
    const client = await createClient();
    for (const [scope, method, path, body] of await operations(client)) {
      const others = scopes.filter((one) => one !== scope);
      const without = await server.createKey(client.tenant.id, others);
      const options = body === undefined ? {} : { body };
      await assertNothingWritten(server, async () =>
        assertProblem(await server.request(method, path, { ...options, key: without }), '403 insufficient_scope'),
      );
      const key = await server.createKey(client.tenant.id, [scope]);
      const { status, text } = await server.request(method, path, { ...options, key });
      assert.ok(status < 300, text);
    }
  });

  test('are open to the roles that oversee them, and requests to customer support', async () => {
    const client = await createClient();
    for (const role of roleIds as readonly MemberRole[]) {
      const { session } = await server.createMember({ tenantId: client.tenant.id, role });
      for (const [scope, method, path, body] of await operations(client)) {
        const options = body === undefined ? {} : { body };
        const { status } = await server.request(method, path, { ...options, headers: session });
        assert.equal(
          status < 300 ? 'yes' : status,
          documentedRoles[role].split(' ').includes(scope) ? 'yes' : 403,
          `${role} ${path}`,
        );
      }
    }
  });

  test('are not there for another tenant', async () => {
    const [owner, stranger] = [await createClient(), await createClient()];
    for (const [, method, path, body] of await operations(owner)) {
      if (!/[0-9a-f]{12}/.test(path)) continue;
      await assertNothingWritten(server, async () =>
        assertProblem(await stranger.send(method, path, body), '404 not_found'),
      );
    }
    for (const kind of ['dsr', 'breach'] as const)
      assert.equal((await stranger.list(kind)).body.data.items.length, 0, kind);
  });
});
