import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { capture, createFreshTenant, describeServer, payload } from '../consent/helpers.ts';
import { createScimClient } from '../scim/scim-client.ts';

describeServer('a plus in a query that is not encoded', (server) => {
  test('is one inside the e-mail address of a SCIM filter, and a space of forms elsewhere', async () => {
    const tenant = await createFreshTenant(server);
    const scim = await createScimClient(server, tenant.id);
    const id = await scim.createUser('ana+qa@corp.example', { externalId: 'ana+qa@corp.example' });
    const spaced = await scim.createUser('b@corp.example', { externalId: 'two words' });
    const plain = await scim.createUser('c@corp.example', { externalId: 'one+word' });
    const find = async (filter: string) => {
      const { status, body } = await scim.send('GET', `/Users?filter=${filter}`);
      assert.equal(status, 200, filter);
      return body.Resources.map((user: { id: string }) => user.id);
    };
    for (const filter of [
      'userName%20eq%20"ana+qa@corp.example"',
      'userName%20eq%20%22ana+qa%40corp.example%22',
      'userName%20eq%20%22ana%2Bqa%40corp.example%22',
      'userName+eq+"ana+qa@corp.example"',
      'userName+eq+%22ana+qa%40corp.example%22',
      'userName+eq+%22ana%2Bqa%40corp.example%22',
      'userName%20eq+%22ana+qa%40corp.example%22',
      'externalId%20eq%20%22ana+qa@corp.example%22',
      'externalId+eq+%22ana+qa@corp.example%22',
    ])
      assert.deepEqual(await find(filter), [id], filter);
    // A form sends spaces as pluses; an address with %20 has its pluses as they are.
    for (const filter of ['externalId+eq+%22two+words%22', 'externalId%20eq%20%22two%20words%22'])
      assert.deepEqual(await find(filter), [spaced], filter);
    for (const filter of ['externalId%20eq%20%22one+word%22', 'externalId+eq+%22one%2Bword%22'])
      assert.deepEqual(await find(filter), [plain], filter);
    for (const filter of ['userName%20eq%20%22ana%20qa@corp.example%22', 'externalId%20eq%20%22two+words%22'])
      assert.deepEqual(await find(filter), [], filter);
  });

  test('is one in an e-mail address, a telephone number and a time with an offset', async () => {
    const { key, id: tenantId } = await createFreshTenant(server);
    const notice = await server.createNotice({ key });
    const subjects = ['ana+qa@corp.example', '+491701234567', 'Jane Doe'];
    for (const subjectId of subjects)
      payload(await capture(server, notice, { subjectId }, { key, headers: { 'Idempotency-Key': randomUUID() } }), 201);
    const find = async (query: string) =>
      payload(await server.request('GET', `/v1/consent/${notice}/records?${query}`, { key }), 200).data.map(
        (record: { subjectId: string }) => record.subjectId,
      );
    for (const [query, subjectId] of [
      ['subjectId=ana+qa@corp.example', subjects[0]],
      ['subjectId=ana+qa%40corp.example&limit=5', subjects[0]],
      ['subjectId=+491701234567', subjects[1]],
      ['subjectId=Jane+Doe', subjects[2]],
      ['subjectId=Jane%20Doe', subjects[2]],
    ] as const)
      assert.deepEqual(await find(query), [subjectId], query);
    const times = 'from=2026-01-01T00:00:00+01:00&to=2027-01-01T00%3A00%3A00+01%3A00';
    assert.equal((await find(times)).length, subjects.length);
    const { email } = await server.createMember({ tenantId, email: 'ben+ops@corp.example' });
    const users = payload(await server.request('GET', `/v1/users?email=${email}`, { key }), 200);
    assert.deepEqual(
      users.items.map((user: { email: string }) => user.email),
      [email],
    );
  });
});
