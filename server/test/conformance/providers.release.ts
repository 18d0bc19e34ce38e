import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { playSequence, type SequenceReport } from '../../../tools/scim/play.ts';
import { nameSequence } from '../../../tools/scim/report.ts';

import { ConformanceError, openTarget, type Target } from '../../../tools/scim/target.ts';
import { providers, sequences } from '../../../tools/scim/transcript.ts';
import { describeOnOneDatabase, startTestServer, type TestServer } from '../harness.ts';

/** The violations, each with its step. */
function listFailures({ steps, outcome }: SequenceReport): readonly string[] {
  const ofSteps = steps.flatMap(({ does, differences }) => differences.map((difference) => `${does}: ${difference}`));
  return [...ofSteps, ...outcome];
}

describeOnOneDatabase('what identity providers send, in order', (dialect) => {
  let server: TestServer;
  let token: string;
  let target: Target;
  before(async () => {
    server = await startTestServer(dialect);
    token = await server.createScimToken();
    target = openTarget({ url: server.url, token, key: server.tenant.key });
  });
  after(() => server[Symbol.asyncDispose]());

  for (const sequence of sequences)
    it(`${nameSequence(sequence)} results in the right members, roles and states`, async () => {
      const report = await playSequence(target, sequence);
      assert.deepEqual(listFailures(report), []);
      assert.equal(report.steps.length, sequence.steps.length);
    });

  for (const sequence of sequences.filter(({ setting }) => setting === 'strict'))
    it(`${nameSequence(sequence)} also works with groups that are named like roles`, async () => {
      const report = await playSequence(openTarget({ url: server.url, token, key: null }), sequence);
      assert.deepEqual(listFailures(report), []);
    });

  it('leaves the members and the settings of the tenant as they were', async () => {
    const settings = { defaultRole: 'dpo', scimCompatibility: 'extended' };
    const attributeMap = { scimGroupRoleMap: { Staff: 'engineer' } };
    await server.request('PATCH', '/v1/tenant', { body: { ...settings, sso: { attributeMap } } });
    const read = async () => {
      const tenant = await server.request('GET', '/v1/tenant');
      const users = await server.request('GET', '/v1/users');
      return { tenant: tenant.body.data, users: users.body.data };
    };
    const earlier = await read();
    const [sequence] = sequences;
    assert.ok(sequence);
    await playSequence(target, sequence);
    assert.deepEqual(await read(), earlier);
  });

  it('takes no access from members that were there before', async () => {
    const member = await server.createMember({ role: 'auditor' });
    const [sequence] = sequences;
    assert.ok(sequence);
    assert.ok(sequence.roles.includes('auditor'));
    await assert.rejects(playSequence(target, sequence), (error: Error) => {
      assert.ok(error instanceof ConformanceError);
      assert.match(error.message, /The group auditor has 1 members/);
      return true;
    });
    const { body } = await server.request('GET', `/v1/users/${member.userId}`);
    assert.equal(body.data.status, 'active');
    await server.request('DELETE', `/v1/users/${member.userId}`);
  });

  it('cleans up when it is stopped halfway', async () => {
    const [sequence] = sequences;
    assert.ok(sequence);
    const stop = new AbortController();
    const onStep = ({ does }: { readonly does: string }) => {
      if (does === 'creates Ben') stop.abort();
    };
    await assert.rejects(playSequence(target, sequence, { onStep, signal: stop.signal }), /Stopped/);
    const { body } = await server.request('GET', '/v1/users');
    assert.deepEqual(body.data.items, []);
  });
});

it('has every provider, by the letter and with the extended setting', () => {
  for (const provider of providers)
    for (const setting of ['strict', 'extended'])
      assert.ok(sequences.some((sequence) => sequence.provider === provider && sequence.setting === setting));
});
