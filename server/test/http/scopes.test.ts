import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isScope, scopes } from '../../http/roles.ts';

/** Keys in the hands of customers carry these words: none may change its name or go. */
const documented =
  'audit:read consent:read consent:write controls:read controls:write trust:read trust:write webhooks:read ' +
  'webhooks:write members:read users:read users:write keys:read keys:write dsr:read dsr:write breach:read breach:write tenant:write';

describe('the scopes', () => {
  test('are the documented ones', () => {
    assert.equal(scopes.join(' '), documented);
  });

  test('are distinguished from other words', () => {
    for (const scope of scopes) assert.ok(isScope(scope));
    for (const word of ['', 'audit', 'audit:write', 'AUDIT:READ', ' audit:read', '*', 'all', 'toString']) {
      assert.ok(!isScope(word), word);
    }
  });
});
