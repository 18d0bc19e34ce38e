import type { Role } from '../../server/principal/roles.ts';
import { areMembers } from './match.ts';
import { done, get, groupOf, groupUrn, patch, refused, userOf, userUrn } from './messages.ts';
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

/** Keycloak has no built-in SCIM: plugins send it, each in its way. */
type Plugin = 'mitodl plugin' | 'mitodl plugin with PATCH';

interface Change {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly roles?: readonly Role[];
  /** Whether the person was taken out of their group before, which a profile does not take back. */
  readonly isRemoved?: boolean;
}

function bodyOf(scene: Scene, who: string, { name = who, isActive = true, roles = [] }: Change): object {
  return {
    schemas: [userUrn],
    externalId: scene.externalId(who),
    userName: scene.email(who),
    displayName: `${name} Example`,
    name: { givenName: name, familyName: 'Example' },
    emails: [{ value: scene.email(who) }],
    active: isActive,
    ...(roles.length > 0 && { roles: roles.map((value) => ({ value })) }),
  };
}

function create(who: string, change: Change = {}): Step {
  const [role = 'cs_agent'] = change.roles ?? [];
  return {
    does: `creates ${who}${change.roles === undefined ? '' : ` with the role ${role}`}`,
    request: (scene) => ({ method: 'POST', path: '/Users', body: bodyOf(scene, who, change) }),
    answer: (scene) => ({ status: 201, body: userOf(scene, who, { active: true, roles: [{ value: role }] }) }),
    keep: who,
  };
}

function update(does: string, who: string, change: Change, plugin: Plugin, setting: Setting): Step {
  const { name = who, isActive = true, isRemoved = false } = change;
  const isPatch = plugin === 'mitodl plugin with PATCH';
  // What the PATCH writes besides active is skipped.
  const shown = { active: isActive && !isRemoved, displayName: `${isPatch ? who : name} Example` };
  return {
    does,
    request: (scene) =>
      isPatch
        ? patch(
            `/Users/${scene.id(who)}`,
            { path: 'active', op: 'replace', value: String(isActive) },
            { path: 'userName', op: 'replace', value: scene.email(who) },
            { path: 'displayName', op: 'replace', value: `${name} Example` },
          )
        : {
            method: 'PUT',
            path: `/Users/${scene.id(who)}`,
            body: { ...bodyOf(scene, who, change), id: scene.id(who) },
          },
    answer(scene) {
      if (setting === 'strict') return isPatch ? refused(400, 'invalidPath') : refused(501);
      return { status: 200, body: userOf(scene, who, shown) };
    },
  };
}

function groupBody(scene: Scene, role: Role, whos: readonly string[]): object {
  const members = whos.map((who) => ({ value: scene.id(who), type: 'User', $ref: `Users/${scene.id(who)}` }));
  return {
    schemas: [groupUrn],
    externalId: scene.externalId(role),
    displayName: scene.group(role),
    // The library that the plugin uses leaves empty lists out.
    ...(members.length > 0 && { members }),
  };
}

function createGroup(role: Role, whos: readonly string[]): Step {
  return {
    does: `creates the group of ${role} with ${whos.join(', ')}`,
    request: (scene) => ({ method: 'POST', path: '/Groups', body: groupBody(scene, role, whos) }),
    answer: (scene) => ({ status: 201, body: groupOf(scene, role, whos) }),
    keep: role,
  };
}

function replaceGroup(does: string, role: Role, whos: readonly string[], plugin: Plugin): Step {
  const members = (scene: Scene): object =>
    whos.length === 0
      ? { path: 'members', op: 'remove' }
      : { path: 'members', op: 'replace', value: whos.map((who) => ({ value: scene.id(who), type: 'User' })) };
  return {
    does,
    request: (scene) =>
      plugin === 'mitodl plugin with PATCH'
        ? patch(
            `/Groups/${scene.id(role)}`,
            members(scene),
            { op: 'replace', path: 'displayName', value: scene.group(role) },
            { op: 'replace', path: 'externalId', value: scene.externalId(role) },
          )
        : {
            method: 'PUT',
            path: `/Groups/${scene.id(role)}`,
            body: { ...groupBody(scene, role, whos), id: scene.id(role) },
          },
    answer: (scene) =>
      whos.length === 0 ? refused(400, 'invalidValue') : { status: 200, body: groupOf(scene, role, whos) },
  };
}

