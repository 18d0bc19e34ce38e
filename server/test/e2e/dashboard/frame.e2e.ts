import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberRoleValues } from '../../../dashboard/src/api-types.ts';
import { computeCode } from '../../mfa/authenticator.ts';
import { assertAccessible, describeDashboard, sendPassword, signIn } from './browser.ts';

const hour = 60 * 60_000;

describeDashboard('the dashboard in a browser', (dashboard) => {
  const { visit, visitAs } = dashboard;

  test('is where / leads', async () => {
    const response = await fetch(`${dashboard.server.url}/`, { redirect: 'manual' });
    assert.deepEqual([response.status, response.headers.get('location')], [303, 'app/']);
  });

  test('answers 404 for a file of another build, and 405 for a POST', async () => {
    assert.equal((await fetch(`${dashboard.server.url}/app/assets/index-00000000.js`)).status, 404);
    assert.equal((await fetch(`${dashboard.server.url}/app/`, { method: 'POST' })).status, 405);
  });

  test('signs a user in, shows a wrong password, and opens the requested page', async () => {
    const member = await dashboard.server.createMember();
    await visit('me', async (page) => {
      await sendPassword(page, { ...member, password: 'a wrong password' });
      assert.match((await page.getByRole('alert').textContent()) ?? '', /password is (incorrect|wrong)/);
      assert.equal(await page.getByLabel('Email').inputValue(), member.email);
      await signIn(page, member);
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Email').waitFor();
      await page.reload();
      await page.getByLabel('Email').waitFor();
    });
  });

  test('sets up a second factor with the QR code, and signs in with its code and a backup code', async () => {
    const member = await dashboard.server.createMember();
    let secret = '';
    let backupCode = '';
    await visit('me', async (page) => {
      await signIn(page, member);
      await page.getByRole('button', { name: 'Set up' }).click();
      await page.getByLabel('Current password').first().fill(member.password);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('img', { name: 'QR' }).waitFor();
      await page.getByText('Or enter this address').click();
      const uri = new URL((await page.locator('details code').textContent()) ?? '');
      secret = uri.searchParams.get('secret') ?? '';
      await page.getByLabel('Code').fill('000000');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Code').fill(computeCode(secret, dashboard.server.clock.milliseconds()));
      await page.getByRole('button', { name: 'Continue' }).click();
      backupCode = (await page.locator('.codes code').first().textContent()) ?? '';
      await page.getByRole('button', { name: 'I have stored the codes' }).click();
      await page.getByText('Sign-in asks for a code. Unused backup codes: 10').waitFor();
    });
    dashboard.server.clock.advance(30_000);
    for (const code of [computeCode(secret, dashboard.server.clock.milliseconds()), backupCode])
      await visit('', async (page) => {
        await sendPassword(page, member);
        await page.getByLabel('Code').fill(` ${code} `);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByRole('button', { name: 'Sign out' }).waitFor();
      });
  });

  test('lets the user sign in again when the session ends while a form is full, and carries the form out', async () => {
    const member = await dashboard.server.createMember();
    const password = 'another choir of granite';
    await visit('me', async (page) => {
      await signIn(page, member);
      await page.getByLabel('Current password').fill(member.password);
      await page.getByLabel('New password').fill(password);
      dashboard.server.clock.advance(25 * hour);
      await page.getByRole('button', { name: 'Change password' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Your session ended').waitFor();
      await assertAccessible(page);
      await dialog.getByLabel('Password').fill(member.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('The password is changed').waitFor();
    });
    await visit('', (page) => signIn(page, { ...member, password }));
  });

  test('accepts an invitation whose token is in the fragment of the link', async () => {
    const email = 'invited@example.com';
    const invited = await dashboard.server.request('POST', '/v1/users/invitations', {
      key: dashboard.server.tenant.key,
      body: { email, role: 'auditor' },
    });
    assert.equal(invited.status, 201, invited.text);
    await visit(`invite#${invited.body.data.token}`, async (page) => {
      await page.getByLabel('New password').fill('an auditor with a long memory');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('The invitation is accepted').waitFor();
      assert.equal(new URL(page.url()).hash, '');
      await page.getByLabel('Password').fill('an auditor with a long memory');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText(email).waitFor();
    });
  });

  test('finds pages by keyboard, moves the focus to the heading, and follows the back button', async () => {
    const member = await dashboard.server.createMember();
    await visit('', async (page) => {
      await signIn(page, member);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('account');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your account', level: 1 }).waitFor();
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
      assert.equal(await focused(), 'Your account');
      assert.equal(await page.title(), 'Your account · Svc');
      await page.goBack();
      await page.getByRole('heading', { name: 'Test', level: 1 }).or(page.locator('svc-home h1')).waitFor();
      assert.equal(await page.title(), 'Home · Svc');
    });
  });

  test('speaks the language of the browser, and keeps the one that the user chooses', async () => {
    const member = await dashboard.server.createMember();
    await visit(
      '',
      async (page) => {
        await page.getByLabel('E-Mail').fill(member.email);
        await page.getByLabel('Passwort').fill(member.password);
        await page.getByRole('button', { name: 'Anmelden' }).click();
        await page.getByRole('link', { name: 'Ihr Konto' }).click();
        await page.getByRole('combobox', { name: 'Sprache' }).selectOption('fr');
        await page.getByRole('heading', { name: 'Votre compte' }).waitFor();
        assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
      },
      { locale: 'de-AT' },
    );
  });

  test('shows a missing page, and an unreachable server with a way to try again', async () => {
    const member = await dashboard.server.createMember();
    await visit('none', async (page) => {
      await signIn(page, member);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.route('**/v1/**', (route) => route.abort());
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByText('The server cannot be reached').waitFor();
    });
  });

  test('shows each role the pages that the server lets it read', async () => {
    const readings: Readonly<Record<string, string>> = {
      Notices: '/v1/consent',
      Requests: '/v1/dsr',
      Breaches: '/v1/breach',
      Subjects: '/v1/consent/subjects/someone',
      'Audit log': '/v1/audit',
      Proofs: '/v1/ledgers/consent/checkpoints',
      Webhooks: '/v1/webhooks',
      Deliveries: '/v1/webhooks/deliveries',
      People: '/v1/users',
      Provisioning: '/v1/scim-token',
      'API keys': '/v1/api-keys',
      Settings: '/v1/tenant',
    };
    const { server } = dashboard;
    for (const role of memberRoleValues) {
      const member = await server.createMember({ role });
      const allowed: string[] = [];
      for (const [title, path] of Object.entries(readings)) {
        const { status } = await server.request('GET', path, { headers: member.session });
        if (status !== 403) allowed.push(title);
      }
      await visitAs(member, '', async (page) => {
        await page.getByRole('navigation').waitFor();
        const shown = await page.getByRole('navigation').getByRole('link').allTextContents();
        assert.deepEqual(shown, ['Home', ...allowed, 'Your account'], role);
      });
    }
  });

  test('is accessible', async () => {
    const member = await dashboard.server.createMember();
    await visit('', async (page) => {
      await page.getByLabel('Email').waitFor();
      await assertAccessible(page);
      await signIn(page, member);
      await assertAccessible(page);
      await page.keyboard.press('Control+k');
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Your account' }).click();
      await page.getByText('This session').waitFor();
      await assertAccessible(page);
    });
  });
});
