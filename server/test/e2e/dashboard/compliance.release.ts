import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from '../../../http/roles.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

describeDashboard('requests, breaches and settings in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  async function createTenant(role: MemberRole = 'admin') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    return { server, tenant, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  test('opens, assigns, extends and completes a request, and asks for the reason of a rejection', async () => {
    const { member } = await createTenant('cs_agent');
    await visitAs(member, 'requests', async (page) => {
      await page.getByRole('button', { name: 'Open a request' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Subject id').fill('ada');
      await dialog.getByRole('combobox', { name: 'Type' }).selectOption('erasure');
      await dialog.getByLabel('Notes').fill('wrote a letter');
      await dialog.getByRole('button', { name: 'Open a request' }).click();
      await page.getByRole('heading', { name: 'Erasure: ada' }).waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByRole('combobox', { name: 'Assignee' }).selectOption(member.email);
      await dialog.getByLabel('Identity checked').fill('Called <back>');
      await dialog.getByLabel('Notes').fill('wrote a letter\nand called');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^Called <back> \(/).waitFor();
      await page.getByText(`${member.email},`).waitFor();
      await page.getByRole('button', { name: 'Extend' }).click();
      await dialog.getByLabel('Reason').fill('many systems');
      await dialog.getByRole('button', { name: 'Extend' }).click();
      await page.getByText('many systems').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Extend' }).count(), 0);
      await page.getByRole('button', { name: 'Complete' }).click();
      await dialog.getByRole('combobox', { name: 'Outcome' }).selectOption('rejected');
      await dialog.getByRole('button', { name: 'Complete' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('Reason').fill('identity not shown');
      await dialog.getByRole('button', { name: 'Complete' }).click();
      await page.getByText('identity not shown').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Complete' }).count(), 0);
    });
  });

  test('reports a breach, records the notification, and keeps the seconds of a time that was not edited', async () => {
    const { server, member } = await createTenant('dpo');
    const now = server.clock.now();
    await visitAs(
      member,
      'breaches',
      async (page) => {
        await page.getByRole('button', { name: 'Report a breach' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Title').fill('Lost laptop <i>');
        await dialog.getByLabel('What happened').fill('It was on a train.\nIt is encrypted.');
        await dialog.getByLabel('Kinds of data').fill('names, addresses');
        await dialog.getByLabel('Discovered').fill('2030-01-01T00:00');
        await dialog.getByRole('button', { name: 'Report a breach' }).click();
        await dialog.getByRole('alert').waitFor();
        await dialog.getByLabel('Discovered').fill(now.slice(0, 16));
        await dialog.getByRole('button', { name: 'Report a breach' }).click();
        await page.getByRole('heading', { name: 'Lost laptop <i>' }).waitFor();
        await page.getByText('names, addresses').waitFor();
        await page.getByRole('button', { name: 'Edit' }).click();
        await dialog.getByLabel('Authority notified').fill(now.slice(0, 16));
        await dialog.getByRole('combobox', { name: 'Status' }).selectOption('closed');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByText('Saved.').waitFor();
        await page.getByText('Closed', { exact: true }).waitFor();
      },
      { timezoneId: 'UTC' },
    );
  });

  test('erases the texts of what has ended, on its page', async () => {
    const { server, tenant, member } = await createTenant('dpo');
    const { key } = tenant;
    const send = async (method: string, path: string, body: object) => {
      const { status, text, body: answer } = await server.request(method, path, { key, body });
      assert.ok(status < 300, text);
      return answer.data;
    };
    const request = await send('POST', '/v1/dsr', { subjectId: 'erased-ada', type: 'erasure', notes: 'erased notes' });
    const discoveredAt = server.clock.now();
    const incident = { title: 'Laptop of Ada', description: 'erased words', severity: 'low', discoveredAt };
    const breach = await send('POST', '/v1/breach', incident);
    const places = [
      [`requests/${request.id}`, 'Erase the texts of this request', 'Erasure: erased-ada', 'erased notes'],
      [`breaches/${breach.id}`, 'Erase the texts of this breach', 'Laptop of Ada', 'erased words'],
    ] as const;
    for (const [path, , name] of places)
      await visitAs(member, path, async (page) => {
        await page.getByRole('heading', { name }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Erase' }).count(), 0, 'it is open');
      });
    await send('POST', `/v1/dsr/${request.id}/complete`, { outcome: 'fulfilled' });
    await send('PATCH', `/v1/breach/${breach.id}`, { status: 'closed', notificationReason: 'No risk' });
    for (const [path, title, name, text] of places) {
      await visitAs(member, path, async (page) => {
        await page.getByRole('button', { name: 'Erase' }).click();
        const dialog = page.getByRole('dialog', { name: title });
        await dialog.getByText('This stays:').waitFor();
        await dialog.getByLabel('Reason').fill('No longer needed');
        await dialog.getByRole('checkbox', { name }).check();
        await dialog.getByRole('button', { name: 'Erase' }).click();
        await page.getByText('Erased.', { exact: true }).waitFor();
        await page.getByText('Texts erased').last().waitFor();
        await assertAccessible(page);
        await page.reload();
        await page.getByText('Texts erased').last().waitFor();
        const shown = (await page.locator('main').textContent()) ?? '';
        assert.ok(!shown.includes(text) && !shown.includes('Ada') && !shown.includes('erased-ada'), shown);
        assert.equal(await page.getByRole('button', { name: 'Erase' }).count(), 0);
      });
    }
  });

  test('shows what changes before the settings are saved, and lets other roles only read', async () => {
    const { server, tenant, member } = await createTenant();
    await visitAs(member, 'settings', async (page) => {
      await page.getByLabel('Name').fill('Acme Ltd');
      await page.getByLabel('Require a second factor').check();
      await page.getByRole('button', { name: 'Save' }).click();
      const changes = page.getByRole('dialog').getByRole('listitem');
      await changes.nth(1).waitFor();
      assert.deepEqual(await changes.allTextContents(), [
        `Name: ${tenant.slug} → Acme Ltd`,
        'Require a second factor: Off → On',
      ]);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByLabel('Require a second factor').uncheck();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.reload();
      assert.equal(await page.getByLabel('Name').inputValue(), 'Acme Ltd');
    });
    const auditor = await server.createMember({ tenantId: tenant.id, role: 'auditor' });
    await visitAs(auditor, 'settings', async (page) => {
      assert.ok(await page.getByLabel('Name').isDisabled());
      assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
    });
  });

  test('turns on the form for requests, and shows what came with it and whether the address is confirmed', async () => {
    const { server, tenant, member } = await createTenant();
    await visitAs(member, 'settings', async (page) => {
      await page.getByLabel('public form').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await page.getByText(`${server.url}/privacy/${tenant.slug}/request`).waitFor();
      await assertAccessible(page);
      const body = { type: 'access', email: 'ada@example.com', name: 'Ada <b>', message: '<i>My</i>\naccount' };
      const made = await server.request('POST', `/v1/public/dsr/${tenant.slug}`, { key: null, body });
      await page.goto(`${server.url}/app/requests/${made.body.data.reference}`);
      await page.getByText('Ada <b>').waitFor();
      await page.getByText('<i>My</i>').waitFor();
      await page.getByRole('button', { name: 'Create link to confirm the address' }).click();
      const dialog = page.getByRole('dialog');
      const [, token] = ((await dialog.locator('code').textContent()) ?? '').split(`${server.url}/privacy/confirm#`);
      await assertAccessible(page);
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      const confirmed = await server.request('POST', '/v1/public/dsr-confirmations', { key: null, body: { token } });
      assert.equal(confirmed.status, 200, confirmed.text);
      await page.reload();
      await page.getByText('Address confirmed').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Create link to confirm the address' }).count(), 0);
      await page.getByRole('button', { name: 'Edit' }).click();
      await dialog.getByLabel('Subject id').fill('customer-42');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Access: customer-42' }).waitFor();
    });
  });
});
