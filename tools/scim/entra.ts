import type { Role } from '../../server/principal/roles.ts';
import { isAbsent, isText } from './match.ts';
import {
  done,
  enterpriseUrn,
  filter,
  formFilter,
  get,
  groupOf,
  groupUrn,
  listOf,
  memberValues,
  patch,
  refused,
  userOf,
  userUrn,
} from './messages.ts';
import { active, deactivated, removed, type Sequence, type Setting, type Step } from './sequence.ts';

/** What the flag aadOptscim062020 in the tenant URL changes (Microsoft: "Flags to alter the SCIM behavior"). */
interface Dialect {
  readonly name: string;
  op(word: 'Add' | 'Replace' | 'Remove'): string;
  flag(value: boolean): boolean | string;
  removal(id: string): object;
  /** Changes of a profile, as an attribute mapping makes them. */
  profile(attributes: Readonly<Record<string, unknown>>): readonly object[];
}

const defaultFlags: Dialect = {
  name: 'default flags',
  op: (word) => word,
  flag: (value) => (value ? 'True' : 'False'),
  removal: (id) => ({ op: 'Remove', path: 'members', value: [{ value: id }] }),
  profile: (attributes) => Object.entries(attributes).map(([path, value]) => ({ op: 'Replace', path, value })),
};

const compliantFlag: Dialect = {
  name: 'aadOptscim062020',
  op: (word) => word.toLowerCase(),
  flag: (value) => value,
  removal: (id) => ({ op: 'remove', path: `members[value eq "${id}"]` }),
  profile: (attributes) => [{ op: 'replace', value: attributes }],
};

const unknownId = 'b2f3f9a2-6c1d-4b0e-9a57-0d3c0e5f7a11';

function find(who: string): Step {
  return {
    does: `asks whether ${who} is there`,
    request: (scene) => get(`/Users?${filter('userName', scene.email(who))}`),
    answer: () => listOf(),
  };
}

function create(who: string): Step {
  return {
    does: `creates ${who}`,
    request: (scene) => ({
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [userUrn, enterpriseUrn],
        externalId: scene.externalId(who),
        userName: scene.email(who),
        active: true,
        emails: [{ primary: true, type: 'work', value: scene.email(who) }],
        meta: { resourceType: 'User' },
        name: { formatted: `${who} Example`, familyName: 'Example', givenName: who },
        roles: [],
        [enterpriseUrn]: { department: 'Sales' },
      },
    }),
    answer: (scene) => ({
      status: 201,
      body: userOf(scene, who, { externalId: scene.externalId(who), active: true, name: { givenName: who } }),
    }),
    keep: who,
  };
}

function match(role: Role): Step {
  return {
    does: `asks for the group of ${role}, as before every change of it`,
    request: (scene) => get(`/Groups?excludedAttributes=members&${filter('displayName', scene.group(role))}`),
    answer: (scene) => listOf({ ...groupOf(scene, role), members: isAbsent }),
    keep: role,
  };
}

function setActive(who: string, value: boolean, { op, flag }: Dialect): Step {
  return {
    does: `${value ? 'enables' : 'disables'} ${who}`,
    request: (scene) => patch(`/Users/${scene.id(who)}`, { op: op('Replace'), path: 'active', value: flag(value) }),
    answer: (scene) => ({ status: 200, body: { id: scene.id(who), active: value } }),
  };
}

function add(role: Role, whos: readonly string[], { op }: Dialect): Step {
  return {
    does: `adds ${whos.join(', ')} to the group of ${role}`,
    request: (scene) =>
      patch(`/Groups/${scene.id(role)}`, {
        op: op('Add'),
        path: 'members',
        value: memberValues(scene, whos, { $ref: null }),
      }),
    answer: (scene) => ({ status: 200, body: groupOf(scene, role) }),
  };
}

function remove(role: Role, who: string, left: readonly string[], { removal }: Dialect): Step {
  return {
    does: `removes ${who} from the group of ${role}`,
    request: (scene) => patch(`/Groups/${scene.id(role)}`, removal(scene.id(who))),
    answer: (scene) => ({ status: 200, body: groupOf(scene, role, left) }),
  };
}

/** A profile mapping that was left in sends `active` along with what cannot be changed. */
function leaveWithProfile(dialect: Dialect, setting: Setting): readonly Step[] {
  const change: Step = {
    does: 'disables Dana and changes her name in one PATCH, by mappings that the guide says to delete',
    request: (scene) =>
      patch(
        `/Users/${scene.id('Dana')}`,
        ...dialect.profile({ displayName: 'Dana Other', 'name.familyName': 'Other', active: dialect.flag(false) }),
      ),
    answer: () =>
      setting === 'strict'
        ? refused(400, 'invalidPath')
        : { status: 200, body: { active: false, displayName: 'Dana Example' } },
  };
  return setting === 'strict' ? [change, setActive('Dana', false, dialect)] : [change];
}

