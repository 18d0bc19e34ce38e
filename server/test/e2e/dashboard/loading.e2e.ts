import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { describeDashboard } from './browser.ts';

describeDashboard('loading the dashboard', (dashboard) => {
  test('fetches nothing of the pages behind the sign-in before it', async () => {
    await dashboard.visit('audit', async (page) => {
      await page.getByLabel('Email').waitFor();
      // The script of the setup asks whether the server waits for it.
      const scripts = (await listScripts(page)).filter((file) => file !== 'setup.js');
      assert.deepEqual(scripts, ['entry.js', 'index.js', 'lit.js']);
    });
  });

  test('fetches the scripts of the frame and of the page beside the session, in a browser that had one', async () => {
    const member = await dashboard.server.createMember();
    await dashboard.visitAs(member, 'audit', async (page) => {
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      const held = Promise.withResolvers<void>();
      await page.route('**/v1/me', async (route) => {
        await held.promise;
        await route.continue();
      });
      const scripts = ['frame', 'audit'].map((name) =>
        page.waitForResponse((response) => new RegExp(`/${name}-[\\w-]{8}\\.js$`).test(response.url())),
      );
      await page.reload();
      await Promise.all(scripts);
      await page.getByText('Loading').waitFor();
      held.resolve();
      await page.getByRole('heading', { name: 'Audit log' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Email').waitFor();
      await page.reload();
      await page.getByLabel('Email').waitFor();
      assert.ok(!(await listScripts(page)).includes('frame.js'));
    });
  });
});

/** The scripts that a document has fetched, without the hashes in their names. */
async function listScripts(page: Page): Promise<readonly string[]> {
  const addresses = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const files = addresses.flatMap((address) => address.split('/app/assets/')[1] ?? []);
  return [...new Set(files.map((file) => file.replace(/-[\w-]{8}\./, '.')))]
    .filter((file) => file.endsWith('.js'))
    .toSorted();
}
