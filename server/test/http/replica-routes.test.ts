import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestServer, type TestServer } from '../harness.ts';

/** They decide who has access, or show it: a standby can still have what was revoked. */
const ofAccess = ['Users', 'API keys', 'SCIM', 'SCIM token', 'Sign-in', 'Second factor', 'OAuth 2.0', 'Passkeys'];

/** Lists, exports and statistics that the primary answers; those of access are not named. */
const ofPrimary: readonly string[] = [
  // Not read from the database.
  'listFrameworks',
];

describe('operations that a read replica may answer', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server[Symbol.asyncDispose]());

  test('only read, for a caller with credentials, and show nothing of access', () => {
    for (const { operationId, method, auth, tag, reads } of server.app.routes) {
      if (reads !== 'replica') continue;
      assert.equal(method, 'GET', operationId);
      assert.ok(auth === 'scope' || auth === 'platform', operationId);
      assert.ok(!ofAccess.includes(tag), operationId);
    }
  });

  test('are all lists, exports and statistics of other things', () => {
    const expected = server.app.routes
      .filter(({ method, tag, auth }) => method === 'GET' && auth !== 'public' && !ofAccess.includes(tag))
      .filter(
        ({ operationId }) => /^(?:list|export)|Statistics$/.test(operationId) && !ofPrimary.includes(operationId),
      );
    assert.ok(expected.length > 15);
    assert.deepEqual(
      expected.flatMap(({ reads, operationId }) => (reads === 'replica' ? [] : [operationId])),
      [],
      'declare reads: replica, or name the reason here',
    );
  });
});
