import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { memberRoleValues } from '../../../dashboard/src/api-types.ts';
import { createEnrolledMember } from '../../accounts/mfa/authenticator.ts';
import { payload, visit as visitBanner } from '../../consent/helpers.ts';
import { createEndpoint } from '../../webhooks/sending.ts';
import { storeDeliveries } from '../../webhooks/stored-deliveries.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

const day = 24 * 60 * 60_000;

type Links = readonly (readonly [path: string, scope: string])[];

/** Tasks of a busy tenant in the order of the page, each with the scope that shows it. */
const due: Links = [
  ['proofs', 'audit:read'],
  ['breaches', 'breach:read'],
  ['breaches', 'breach:read'],
  ['requests?overdue=true', 'dsr:read'],
  ['readiness', 'controls:read'],
  ['webhooks', 'webhooks:read'],
  ['webhooks/deliveries?status=dead', 'webhooks:read'],
  ['notices?status=published', 'consent:read'],
  ['system', 'system:read'],
];

/** Its current figures. */
const state: Links = [
  ['requests?status=open', 'dsr:read'],
  ['notices?status=published', 'consent:read'],
  ['readiness', 'controls:read'],
  ['proofs', 'audit:read'],
  ['proofs', 'audit:read'],
  ['tenants', 'tenants:read'],
  ['system', 'system:read'],
];

