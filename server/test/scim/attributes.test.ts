import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Problem } from '../../http/problem.ts';
import { readProjection } from '../../scim/resource.ts';
import { groupUrn, userUrn } from './scim-client.ts';

const resource = {
  schemas: [userUrn],
  id: '1',
  userName: 'a@example.com',
  name: { givenName: 'A', familyName: 'B' },
  emails: [
    { value: 'a@example.com', type: 'work' },
    { value: 'b@example.com', type: 'home' },
  ],
  active: true,
};
const { schemas, id, userName, name, emails, active } = resource;
const show = (query: object) => readProjection(query, userUrn).apply<object>(resource);

describe('the attributes of a resource', () => {
  test('are all shown where nothing is said', () => {
    for (const query of [{}, { attributes: '' }, { excludedAttributes: ' , ' }])
      assert.deepEqual(show(query), resource);
  });

  test('are those that are named, with schemas and id', () => {
    for (const [attributes, shown] of [
      ['userName', { userName }],
      ['USERNAME, active', { userName, active }],
      [`${userUrn}:active`, { active }],
      ['name', { name }],
      ['name.givenName', { name: { givenName: 'A' } }],
      ['NAME.GIVENNAME,name.familyName', { name }],
      ['name.givenName,name', { name }],
      ['name,name.givenName', { name }],
      [`${userUrn.toLowerCase()}:name.familyName`, { name: { familyName: 'B' } }],
      ['emails.value', { emails: [{ value: 'a@example.com' }, { value: 'b@example.com' }] }],
      ['nothing', {}],
      ['id', {}],
      ['password', {}],
      ['__proto__,constructor', {}],
    ] as const)
      assert.deepEqual(show({ attributes }), { schemas, id, ...shown });
  });

  test('lack those that are excluded, but never schemas and id', () => {
    for (const [excludedAttributes, shown] of [
      ['emails,NAME', { userName, active }],
      ['id,schemas,emails', { userName, name, active }],
      ['id.x,schemas.y,emails,name', { userName, active }],
      ['name.givenName', { userName, name: { familyName: 'B' }, emails, active }],
      ['emails.type,name', { userName, emails: [{ value: 'a@example.com' }, { value: 'b@example.com' }], active }],
      ['nothing', { userName, name, emails, active }],
    ] as const)
      assert.deepEqual(show({ excludedAttributes }), { schemas, id, ...shown });
  });

  test('are all shown, or none but schemas and id, for the URN of the schema itself', () => {
    for (const urn of [userUrn, userUrn.toUpperCase(), `active,${userUrn}`, `${userUrn},name.givenName`]) {
      assert.deepEqual(show({ attributes: urn }), resource);
      assert.deepEqual(show({ excludedAttributes: urn }), { schemas, id });
    }
    assert.deepEqual(show({ attributes: `${userUrn}:` }), resource);
    assert.deepEqual(show({ attributes: groupUrn }), { schemas, id });
    assert.deepEqual(show({ excludedAttributes: groupUrn }), resource);
  });

  test('are not chosen in both ways at once', () => {
    assert.throws(
      () => show({ attributes: 'active', excludedAttributes: 'name' }),
      (error) => error instanceof Problem && error.code === 'invalidValue',
    );
  });

  test('report which attributes need not be read', () => {
    const shows = (query: object) => readProjection(query, userUrn).shows('name');
    assert.equal(shows({}), true);
    assert.equal(shows({ attributes: 'name.givenName' }), true);
    assert.equal(shows({ attributes: 'active' }), false);
    assert.equal(shows({ excludedAttributes: 'Name' }), false);
    assert.equal(shows({ excludedAttributes: 'name.givenName' }), true);
    assert.equal(shows({ attributes: userUrn }), true);
    assert.equal(shows({ excludedAttributes: userUrn }), false);
  });
});
