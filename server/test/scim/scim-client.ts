import assert from 'node:assert/strict';
import { findOrCreateAccount } from '../../accounts/members/account-store.ts';
import { addMember } from '../../accounts/members/membership.ts';
import { systemSource } from '../../ledger/audit/store.ts';
import { runTransaction } from '../../storage/database.ts';
import type { RequestOptions, TestResponse, TestServer } from '../harness.ts';

export const userUrn = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupUrn = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchUrn = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
export const errorUrn = 'urn:ietf:params:scim:api:messages:2.0:Error';
export const scimType = 'application/scim+json';

/** An identity provider of one tenant. */
export interface ScimClient {
  readonly token: string;
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse>;
  get(path: string, query?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Sends a PATCH with these operations. */
  patch(path: string, ...operations: readonly unknown[]): Promise<TestResponse>;
  /** Makes a user. @returns the id. */
  createUser(userName: string, attributes?: object): Promise<string>;
  /** The ids of the members of a group. */
  membersOf(role: string): Promise<readonly string[]>;
  isActive(id: string): Promise<boolean>;
}

export async function createScimClient(server: TestServer, tenantId = server.tenant.id): Promise<ScimClient> {
  const token = await server.createScimToken(tenantId);
  const send: ScimClient['send'] = (method, path, body, options = {}) =>
    server.request(method, `/scim/v2${path}`, {
      key: token,
      ...(body !== undefined && { body }),
      ...options,
      headers: { 'Content-Type': scimType, ...options.headers },
    });
  const get: ScimClient['get'] = (path, query = {}) => send('GET', `${path}?${new URLSearchParams(query)}`);
  const ok = (response: TestResponse): TestResponse => {
    assert.ok(response.status < 300, response.text);
    return response;
  };
  return {
    token,
    send,
    get,
    patch: (path, ...operations) => send('PATCH', path, { schemas: [patchUrn], Operations: operations }),
    createUser: async (userName, attributes = {}) =>
      ok(await send('POST', '/Users', { schemas: [userUrn], userName, ...attributes })).body.id,
    membersOf: async (role) => ok(await send('GET', `/Groups/${role}`)).body.members.map(idOf),
    isActive: async (id) => ok(await send('GET', `/Users/${id}`)).body.active,
  };
}

function idOf({ value }: { readonly value: string }): string {
  return value;
}

/** Users as the value of a group. */
export function members(...ids: readonly string[]): readonly { readonly value: string }[] {
  return ids.map((value) => ({ value }));
}

/** Checks an answer in the form of RFC 7644 section 3.12. */
export function assertScimError(response: TestResponse, status: number, type?: string): void {
  assert.equal(response.status, status, response.text);
  assert.equal(response.headers.get('content-type'), scimType);
  const { schemas, status: written, scimType: given, detail, ...rest } = response.body;
  assert.deepEqual(schemas, [errorUrn]);
  assert.equal(written, String(status));
  assert.equal(given, type, response.text);
  assert.ok(typeof detail === 'string' && detail.length > 0 && detail.length < 500, response.text);
  assert.deepEqual(rest, {});
}

/** Makes many members in one transaction. @returns their ids. */
export function addMembers(server: TestServer, tenantId: string, count: number): Promise<readonly string[]> {
  return runTransaction(server.installation.database, server.clock.now(), async (tx) => {
    const emails = Array.from({ length: count }, (_, index) => `member-${index}@example.com`);
    // Accounts are locked before tenants.
    for (const email of emails) await tx.lockAccount((await findOrCreateAccount(tx, email)).id);
    const ids: string[] = [];
    for (const email of emails) {
      const wanted = { email, isActivated: true, isAccepted: false };
      const member = await addMember(tx, systemSource(tenantId), { ...wanted, role: 'cs_agent' }, 'test');
      ids.push(member?.user_id as string);
    }
    return ids;
  });
}
