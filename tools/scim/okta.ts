import type { Role } from '../../server/principal/roles.ts';
import { isInteger, isText } from './match.ts';
import { done, filter, get, groupOf, groupUrn, listOf, patch, refused, userOf, userUrn } from './messages.ts';
import {
  active,
  deactivated,
  type ExpectedMember,
  removed,
  type Scene,
  type ScimRequest,
  type Sequence,
  type Setting,
  type Step,
} from './sequence.ts';

/** Apps of the catalog (OIN) and those of the wizard (AIW) update by different requests. */
type AppKind = 'OIN app' | 'AIW app';

const page = 'startIndex=1&count=100';

function find(who: string): Step {
  return {
    does: `asks whether ${who} is there`,
    request: (scene) => get(`/Users?${filter('userName', scene.email(who))}&${page}`),
    answer: () => listOf(),
  };
}

function create(who: string): Step {
  return {
    does: `creates ${who}, with a password that is not used`,
    request: (scene) => ({
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [userUrn],
        userName: scene.email(who),
        name: { givenName: who, familyName: 'Example' },
        emails: [{ primary: true, value: scene.email(who), type: 'work' }],
        displayName: `${who} Example`,
        locale: 'en-US',
        externalId: scene.externalId(who),
        groups: [],
        password: '1mz050nq',
        active: true,
      },
    }),
    answer: (scene) => ({
      status: 201,
      body: userOf(scene, who, { active: true, name: { givenName: who, familyName: 'Example' } }),
    }),
    keep: who,
  };
}

/** Okta reads a user, changes what changed and sends the whole back. */
function read(who: string): Step {
  return {
    does: `reads ${who} before an update`,
    request: (scene) => get(`/Users/${scene.id(who)}`),
    answer: (scene) => ({ status: 200, body: userOf(scene, who) }),
    keep: who,
  };
}

/** A PUT of a user; refused by the letter, which knows none. */
function replace(
  does: string,
  who: string,
  changed: object,
  answer: Step['answer'],
  setting: Setting,
): readonly Step[] {
  const step: Step = {
    does,
    request: (scene) => ({
      method: 'PUT',
      path: `/Users/${scene.id(who)}`,
      body: { ...scene.resource(who), ...changed },
    }),
    answer: setting === 'strict' ? () => refused(501) : answer,
  };
  return [read(who), step];
}

/** Deactivation and activation. */
function setActive(who: string, value: boolean, kind: AppKind, setting: Setting): readonly Step[] {
  const does = `${value ? 'activates' : 'deactivates'} ${who}`;
  const answer: Step['answer'] = (scene) => ({ status: 200, body: userOf(scene, who, { active: value }) });
  if (kind === 'AIW app') return replace(does, who, { active: value }, answer, setting);
  return [
    {
      does,
      request: (scene) => patch(`/Users/${scene.id(who)}`, { op: 'replace', value: { active: value } }),
      answer: setting === 'strict' ? () => refused(400, 'invalidPath') : answer,
    },
  ];
}

function findGroup(role: Role): Step {
  return {
    does: `asks whether the group of ${role} is there`,
    request: (scene) => get(`/Groups?${filter('displayName', scene.group(role))}&${page}`),
    answer: (scene) => listOf(groupOf(scene, role)),
  };
}

function createGroup(role: Role): Step {
  return {
    does: `pushes the group of ${role}, without members`,
    request: (scene) => ({
      method: 'POST',
      path: '/Groups',
      body: { schemas: [groupUrn], displayName: scene.group(role), members: [] },
    }),
    answer: (scene) => ({ status: 201, body: groupOf(scene, role) }),
    keep: role,
  };
}

/** Okta names each member by the address too. */
function membersOf(scene: Scene, whos: readonly string[]): readonly object[] {
  return whos.map((who) => ({ value: scene.id(who), display: scene.email(who) }));
}

/** A change of members. @param whos who is in the group afterwards. @param operations what an OIN app sends. */
function changeGroup(
  does: string,
  role: Role,
  whos: readonly string[],
  kind: AppKind,
  operations: (scene: Scene) => readonly object[],
): readonly Step[] {
  const answer: Step['answer'] = (scene) => ({ status: 200, body: groupOf(scene, role, whos) });
  if (kind === 'AIW app') {
    const request = (scene: Scene): ScimRequest => ({
      method: 'PUT',
      path: `/Groups/${scene.id(role)}`,
      body: { schemas: [groupUrn], displayName: scene.group(role), members: membersOf(scene, whos) },
    });
    return [{ does: `${does}, by the whole list`, request, answer }];
  }
  return [
    {
      does: `says the name of the group of ${role} again, as with every change of its members`,
      request: (scene) =>
        patch(`/Groups/${scene.id(role)}`, {
          op: 'replace',
          value: { id: scene.id(role), displayName: scene.group(role) },
        }),
      answer: (scene) => ({ status: 200, body: groupOf(scene, role) }),
    },
    { does, request: (scene) => patch(`/Groups/${scene.id(role)}`, ...operations(scene)), answer },
  ];
}

