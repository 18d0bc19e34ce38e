import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertNothingWritten, assertProblem, describeServer, payload } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { readAllPages } from '../../ledger/audit/audit-trail.ts';
import { publishTrust, putTrust, readPage, readWidget, trustCenter } from './helpers.ts';

describeServer('the draft of the trust center', (server) => {
  const { published: _, ...content } = trustCenter;
  const wanted = { ...content, headline: 'Next headline', subprocessors: [] };
  const read = async ({ key }: TestTenant) => payload(await server.request('GET', '/v1/trust', { key }), 200);
  const save = ({ key }: TestTenant, body: object, headers = {}) =>
    server.request('PUT', '/v1/trust/draft', { key, body, headers });
  const discard = ({ key }: TestTenant, headers = {}) => server.request('DELETE', '/v1/trust/draft', { key, headers });
  const listActions = async ({ key }: TestTenant) =>
    (await readAllPages(server, { module: 'trust' }, { key })).events.map(({ action }) => action);

  test('changes nothing that is public, and ends when the trust center is replaced', async () => {
    const tenant = await publishTrust(server);
    const [before, page, widget] = [
      await read(tenant),
      await readPage(server, tenant.slug),
      await readWidget(server, tenant.slug),
    ];
    server.clock.advance(60_000);
    const saved = payload(await save(tenant, wanted), 200);
    assert.deepEqual(saved, { ...before, draft: { ...wanted, updatedAt: server.clock.now() } });
    assert.deepEqual(await read(tenant), saved);
    assert.equal((await readPage(server, tenant.slug)).text, page.text);
    assert.equal((await readWidget(server, tenant.slug)).text, widget.text);

    const { headline, draft } = payload(await putTrust(server, tenant, { published: true, ...wanted }), 200);
    assert.deepEqual([headline, draft], ['Next headline', null]);
    assert.deepEqual((await listActions(tenant)).slice(0, 2), ['trust_center.edited', 'trust_center.draft_saved']);
  });

  test('ends also when it is what is public already', async () => {
    const tenant = await publishTrust(server);
    payload(await save(tenant, content), 200);
    assert.equal(payload(await putTrust(server, tenant, trustCenter), 200).draft, null);
  });

  test('can be saved before the first change, and discarded', async () => {
    const tenant = await server.createTenant(`t${randomUUID()}`);
    assert.equal(payload(await discard(tenant), 200).draft, null);
    const { published, headline, draft } = payload(await save(tenant, wanted), 200);
    assert.deepEqual([published, headline, (draft as { headline: string }).headline], [false, null, 'Next headline']);
    assert.equal((await readPage(server, tenant.slug)).status, 404);
    assert.equal(payload(await discard(tenant), 200).draft, null);
    assert.deepEqual(await listActions(tenant), ['trust_center.draft_discarded', 'trust_center.draft_saved']);
  });

  test('writes nothing for the same draft, for none to discard, and for what breaks a rule', async () => {
    const tenant = await publishTrust(server);
    const other = await publishTrust(server);
    await save(tenant, wanted);
    const future = { code: 'GDPR', achievedAt: '2999-01-01T00:00:00.000Z' };
    await assertNothingWritten(server, async () => {
      payload(await save(tenant, wanted), 200);
      payload(await discard(other), 200);
      assertProblem(await save(tenant, { ...wanted, frameworks: [future] }), '422 validation_failed');
      assertProblem(await save(tenant, { ...wanted, published: true }), '422 validation_failed');
    });
  });

  test('is guarded by If-Match, as the trust center is after a draft was saved', async () => {
    const tenant = await publishTrust(server);
    const tagOf = async () => (await server.request('GET', '/v1/trust', tenant)).headers.get('etag') as string;
    const seen = await tagOf();
    const headers = { 'If-Match': seen };
    const { headers: answered } = await save(tenant, wanted, headers);
    assert.equal(answered.get('etag'), await tagOf());
    assert.notEqual(await tagOf(), seen);
    await assertNothingWritten(server, async () => {
      assertProblem(await save(tenant, { headline: 'Mine' }, headers), '409 trust_center_changed');
      assertProblem(await discard(tenant, headers), '409 trust_center_changed');
      const body = { published: true, headline: 'Mine' };
      const replaced = await server.request('PUT', '/v1/trust', { key: tenant.key, body, headers });
      assertProblem(replaced, '409 trust_center_changed');
    });
    payload(await discard(tenant, { 'If-Match': await tagOf() }), 200);
  });
});
