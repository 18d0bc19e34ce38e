import assert from 'node:assert/strict';
import { createApiKey, type NewApiKey } from '../../../accounts/keys/api-key-store.ts';
import { scopes } from '../../../http/roles.ts';
import { runTransaction } from '../../../storage/database.ts';
import type { RequestOptions, TestResponse, TestServer } from '../../harness.ts';
import { runVerify } from '../../ledger/fixture.ts';

/** Makes a key past the API: with every scope, unless more is said. @returns its id and its text. */
export async function makeKey(
  server: TestServer,
  wanted: Partial<NewApiKey> = {},
): Promise<{ readonly id: string; readonly key: string }> {
  const { installation, clock, tenant } = server;
  const all = { tenantId: tenant.id, name: 'test', environment: 'live', scopes, expiresAt: null, ...wanted } as const;
  return runTransaction(installation.database, clock.now(), async (tx) => {
    const { row, key } = await createApiKey(tx, all);
    return { id: row.id, key };
  });
}

/** Creates a key through the API and expects that it is made. @returns the answer's data. */
export async function postKey(server: TestServer, body: object = {}, options: RequestOptions = {}) {
  const all = { name: 'made', scopes: ['audit:read'], ...body };
  const response = await server.request('POST', '/v1/api-keys', { ...options, body: all });
  assert.equal(response.status, 201, response.text);
  return response.body.data;
}

/** Sends a form to an OAuth endpoint, without an API key. */
export function postForm(
  server: TestServer,
  path: string,
  fields: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestResponse> {
  return server.request('POST', path, {
    key: null,
    rawBody: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** Gets an access token for a key and expects that it is given. @returns the answer. */
export async function getToken(
  server: TestServer,
  { id, key }: { readonly id: string; readonly key: string },
  fields: Readonly<Record<string, string>> = {},
) {
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: key, ...fields };
  const response = await postForm(server, '/oauth/token', form);
  assert.equal(response.status, 200, response.text);
  return response.body;
}

/** The status that a key or token gets for reading the audit log. */
export async function readAudit(server: TestServer, key: string): Promise<number> {
  return (await server.request('GET', '/v1/audit?limit=1', { key })).status;
}

/** The events of a tenant, newest first, with their details. */
export async function readEvents(server: TestServer, key = server.tenant.key, limit = 10) {
  const { body } = await server.request('GET', `/v1/audit?limit=${limit}`, { key });
  const details = [];
  for (const { id } of body.data.items)
    details.push((await server.request('GET', `/v1/audit/${id}`, { key })).body.data);
  return details;
}

/** Asserts that `svc verify` finds everything as it was written. */
export async function assertIntact(server: TestServer): Promise<void> {
  const { code, report } = await runVerify(server.installation);
  assert.equal(code, 0, JSON.stringify(report, null, 2));
}
