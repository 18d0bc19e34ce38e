import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertIntact } from '../accounts/keys/keys.ts';
import { describeServerOnEachDatabase } from '../consent/helpers.ts';
import { createScimClient, members, type ScimClient, userUrn } from './scim-client.ts';

describeServerOnEachDatabase('SCIM requests at once', (server) => {
  let scim: ScimClient;
  before(async () => {
    scim = await createScimClient(server);
  });

  const repeat = <Result>(count: number, step: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, index) => step(index)));
  /** The verbs of the audit events of a user, the earliest first. */
  const verbsOf = async (id: string): Promise<readonly string[]> => {
    const { body } = await server.request('GET', '/v1/audit?module=identity&limit=200');
    const events = body.data.items as readonly { readonly targetId: string; readonly action: string }[];
    return events.flatMap(({ targetId, action }) => (targetId === id ? [action] : [])).reverse();
  };
  /** Checks that each event undoes the one before it: what happened at once happened one after another. */
  const assertAlternating = (verbs: readonly string[]) => {
    for (const [index, verb] of verbs.entries())
      if (index > 0) assert.notEqual(verb, verbs[index - 1], verbs.join(' '));
  };

  test('that add and remove the same member happen one after another', async () => {
    const id = await scim.createUser('pulled@example.com', { roles: [{ value: 'dpo' }] });
    const answers = await repeat(24, (index) =>
      scim.patch(
        '/Groups/dpo',
        index % 2 === 0
          ? { op: 'remove', path: `members[value eq "${id}"]` }
          : { op: 'add', path: 'members', value: members(id) },
      ),
    );
    for (const { status, text } of answers) assert.equal(status, 200, text);
    const isMember = (await scim.membersOf('dpo')).includes(id);
    assert.equal(await scim.isActive(id), isMember);
    const verbs = await verbsOf(id);
    assertAlternating(verbs);
    assert.equal(
      verbs.at(-1),
      isMember ? (verbs.length > 1 ? 'user.reactivated' : 'user.provisioned') : 'user.suspended',
    );
  });

  test('that delete and create the same user happen one after another', async () => {
    const userName = 'flickering@example.com';
    const id = await scim.createUser(userName);
    const answers = await repeat(24, (index) =>
      index % 2 === 0
        ? scim.send('DELETE', `/Users/${id}`)
        : scim.send('POST', '/Users', { schemas: [userUrn], userName }),
    );
    const statuses = answers.map(({ status }) => status);
    for (const [index, status] of statuses.entries())
      assert.ok((index % 2 === 0 ? [204, 404] : [201, 409]).includes(status), `${status} ${answers[index]?.text}`);
    const created = answers.filter(({ status }) => status === 201);
    for (const { body } of created) assert.equal(body.id, id);
    const deleted = statuses.filter((status) => status === 204).length;
    const isThere = (await scim.get(`/Users/${id}`)).status === 200;
    assert.equal(1 + created.length - deleted, isThere ? 1 : 0);
    const verbs = await verbsOf(id);
    assertAlternating(verbs);
    assert.equal(verbs.length, 1 + created.length + deleted);
  });

  test('leave a history that proves what is there', async () => {
    await assertIntact(server);
  });
});
