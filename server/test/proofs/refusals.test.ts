import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOnOneDatabase, startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { assertInvalid, assertProblem } from '../http/problems.ts';
import { append, readChain, requestCheckpoint } from './ledger-requests.ts';

describeOnOneDatabase('requests for proofs', (dialect) => {
  let server: TestServer;
  let tenant: TestTenant;
  let other: TestTenant;
  let size: number;
  before(async () => {
    server = await startTestServer(dialect);
    tenant = server.tenant;
    other = await server.createTenant('other');
    await append(server, tenant.id, 'audit', 3);
    await append(server, tenant.id, 'consent', 3);
    await requestCheckpoint(server, tenant, 'consent');
    ({ size } = await requestCheckpoint(server, tenant, 'audit'));
    await append(server, tenant.id, 'audit', 2);
    await append(server, tenant.id, 'consent', 2);
  });
  after(() => server[Symbol.asyncDispose]());

  const ask = (path: string, key = tenant.key) => server.request('GET', `/v1/ledgers/${path}`, { key });
  const notNumbers = ['', '-1', '1.5', '1e3', 'x', '0x1', '%201', '1234567890123456', 'NaN', '１'];

  test('must name an entry by either id or number', async () => {
    assertInvalid(await ask('audit/inclusion-proof'), 'query.id');
    assertInvalid(await ask('audit/inclusion-proof?id=x&sequence=1'), 'query.id');
    assertInvalid(await ask('audit/inclusion-proof?id='), 'query.id');
    assertInvalid(await ask('consent/inclusion-proof'), 'query.sequence');
    assertInvalid(await ask('consent/inclusion-proof?sequence=1&id=x'), 'query.id');
  });

  test('reject sizes and numbers that are not integers', async () => {
    for (const value of notNumbers) {
      for (const ledger of ['audit', 'consent']) {
        assertInvalid(await ask(`${ledger}/inclusion-proof?sequence=${value}`), 'query.sequence');
        assertInvalid(await ask(`${ledger}/inclusion-proof?sequence=1&size=${value}`), 'query.size');
        assertInvalid(await ask(`${ledger}/consistency-proof?from=${value}`), 'query.from');
        assertInvalid(await ask(`${ledger}/consistency-proof?from=1&to=${value}`), 'query.to');
        assertInvalid(await ask(`${ledger}/export?since=${value}`), 'query.since');
      }
    }
  });

  test('reject an entry that does not exist', async () => {
    for (const query of [
      'sequence=0',
      'sequence=999',
      'sequence=999999999999999',
      'id=nothing',
      'id=%00',
      'id=%F0%9F%98%80',
    ])
      assertProblem(
        await ask(`audit/inclusion-proof?${query}`),
        query === 'id=%00' ? 'validation_failed' : 'not_found',
      );
    assertProblem(await ask('consent/inclusion-proof?sequence=0'), 'not_found');
  });

  test('reject a checkpoint that does not exist', async () => {
    for (const wrong of [0, 1, size - 1, size + 1, 999_999_999_999_999]) {
      assertProblem(await ask(`audit/inclusion-proof?sequence=1&size=${wrong}`), 'not_found');
      assertProblem(await ask(`audit/consistency-proof?from=0&to=${wrong}`), 'not_found');
    }
  });

  test('reject an entry that the checkpoint does not cover', async () => {
    for (const query of [`sequence=${size + 1}`, `sequence=${size + 1}&size=${size}`]) {
      const { message } = assertProblem(await ask(`audit/inclusion-proof?${query}`), 'checkpoint_missing');
      assert.ok(message.includes('POST /v1/ledgers/audit/checkpoints'), message);
    }
  });

  test('reject a consistency proof to a smaller size', async () => {
    for (const query of [`from=${size + 1}`, `from=${size + 1}&to=${size}`, 'from=999999999999999'])
      assertInvalid(await ask(`audit/consistency-proof?${query}`), 'query.from');
    assertInvalid(await ask('audit/consistency-proof'), 'query.from');
    assertInvalid(await ask(`audit/export?since=${size + 1}`), 'query.since');
  });

  test('reject a range whose limits are not times', async () => {
    for (const value of ['', 'yesterday', '2026-11-21', '2026-13-01T00:00:00Z', '5']) {
      assertInvalid(await ask(`audit/export?from=${value}`), 'query.from');
      assertInvalid(await ask(`audit/export?to=${value}`), 'query.to');
    }
  });

  test('return 404 for an unknown ledger', async () => {
    for (const path of ['checkpoints', 'checkpoints/latest', 'export', 'inclusion-proof?sequence=1'])
      for (const ledger of ['trust', 'AUDIT', 'chain_heads', '%2e%2e'])
        assert.equal((await ask(`${ledger}/${path}`)).status, 404, `${ledger} ${path}`);
  });

  test('return nothing of another tenant', async () => {
    const [event] = await readChain(server, tenant.id, 'audit');
    await requestCheckpoint(server, other, 'audit');
    await requestCheckpoint(server, other, 'consent');
    assertProblem(await ask(`audit/inclusion-proof?id=${event?.id}`, other.key), 'not_found');
    assertProblem(await ask('consent/inclusion-proof?sequence=1', other.key), 'not_found');
    assertProblem(await ask(`audit/consistency-proof?from=0&to=${size}`, other.key), 'not_found');
    const { body } = await ask('audit/checkpoints', other.key);
    for (const { note } of body.data.items) assert.ok(note.includes(other.id) && !note.includes(tenant.id));
    const { text } = await ask('audit/export', other.key);
    assert.ok(text.includes(other.id) && !text.includes(tenant.id));
  });
});
