import type { Role } from '../../server/principal/roles.ts';
import { isText } from './match.ts';
import {
  done,
  filter,
  formFilter,
  get,
  groupOf,
  groupUrn,
  listOf,
  patch,
  refused,
  userOf,
  userUrn,
} from './messages.ts';
import {
  active,
  deactivated,
  deleted,
  type ExpectedMember,
  removed,
  type Scene,
  type Sequence,
  type Setting,
  type Step,
} from './sequence.ts';

function bodyOf(scene: Scene, who: string, { name = who, userName = scene.email(who), isActive = true } = {}): object {
  return {
    schemas: [userUrn],
    active: isActive,
    emails: [{ value: scene.email(who), type: 'other', primary: true }],
    externalId: scene.externalId(who),
    name: { formatted: `${name} Example`, givenName: name, familyName: 'Example' },
    displayName: `${name} Example`,
    photos: [],
    userName,
  };
}

function create(who: string): Step {
  return {
    does: `creates ${who}`,
    request: (scene) => ({ method: 'POST', path: '/Users', body: bodyOf(scene, who) }),
    answer: (scene) => ({ status: 201, body: userOf(scene, who, { externalId: scene.externalId(who), active: true }) }),
    keep: who,
  };
}

/** Every change of a user is a PUT, which the letter does not know. */
function replace(
  does: string,
  who: string,
  change: { readonly name?: string; readonly isActive?: boolean },
  answer: Step['answer'],
  setting: Setting,
): Step {
  return {
    does,
    request: (scene) => ({
      method: 'PUT',
      path: `/Users/${scene.id(who)}`,
      body: { ...bodyOf(scene, who, change), id: scene.id(who) },
    }),
    answer: setting === 'strict' ? () => refused(501) : answer,
  };
}

function groupBody(scene: Scene, role: Role): object {
  return { schemas: [groupUrn], displayName: scene.group(role), externalId: scene.externalId(role) };
}

/** One operation for each person, all in one request where the provider says no number. */
function changeMembers(
  does: string,
  role: Role,
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  whos: readonly string[],
): Step {
  return {
    does,
    request: (scene) => {
      const operation = (op: string, who: string) => ({ op, path: 'members', value: [{ value: scene.id(who) }] });
      const operations = [...add.map((who) => operation('add', who)), ...remove.map((who) => operation('remove', who))];
      return patch(`/Groups/${scene.id(role)}`, ...operations);
    },
    answer: (scene) => ({ status: 200, body: groupOf(scene, role, whos) }),
  };
}

function createGroup(role: Role): Step {
  return {
    does: `creates the group of ${role}`,
    request: (scene) => ({ method: 'POST', path: '/Groups', body: groupBody(scene, role) }),
    answer: (scene) => ({ status: 201, body: groupOf(scene, role, []) }),
    keep: role,
  };
}

function readGroup(role: Role, whos: readonly string[]): Step {
  return {
    does: `compares the members of the group of ${role}`,
    request: (scene) => get(`/Groups/${scene.id(role)}`),
    answer: (scene) => ({ status: 200, body: groupOf(scene, role, whos) }),
  };
}

