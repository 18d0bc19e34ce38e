import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Problem, type ProblemCode } from '../../http/problem.ts';
import { readPatch } from '../../scim/attribute.ts';
import { type GroupStep, readGroupPatch } from '../../scim/group.ts';
import { planSteps } from '../../scim/groups.ts';
import { readUserPatch } from '../../scim/users.ts';
import { groupUrn, patchUrn, userUrn } from './scim-client.ts';

const message = (...Operations: readonly unknown[]) => ({ schemas: [patchUrn], Operations });
const throws = (code: ProblemCode, step: () => unknown, what?: unknown) =>
  assert.throws(step, (error) => error instanceof Problem && error.code === code, JSON.stringify(what));

describe('the message of a PATCH', () => {
  test('is read whatever the case of its names and of op', () => {
    const operation = { OP: 'Replace', Path: 'active', VALUE: false };
    const body = { SCHEMAS: [patchUrn.toUpperCase()], operations: [operation] };
    assert.deepEqual(readPatch(body), [{ op: 'replace', path: 'active', value: false }]);
  });

  test('has no path where there is none or null', () => {
    for (const operation of [
      { op: 'add', value: 1 },
      { op: 'add', path: null, value: 1 },
    ])
      assert.deepEqual(readPatch(message(operation)), [{ op: 'add', path: null, value: 1 }]);
  });

  test('is refused where it has another form', () => {
    for (const body of [undefined, null, [], 'text', 1, true]) throws('invalidSyntax', () => readPatch(body), body);
    for (const schemas of [undefined, null, [], {}, patchUrn, [userUrn], [null], [[patchUrn]]])
      throws('invalidValue', () => readPatch({ schemas, Operations: [{ op: 'replace' }] }), schemas);
    for (const Operations of [undefined, null, [], {}, 'replace', [null], [1], ['replace'], [[]], [{ op: 'a' }, null]])
      throws('invalidSyntax', () => readPatch({ schemas: [patchUrn], Operations }), Operations);
    for (const path of [1, true, {}, [], ['active']])
      throws('invalidPath', () => readPatch(message({ op: 'replace', path, value: true })), path);
    throws('invalidSyntax', () => readPatch(message({ op: 'replace', path: 'active', value: true, Value: false })));
  });
});