describeDashboard('the start page', (dashboard) => {
  const { visitAs } = dashboard;
  const createTenant = () => dashboard.server.createTenant(`tenant-${crypto.randomUUID()}`);

  async function createBusyTenant() {
    const { server } = dashboard;
    const tenant = await createTenant();
    const { key } = tenant;
    const ago = (days: number) => new Date(server.clock.milliseconds() - days * day).toISOString();
    const send = async (path: string, body: object, status = 201) =>
      payload(await server.request('POST', path, { key, body }), status);
    await server.createNotice({ key });
    server.clock.advance(8 * day);
    await send('/v1/breach', { title: 'Lost', description: 'On a train.', severity: 'low', discoveredAt: ago(4) });
    await send('/v1/dsr', { subjectId: 'one', type: 'access', receivedAt: ago(40) });
    await send('/v1/dsr', { subjectId: 'two', type: 'access' });
    await send('/v1/control-framework/adopt', { frameworks: ['GDPR'] }, 200);
    const { id: webhookId } = await createEndpoint(server, tenant, 'https://receiver.example/');
    await storeDeliveries(
      server,
      tenant,
      Array.from({ length: 1001 }, () => ({ webhookId })),
    );
    const { kysely } = server.installation.database;
    const health = { failing_since: ago(1), failed_at: ago(0), last_error: 'http_error' };
    await kysely
      .insertInto('webhook_health')
      .values({ tenant_id: tenant.id, endpoint_id: webhookId, ...health })
      .execute();
    const times = { started_at: ago(1), finished_at: ago(1) };
    await kysely
      .insertInto('verifications')
      .values({ tenant_id: tenant.id, status: 'failed', ...times, entries: 9, checked_rows: 4, fault: 'a changed row' })
      .execute();
    return tenant;
  }

  const listLinks = (page: Page, within: string) =>
    page
      .locator(`svc-home ${within} a`)
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')?.slice('/app/'.length)));

  test('shows each role what is due and how things stand, with three requests at most', async () => {
    const { server } = dashboard;
    const tenantId = (await createBusyTenant()).id;
    for (const role of memberRoleValues) {
      const member = await server.createMember({ tenantId, role });
      const { scopes } = payload(await server.request('GET', '/v1/me', { key: null, headers: member.session }), 200);
      const allowed = (links: Links) => links.flatMap(([path, scope]) => (scopes.includes(scope) ? [path] : []));
      await visitAs(member, 'me', async (page) => {
        await page.getByRole('heading', { name: 'Your account' }).waitFor();
        const requests: string[] = [];
        page.on('request', (request) => {
          const { pathname } = new URL(request.url());
          if (pathname.startsWith('/v1/')) requests.push(pathname);
        });
        await page.getByRole('link', { name: 'Home' }).click();
        await page.getByRole('heading', { name: 'At a glance' }).waitFor();
        // With the session, which the first page of a visit reads, these are three at most.
        assert.deepEqual(requests, ['/v1/overview', ...(scopes.includes('system:read') ? ['/v1/system'] : [])], role);
        assert.deepEqual(await listLinks(page, 'section[aria-live]'), allowed(due), role);
        assert.deepEqual(await listLinks(page, 'dl'), allowed(state), role);
        const isNew = scopes.includes('tenant:write');
        assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), isNew ? 1 : 0, role);
        if (role !== 'platform_admin') return;
        await page.getByRole('listitem').filter({ hasText: 'Dead letters' }).getByText('1,000+').waitFor();
        await assertAccessible(page);
        for (const path of new Set(await listLinks(page, 'section:not([aria-labelledby])'))) {
          await page.locator(`main a[href="/app/${path}"]`).first().click();
          await page.locator('svc-home').waitFor({ state: 'detached' });
          await page.locator('main h1').waitFor();
          assert.equal(await page.getByRole('heading', { name: /not found|Not allowed/ }).count(), 0, path);
          await page.goBack();
          await page.getByRole('heading', { name: 'At a glance' }).waitFor();
        }
      });
    }
  });

  test('says that nothing is due in an idle tenant', async () => {
    const { id: tenantId } = await createTenant();
    await visitAs(await dashboard.server.createMember({ tenantId, role: 'cs_agent' }), '', async (page) => {
      await page.getByText('Nothing is due.').waitFor();
      assert.deepEqual(await listLinks(page, 'dl'), ['requests?status=open', 'notices?status=published']);
      await assertAccessible(page);
    });
  });

  test('ticks the first steps off, hides them, and ends them for good when all are done', async () => {
    const { server } = dashboard;
    const tenant = await createTenant();
    const { key } = tenant;
    const member = await createEnrolledMember(server, { tenantId: tenant.id });
    const noticeId = await server.createNotice({ key });
    await visitBanner(server, noticeId);
    const readSetting = async () => payload(await server.request('GET', '/v1/tenant', { key }), 200).firstSteps;
    await visitAs(member, '', async (page) => {
      const steps = page.getByRole('region', { name: 'First steps' });
      await steps.waitFor();
      const open = ['notices?status=published', 'people', 'proofs', 'webhooks'];
      assert.deepEqual(await listLinks(page, 'section[aria-labelledby]'), open);
      assert.equal(await steps.getByText('Done', { exact: true }).count(), 2);
      await assertAccessible(page);
      await steps.getByRole('button', { name: 'Hide these steps' }).click();
      await page.getByText('The settings bring them back').waitFor();
      assert.equal(await page.locator('h1').evaluate((heading) => heading === document.activeElement), true);
      assert.equal(await readSetting(), false);
      await page.reload();
      await page.getByText('Nothing is due.').waitFor();
      assert.equal(await steps.count(), 0);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByLabel('List the first steps').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });

      await server.app.usage.write(server.installation.database);
      await server.createMember({ tenantId: tenant.id });
      payload(await server.request('POST', '/v1/ledgers/consent/checkpoints', { key }));
      const { id: webhookId } = await createEndpoint(server, tenant, 'https://receiver.example/');
      await page.getByRole('link', { name: 'Home' }).click();
      await steps.waitFor();
      assert.deepEqual(await listLinks(page, 'section[aria-labelledby]'), ['webhooks']);
      await storeDeliveries(server, tenant, [{ webhookId, status: 'delivered' }]);
      const ended = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await page.reload();
      assert.equal((await ended).status(), 200);
      await page.getByText('Nothing is due.').waitFor();
      assert.equal(await steps.count(), 0);
      assert.equal(await readSetting(), false);
    });
  });
});