function play(kind: AppKind, setting: Setting): Sequence {
  const isExtended = setting === 'extended';
  // Read strictly, Okta's deactivations fail: a user who leaves stays active until they leave the group.
  const left: ExpectedMember = isExtended ? deactivated('Ben', 'auditor') : active('Ben', 'auditor');
  return {
    name: `Okta, ${kind}`,
    provider: 'okta',
    setting,
    source: 'Okta: "SCIM 2.0 Protocol Reference"',
    headers: {
      'User-Agent': 'Okta SCIM Client 1.0.0',
      Accept: 'application/scim+json',
      'Accept-Charset': 'utf-8',
      'Content-Type': 'application/scim+json; charset=utf-8',
    },
    roles: ['auditor', 'engineer', 'dpo'],
    steps: [
      {
        does: 'tests the connection',
        request: () => get('/Users?startIndex=1&count=2'),
        answer: () => ({ status: 200, body: { totalResults: isInteger, itemsPerPage: isInteger, startIndex: 1 } }),
      },
      {
        does: 'reads the groups after the configuration is saved',
        request: () => get(`/Groups?${page}`),
        answer: () => ({ status: 200, body: { totalResults: 5, itemsPerPage: 5, startIndex: 1 } }),
      },
      ...['Ana', 'Ben', 'Cleo', 'Dana', 'Emil'].flatMap((who) => [find(who), create(who)]),
      {
        does: 'finds Ana, who is assigned by another group too',
        request: (scene) => get(`/Users?${filter('userName', scene.email('Ana').toUpperCase())}&${page}`),
        answer: (scene) => listOf(userOf(scene, 'Ana', { id: scene.id('Ana'), active: true })),
      },
      {
        does: 'creates Ana again at the same time',
        request: create('Ana').request,
        answer: () => refused(409, 'uniqueness'),
      },
      {
        does: 'imports the users, page by page',
        request: () => get(`/Users?${page}`),
        answer: () => ({ status: 200, body: { totalResults: isInteger, itemsPerPage: isInteger, startIndex: 1 } }),
      },
      findGroup('auditor'),
      createGroup('auditor'),
      ...changeGroup('adds Ana and Ben to the group of auditor', 'auditor', ['Ana', 'Ben'], kind, (scene) => [
        { op: 'add', path: 'members', value: membersOf(scene, ['Ana', 'Ben']) },
      ]),
      {
        does: 'pushes the group of auditor again: its members keep it',
        request: createGroup('auditor').request,
        answer: (scene) => ({ status: 201, body: groupOf(scene, 'auditor', ['Ana', 'Ben']) }),
      },
      findGroup('engineer'),
      createGroup('engineer'),
      ...changeGroup('adds Cleo to the group of engineer', 'engineer', ['Cleo'], kind, (scene) => [
        { op: 'add', path: 'members', value: membersOf(scene, ['Cleo']) },
      ]),
      ...changeGroup('takes Cleo out and Dana into the group of engineer', 'engineer', ['Dana'], kind, (scene) => [
        { op: 'remove', path: `members[value eq "${scene.id('Cleo')}"]` },
        { op: 'add', path: 'members', value: membersOf(scene, ['Dana']) },
      ]),
      ...changeGroup('pushes all of the group of engineer', 'engineer', ['Dana', 'Emil'], kind, (scene) => [
        { op: 'replace', path: 'members', value: membersOf(scene, ['Dana', 'Emil']) },
      ]),
      findGroup('dpo'),
      createGroup('dpo'),
      ...changeGroup('moves Dana to the group of dpo', 'dpo', ['Dana'], kind, (scene) => [
        { op: 'add', path: 'members', value: membersOf(scene, ['Dana']) },
      ]),
      ...changeGroup('empties the group of engineer', 'engineer', [], kind, () => [
        { op: 'replace', path: 'members', value: [] },
      ]),
      ...replace(
        'changes the name of Ana',
        'Ana',
        { name: { givenName: 'Anna', middleName: 'Excited', familyName: 'Example' } },
        (scene) => ({ status: 200, body: userOf(scene, 'Ana', { displayName: 'Anna Example', externalId: isText }) }),
        setting,
      ),
      ...replace(
        'changes the name of Cleo, who left the group: that does not bring them back',
        'Cleo',
        { name: { givenName: 'Chloe', familyName: 'Example' }, active: true },
        (scene) => ({ status: 200, body: userOf(scene, 'Cleo', { displayName: 'Chloe Example', active: false }) }),
        setting,
      ),
      ...setActive('Ana', false, kind, setting),
      ...setActive('Ana', true, kind, setting),
      ...setActive('Ben', false, kind, setting),
      {
        does: 'unlinks the group of dpo and deletes it, which suspends all in it',
        request: (scene) => ({ method: 'DELETE', path: `/Groups/${scene.id('dpo')}` }),
        answer: () => done,
      },
      {
        does: 'asks for the group of dpo, which stays',
        request: (scene) => get(`/Groups/${scene.id('dpo')}`),
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'dpo', []) }),
      },
    ],
    expected: [
      active('Ana', 'auditor', isExtended ? 'Anna Example' : 'Ana Example'),
      left,
      removed('Cleo', 'engineer', isExtended ? 'Chloe Example' : 'Cleo Example'),
      removed('Dana', 'dpo'),
      removed('Emil', 'engineer'),
    ],
    extendedUses: isExtended ? 5 : 0,
  };
}

export const oktaSequences: readonly Sequence[] = [
  play('OIN app', 'strict'),
  play('AIW app', 'strict'),
  play('OIN app', 'extended'),
  play('AIW app', 'extended'),
];
