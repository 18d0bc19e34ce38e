import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  describeChange,
  displayName,
  findChanges,
  type MembershipChange,
  type MembershipRow,
  memberStatus,
} from '../../../accounts/members/membership.ts';
import { platformRoles, roleIds } from '../../../http/roles.ts';
import type { EventType } from '../../../webhooks/deliveries/event.ts';
import { type Membership, readMembership } from './membership-helpers.ts';

const start = Date.parse('2026-11-21T12:00:00.000Z');
const timeOf = (step: number) => new Date(start + step * 1000).toISOString();

const firstRow: MembershipRow = {
  tenant_id: 'tenant',
  user_id: 'user',
  user_name: 'Person@example.com',
  given_name: null,
  family_name: null,
  external_id: null,
  role: 'cs_agent',
  salt: 'salt',
  created_at: timeOf(0),
  updated_at: timeOf(0),
  accepted_at: null,
  deactivated_at: null,
  unassigned_at: null,
  deleted_at: null,
  last_signed_in_at: null,
  seal: null,
};

const name = fc.option(fc.constantFrom('Ann', 'Bob'));
const anyChange: fc.Arbitrary<MembershipChange> = fc.record(
  {
    userName: fc.constantFrom('Person@example.com', 'person@example.com'),
    givenName: name,
    familyName: name,
    externalId: name,
    role: fc.constantFrom(...roleIds, ...platformRoles),
    isActivated: fc.boolean(),
    isAssigned: fc.boolean(),
    isAccepted: fc.constant(true as const),
  },
  { requiredKeys: [] },
);
const changes = fc.array(anyChange, { maxLength: 20 });

/** spec.md "States and transitions", tenant membership. */
const transitions: Readonly<Record<string, EventType>> = {
  'active suspended': 'user.suspended',
  'suspended active': 'user.reactivated',
  'active deleted': 'user.deprovisioned',
  'suspended deleted': 'user.deprovisioned',
};

/** Runs changes one after another, a second apart. */
function follow(
  given: readonly MembershipChange[],
  look: (step: {
    readonly change: MembershipChange;
    readonly before: MembershipRow;
    readonly after: MembershipRow;
    readonly changed: Partial<MembershipRow>;
  }) => void,
): void {
  let row = firstRow;
  for (const [index, change] of given.entries()) {
    const changed = findChanges(row, change, timeOf(index + 1));
    const after = { ...row, ...changed };
    look({ change, before: row, after, changed });
    row = after;
  }
}

describe('a membership', () => {
  test('is active while it is activated and assigned, and suspended otherwise', () => {
    fc.assert(
      fc.property(changes, (given) => {
        let [isActivated, isAssigned] = [true, true];
        follow(given, ({ change, after }) => {
          isActivated = change.isActivated ?? isActivated;
          // `active: true` also puts a person back into the group, unless the same change takes them out of it.
          isAssigned = change.isAssigned ?? (change.isActivated === true || isAssigned);
          const member = readMembership(after);
          assert.deepEqual([member.isActivated, member.isAssigned], [isActivated, isAssigned]);
          assert.equal(member.status, isActivated && isAssigned ? 'active' : 'suspended');
        });
      }),
    );
  });

  test('has every value of the change, and keeps all others', () => {
    fc.assert(
      fc.property(changes, (given) => {
        follow(given, ({ change, before, after }) => {
          const { isActivated, isAssigned: _, isAccepted, ...values } = change;
          const [was, is] = [readMembership(before), readMembership(after)];
          const { userName, givenName, familyName, externalId, role } = { ...was, ...values };
          const { isAssigned, status } = is;
          assert.deepEqual(is, {
            ...was,
            ...{ userName, givenName, familyName, externalId, role, isAssigned, status },
            isActivated: isActivated ?? was.isActivated,
            isAccepted: isAccepted ?? was.isAccepted,
          });
        });
      }),
    );
  });

  test('describes the transition of its status, the change of its role and other changes, each once', () => {
    fc.assert(
      fc.property(changes, fc.boolean(), (given, isDeletedLast) => {
        follow(isDeletedLast ? [...given, { isDeleted: true }] : given, ({ before, after, changed }) => {
          if (Object.keys(changed).length === 0) return;
          const [was, is] = [readMembership(before), readMembership(after)];
          const expected = [
            ...(was.role === is.role ? [] : ['user.role_changed']),
            ...(was.status === is.status ? [] : [transitions[`${was.status} ${is.status}`]]),
          ];
          const recorded = describeChange(before, after);
          assert.deepEqual(
            recorded.flatMap(({ type }) => type ?? []),
            expected,
          );
          // Beside an event of the role or the state, what makes the state needs no telling.
          const rest = ['userName', 'givenName', 'familyName', 'externalId', 'isAccepted'] as const;
          const names = expected.length > 0 ? rest : ([...rest, 'isActivated', 'isAssigned'] as const);
          const different = names.filter((name) => was[name] !== is[name]);
          const verbs = expected.map((type) => type?.slice('user.'.length));
          assert.deepEqual(
            recorded.map(({ verb }) => verb),
            different.length === 0 ? verbs : [...verbs, 'updated'],
          );
          if (different.length === 0) return;
          const pick = (member: Membership) => Object.fromEntries(different.map((name) => [name, member[name]]));
          assert.deepEqual(recorded.at(-1)?.diff, { before: pick(was), after: pick(is) });
        });
      }),
    );
  });

  test('repeating a change changes nothing', () => {
    fc.assert(
      fc.property(changes, anyChange, (given, last) => {
        follow([...given, last], ({ change, after }) => {
          assert.deepEqual(findChanges(after, change, timeOf(99)), {});
        });
      }),
    );
  });

  test('keeps the time at which it was suspended, accepted or deleted', () => {
    const row = { ...firstRow, accepted_at: timeOf(1), deactivated_at: timeOf(2), unassigned_at: timeOf(3) };
    const again = { isAccepted: true, isActivated: false, isAssigned: false } as const;
    assert.deepEqual(findChanges(row, again, timeOf(9)), {});
    const back = findChanges(row, { isActivated: true }, timeOf(9));
    assert.deepEqual(back, { deactivated_at: null, unassigned_at: null });
  });

  test('is provisioned when it is new and when it comes back, whatever else became different', () => {
    const member = { ...firstRow, deactivated_at: timeOf(1) };
    const [created, ...more] = describeChange(null, member);
    assert.deepEqual(more, []);
    const after = { role: 'cs_agent', status: 'suspended' };
    assert.deepEqual(created, { verb: 'provisioned', type: 'user.provisioned', diff: { after } });
    const gone = { ...firstRow, role: 'admin', deleted_at: timeOf(1) };
    assert.equal(memberStatus(gone), 'deleted');
    assert.deepEqual(describeChange(gone, member), [
      { verb: 'provisioned', type: 'user.provisioned', diff: { after, restored: true } },
    ]);
  });

  test('is called by its name, else by its address', () => {
    const nameOf = (given_name: string | null, family_name: string | null) =>
      displayName({ ...firstRow, given_name, family_name });
    assert.deepEqual(
      [nameOf('Ann', 'Lee'), nameOf('Ann', null), nameOf(null, 'Lee'), nameOf(null, null), nameOf('', null)],
      ['Ann Lee', 'Ann', 'Lee', 'Person@example.com', 'Person@example.com'],
    );
  });
});
