import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSetupToken } from '../../../accounts/members/setup.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

const password = 'river lantern copper orchard';

describeDashboard(
  'the setup of a server in a browser',
  (dashboard) => {
    const { visit } = dashboard;

    test('leads from the printed link to the start page', async () => {
      const { server } = dashboard;
      const token = await createSetupToken(server.installation);
      for (const path of ['me', 'setup'])
        await visit(path, async (page) => {
          await page.getByText('Open the link that it printed when it was started').waitFor();
          assert.equal(await page.getByLabel('Email').count(), 0);
          if (path === 'setup') await assertAccessible(page);
        });
      await visit(`setup#${token}0`, async (page) => {
        await page.getByLabel('Organization').fill('Example Ltd');
        await page.getByLabel('Email').fill('grace@example.com');
        await page.getByLabel('Password').fill('too short');
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('This link is unknown, used or expired').waitFor();
      });
      await visit(`setup#${token}`, async (page) => {
        await page.getByLabel('Organization').fill('Example Ltd');
        await page.getByLabel('Given name').fill('Grace');
        await page.getByLabel('Email').fill('grace@example.com');
        await page.getByLabel('Password').fill('too short');
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('must have at least 15 characters').waitFor();
        assert.equal(await page.getByLabel('Password').evaluate((field) => field === document.activeElement), true);
        await assertAccessible(page);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.getByText('Step 2 of 4').waitFor();
        assert.equal(await page.locator('h1').evaluate((heading) => heading === document.activeElement), true);
        assert.deepEqual([new URL(page.url()).pathname, new URL(page.url()).hash], ['/app/', '']);
        await assertAccessible(page);
        await page.getByRole('button', { name: 'Continue without' }).click();
        await page.getByText('Step 3 of 4').waitFor();
        await assertAccessible(page);
        await page.getByRole('button', { name: 'Go to the start page' }).click();
        await page.getByRole('link', { name: 'Tenants' }).waitFor();
      });
      await visit(`setup#${token}`, async (page) => {
        await page.getByText('This server is set up.').waitFor();
        await page.getByRole('link', { name: 'Sign in' }).click();
        await page.getByLabel('Email').waitFor();
      });
    });
  },
  { isSetUp: false },
);
