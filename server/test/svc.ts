import { test } from 'node:test';
import { createFreshTenant } from './consent/helpers.ts';
import type { TenantClient, TestServer, TestTenant } from './harness.ts';

/** A function like `test`, whose steps get a client of a tenant that no other test sees. */
export function testWithClient<Client extends TenantClient>(
  server: TestServer,
  Client: new (server: TestServer, tenant: TestTenant) => Client,
) {
  return (title: string, step: (client: Client) => Promise<void>): void => {
    test(title, async () => step(new Client(server, await createFreshTenant(server))));
  };
}