function playMitodl(plugin: Plugin, setting: Setting): Sequence {
  const isExtended = setting === 'extended';
  const isRenamed = isExtended && plugin === 'mitodl plugin';
  const left: ExpectedMember = isExtended ? deactivated('Ben', 'auditor') : active('Ben', 'auditor');
  return {
    name: `Keycloak, ${plugin}`,
    provider: 'keycloak',
    setting,
    source: 'mitodl/keycloak-scim, src/main/java/sh/libre/scim/core, 2023 to 2026',
    headers: { Accept: 'application/scim+json, application/json', 'Content-Type': 'application/scim+json' },
    roles: ['auditor', 'engineer', 'dpo'],
    steps: [
      create('Ana', { roles: ['dpo'] }),
      ...['Ben', 'Cleo', 'Dana', 'Emil'].map((who) => create(who)),
      createGroup('auditor', ['Ben', 'Cleo']),
      replaceGroup('sends all of the group of auditor, now with Dana', 'auditor', ['Ben', 'Cleo', 'Dana'], plugin),
      replaceGroup('sends all of the group of auditor, now without Cleo', 'auditor', ['Ben', 'Dana'], plugin),
      update(
        'changes the name of Cleo, who stays suspended',
        'Cleo',
        { name: 'Clea', isRemoved: true },
        plugin,
        setting,
      ),
      createGroup('engineer', ['Cleo']),
      replaceGroup('takes the last one out of the group of engineer, which it cannot say', 'engineer', [], plugin),
      {
        does: 'asks for the group of engineer: what was not understood took nothing from anybody',
        request: (scene) => get(`/Groups/${scene.id('engineer')}`),
        answer: (scene) => ({ status: 200, body: { members: areMembers([scene.id('Cleo')]) } }),
      },
      update('changes the name of Ana', 'Ana', { name: 'Anna', roles: ['dpo'] }, plugin, setting),
      update('disables Ben', 'Ben', { isActive: false }, plugin, setting),
      {
        does: 'deletes Dana',
        request: (scene) => ({ method: 'DELETE', path: `/Users/${scene.id('Dana')}` }),
        answer: () => done,
      },
      {
        does: 'deletes the group of engineer, which suspends Cleo',
        request: (scene) => ({ method: 'DELETE', path: `/Groups/${scene.id('engineer')}` }),
        answer: () => done,
      },
    ],
    expected: [
      active('Ana', 'dpo', isRenamed ? 'Anna Example' : 'Ana Example'),
      left,
      removed('Cleo', 'engineer'),
      deleted('Dana'),
      active('Emil', 'cs_agent'),
    ],
    extendedUses: isExtended ? 3 : 0,
  };
}

function setActive(who: string, value: boolean): Step {
  return {
    does: `${value ? 'enables' : 'disables'} ${who}`,
    request: (scene) => patch(`/Users/${scene.id(who)}`, { path: 'active', op: 'replace', value }),
    answer: (scene) => ({ status: 200, body: userOf(scene, who, { active: value }) }),
  };
}

function playLittleAuth(setting: Setting): Sequence {
  const isExtended = setting === 'extended';
  return {
    name: 'Keycloak, little-auth plugin',
    provider: 'keycloak',
    setting,
    source: 'little-auth/keycloak-scim-client, ScimTargetClient.java, 2026',
    headers: { Accept: 'application/scim+json, application/json', 'Content-Type': 'application/scim+json' },
    roles: ['auditor'],
    steps: [
      {
        does: 'reads whether PATCH is supported',
        request: () => get('/ServiceProviderConfig'),
        answer: () => ({ status: 200, body: { patch: { supported: true } } }),
      },
      create('Ana'),
      create('Ben'),
      create('Cleo'),
      setActive('Ana', false),
      setActive('Ana', true),
      setActive('Ben', false),
      {
        does: 'reads Ana, whose name differs',
        request: (scene) => get(`/Users/${scene.id('Ana')}`),
        answer: (scene) => ({ status: 200, body: userOf(scene, 'Ana') }),
        keep: 'Ana',
      },
      {
        does: 'writes Ana as she is in Keycloak over what it read',
        request: (scene) => ({
          method: 'PUT',
          path: `/Users/${scene.id('Ana')}`,
          body: { ...scene.resource('Ana'), ...bodyOf(scene, 'Ana', { name: 'Anna' }) },
        }),
        answer: (scene) =>
          setting === 'strict'
            ? refused(501)
            : { status: 200, body: userOf(scene, 'Ana', { displayName: 'Anna Example', active: true }) },
      },
      {
        does: 'deletes Cleo, where it is set to delete',
        request: (scene) => ({ method: 'DELETE', path: `/Users/${scene.id('Cleo')}` }),
        answer: () => done,
      },
    ],
    expected: [
      active('Ana', 'cs_agent', isExtended ? 'Anna Example' : 'Ana Example'),
      deactivated('Ben', 'cs_agent'),
      deleted('Cleo'),
    ],
    extendedUses: isExtended ? 1 : 0,
  };
}

export const keycloakSequences: readonly Sequence[] = [
  playMitodl('mitodl plugin', 'strict'),
  playMitodl('mitodl plugin with PATCH', 'strict'),
  playLittleAuth('strict'),
  playMitodl('mitodl plugin', 'extended'),
  playMitodl('mitodl plugin with PATCH', 'extended'),
  playLittleAuth('extended'),
];
