import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createLocation, noticeContent } from '../harness.ts';
import { type Environment, runSvc, startSvcProcess } from './run-svc.ts';

const skip = process.env.SVC_TEST_POSTGRES_URL === undefined ? 'no PostgreSQL' : false;

describe('servers that share a PostgreSQL', { skip }, () => {
  test('start concurrently on an empty database, and each reads what the other writes', async () => {
    await using location = await createLocation('postgres');
    const { SVC_DATA_DIR = '', ...shared } = location.environment;
    // Each on a machine of its own: nothing but the database and the secret is shared.
    const machine = (name: string): Environment => ({
      ...shared,
      SVC_DATA_DIR: join(SVC_DATA_DIR, name),
      SVC_SECRET: 'one secret for both of the servers',
    });
    const [first, second] = [machine('one'), machine('other')];
    // Also the one that did start is ended when the other does not.
    await using running = new AsyncDisposableStack();
    const start = async (environment: Environment) => running.use(await startSvcProcess(['serve'], environment));
    const [one, other] = await Promise.all([start(first), start(second)]);

    await runSvc(['tenant', 'create', '--slug', 'acme', '--name', 'Acme'], first);
    const words = ['key', 'create', '--tenant', 'acme', '--name', 'k', '--scopes', 'all', '--json'];
    const { key } = JSON.parse((await runSvc(words, second)).stdout);
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const call = async (url: string, method: string, path: string, body?: object, more: object = {}) => {
      const init = { method, headers: { ...headers, ...more }, ...(body && { body: JSON.stringify(body) }) };
      return (await fetch(url + path, init)).json();
    };

    const { id } = (await call(one.url, 'POST', '/v1/consent/notices', noticeContent)).data;
    assert.equal((await call(other.url, 'POST', `/v1/consent/${id}/publish`)).data.status, 'published');
    const captures = Array.from({ length: 20 }, (_, index) =>
      call(
        index % 2 === 0 ? one.url : other.url,
        'POST',
        `/v1/consent/${id}/records`,
        {
          subjectId: `subject-${index}`,
          purposes: { analytics: true },
        },
        { 'Idempotency-Key': `capture-number-${index}` },
      ),
    );
    const sequences = (await Promise.all(captures)).map(({ data }) => data.sequence);
    assert.deepEqual(
      sequences.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.equal((await call(one.url, 'GET', `/v1/consent/${id}/records`)).data.page.total, 20);
    assert.equal((await runSvc(['verify'], first)).code, 0);
  });

  test('create the demo tenant once', async () => {
    await using location = await createLocation('postgres');
    await using one = await startSvcProcess(['demo', '--json'], location.environment);
    await using other = await startSvcProcess(['demo', '--json'], location.environment);
    const outputs = await Promise.all([one, other].map(async (server) => JSON.parse((await server.stop()).stdout)));
    assert.equal(JSON.parse(readFileSync(outputs[0].credentialsFile, 'utf8')).tenantSlug, 'demo');
    assert.equal(outputs[1].credentialsFile, undefined);
  });
});