function play(dialect: Dialect, setting: Setting): Sequence {
  return {
    name: `Entra ID, ${dialect.name}`,
    provider: 'entra',
    setting,
    source: 'Microsoft: "Develop a SCIM endpoint" and "SCIM 2.0 protocol compliance"',
    headers: { 'Content-Type': 'application/scim+json; charset=utf-8', Accept: 'application/scim+json' },
    roles: ['auditor', 'engineer', 'dpo'],
    steps: [
      {
        does: 'tests the connection: asks for a user who cannot be there',
        request: () => get(`/Users?${formFilter('userName', unknownId)}`),
        answer: () => listOf(),
      },
      {
        does: 'tests the connection: asks for a group that cannot be there',
        request: () => get(`/Groups?excludedAttributes=members&${formFilter('displayName', unknownId)}`),
        answer: () => listOf(),
      },
      {
        does: 'reads the schemas when the configuration is saved',
        request: () => get('/Schemas'),
        answer: () => ({ status: 200, body: { Resources: [{ id: userUrn }, { id: groupUrn }] } }),
      },
      ...['Ana', 'Ben', 'Cleo', 'Dana', 'Emil'].flatMap((who) => [find(who), create(who)]),
      {
        does: 'creates Ana again, because the answer was lost',
        request: create('Ana').request,
        answer: () => refused(409, 'uniqueness'),
      },
      {
        does: 'finds Ana by the externalId',
        request: (scene) => get(`/Users?${filter('externalId', scene.externalId('Ana'))}`),
        answer: (scene) => listOf({ id: scene.id('Ana') }),
      },
      match('auditor'),
      add('auditor', ['Ana', 'Ben'], dialect),
      match('engineer'),
      {
        does: 'creates the group of engineer, as it does where its search found none',
        request: (scene) => ({
          method: 'POST',
          path: '/Groups',
          body: {
            schemas: [groupUrn, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
            externalId: scene.externalId('engineer'),
            displayName: scene.group('engineer'),
            meta: { resourceType: 'Group' },
          },
        }),
        answer: (scene) => ({ status: 201, body: groupOf(scene, 'engineer', []) }),
        keep: 'engineer',
      },
      add('engineer', ['Cleo', 'Dana', 'Emil'], dialect),
      {
        does: 'writes the object id of the group to its externalId, which we do not keep',
        request: (scene) =>
          patch(`/Groups/${scene.id('engineer')}`, {
            op: dialect.op('Add'),
            path: 'externalId',
            value: scene.externalId('engineer'),
          }),
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'engineer', ['Cleo', 'Dana', 'Emil']) }),
      },
      {
        does: 'adds Cleo again, because the answer was lost',
        request: add('engineer', ['Cleo'], dialect).request,
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'engineer', ['Cleo', 'Dana', 'Emil']) }),
      },
      setActive('Ana', false, dialect),
      setActive('Ana', true, dialect),
      setActive('Ben', false, dialect),
      {
        does: 'asks for Ben, who is disabled and must still be shown',
        request: (scene) => get(`/Users?${filter('userName', scene.email('Ben'))}`),
        answer: (scene) => listOf({ id: scene.id('Ben'), active: false }),
      },
      {
        does: 'asks for the group of auditor, in which Ben still is',
        request: (scene) => get(`/Groups/${scene.id('auditor')}`),
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'auditor', ['Ana', 'Ben']) }),
      },
      remove('engineer', 'Cleo', ['Dana', 'Emil'], dialect),
      {
        does: 'asks for Cleo, who is suspended by the removal',
        request: (scene) => get(`/Users/${scene.id('Cleo')}`),
        answer: () => ({ status: 200, body: { active: false, groups: [] } }),
      },
      match('dpo'),
      add('dpo', ['Cleo'], dialect),
      remove('engineer', 'Emil', ['Dana'], dialect),
      ...leaveWithProfile(dialect, setting),
      {
        does: 'changes the userName of Ana, which names her here and cannot be changed',
        request: (scene) =>
          patch(`/Users/${scene.id('Ana')}`, {
            op: dialect.op('Replace'),
            path: 'userName',
            value: scene.email('Anna'),
          }),
        answer: () => refused(400, 'invalidPath'),
      },
      {
        does: 'renames the group of auditor, which keeps its name',
        request: (scene) =>
          patch(`/Groups/${scene.id('auditor')}`, { op: dialect.op('Replace'), path: 'displayName', value: 'Readers' }),
        answer: () => refused(400, 'mutability'),
      },
      find('Finn'),
      create('Finn'),
      setActive('Finn', false, dialect),
      {
        does: 'deletes Finn thirty days later',
        request: (scene) => ({ method: 'DELETE', path: `/Users/${scene.id('Finn')}` }),
        answer: () => done,
      },
      {
        does: 'asks for Finn, who is gone',
        request: (scene) => get(`/Users/${scene.id('Finn')}`),
        answer: () => refused(404),
      },
      find('Finn'),
      {
        ...create('Finn'),
        does: 'creates Finn, who came back and keeps the id',
        answer: (scene) => ({ status: 201, body: userOf(scene, 'Finn', { id: scene.id('Finn'), active: true }) }),
      },
      {
        does: 'keeps the connection alive',
        request: () => get(`/Users?${formFilter('userName', unknownId)}`),
        answer: () => listOf(),
      },
      {
        does: 'reads Ana at the end',
        request: (scene) => get(`/Users/${scene.id('Ana')}`),
        answer: (scene) => ({ status: 200, body: userOf(scene, 'Ana', { active: true, externalId: isText }) }),
      },
    ],
    expected: [
      active('Ana', 'auditor', 'Ana Example'),
      deactivated('Ben', 'auditor'),
      active('Cleo', 'dpo'),
      deactivated('Dana', 'engineer', 'Dana Example'),
      removed('Emil', 'engineer'),
      active('Finn', 'cs_agent'),
    ],
    extendedUses: setting === 'extended' ? 1 : 0,
  };
}

export const entraSequences: readonly Sequence[] = [
  play(defaultFlags, 'strict'),
  play(compliantFlag, 'strict'),
  play(defaultFlags, 'extended'),
  play(compliantFlag, 'extended'),
];
