import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnEachDatabase, startTestServer, type TestServer } from '../harness.ts';

describeOnEachDatabase('POST /v1/consent/{id}/records', (dialect) => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer(dialect);
  });
  after(() => server[Symbol.asyncDispose]());

  test('appends a record that can be read back', async () => {
    const notice = await server.createNotice();
    const created = await server.request('POST', `/v1/consent/${notice}/records`, {
      headers: { 'Idempotency-Key': 'first-record' },
      body: { subjectId: 'subject-1', subjectChannel: 'email', method: 'checkbox', purposes: { analytics: true } },
    });
    assert.equal(created.status, 201);
    const read = await server.request('GET', `/v1/consent/${notice}/records/${created.body.data.id}`);
    assert.deepEqual(read.body, created.body);
  });
});