describe('a PATCH of a user', () => {
  const read = (...operations: readonly unknown[]) => readUserPatch(readPatch(message(...operations)), false);

  test('replaces active and roles', () => {
    for (const [operations, change] of [
      [[{ op: 'replace', path: 'active', value: false }], { isActivated: false }],
      [[{ op: 'Replace', path: 'ACTIVE', value: 'False' }], { isActivated: false }],
      [[{ op: 'REPLACE', path: `${userUrn}:active`, value: 'TRUE' }], { isActivated: true }],
      [[{ op: 'replace', path: 'roles', value: [{ value: 'dpo' }] }], { role: 'dpo' }],
      [[{ op: 'replace', path: 'roles', value: [{ value: 'dpo', primary: 'False', display: 'x' }] }], { role: 'dpo' }],
      [
        [{ op: 'replace', path: 'Roles', value: [{ value: 'dpo' }, { VALUE: 'admin', Primary: true }] }],
        { role: 'admin' },
      ],
      [[{ op: 'replace', path: 'roles', value: [{ value: 'dpo' }, { value: 'dpo' }] }], { role: 'dpo' }],
      [
        [
          { op: 'replace', path: 'active', value: true },
          { op: 'replace', path: 'roles', value: [{ value: 'auditor' }] },
          { op: 'replace', path: 'active', value: false },
        ],
        { isActivated: false, role: 'auditor' },
      ],
    ] as const)
      assert.deepEqual(read(...operations), { change, use: null });
  });

  test('refuses every other operation and path', () => {
    for (const operation of [
      { op: 'add', path: 'active', value: false },
      { op: 'remove', path: 'active' },
      { op: 'move', path: 'active', value: false },
      { op: '', path: 'active', value: false },
      { op: null, path: 'active', value: false },
      { op: 1, path: 'active', value: false },
      { path: 'active', value: false },
      { op: 'replace', value: { active: false } },
      { op: 'replace', path: '', value: { active: false } },
      { op: 'replace', path: ' active', value: false },
      { op: 'replace', path: 'active.value', value: false },
      { op: 'replace', path: 'roles.value', value: 'dpo' },
      { op: 'replace', path: 'roles[primary eq "True"].value', value: 'dpo' },
      { op: 'replace', path: `${groupUrn}:active`, value: false },
      { op: 'replace', path: userUrn, value: { active: false } },
      { op: 'replace', path: 'displayName', value: 'x' },
      { op: 'replace', path: 'userName', value: 'x@example.com' },
      { op: 'replace', path: 'name.givenName', value: 'x' },
      { op: 'replace', path: '__proto__', value: 'x' },
    ]) {
      throws('invalidPath', () => read(operation), operation);
      throws('invalidPath', () => read({ op: 'replace', path: 'active', value: 'no flag' }, operation), operation);
    }
  });

  test('takes no text as a boolean but true and false', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('0', '1', 'on', 'tru', 'ｔｒｕｅ')),
        (value) => {
          fc.pre(!['true', 'false'].includes(value.toLowerCase()));
          throws('invalidValue', () => read({ op: 'replace', path: 'active', value }), value);
        },
      ),
    );
  });

  test('refuses every other value', () => {
    for (const value of [undefined, null, 0, 1, '', 'yes', 'true ', [], [true], {}, { value: true }])
      throws('invalidValue', () => read({ op: 'replace', path: 'active', value }), value);
    for (const value of [
      undefined,
      null,
      [],
      {},
      'dpo',
      ['dpo'],
      [null],
      [[]],
      [{}],
      [{ value: null }],
      [{ value: 1 }],
      [{ value: 'owner' }],
      [{ value: 'DPO' }],
      [{ value: 'dpco_principal' }],
      [{ value: 'platform_admin' }],
      [{ value: '__proto__' }],
      [{ value: 'toString' }],
      [{ value: 'dpo', primary: 'maybe' }],
      [{ value: 'dpo' }, { value: 'admin' }],
      [
        { value: 'dpo', primary: true },
        { value: 'admin', primary: true },
      ],
      [{ value: 'dpo', primary: true }, { value: 'owner' }],
    ])
      throws('invalidValue', () => read({ op: 'replace', path: 'roles', value }), value);
  });
});

describe('an extended PATCH of a user', () => {
  const read = (...operations: readonly unknown[]) => readUserPatch(readPatch(message(...operations)), true);
  const deactivation = { op: 'replace', path: 'active', value: false };

  test('is an ordinary one where it uses nothing more', () => {
    assert.deepEqual(read(deactivation), { change: { isActivated: false }, use: null });
  });

  test('sets the attributes of a value without path', () => {
    for (const [value, change, skippedPaths] of [
      [{ active: false }, { isActivated: false }, []],
      [{ id: 'x', schemas: [], ACTIVE: 'False' }, { isActivated: false }, []],
      [{ [`${userUrn}:active`]: true, roles: [{ value: 'dpo' }] }, { isActivated: true, role: 'dpo' }, []],
      [{ roles: [{ value: 'dpo' }] }, { role: 'dpo' }, []],
      [{ active: false, displayName: 'x', title: null }, { isActivated: false }, ['displayname', 'title']],
    ] as const)
      assert.deepEqual(read({ op: 'Replace', value }), {
        change,
        use: { form: 'replace_without_path', skippedPaths },
      });
  });

  test('skips what is not supported where active is replaced, and names it without values', () => {
    const others = [
      { op: 'Replace', path: 'name.givenName', value: 'x' },
      { op: 'add', path: 'emails[value eq "private@example.com"].value', value: 'x' },
      { op: 'remove', path: 'title' },
      { op: 'remove', path: 'title' },
      { op: 'add', path: 'roles[primary eq "True"].value', value: 'dpo' },
    ];
    for (const operations of [
      [deactivation, ...others],
      [...others, deactivation],
    ])
      assert.deepEqual(read(...operations), {
        change: { isActivated: false },
        use: { form: 'unsupported_paths', skippedPaths: ['name.givenName', 'emails', 'title', 'roles'] },
      });
  });

  test('refuses what is not supported where active is not replaced, or is contradicted', () => {
    for (const operations of [
      [{ op: 'replace', path: 'displayName', value: 'x' }],
      [{ op: 'replace', value: { displayName: 'x' } }],
      [{ op: 'replace', value: {} }],
      [{ op: 'replace', value: { id: 'x', schemas: [] } }],
      [
        { op: 'replace', path: 'roles', value: [{ value: 'dpo' }] },
        { op: 'add', path: 'title', value: 'x' },
      ],
      [deactivation, { op: 'add', path: 'active', value: true }],
      [deactivation, { op: 'remove', path: 'active' }],
      [deactivation, { op: 'add', value: { active: true } }],
      [deactivation, { op: 'remove' }],
      [deactivation, { op: 'move', path: 'title' }],
      [deactivation, { path: 'title', value: 'x' }],
    ])
      throws('invalidPath', () => read(...operations), operations);
  });

  test('refuses wrong values all the same', () => {
    for (const value of [null, [], 'active', 1, { active: null }, { active: 'x' }, { active: true, roles: [] }])
      throws('invalidValue', () => read({ op: 'replace', value }), value);
    throws('invalidSyntax', () => read({ op: 'replace', value: { active: false, Active: true } }));
  });
});

