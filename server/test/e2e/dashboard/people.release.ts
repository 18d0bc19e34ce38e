import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from '../../../http/roles.ts';
import { assertAccessible } from '../accessible.ts';
import { acceptInvitation, describeDashboard } from './browser.ts';

describeDashboard('people, provisioning and keys in the dashboard', (dashboard) => {
  const { visit, visitAs } = dashboard;

  async function createTenant(role: MemberRole = 'admin') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    return { server, tenant, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  test('invites a colleague, whose link leads into the tenant, and revokes another invitation', async () => {
    const { member } = await createTenant();
    const email = `${crypto.randomUUID()}@example.com`;
    let link = '';
    await visitAs(member, 'people', async (page) => {
      for (const address of [email, `other-${email}`]) {
        await page.getByRole('button', { name: 'Invite a person' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Email').fill(address);
        await dialog.getByRole('combobox', { name: 'Role' }).selectOption('dpo');
        await dialog.getByRole('button', { name: 'Create invitation' }).click();
        const code = page.getByRole('dialog').locator('.copyable code');
        await code.waitFor();
        if (address === email) link = (await code.textContent()) ?? '';
        await page.getByRole('button', { name: 'I have stored it' }).click();
      }
      const row = page.getByRole('row', { name: `other-${email}` });
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('Revoked').waitFor();
    });
    await visit(link.split('/app/')[1] as string, async (page) => {
      await acceptInvitation(page, 'a guardian with a long memory');
      await page.getByText('(Data protection officer)').waitFor();
    });
  });

  test('changes the role, suspends, reactivates and removes a member, and ends their sessions', async () => {
    const { server, tenant, member } = await createTenant();
    const other = await server.createMember({ tenantId: tenant.id, role: 'auditor' });
    await visitAs(member, 'people', async (page) => {
      await page.getByRole('searchbox', { name: 'Email' }).fill(other.email);
      await page.getByRole('searchbox', { name: 'Email' }).blur();
      await page.getByRole('link', { name: member.email }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: other.email }).click();
      await page.getByRole('button', { name: 'End all sessions' }).click();
      await page.getByRole('dialog').getByText('is signed out everywhere').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
      await page.getByText('No sessions').waitFor();
      await page.getByRole('button', { name: 'Change role' }).click();
      await page.getByRole('combobox', { name: 'Role' }).selectOption('engineer');
      await page.getByLabel('Reason').fill('moved to another team');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('definition').filter({ hasText: 'Engineer' }).waitFor();
      await page.getByRole('button', { name: 'Suspend' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
      await page.getByText('Suspended').waitFor();
      await page.getByRole('button', { name: 'Reactivate' }).click();
      await page.getByText('Active', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('heading', { name: 'People' }).waitFor();
      await page.getByText('No invitations yet').waitFor();
      assert.equal(await page.getByRole('link', { name: other.email }).count(), 0);
    });
  });

  test('erases a member with a reason after a second step, and shows what was erased', async () => {
    const { server, tenant, member } = await createTenant();
    const other = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    await visitAs(member, `people/${other.userId}`, async (page) => {
      await page.getByRole('button', { name: 'Erase' }).click();
      const dialog = page.getByRole('dialog', { name: 'Erase this member' });
      await dialog.getByText('Sessions: 1').waitFor();
      await dialog.getByText('What they did, in the audit log').waitFor();
      await assertAccessible(page);
      const erase = dialog.getByRole('button', { name: 'Erase' });
      await dialog.getByLabel('Reason').fill(`For ${other.email}`);
      await erase.click();
      const sure = dialog.getByRole('checkbox', { name: `cannot be undone: ${other.email}` });
      assert.equal(await sure.evaluate((box) => box === document.activeElement), true, 'the second step is missing');
      await page.keyboard.press('Space');
      await page.keyboard.press('Enter');
      await dialog.getByRole('alert').waitFor();
      const user = { key: tenant.key };
      assert.equal((await server.request('GET', `/v1/users/${other.userId}`, user)).status, 200);
      await dialog.getByLabel('Reason').fill('Asked for it');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Erased member' }).waitFor();
      await page.getByText('Erased.', { exact: true }).waitFor();
      assert.match(
        (await page.locator('dl').textContent()) ?? '',
        /Sessions\s*1\s*Invitations\s*0\s*Audit events\s*[1-9]/,
      );
      await assertAccessible(page);
      assert.equal((await server.request('GET', `/v1/users/${other.userId}`, user)).status, 404);
      await page.reload();
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    });
    await visitAs(member, `people/${member.userId}`, async (page) => {
      await page.getByRole('button', { name: 'Remove' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Erase' }).count(), 0, 'nobody erases themselves');
    });
  });

  test('says why the last administrator cannot be removed, and leaves the member as it is', async () => {
    const { member } = await createTenant();
    await visitAs(member, `people/${member.userId}`, async (page) => {
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Active', { exact: true }).waitFor();
    });
  });

  test('creates a key of a preset that works, rotates it, and revokes it', async () => {
    const { server, member } = await createTenant();
    const keys: string[] = [];
    const status = async (key: string) => (await server.request('GET', '/v1/consent', { key })).status;
    await visitAs(member, 'keys', async (page) => {
      const store = async () => {
        const code = page.getByRole('dialog').locator('.copyable code');
        await code.waitFor();
        keys.push((await code.textContent()) as string);
        await page.getByRole('button', { name: 'I have stored it' }).click();
      };
      await page.getByRole('button', { name: 'Create API key' }).click();
      await page.getByLabel('Name').fill('shop');
      await page.getByRole('button', { name: 'Read everything' }).click();
      assert.equal(await page.getByLabel('consent:write').isChecked(), false);
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await store();
      await page.getByRole('button', { name: 'Create API key' }).click();
      assert.equal(await page.getByLabel('consent:write').isChecked(), true);
      await page.keyboard.press('Escape');
      await page.getByRole('row', { name: 'shop' }).getByRole('button', { name: 'Rotate' }).click();
      await page.getByLabel('Overlap').fill('0');
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      await store();
      assert.deepEqual(await Promise.all(keys.map(status)), [401, 200]);
      const row = page.getByRole('row', { name: 'shop' });
      await row.getByRole('button', { name: 'Revoke' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await row.getByText('Revoked').waitFor();
      await page.waitForFunction(() => document.activeElement?.ariaLabel === 'API keys');
    });
    assert.equal(await status(keys[1] as string), 401);
  });

  test('creates and replaces the SCIM token, and lists only what was provisioned with it', async () => {
    const { server, tenant, member } = await createTenant();
    const invited = `${crypto.randomUUID()}@example.com`;
    await server.request('POST', '/v1/users/invitations', {
      key: tenant.key,
      body: { email: invited, role: 'auditor' },
    });
    await visitAs(member, 'people/provisioning', async (page) => {
      await page.getByText(`${server.url}/scim/v2`).waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      const code = page.getByRole('dialog').locator('.copyable code');
      const key = (await code.textContent()) as string;
      await page.getByRole('button', { name: 'I have stored it' }).click();
      const userName = `${crypto.randomUUID()}@example.com`;
      const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
      const created = await server.request('POST', '/scim/v2/Users', { key, body: { schemas, userName } });
      assert.equal(created.status, 201, created.text);
      await page.reload();
      await page.getByRole('link', { name: userName }).waitFor();
      assert.equal(await page.getByRole('link', { name: invited }).count(), 0);
      await page.getByRole('button', { name: 'Replace token' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace token' }).click();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      assert.equal((await server.request('GET', '/scim/v2/Users', { key })).status, 401);
      await page.getByText('Nothing was provisioned with this token yet').waitFor();
    });
  });

  test('maps groups of the identity provider to roles, and focuses the one that is rejected', async () => {
    const { server, tenant, member } = await createTenant();
    const readMap = async () =>
      (await server.request('GET', '/v1/tenant', { key: tenant.key })).body.data.sso.attributeMap.scimGroupRoleMap;
    await visitAs(member, 'people/provisioning', async (page) => {
      const names = page.getByLabel('Name of the group');
      const save = page.getByRole('button', { name: 'Save' });
      const isFocused = (index: number) => names.nth(index).evaluate((field) => field === document.activeElement);
      await page.getByText('No groups are listed').waitFor();
      for (const [index, name] of ['Operations', 'Admin', 'Operations'].entries()) {
        await page.getByRole('button', { name: 'Add group' }).click();
        await names.nth(index).fill(name);
      }
      await save.click();
      await page.getByText('Name of the group: is listed twice').waitFor();
      await page.getByRole('button', { name: 'Remove: Operations' }).last().click();
      await page.getByRole('combobox', { name: 'Role' }).first().selectOption('engineer');
      await save.click();
      await page.getByText('Name of the group: is the name of a role other than auditor').waitFor();
      assert.ok(await isFocused(1));
      await names.nth(1).fill(' SG.Privacy ');
      await save.click();
      await page.getByText('Saved').waitFor();
      assert.deepEqual(await readMap(), { Operations: 'engineer', 'SG.Privacy': 'auditor' });
      await page.reload();
      await page.getByRole('button', { name: 'Remove: Operations' }).click();
      await save.click();
      await page.getByText('Saved').waitFor();
      assert.deepEqual(await readMap(), { 'SG.Privacy': 'auditor' });
    });
  });

  test('sets a new password with the link that an administrator creates', async () => {
    const { server, tenant, member } = await createTenant();
    const forgetful = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    let link = '';
    await visitAs(member, `people/${forgetful.userId}`, async (page) => {
      await page.getByRole('button', { name: 'Reset password' }).click();
      link = (await page.getByRole('dialog').locator('.copyable code').textContent()) as string;
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await page.goto(`${server.url}/app/people/${member.userId}`);
      await page.getByRole('button', { name: 'Change role' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Reset password' }).count(), 0);
    });
    await visit(link.replace(`${server.url}/app/`, ''), async (page) => {
      await page.getByLabel('New password').fill('short');
      assert.equal(await page.title(), 'Set a new password · Svc');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('must have at least 15 characters').waitFor();
      await page.getByLabel('New password').fill('seven slow trains at noon');
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Your new password is set').waitFor();
      assert.equal(new URL(page.url()).hash, '');
      await page.getByLabel('Password').fill('seven slow trains at noon');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(forgetful.email).waitFor();
    });
    await visit('reset', async (page) => {
      await page.getByText('The link is incomplete').waitFor();
    });
  });
});
