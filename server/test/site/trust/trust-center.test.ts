import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { describeServer } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { requestText, sendRaw } from '../../http/raw-socket.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import type { ListedEvent } from '../../ledger/audit/audit-trail.ts';
import { runVerify } from '../../ledger/fixture.ts';
import { publishTrust, putTrust, trustCenter } from './helpers.ts';

describeServer('the trust center of a tenant', (server) => {
  const read = async ({ key }: TestTenant) => (await server.request('GET', '/v1/trust', { key })).body.data;
  const createTenant = () => server.createTenant(`t${randomUUID()}`);

  const readEvents = async ({ key }: TestTenant): Promise<readonly ListedEvent[]> =>
    (await server.request('GET', '/v1/audit?module=trust&limit=200', { key })).body.data.items.reverse();
  const readDiffs = async (tenant: TestTenant) => {
    const details = [];
    for (const { id, action } of await readEvents(tenant)) {
      const { body } = await server.request('GET', `/v1/audit/${id}`, { key: tenant.key });
      const { states, ...diff } = body.data.diff;
      assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
      details.push([action, diff]);
    }
    return details;
  };

  test('is empty and not published before anything was set', async () => {
    const tenant = await createTenant();
    assert.deepEqual(await read(tenant), {
      slug: tenant.slug,
      name: tenant.slug,
      url: `${server.url}/trust/${tenant.slug}`,
      published: false,
      headline: null,
      description: null,
      contactEmail: null,
      securityContact: null,
      frameworks: [],
      links: [],
      subprocessors: [],
      showsProof: false,
      publishedAt: null,
      updatedAt: null,
      draft: null,
    });
  });

  test('is as it was put', async () => {
    const tenant = await createTenant();
    const now = server.clock.now();
    const put = await putTrust(server, tenant, trustCenter);
    assert.equal(put.status, 200, put.text);
    const { slug, url } = put.body.data;
    const dates = { announcedAt: now, endAnnouncedAt: null, changedAt: now };
    const subprocessors = trustCenter.subprocessors.map((one) => ({ ...one, ...dates }));
    const expected = {
      slug,
      name: slug,
      url,
      ...trustCenter,
      subprocessors,
      publishedAt: now,
      updatedAt: now,
      draft: null,
    };
    assert.deepEqual(put.body.data, expected);
    assert.deepEqual(await read(tenant), expected);
  });

  test('is replaced whole: what is left out is emptied', async () => {
    const tenant = await publishTrust(server);
    await putTrust(server, tenant, { published: true, headline: 'Short' });
    const { headline, description, frameworks, links, subprocessors, showsProof } = await read(tenant);
    assert.deepEqual(
      { headline, description, frameworks, links, subprocessors, showsProof },
      { headline: 'Short', description: null, frameworks: [], links: [], subprocessors: [], showsProof: false },
    );
  });

  test('has its times from its changes: published since it was published, updated when anything changes', async () => {
    const tenant = await publishTrust(server);
    const times = async () => {
      const { publishedAt, updatedAt } = await read(tenant);
      return { publishedAt, updatedAt };
    };
    const first = server.clock.now();
    server.clock.advance(1000);
    const second = server.clock.now();
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other' });
    assert.deepEqual(await times(), { publishedAt: first, updatedAt: second });
    server.clock.advance(1000);
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other', published: false });
    assert.deepEqual(await times(), { publishedAt: null, updatedAt: server.clock.now() });
    server.clock.advance(1000);
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other' });
    assert.deepEqual(await times(), { publishedAt: server.clock.now(), updatedAt: server.clock.now() });
  });

  test('is not written if nothing changes, in any order of its frameworks', async () => {
    const tenant = await publishTrust(server);
    const other = await createTenant();
    const before = await readAllRows(server.installation.database);
    server.clock.advance(1000);
    for (const body of [
      trustCenter,
      { ...trustCenter, frameworks: trustCenter.frameworks.toReversed() },
      { ...trustCenter, headline: ` ${trustCenter.headline} `, securityContact: 'HTTPS://EXAMPLE.com:443/security' },
    ])
      assert.equal((await putTrust(server, tenant, body)).status, 200);
    const untouched = await putTrust(server, other, { published: false });
    assert.deepEqual([untouched.status, untouched.body.data.updatedAt], [200, null]);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('audits the names of changed fields and whether it is published, without values', async () => {
    const tenant = await createTenant();
    await putTrust(server, tenant, { ...trustCenter, published: false });
    await putTrust(server, tenant, trustCenter);
    await putTrust(server, tenant, { ...trustCenter, headline: 'Other', links: [] });
    await putTrust(server, tenant, { ...trustCenter, links: [], published: false });
    const all = Object.keys(trustCenter).filter((name) => name !== 'published');
    assert.deepEqual(await readDiffs(tenant), [
      ['trust_center.created', { fields: all }],
      ['trust_center.published', { published: { before: false, after: true } }],
      ['trust_center.edited', { fields: ['headline', 'links'] }],
      ['trust_center.edited', { fields: ['headline'] }],
      ['trust_center.unpublished', { published: { before: true, after: false } }],
    ]);
    for (const { targetRef } of await readEvents(tenant)) assert.equal(targetRef, tenant.slug);
  });

  test('leaves every chain and row provable', async () => {
    const tenant = await publishTrust(server);
    await putTrust(server, tenant, { ...trustCenter, published: false });
    assert.equal((await runVerify(server.installation)).report.intact, true);
  });

  test('is one row after many changes at once, each in the log', async () => {
    const tenant = await createTenant();
    const headlines = ['a', 'b', 'c', 'd', 'e', 'f'];
    const answers = await Promise.all(
      headlines.map((headline) => putTrust(server, tenant, { published: true, headline })),
    );
    for (const { status } of answers) assert.equal(status, 200);
    const actions = (await readEvents(tenant)).map(({ action }) => action);
    assert.equal(actions.filter((action) => action === 'trust_center.created').length, 1);
    assert.equal(actions.filter((action) => action === 'trust_center.published').length, 1);
    assert.equal(actions.filter((action) => action === 'trust_center.edited').length, headlines.length - 1);
    assert.equal((await runVerify(server.installation)).report.intact, true);
  });

  test('belongs to its tenant only', async () => {
    const one = await publishTrust(server);
    const other = await publishTrust(server, { headline: 'Another company' });
    await putTrust(server, one, { published: false });
    assert.equal((await read(other)).headline, 'Another company');
    assert.equal((await read(other)).published, true);
  });

  test('does not return an address with an invalid Host', async () => {
    const hostile = { Host: 'evil.test"><script>', Authorization: `Bearer ${server.tenant.key}` };
    const [answer] = await sendRaw(server, requestText('GET', '/v1/trust', hostile));
    assert.equal(answer?.status, 400);
    assert.match(answer?.text ?? '', /invalid_header/);
    assert.doesNotMatch(answer?.text ?? '', /script/);
  });
});

describeServer(
  'the trust center behind a proxy',
  (server) => {
    test('is returned with the public address', async () => {
      const { body } = await server.request('GET', '/v1/trust');
      assert.equal(body.data.url, `https://trust.example.com/trust/${server.tenant.slug}`);
    });
  },
  { SVC_BASE_URL: 'https://trust.example.com' },
);