describe('a PATCH of a group', () => {
  const map = { 'Privacy Team': 'dpo' } as const;
  const read = (...operations: readonly unknown[]) => readGroupPatch(readPatch(message(...operations)), 'dpo', map);
  const value = [{ value: 'a' }, { value: 'b', $ref: null, display: 'x', type: 'User' }, { Value: 'a' }];

  test('adds, removes and replaces members', () => {
    for (const [operation, kind, userIds] of [
      [{ op: 'add', path: 'members', value }, 'add', ['a', 'b']],
      [{ op: 'Add', path: 'MEMBERS', value: { value: 'a' } }, 'add', ['a']],
      [{ op: 'add', path: 'members', value: [] }, 'add', []],
      [{ op: 'add', value: { members: value } }, 'add', ['a', 'b']],
      [{ op: 'replace', path: `${groupUrn}:members`, value }, 'replace', ['a', 'b']],
      [{ op: 'replace', path: 'members', value: [] }, 'replace', []],
      [{ op: 'replace', value: { Members: value, id: 'dpo', displayName: 'dpo' } }, 'replace', ['a', 'b']],
      [{ op: 'Remove', path: 'members', value }, 'remove', ['a', 'b']],
      [{ op: 'remove', path: 'members[value eq "a"]' }, 'remove', ['a']],
      [{ op: 'remove', path: 'members[value eq "\\u0000"]' }, 'remove', []],
      [{ op: 'remove', path: 'members[value eq "a\\ud800"]' }, 'remove', []],
      [{ op: 'remove', path: `${groupUrn}:Members[VALUE EQ "a]\\"b"]`, value: null }, 'remove', ['a]"b']],
    ] as const)
      assert.deepEqual(read(operation), [{ kind, userIds }]);
  });

  test('takes what does not change, without effect', () => {
    for (const operation of [
      { op: 'replace', path: 'displayName', value: 'dpo' },
      { op: 'Replace', path: 'displayname', value: 'PRIVACY TEAM' },
      { op: 'replace', value: { id: 'dpo', displayName: 'Privacy Team' } },
      { op: 'replace', value: { id: 'dpo', displayName: 'dpo', externalId: 'x', schemas: [groupUrn], meta: {} } },
      { op: 'add', path: 'externalId', value: 'x' },
    ])
      assert.deepEqual(read(operation), []);
  });

  test('refuses everything else', () => {
    for (const [code, operation] of [
      ['mutability', { op: 'replace', path: 'displayName', value: 'auditor' }],
      ['mutability', { op: 'replace', path: 'displayName', value: 'unknown' }],
      ['mutability', { op: 'replace', path: 'displayName', value: null }],
      ['mutability', { op: 'replace', path: 'displayName' }],
      ['mutability', { op: 'replace', path: 'id', value: 'admin' }],
      ['mutability', { op: 'replace', value: { id: 'Privacy Team' } }],
      ['mutability', { op: 'replace', value: { members: [], displayName: 'x' } }],
      ['noTarget', { op: 'remove' }],
      ['noTarget', { op: 'remove', value: { members: [{ value: 'a' }] } }],
      ['invalidValue', { op: 'remove', path: 'members' }],
      ['invalidValue', { op: 'remove', path: 'members', value: null }],
      ['invalidValue', { op: 'remove', path: 'members', value: [] }],
      ['invalidValue', { op: 'add', path: 'members' }],
      ['invalidValue', { op: 'replace', path: 'members' }],
      ['invalidValue', { op: 'replace', path: 'members', value: null }],
      ['invalidValue', { op: 'replace', value: { members: null } }],
      ['invalidValue', { op: 'replace' }],
      ['invalidValue', { op: 'replace', value: null }],
      ['invalidValue', { op: 'replace', value: [] }],
      ['invalidFilter', { op: 'remove', path: 'members[value eq a]' }],
      ['invalidFilter', { op: 'remove', path: 'members[]' }],
      ['invalidFilter', { op: 'remove', path: 'members[value sw "a"]' }],
      ['invalidFilter', { op: 'remove', path: 'members[display eq "a"]' }],
      ['invalidFilter', { op: 'remove', path: 'members[value eq "a" or value eq "b"]' }],
      ['invalidPath', { op: 'remove', path: 'members[value eq "a"].display' }],
      ['invalidPath', { op: 'remove', path: 'members[value eq "a"' }],
      ['invalidPath', { op: 'remove', path: 'members.value' }],
      ['invalidPath', { op: 'remove', path: 'displayName' }],
      ['invalidPath', { op: 'add', path: 'members[value eq "a"]', value }],
      ['invalidPath', { op: 'replace', path: 'members[value eq "a"]', value }],
      ['invalidPath', { op: 'add', path: '', value }],
      ['invalidPath', { op: 'add', path: 'owners', value }],
      ['invalidPath', { op: 'add', path: `${userUrn}:members`, value }],
      ['invalidPath', { op: 'add', value: { owners: value } }],
      ['invalidSyntax', { op: 'move', path: 'members', value }],
      ['invalidSyntax', { op: null, path: 'members', value }],
      ['invalidSyntax', { path: 'members', value }],
      ...[null, 'a', ['a'], [null], [{}], [{ value: null }], [{ value: 1 }], [{ value: '' }], [[]]].map(
        (wrong) => ['invalidValue', { op: 'add', path: 'members', value: wrong }] as const,
      ),
    ] as const) {
      throws(code, () => read(operation), operation);
      throws(code, () => read({ op: 'add', path: 'members', value }, operation), operation);
    }
  });

  test('comes to what its steps come to one after another', () => {
    const ids = fc.subarray(['a', 'b', 'c', 'd', 'e']);
    const step: fc.Arbitrary<GroupStep> = fc.record({
      kind: fc.constantFrom('add', 'remove', 'replace'),
      userIds: ids,
    });
    fc.assert(
      fc.property(fc.array(step), ids, (steps, current) => {
        let present = [...current];
        const left = new Set<string>();
        for (const { kind, userIds } of steps) {
          const before = present;
          const others = before.filter((id) => !userIds.includes(id));
          present = kind === 'remove' ? others : kind === 'add' ? [...others, ...userIds] : [...userIds];
          for (const id of before) if (!present.includes(id)) left.add(id);
        }
        const { assigned, removed } = planSteps(steps, current);
        const isPresent = (id: string) => present.includes(id);
        assert.deepEqual(removed.toSorted(), [...left].filter((id) => !isPresent(id)).sort());
        assert.ok(assigned.every(isPresent));
        const kept = current.filter((id) => !removed.includes(id));
        assert.deepEqual([...new Set([...kept, ...assigned])].sort(), present.toSorted());
      }),
    );
  });
});
