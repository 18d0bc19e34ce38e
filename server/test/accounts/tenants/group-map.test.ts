import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SsoConfiguration } from '../../../accounts/tenants/tenant.ts';

describe('the map of groups to roles', () => {
  const isTaken = (scimGroupRoleMap: object) =>
    SsoConfiguration.safeParse({ attributeMap: { scimGroupRoleMap } }).success;

  test('takes several names of one role, in any case', () => {
    assert.ok(isTaken({ Ops: 'engineer', OPS: 'engineer', Operations: 'engineer' }));
    assert.ok(isTaken({ Auditor: 'auditor' }));
  });

  test('rejects names with different roles that differ only in case', () => {
    assert.ok(!isTaken({ Ops: 'admin', OPS: 'auditor' }));
  });

  test('rejects a name that is the id of another role', () => {
    assert.ok(!isTaken({ Admin: 'auditor' }));
  });
});
