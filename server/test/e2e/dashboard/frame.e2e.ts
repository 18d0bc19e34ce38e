import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStartToken } from '../../../accounts/members/start-link.ts';
import { computeCode } from '../../accounts/mfa/authenticator.ts';
import { assertAccessible } from '../accessible.ts';
import { acceptInvitation, describeDashboard, sendPassword, signIn } from './browser.ts';

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
      const questions: string[] = [];
      page.once('dialog', (question) => {
        questions.push(question.message());
        void question.dismiss();
      });
      await page.getByRole('link', { name: 'Settings' }).click();
      assert.deepEqual(questions, ['Leave without storing it? It is not shown again.']);
      await page.context().grantPermissions([]);
      await page.getByRole('button', { name: 'Copy', exact: true }).click();
      await page.getByText('Copying failed').waitFor();
      backupCode = (await page.locator('.codes code').first().textContent()) ?? '';
      await page.getByRole('button', { name: 'I have stored the codes' }).click();
      await page.getByText('Sign-in asks for a code. Unused backup codes: 10').waitFor();
    });
    dashboard.server.clock.advance(30_000);
    for (const code of [computeCode(secret, dashboard.server.clock.milliseconds()), backupCode])
      await visit('', async (page) => {
        await sendPassword(page, member);
        await page.getByRole('button', { name: 'Back' }).click();
        assert.equal(await page.getByLabel('Email').inputValue(), member.email);
        await sendPassword(page, member);
        // The hint below describes the field, and is no part of its name.
        await page.getByRole('textbox', { name: 'Code', exact: true }).fill(` ${code} `);
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

  test('switches the tenant, and lets a tab that shows the earlier one change nothing until it is back', async () => {
    const { server } = dashboard;
    const [home, away] = [await server.createTenant('home-tenant'), await server.createTenant('away-tenant')];
    const member = await server.createMember({ tenantId: home.id });
    await server.createMember({ tenantId: away.id, email: member.email, role: 'auditor' });
    await visitAs(member, 'me', async (page) => {
      await page.getByLabel('Given name').fill('Zoë');
      const other = await page.context().newPage();
      await other.goto(`${server.url}/app/people`);
      await other.getByRole('link', { name: member.email }).waitFor();
      await assertAccessible(other);
      await other.getByRole('link', { name: 'Your account' }).click();
      await other.getByLabel('Given name').fill('Discarded');
      const questions: string[] = [];
      other.on('dialog', (question) => {
        questions.push(question.type());
        void question.accept();
      });
      await other.getByRole('combobox', { name: 'Tenant', exact: true }).selectOption('away-tenant');
      await other.getByRole('heading', { name: 'away-tenant' }).or(other.locator('svc-home h1')).first().waitFor();
      await other.getByRole('combobox', { name: 'Tenant', exact: true }).waitFor();
      assert.deepEqual(questions, ['confirm']);
      assert.equal(await other.getByRole('link', { name: 'Settings' }).count(), 1);
      await page
        .locator('form', { has: page.getByLabel('Given name') })
        .getByRole('button', { name: 'Save' })
        .click();
      const dialog = page.getByRole('dialog', { name: 'You switched to another tenant' });
      await dialog.getByText('This page still shows home-tenant').waitFor();
      await assertAccessible(page);
      const nameIn = async (key: string) =>
        (await server.request('GET', `/v1/users/${member.userId}`, { key })).body.data.givenName;
      assert.deepEqual([await nameIn(home.key), await nameIn(away.key)], [null, null]);
      await dialog.getByRole('button', { name: 'Continue in home-tenant' }).click();
      await page.getByText('Your name is saved').waitFor();
      assert.deepEqual([await nameIn(home.key), await nameIn(away.key)], ['Zoë', null]);
    });
  });

  test('warns before an idle session ends, keeps it when asked to, and asks for the password at its end', async () => {
    const member = await dashboard.server.createMember();
    await visit(
      '',
      async (page) => {
        await signIn(page, member);
        await page.goto(`${dashboard.server.url}/app/me`);
        const first = page.locator('svc-account li').first();
        await first.getByText('Chrome on Linux').waitFor();
        await page.getByLabel('Given name').fill('Ada');
        const stay = page.getByRole('button', { name: 'Stay signed in' });
        await page.clock.fastForward('54:00');
        assert.equal(await stay.count(), 0);
        await page.clock.fastForward('02:00');
        await assertAccessible(page);
        await stay.click();
        await stay.waitFor({ state: 'detached' });
        const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'));
        assert.equal(await focused(), 'givenName');
        await page.clock.fastForward('56:00');
        await stay.waitFor();
        dashboard.server.clock.advance(hour);
        await page.clock.fastForward('05:00');
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Password').fill(member.password);
        await dialog.getByRole('button', { name: 'Sign in' }).click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(await focused(), 'givenName');
        assert.equal(await page.getByLabel('Given name').inputValue(), 'Ada');
        await page
          .locator('form', { has: page.getByLabel('Given name') })
          .getByRole('button', { name: 'Save' })
          .click();
        await page.getByText('Your name is saved').waitFor();
      },
      { setClock: (clock) => clock.install() },
    );
  });

  test('signs in with the link that the server prints, once', async () => {
    const { server } = dashboard;
    const member = await server.createMember();
    const token = await createStartToken(server.installation, { tenant: 'first', email: member.email });
    await visit(`start#${token}`, async (page) => {
      await page.getByText(member.email).waitFor();
      assert.equal(new URL(page.url()).pathname, '/app/');
      assert.equal(new URL(page.url()).hash, '');
    });
    await visit(`start#${token}`, async (page) => {
      await page.getByText('This link is unknown, used or expired').waitFor();
      await assertAccessible(page);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Email').waitFor();
    });
  });

  test('accepts an invitation whose token is in the fragment of the link', async () => {
    const email = 'invited@example.com';
    const invited = await dashboard.server.request('POST', '/v1/users/invitations', {
      key: dashboard.server.tenant.key,
      body: { email, role: 'auditor' },
    });
    assert.equal(invited.status, 201, invited.text);
    await visit(`invite#${invited.body.data.token}`, async (page) => {
      await page.getByText(`You are invited to ${dashboard.server.tenant.slug}. Your role: Auditor.`).waitFor();
      await acceptInvitation(page, 'an auditor with a long memory');
      await page.goto(`${dashboard.server.url}/app/invite#${invited.body.data.token}`);
      await page.getByLabel('New password').fill('an auditor with a long memory');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByText(email).waitFor();
    });
  });

  test('finds pages by keyboard, moves the focus to the heading, and follows the back button', async () => {
    const member = await dashboard.server.createMember();
    await visit('', async (page) => {
      await signIn(page, member);
      await page.setViewportSize({ width: 640, height: 300 });
      await page.keyboard.press('Control+k');
      await page.keyboard.press('ArrowUp');
      const last = page.getByRole('dialog').getByRole('option', { selected: true });
      assert.ok(await last.evaluate((option) => option.getBoundingClientRect().bottom < innerHeight));
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

  test('runs what is pressed while another action runs after it, and keeps the focus where it was', async () => {
    const { server } = dashboard;
    const member = await server.createMember();
    const { body } = await server.request('POST', '/v1/webhooks', {
      headers: member.session,
      body: { url: 'https://receiver.example/other' },
    });
    await visitAs(member, `webhooks/${body.data.id}`, async (page) => {
      const held = Promise.withResolvers<void>();
      const asked = Promise.withResolvers<void>();
      await page.route(`**/v1/webhooks/${body.data.id}`, async (route) => {
        if (route.request().postData()?.includes('paused') === true) {
          asked.resolve();
          await held.promise;
        }
        await route.continue();
      });
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      await asked.promise;
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('pressed meanwhile');
      await page.getByLabel('Description').press('Enter');
      await page
        .getByRole('button', { name: 'Save' })
        .evaluate((button: HTMLButtonElement) => button.form?.requestSubmit());
      held.resolve();
      await page.getByText('Saved').waitFor();
      await page.getByText('pressed meanwhile').waitFor();
      await page.getByText('Paused').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.textContent?.trim()), 'Edit');
      await page.getByRole('button', { name: 'Enable' }).press('Enter');
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.textContent?.trim() === 'Pause');
    });
  });

  test('speaks the language of the browser, and keeps the one that the user chooses', async () => {
    const member = await dashboard.server.createMember();
    await visit(
      '',
      async (page) => {
        await page.getByLabel('E-Mail').fill(member.email);
        await page.getByLabel('Passwort').fill('a wrong password');
        await page.getByRole('button', { name: 'Anmelden' }).click();
        await page.getByText('E-Mail-Adresse oder Passwort ist falsch.').waitFor();
        await page.getByLabel('Passwort').fill(member.password);
        await page.getByRole('button', { name: 'Anmelden' }).click();
        await page.getByRole('link', { name: 'Ihr Konto' }).click();
        const language = page.getByRole('combobox', { name: 'Sprache' });
        await page.getByLabel('Vorname').fill('Ada');
        const asked = page.waitForEvent('dialog');
        await Promise.all([asked.then((question) => question.dismiss()), language.selectOption('fr')]);
        assert.equal(await page.locator('html').getAttribute('lang'), 'de');
        page.once('dialog', (question) => void question.accept());
        await language.selectOption('fr');
        await page.getByRole('heading', { name: 'Votre compte' }).waitFor();
        assert.equal(await page.locator('html').getAttribute('lang'), 'fr');
      },
      { locale: 'de-AT' },
    );
  });

  test('shows the page first in a narrow window, and the navigation on demand', async () => {
    const member = await dashboard.server.createMember();
    await visitAs(
      member,
      'notices',
      async (page) => {
        const heading = page.getByRole('heading', { name: 'Notices', level: 1 });
        await heading.waitFor();
        const { y = Number.NaN } = (await heading.boundingBox()) ?? {};
        assert.ok(y < 320, `the heading is at ${y} px`);
        const link = page.getByRole('link', { name: 'Webhooks' });
        assert.equal(await link.count(), 0);
        await page.getByRole('button', { name: 'Menu' }).press('Enter');
        await assertAccessible(page);
        await page.setViewportSize({ width: 320, height: 640 });
        await link.press('Enter');
        await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
        assert.equal(await link.count(), 0);
      },
      { viewport: { width: 320, height: 640 } },
    );
  });

  test('asks before a dialog drops what was typed, at every Escape and at Cancel, and closes an untouched one', async () => {
    const member = await dashboard.server.createMember();
    await visitAs(member, 'requests', async (page) => {
      const dialog = page.getByRole('dialog');
      const open = () => page.getByRole('button', { name: 'Open a request' }).click();
      const questions: string[] = [];
      let isSure = false;
      page.on('dialog', async (question) => {
        questions.push(question.message());
        await (isSure ? question.accept() : question.dismiss());
      });
      await open();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await open();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(questions, []);
      await open();
      await dialog.getByLabel('Notes').fill('a long letter');
      for (const key of ['Escape', 'Escape', 'Escape']) await page.keyboard.press(key);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      assert.equal(await dialog.getByLabel('Notes').inputValue(), 'a long letter');
      assert.deepEqual(questions, Array(4).fill('Discard what you entered? It is not saved.'));
      isSure = true;
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('heading', { name: 'Notices', level: 1 }).waitFor();
      assert.equal(questions.length, 5);
    });
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
