import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  isPlatformRole,
  isRole,
  isScope,
  leastRole,
  platformRoles,
  roleIds,
  roles,
  scopes,
  scopesOf,
} from '../../http/roles.ts';
import { documentedRoles } from './role-scopes.ts';

describe('the roles', () => {
  test('are the documented ones, of which those of the platform cannot be given', () => {
    assert.deepEqual(Object.keys(documentedRoles).sort(), [...roleIds, ...platformRoles].sort());
    assert.deepEqual([...roleIds, ...platformRoles].filter(isPlatformRole), platformRoles);
    for (const meaning of Object.values(roles)) assert.notEqual(meaning, '');
  });

  test('may do what is documented, and nothing besides', () => {
    for (const [role, documented] of Object.entries(documentedRoles)) {
      assert.deepEqual([...scopesOf(role)].sort(), documented.split(' ').sort(), role);
    }
  });

  test('are distinguished from other words', () => {
    for (const role of roleIds) assert.ok(isRole(role));
    for (const word of ['', 'Admin', 'owner', ...platformRoles, 'toString', '__proto__', 'admin ']) {
      assert.ok(!isRole(word), word);
    }
  });

  test('let a word that is none do nothing', () => {
    for (const word of ['', 'ADMIN', 'owner', 'toString', '__proto__', 'constructor']) {
      assert.equal(scopesOf(word).size, 0, word);
    }
  });

  test('start with the fewest scopes, the default of members', () => {
    const sizes = roleIds.map((role) => scopesOf(role).size);
    assert.equal(scopesOf(leastRole).size, Math.min(...sizes));
  });
});

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