function play(setting: Setting): Sequence {
  const isExtended = setting === 'extended';
  const left: ExpectedMember = isExtended ? deactivated('Ben', 'auditor') : active('Ben', 'auditor');
  return {
    name: 'authentik',
    provider: 'authentik',
    setting,
    source: 'goauthentik/authentik, authentik/providers/scim/clients, 2023 to 2026',
    headers: {
      'User-Agent': 'authentik@2026.2.0',
      Accept: 'application/scim+json',
      'Content-Type': 'application/scim+json',
    },
    roles: ['auditor', 'engineer'],
    steps: [
      {
        does: 'reads what the provider can do',
        request: () => get('/ServiceProviderConfig'),
        answer: () => ({
          status: 200,
          body: {
            patch: { supported: true },
            bulk: { supported: false, maxOperations: 0 },
            filter: { supported: true },
            changePassword: { supported: false },
            sort: { supported: false },
            authenticationSchemes: [{ type: 'oauthbearertoken', name: isText, description: isText }],
          },
        }),
      },
      {
        does: 'creates Ana by the default mapping, whose userName is the login name',
        request: (scene) => ({ method: 'POST', path: '/Users', body: bodyOf(scene, 'Ana', { userName: 'ana' }) }),
        answer: () => refused(400, 'invalidValue'),
      },
      ...['Ana', 'Ben', 'Cleo', 'Dana'].map(create),
      {
        does: 'creates Ana again after it forgot her',
        request: create('Ana').request,
        answer: () => refused(409, 'uniqueness'),
      },
      {
        does: 'looks for Ana as older versions do, without quotes',
        request: (scene) => get(`/Users?${new URLSearchParams({ filter: `userName eq ${scene.email('Ana')}` })}`),
        answer: () => refused(400, 'invalidFilter'),
      },
      {
        does: 'looks for Ana',
        request: (scene) => get(`/Users?${formFilter('userName', scene.email('Ana'))}`),
        answer: (scene) => listOf(userOf(scene, 'Ana', { id: scene.id('Ana') })),
        keep: 'Ana',
      },
      {
        does: 'looks what groups there are',
        request: () => get('/Groups'),
        answer: () => ({ status: 200, body: { totalResults: 5 } }),
      },
      createGroup('auditor'),
      changeMembers('adds Ana, Ben and Cleo to the group of auditor', 'auditor', { add: ['Ana', 'Ben', 'Cleo'] }, [
        'Ana',
        'Ben',
        'Cleo',
      ]),
      {
        does: 'looks for the group of auditor by its name',
        request: (scene) => get(`/Groups?${filter('displayName', scene.group('auditor'))}`),
        answer: (scene) => listOf(groupOf(scene, 'auditor', ['Ana', 'Ben', 'Cleo'])),
      },
      {
        does: 'writes the group of auditor again, without a path',
        request: (scene) =>
          patch(`/Groups/${scene.id('auditor')}`, {
            op: 'replace',
            value: { ...groupBody(scene, 'auditor'), id: scene.id('auditor') },
          }),
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'auditor', ['Ana', 'Ben', 'Cleo']) }),
      },
      readGroup('auditor', ['Ana', 'Ben', 'Cleo']),
      changeMembers(
        'adds Dana to and removes Cleo from the group of auditor',
        'auditor',
        { add: ['Dana'], remove: ['Cleo'] },
        ['Ana', 'Ben', 'Dana'],
      ),
      createGroup('engineer'),
      changeMembers('adds Cleo to the group of engineer', 'engineer', { add: ['Cleo'] }, ['Cleo']),
      readGroup('engineer', ['Cleo']),
      replace(
        'changes the name of Ana',
        'Ana',
        { name: 'Anna' },
        (scene) => ({ status: 200, body: userOf(scene, 'Ana', { displayName: 'Anna Example', active: true }) }),
        setting,
      ),
      replace(
        'disables Ben',
        'Ben',
        { isActive: false },
        (scene) => ({ status: 200, body: userOf(scene, 'Ben', { active: false }) }),
        setting,
      ),
      {
        does: 'deletes the group of engineer, which suspends Cleo',
        request: (scene) => ({ method: 'DELETE', path: `/Groups/${scene.id('engineer')}` }),
        answer: () => done,
      },
      {
        does: 'deletes Dana, who may no longer use the application',
        request: (scene) => ({ method: 'DELETE', path: `/Users/${scene.id('Dana')}` }),
        answer: () => done,
      },
      readGroup('auditor', ['Ana', 'Ben']),
    ],
    expected: [
      active('Ana', 'auditor', isExtended ? 'Anna Example' : 'Ana Example'),
      left,
      removed('Cleo', 'engineer'),
      deleted('Dana'),
    ],
    extendedUses: isExtended ? 2 : 0,
  };
}

export const authentikSequences: readonly Sequence[] = [play('strict'), play('extended')];
