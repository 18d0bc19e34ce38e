import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScope, scopesOf } from '../../../http/roles.ts';
import { describeServer } from '../../consent/helpers.ts';
import type { TestTenant } from '../../harness.ts';
import { assertInvalid, assertProblem } from '../../http/problems.ts';
import { readAllRows } from '../../http/stored-rows.ts';
import { readAllPages } from '../../ledger/audit/audit-trail.ts';
import { assertIntact } from '../keys/keys.ts';

const sso = (scimGroupRoleMap: object) => ({ attributeMap: { scimGroupRoleMap } });

describeServer('the settings of a tenant', (server) => {
  let count = 0;
  const createTenant = (): Promise<TestTenant> => {
    count += 1;
    return server.createTenant(`tenant-${count}`);
  };
  const edit = ({ key }: TestTenant, body: object) => server.request('PATCH', '/v1/tenant', { key, body });
  const read = async ({ key }: TestTenant) => (await server.request('GET', '/v1/tenant', { key })).body.data;
  const readEdits = async ({ key }: TestTenant) => {
    const { events } = await readAllPages(server, { module: 'tenants' }, { key });
    const edits = events.filter(({ action }) => action === 'tenant.edited').reverse();
    return Promise.all(
      edits.map(async ({ id }) => (await server.request('GET', `/v1/audit/${id}`, { key })).body.data),
    );
  };

  test('are the least at first', async () => {
    const tenant = await createTenant();
    assert.deepEqual(await read(tenant), {
      id: tenant.id,
      slug: tenant.slug,
      name: tenant.slug,
      apiVersion: '2026-11-01',
      createdAt: server.clock.now(),
      defaultRole: 'cs_agent',
      scimCompatibility: 'strict',
      sso: sso({}),
      requireSecondFactor: false,
      dsrDays: 30,
      dsrForm: false,
      dsrTextDays: null,
      breachTextDays: null,
      webhookDays: 30,
      firstSteps: true,
    });
  });

  test('can each be changed, by itself and together; the rest stays', async () => {
    const tenant = await createTenant();
    const changes = [
      { name: 'Acme Ltd' },
      { defaultRole: 'auditor' },
      { scimCompatibility: 'extended' },
      { requireSecondFactor: true },
      { dsrDays: 45 },
      { dsrDays: 1 },
      { dsrDays: 90 },
      { dsrForm: true },
      { dsrTextDays: 30, breachTextDays: 3650 },
      { dsrTextDays: null },
      { webhookDays: 7 },
      { webhookDays: 90 },
      { breachTextDays: null },
      { firstSteps: false },
      { sso: sso({ Engineering: 'engineer', 'Legal & Privacy': 'dpo' }) },
      {
        name: 'Acme',
        defaultRole: 'dpo',
        scimCompatibility: 'strict',
        sso: sso({ Everybody: 'cs_agent' }),
        requireSecondFactor: false,
        dsrDays: 30,
      },
    ];
    let expected = await read(tenant);
    for (const change of changes) {
      expected = { ...expected, ...change };
      const { status, body } = await edit(tenant, change);
      assert.equal(status, 200);
      assert.deepEqual(body.data, expected);
      assert.deepEqual(await read(tenant), expected);
    }
  });

  test('replace the single sign-on configuration whole, and clear it', async () => {
    const tenant = await createTenant();
    await edit(tenant, { sso: sso({ One: 'dpo', Two: 'auditor' }) });
    await edit(tenant, { sso: sso({ Two: 'engineer' }) });
    assert.deepEqual((await read(tenant)).sso, sso({ Two: 'engineer' }));
    for (const empty of [{}, { attributeMap: {} }, sso({})]) {
      await edit(tenant, { sso: sso({ One: 'dpo' }) });
      assert.deepEqual((await edit(tenant, { sso: empty })).body.data.sso, sso({}));
    }
  });

  test('are refused by name when they cannot be, and nothing is written', async () => {
    const tenant = await createTenant();
    const before = await readAllRows(server.installation.database);
    const map = 'body.sso.attributeMap.scimGroupRoleMap';
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`group ${index}`, 'auditor']));
    const wrong: readonly [body: object, ...paths: string[]][] = [
      [{ name: '' }, 'body.name'],
      [{ name: '   ' }, 'body.name'],
      [{ name: '\u200b' }, 'body.name'],
      [{ name: 'x'.repeat(201) }, 'body.name'],
      [{ name: null }, 'body.name'],
      [{ defaultRole: 'owner' }, 'body.defaultRole'],
      [{ defaultRole: 'dpco_principal' }, 'body.defaultRole'],
      [{ defaultRole: 'platform_admin' }, 'body.defaultRole'],
      [{ defaultRole: null }, 'body.defaultRole'],
      [{ scimCompatibility: 'lax' }, 'body.scimCompatibility'],
      [{ requireSecondFactor: 'yes' }, 'body.requireSecondFactor'],
      [{ requireSecondFactor: null }, 'body.requireSecondFactor'],
      [{ dsrDays: 0 }, 'body.dsrDays'],
      [{ dsrDays: 91 }, 'body.dsrDays'],
      [{ dsrDays: -30 }, 'body.dsrDays'],
      [{ dsrDays: 29.5 }, 'body.dsrDays'],
      [{ dsrDays: '30' }, 'body.dsrDays'],
      [{ dsrDays: null }, 'body.dsrDays'],
      [{ dsrForm: 'yes' }, 'body.dsrForm'],
      [{ dsrTextDays: 29 }, 'body.dsrTextDays'],
      [{ dsrTextDays: 3651 }, 'body.dsrTextDays'],
      [{ dsrTextDays: 45.5 }, 'body.dsrTextDays'],
      [{ breachTextDays: '45' }, 'body.breachTextDays'],
      [{ breachTextDays: 0 }, 'body.breachTextDays'],
      [{ webhookDays: 6 }, 'body.webhookDays'],
      [{ webhookDays: 91 }, 'body.webhookDays'],
      [{ webhookDays: null }, 'body.webhookDays'],
      [{ sso: null }, 'body.sso'],
      [{ sso: { issuer: 'https://idp.test' } }, 'body.sso.issuer'],
      [{ sso: { attributeMap: { email: 'mail' } } }, 'body.sso.attributeMap.email'],
      [{ sso: sso({ Engineering: 'owner' }) }, `${map}.Engineering`],
      [{ sso: sso({ Engineering: 'dpco_principal' }) }, `${map}.Engineering`],
      [{ sso: sso({ Engineering: 'platform_admin' }) }, `${map}.Engineering`],
      [{ sso: sso({ '': 'dpo' }) }, `${map}.`],
      [{ sso: sso({ ['x'.repeat(257)]: 'dpo' }) }, `${map}.${'x'.repeat(257)}`],
      [{ sso: sso(many) }, map],
      [{ slug: 'other' }, 'body.slug'],
      [{ apiVersion: '2026-11-01' }, 'body.apiVersion'],
      [{ id: tenant.id }, 'body.id'],
      [{ name: 'Good', defaultRole: 'bad', scimCompatibility: 'bad' }, 'body.defaultRole', 'body.scimCompatibility'],
    ];
    for (const [body, ...paths] of wrong) assertInvalid(await edit(tenant, body), ...paths);
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('may be as long as they may be', async () => {
    const tenant = await createTenant();
    const map = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`${'g'.repeat(250)} ${index}`, 'auditor'] as const),
    );
    const { status, text } = await edit(tenant, { name: 'n'.repeat(200), sso: sso(map) });
    assert.equal(status, 200, text);
    assert.deepEqual((await read(tenant)).sso, sso(map));
  });

  test('are audited with their values before and after the change', async () => {
    const tenant = await createTenant();
    await edit(tenant, { name: 'Acme', scimCompatibility: 'extended' });
    await edit(tenant, { sso: sso({ Engineering: 'engineer' }), defaultRole: 'cs_agent' });
    await edit(tenant, { requireSecondFactor: true });
    await edit(tenant, { dsrDays: 45 });
    const diffs = (await readEdits(tenant)).map(({ diff: { states, ...diff } }) => {
      assert.match(Object.values(states).join(), /^[0-9a-f]{64}$/);
      return diff;
    });
    assert.deepEqual(diffs, [
      {
        before: { name: tenant.slug, scimCompatibility: 'strict' },
        after: { name: 'Acme', scimCompatibility: 'extended' },
      },
      { before: { sso: sso({}) }, after: { sso: sso({ Engineering: 'engineer' }) } },
      { before: { requireSecondFactor: false }, after: { requireSecondFactor: true } },
      { before: { dsrDays: 30 }, after: { dsrDays: 45 } },
    ]);
  });

  test('are not audited if they do not change', async () => {
    const tenant = await createTenant();
    await edit(tenant, { sso: sso({ B: 'dpo', A: 'auditor' }) });
    const edits = await readEdits(tenant);
    // The order of the groups is no difference.
    for (const same of [
      {},
      { name: tenant.slug },
      { name: ` ${tenant.slug} ` },
      { requireSecondFactor: false },
      { dsrDays: 30 },
      { sso: sso({ A: 'auditor', B: 'dpo' }) },
    ])
      assert.equal((await edit(tenant, same)).status, 200);
    assert.deepEqual(await readEdits(tenant), edits);
  });

  test('lose nothing when several are changed at once', async () => {
    const tenant = await createTenant();
    const changes = [
      { name: 'Renamed' },
      { defaultRole: 'auditor' },
      { scimCompatibility: 'extended' },
      { sso: sso({ Engineering: 'engineer' }) },
    ];
    const answers = await Promise.all(changes.map((change) => edit(tenant, change)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const { name, defaultRole, scimCompatibility, sso: stored } = await read(tenant);
    assert.deepEqual([{ name }, { defaultRole }, { scimCompatibility }, { sso: stored }], changes);
    const edits = await readEdits(tenant);
    assert.equal(edits.length, 4);
    // Each event has only its own change: the edits were serialized.
    for (const { diff } of edits) assert.equal(Object.keys(diff.after).length, 1);
  });

  test('reject a role with scopes that the caller lacks, as the default or for a group', async () => {
    const tenant = await createTenant();
    await edit(tenant, { defaultRole: 'dpo', sso: sso({ Chiefs: 'admin', Checkers: 'auditor' }) });
    const key = await server.createKey(tenant.id, ['tenant:write', ...[...scopesOf('engineer')].filter(isScope)]);
    const change = (body: object) => edit({ ...tenant, key }, body);
    const before = await readAllRows(server.installation.database);
    for (const role of ['admin', 'dpo', 'auditor', 'cs_agent']) {
      const wrong: readonly object[] = [
        ...(role === 'dpo' ? [] : [{ defaultRole: role }]),
        { sso: sso({ Chiefs: 'admin', Others: role }) },
        { sso: sso({ Others: 'engineer', Engineering: role }) },
        { name: 'Renamed', sso: sso({ Checkers: role === 'auditor' ? 'admin' : role }) },
      ];
      for (const body of wrong) {
        const { message } = assertProblem(await change(body), 'forbidden');
        assert.match(message, /The role \w+ has scopes that you lack/, JSON.stringify(body));
      }
    }
    assert.equal(await readAllRows(server.installation.database), before);
  });

  test('can be changed beside roles that the caller could not give: those that were set before, or are taken away', async () => {
    const tenant = await createTenant();
    const map = { Chiefs: 'admin', Checkers: 'auditor' };
    await edit(tenant, { defaultRole: 'dpo', sso: sso(map) });
    const key = await server.createKey(tenant.id, ['tenant:write', ...[...scopesOf('engineer')].filter(isScope)]);
    for (const body of [
      { name: 'Renamed', defaultRole: 'dpo', sso: sso(map) },
      { sso: sso({ ...map, Builders: 'engineer' }) },
      { sso: sso({ Checkers: 'auditor' }) },
      { defaultRole: 'engineer', sso: sso({}) },
    ]) {
      const { status, text } = await edit({ ...tenant, key }, body);
      assert.equal(status, 200, text);
    }
    const { name, defaultRole, sso: stored } = await read(tenant);
    assert.deepEqual([name, defaultRole, stored], ['Renamed', 'engineer', sso({})]);
  });

  test('match the audit log after all of this', async () => {
    await assertIntact(server);
  });
});
