import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from '../../../http/roles.ts';
import { countOutcomes, type WebhookOutcome } from '../../../webhooks/deliveries/statistics-store.ts';
import { createEndpoint, createTestSender, openRequest, startScriptedReceiver } from '../../webhooks/sending.ts';
import { storeAttempt, storeDeliveries, storeDelivery } from '../../webhooks/stored-deliveries.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

describeDashboard('webhooks in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  /** A tenant with an endpoint, and a member. */
  async function createTenant(role: MemberRole = 'admin', url = 'https://receiver.example/hooks') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const { id: webhookId } = await createEndpoint(server, tenant, url);
    return { server, tenant, webhookId, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  test('leads from no deliveries to an endpoint, shows its secret once, and rejects an address with the field in focus', async () => {
    const { server } = dashboard;
    const { id: tenantId } = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    await visitAs(await server.createMember({ tenantId }), 'webhooks/deliveries', async (page) => {
      await page.getByText('No deliveries yet').waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('button', { name: 'Add webhook' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('https://user:password@other.example/');
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      await dialog.getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'url');
      await dialog.getByLabel('URL').fill('https://other.example/hooks');
      await dialog.getByLabel('dsr.created').check();
      await dialog.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByText('it is not shown again').waitFor();
      assert.match((await page.getByRole('dialog').locator('code').textContent()) ?? '', /^whsec_/);
      for (const key of ['Escape', 'Escape']) await page.keyboard.press(key);
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('link', { name: 'https://other.example/hooks' }).click();
      await page.getByRole('definition').filter({ hasText: 'dsr.created' }).waitFor();
    });
  });

  test('edits, pauses, rotates and deletes an endpoint', async () => {
    const { member, webhookId } = await createTenant();
    await visitAs(member, `webhooks/${webhookId}`, async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('the shop');
      await page.getByText('Advanced').click();
      await page.getByLabel('Retry schedule').fill('60, 30');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByLabel('Retry schedule').fill('30, 60');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByText('the shop').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('Paused', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByLabel('Overlap').fill('0');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
    });
  });

  test('shows payload and attempts of a dead letter, and redelivers it to the repaired receiver', async () => {
    await using receiver = await startScriptedReceiver();
    receiver.reply = { status: 500, text: '<b>out of order</b>' };
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    await createEndpoint(server, tenant, receiver.url, { retrySchedule: [1], eventTypes: ['dsr.created'] });
    const member = await server.createMember({ tenantId: tenant.id });
    await using sender = createTestSender(server);
    await openRequest(server, tenant, 'a subject');
    await sender.deliver();
    server.clock.advance(2000);
    await sender.deliver();
    receiver.reply = { status: 204 };
    await visitAs(
      member,
      'webhooks',
      async (page) => {
        await page.getByRole('heading', { name: 'Dead letters: 1' }).waitFor();
        await page.getByRole('link', { name: 'Review dead letters' }).click();
        await page.getByRole('link', { name: 'dsr.created' }).click();
        await page.getByRole('link', { name: receiver.url }).waitFor();
        await page.getByText('<b>out of order</b>').first().waitFor();
        assert.equal(await page.locator('.attempts > li').count(), 2);
        await page.getByText('"subjectId": "a subject"').waitFor();
        await page.getByRole('button', { name: 'Redeliver' }).click();
        await page.getByText('No attempt was made yet').waitFor();
        await sender.deliver();
        await page.clock.fastForward(3000);
        await page.getByText('Delivered', { exact: true }).first().waitFor();
      },
      { setClock: (clock) => clock.install() },
    );
    assert.equal(receiver.received.length, 3);
  });

  test('redelivers all dead letters that match, after showing how many, and shows the progress', async () => {
    const { server, tenant, webhookId, member } = await createTenant();
    await storeDeliveries(
      server,
      tenant,
      ['timeout', 'timeout', 'tls'].map((reason) => ({ webhookId, reason })),
    );
    await visitAs(member, 'webhooks/deliveries?status=dead', async (page) => {
      await page.getByRole('combobox', { name: 'Reason' }).selectOption('timeout');
      await page.waitForURL(/reason=timeout/);
      await page.goto(`${server.url}/app/webhooks/deliveries?status=dead&reason=timeout&utm=mail`);
      await page.getByRole('button', { name: 'Redeliver all that match' }).waitFor();
      await page.getByRole('combobox', { name: 'Status' }).selectOption('pending');
      await page.getByText('Nothing matches the filters').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Redeliver all that match' }).count(), 0);
      await page.getByRole('combobox', { name: 'Status' }).selectOption('dead');
      await page.getByRole('button', { name: 'Redeliver all that match' }).click();
      await page.getByText('Deliveries to send again: 2').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Redeliver' }).click();
      await page.getByRole('progressbar').waitFor();
      await page.getByText('0 / 2').waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByText('Redelivery: Canceled').waitFor();
    });
  });

  test('shows the deliveries by hour and day as bars and as a table', async () => {
    const { server, tenant, webhookId, member } = await createTenant('auditor');
    const day = 24 * 60 * 60_000;
    const endpoint = { tenant_id: tenant.id, id: webhookId };
    const outcomes = (delivered: number, failed: number) => [
      ...Array<WebhookOutcome>(delivered).fill({ endpoint, result: 'delivered', responseTime: 1234 }),
      ...Array<WebhookOutcome>(failed).fill({ endpoint, result: 'failed', responseTime: null }),
    ];
    await visitAs(member, `webhooks/${webhookId}`, async (page) => {
      await page.getByText('Nothing was sent in this span').waitFor();
      const { kysely } = server.installation.database;
      await countOutcomes(kysely, new Date().toISOString(), outcomes(3, 2));
      await countOutcomes(kysely, new Date(Date.now() - 9 * day).toISOString(), outcomes(40, 0));
      await page.reload();
      await page.getByText('Highest: 5').waitFor();
      const bars = page.locator('svc-webhook-statistics rect:not(.swatch *)');
      assert.equal(await bars.count(), 2 * 7);
      await page.getByText('Show as table').click();
      const today = page.locator('svc-webhook-statistics tbody tr').first();
      assert.deepEqual(await today.locator('td').allTextContents(), ['3', '2', '0', '1,234 ms', '1,234 ms']);
      await assertAccessible(page);
      await page.getByLabel('Span').selectOption('Last 30 days');
      await page.getByText('Highest: 40').waitFor();
      await page.getByLabel('Span').selectOption('Last 24 hours');
      await page.getByText('Highest: 5').waitFor();
      assert.equal(await bars.count(), 2 * 24);
      await page.reload();
      await page.getByText('Highest: 5').waitFor();
      assert.equal(await page.getByLabel('Span').inputValue(), 'hours');
      // A choice that is kept in the address leaves the way back to it.
      await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
      await page.locator('tbody a').click();
      await page.getByLabel('Span').selectOption('Last 30 days');
      await page.getByText('Highest: 40').waitFor();
      await page.getByRole('link', { name: 'Filter these' }).click();
      await page.getByRole('heading', { name: 'Deliveries', level: 1 }).waitFor();
      await page.goBack();
      await page.getByText('Highest: 40').waitFor();
      await page.waitForFunction(() => document.activeElement?.textContent?.startsWith('Filter these'));
    });
  });

  test('shows hostile texts and a large payload as text', async () => {
    const { server, tenant, webhookId, member } = await createTenant();
    const data = { text: '<img src=x onerror=alert(1)>', filler: 'x'.repeat(60_000) };
    const id = await storeDelivery(server, tenant, { webhookId, data });
    await storeAttempt(server, id);
    await visitAs(member, `webhooks/deliveries/${id}`, async (page) => {
      await page.getByText('<script>alert(1)</script>').waitFor();
      assert.equal(await page.locator('pre img, pre script').count(), 0);
      await assertAccessible(page);
    });
  });
});
