import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { readKey } from '../../../packages/node-sdk/src/ledger/checkpoint.ts';
import { sha256 } from '../../ledger/merkle.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { assertProblem } from '../http/problems.ts';

const path = '/.well-known/svc-ledger-key';

describe('the public key of the ledgers', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer('sqlite', { SVC_SECRET: 'one secret that several servers share' });
  });
  after(() => server[Symbol.asyncDispose]());

  test('is one line of text, readable without credentials and from every origin', async () => {
    const { status, headers, text } = await server.request('GET', path, { key: null });
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.match(text, /^[^\n]+\n$/);
    assert.ok(readKey(sha256, text));
  });

  test('supports HEAD, and rejects methods other than GET and HEAD', async () => {
    const head = await server.request('HEAD', path, { key: null });
    assert.deepEqual([head.status, head.text], [200, '']);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const response = await server.request(method, path, { key: null });
      assertProblem(response, 'method_not_allowed');
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
  });

  test('is the same on every server with the same secret, and does not reveal the secret', async () => {
    const { text } = await server.request('GET', path, { key: null });
    await using same = await startTestServer('sqlite', { SVC_SECRET: 'one secret that several servers share' });
    await using other = await startTestServer('sqlite', { SVC_SECRET: 'another secret of another installation' });
    assert.equal((await same.request('GET', path, { key: null })).text, text);
    assert.notEqual((await other.request('GET', path, { key: null })).text, text);
    assert.ok(!text.includes('secret'));
  });
});
