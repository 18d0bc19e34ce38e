import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertTransfer } from '../../../installation/transfer-store.ts';
import { assertAccessible } from '../accessible.ts';
import { acceptInvitation, describeDashboard } from './browser.ts';

describeDashboard('the pages of the people who run the server', (dashboard) => {
  const { visit, visitAs } = dashboard;

  test('creates a tenant, whose first administrator accepts the invitation', async () => {
    const { server } = dashboard;
    const operator = await server.createMember({ role: 'platform_admin' });
    const adminEmail = `${crypto.randomUUID()}@example.com`;
    const slug = `tenant-${crypto.randomUUID()}`;
    let link = '';
    await visitAs(operator, '', async (page) => {
      await page.getByRole('link', { name: 'Tenants', exact: true }).click();
      await page.getByRole('button', { name: 'Create tenant' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Globex');
      await dialog.getByLabel('Slug').fill(server.tenant.slug);
      await dialog.getByLabel('Email address').fill(adminEmail);
      await dialog.getByRole('button', { name: 'Create tenant' }).click();
      await dialog.getByText('is taken by another tenant').waitFor();
      await assertAccessible(page);
      await dialog.getByLabel('Slug').fill('Globex!');
      await dialog.getByRole('button', { name: 'Create tenant' }).click();
      await dialog.getByText('must be 2 to 63 lower-case letters').waitFor();
      assert.equal(await dialog.getByLabel('Slug').evaluate((field) => field === document.activeElement), true);
      await dialog.getByLabel('Slug').fill(slug);
      await dialog.getByRole('button', { name: 'Create tenant' }).click();
      await dialog.getByText('send it to this person yourself').waitFor();
      link = (await dialog.locator('.copyable code').textContent()) ?? '';
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.getByRole('row', { name: slug }).getByText('Globex').waitFor();
      assert.equal(await page.getByText('svc_invitation_').count(), 0);
      await assertAccessible(page);
    });
    await visit(link.split('/app/')[1] as string, async (page) => {
      await acceptInvitation(page, 'a guardian with a long memory');
      await page.locator('.tenant', { hasText: 'Globex' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Tenants', exact: true }).count(), 0);
    });
  });

  test('shows the state of the server', async () => {
    const { server } = dashboard;
    const operator = await server.createMember({ role: 'platform_admin' });
    await insertTransfer(server.installation.database.kysely, {
      kind: 'move',
      at: '2026-11-20T10:00:00.000Z',
      source: 'sqlite:/srv/svc',
      tenant_id: null,
      notice_id: null,
      row_count: 5000,
      total_count: null,
    });
    await insertTransfer(server.installation.database.kysely, {
      kind: 'import',
      at: '2026-11-20T11:00:00.000Z',
      source: 'a'.repeat(64),
      tenant_id: null,
      notice_id: null,
      row_count: 1500,
      total_count: 3000,
    });
    await visitAs(operator, 'system', async (page) => {
      await page.getByRole('row', { name: /^Move .*2026.* Completed sqlite:\/srv\/svc 5,000$/ }).waitFor();
      await page.getByRole('row', { name: /^Import .*2026.* Incomplete a{64} 1,500 \/ 3,000$/ }).waitFor();
      await page.getByText(/^SQLite, [\d.]+ [KM]iB$/).waitFor();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByText('Free on the disk').waitFor();
      await page.getByText('Nothing has been verified yet').waitFor();
      await page.getByRole('button', { name: 'Verify now' }).click();
      await page.locator('svc-list').getByText('Holds').waitFor();
      assert.ok(await page.getByRole('button', { name: 'Verify now' }).isEnabled());
      await assertAccessible(page);
      await page.goto(`${dashboard.server.url}/app/proofs`);
      await page.getByText('Last verified by the server').getByText('Holds').waitFor();
    });
  });
});
