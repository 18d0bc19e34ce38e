import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertNothingWritten, assertProblem, describeServer, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';

describeServer('If-Match on the trust center', (server) => {
  const read = ({ key }: TestTenant, headers = {}) => server.request('GET', '/v1/trust', { key, headers });
  const tagOf = async (tenant: TestTenant) => (await read(tenant)).headers.get('etag') as string;
  const replace = ({ key }: TestTenant, body: object, ifMatch?: string) =>
    server.request('PUT', '/v1/trust', { key, body, headers: ifMatch === undefined ? {} : { 'If-Match': ifMatch } });
  const createTenant = () => server.createTenant(`t${randomUUID()}`);

  test('replaces what the caller has seen, and answers the new tag', async () => {
    const tenant = await createTenant();
    const tags = [await tagOf(tenant)];
    for (const body of [
      { headline: 'One' },
      { headline: 'One', published: true },
      { headline: 'Two', published: true },
    ]) {
      const answer = await replace(tenant, { published: false, ...body }, `"other", ${tags.at(-1)}`);
      assert.equal(payload(answer, 200).headline, body.headline);
      assert.equal(answer.headers.get('etag'), await tagOf(tenant));
      tags.push(await tagOf(tenant));
    }
    assert.equal(new Set(tags).size, tags.length);
    payload(await replace(tenant, { published: false }, '*'), 200);
  });

  test('rejects a replacement after someone edited, published or unpublished it', async () => {
    const tenant = await createTenant();
    for (const theirs of [{ headline: 'Theirs' }, { published: true }, {}]) {
      const seen = await tagOf(tenant);
      const now = (await replace(tenant, { published: false, ...theirs })).headers.get('etag');
      await assertNothingWritten(server, async () => {
        for (const ifMatch of [seen, '', `W/${seen}`, `${now}x`, 'x'.repeat(8000)]) {
          const refused = await replace(tenant, { published: true, headline: 'Mine' }, ifMatch);
          assertProblem(refused, '409 trust_center_changed');
          assert.equal(refused.headers.get('etag'), now);
        }
      });
    }
  });

  test('lets a retry of an applied change through, and never answers 304', async () => {
    const tenant = await createTenant();
    const seen = await tagOf(tenant);
    for (const _ of [1, 2]) payload(await replace(tenant, { published: false, headline: 'Mine' }, seen), 200);
    payload(await read(tenant, { 'If-None-Match': await tagOf(tenant) }), 200);
  });
});
