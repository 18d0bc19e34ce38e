import { isInteger } from './match.ts';
import { filter, get, groupOf, listOf, memberValues, patch, refused, userOf, userUrn } from './messages.ts';
import { active, deactivated, removed, type Sequence, type Setting, type Step } from './sequence.ts';

function create(who: string): Step {
  return {
    does: `creates ${who}`,
    request: (scene) => ({
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [userUrn],
        userName: scene.email(who),
        externalId: scene.externalId(who),
        name: { givenName: who, familyName: 'Example' },
        emails: [{ value: scene.email(who), type: 'work', primary: true }],
        active: true,
      },
    }),
    answer: (scene) => ({ status: 201, body: userOf(scene, who, { active: true }) }),
    keep: who,
  };
}

/** One PATCH for all attributes, one operation each: by the letter refused as a whole. */
function deactivate(who: string, setting: Setting): Step {
  return {
    does: `deactivates ${who}, and writes the name in the same PATCH`,
    request: (scene) =>
      patch(
        `/Users/${scene.id(who)}`,
        { op: 'replace', path: 'name.givenName', value: 'John' },
        { op: 'replace', path: 'name.familyName', value: 'Doe' },
        { op: 'replace', path: 'active', value: false },
      ),
    answer: (scene) =>
      setting === 'strict'
        ? refused(400, 'invalidPath')
        : { status: 200, body: userOf(scene, who, { active: false, displayName: `${who} Example` }) },
  };
}

function play(setting: Setting): Sequence {
  const isExtended = setting === 'extended';
  return {
    name: 'JumpCloud',
    provider: 'jumpcloud',
    setting,
    source: 'fixtures in Paul-E/scim-v2-rust; JumpCloud publishes none',
    headers: { 'Content-Type': 'application/scim+json' },
    roles: ['auditor'],
    steps: [
      {
        does: 'activates the connection',
        request: () => get('/Users'),
        answer: () => ({ status: 200, body: { totalResults: isInteger } }),
      },
      {
        does: 'asks whether Ana is there',
        request: (scene) => get(`/Users?${filter('userName', scene.email('Ana'))}`),
        answer: () => listOf(),
      },
      create('Ana'),
      create('Ben'),
      create('Cleo'),
      {
        does: 'looks for the group of auditor',
        request: (scene) => get(`/Groups?${filter('displayName', scene.group('auditor'))}`),
        answer: (scene) => listOf(groupOf(scene, 'auditor', [])),
        keep: 'auditor',
      },
      ...['Ana', 'Ben', 'Cleo'].map(
        (who): Step => ({
          does: `adds ${who} to the group of auditor`,
          request: (scene) =>
            patch(`/Groups/${scene.id('auditor')}`, {
              op: 'add',
              path: 'members',
              value: memberValues(scene, [who]),
            }),
          answer: (scene) => ({ status: 200, body: groupOf(scene, 'auditor') }),
        }),
      ),
      {
        does: 'removes Cleo from the group of auditor',
        request: (scene) =>
          patch(`/Groups/${scene.id('auditor')}`, {
            op: 'remove',
            path: 'members',
            value: memberValues(scene, ['Cleo']),
          }),
        answer: (scene) => ({ status: 200, body: groupOf(scene, 'auditor', ['Ana', 'Ben']) }),
      },
      deactivate('Ben', setting),
    ],
    expected: [
      active('Ana', 'auditor'),
      isExtended ? deactivated('Ben', 'auditor', 'Ben Example') : active('Ben', 'auditor', 'Ben Example'),
      removed('Cleo', 'auditor'),
    ],
    extendedUses: isExtended ? 1 : 0,
  };
}

export const jumpcloudSequences: readonly Sequence[] = [play('strict'), play('extended')];
