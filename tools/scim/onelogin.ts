import { done, filter, get, listOf, userOf, userUrn } from './messages.ts';
import { active, deleted, type Sequence, type Setting, type Step } from './sequence.ts';

function create(who: string): Step {
  return {
    does: `creates ${who}, with emails as one object`,
    request: (scene) => ({
      method: 'POST',
      path: '/Users',
      body: {
        schemas: [userUrn],
        userName: scene.email(who),
        externalId: scene.externalId(who),
        name: { givenName: who, familyName: 'Example' },
        emails: { value: scene.email(who), type: 'work', primary: true },
        roles: [{ value: 'auditor' }],
        active: true,
      },
    }),
    answer: (scene) => ({ status: 201, body: userOf(scene, who, { active: true, roles: [{ value: 'auditor' }] }) }),
    keep: who,
  };
}

function play(setting: Setting): Sequence {
  return {
    name: 'OneLogin',
    provider: 'onelogin',
    setting,
    source:
      'only that emails is an object is public (15five/django-scim2); the template of the administrator says the rest',
    headers: { 'Content-Type': 'application/json' },
    roles: ['auditor'],
    steps: [
      {
        does: 'asks whether Ana is there',
        request: (scene) => get(`/Users?${filter('userName', scene.email('Ana'))}`),
        answer: () => listOf(),
      },
      create('Ana'),
      create('Ben'),
      {
        does: 'deletes Ben',
        request: (scene) => ({ method: 'DELETE', path: `/Users/${scene.id('Ben')}` }),
        answer: () => done,
      },
    ],
    expected: [active('Ana', 'auditor', 'Ana Example'), deleted('Ben')],
    extendedUses: 0,
  };
}

export const oneloginSequences: readonly Sequence[] = [play('strict'), play('extended')];
