import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { MemberRole } from '../../../principal/roles.ts';
import { assertAccessible, describeDashboard } from './browser.ts';

const hostile = '<img src=x onerror=alert(1)>';

describeDashboard('notices in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  /** A tenant with a published notice, and a member. */
  async function createTenant(role: MemberRole = 'admin', content = {}) {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const id = await server.createNotice({ key: tenant.key, content });
    const edit = (body: object) => server.request('PATCH', `/v1/consent/${id}`, { key: tenant.key, body });
    const read = async () => (await server.request('GET', `/v1/consent/${id}`, { key: tenant.key })).body.data;
    return { server, tenant, id, edit, read, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  const openPreview = (page: Page) => page.frameLocator('iframe');

  test('creates a notice from a template, edits it and shows the text in the real banner', async () => {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const member = await server.createMember({ tenantId: tenant.id, role: 'engineer' });
    await visitAs(member, 'notices', async (page) => {
      await page.getByText('No notices yet').waitFor();
      await page.getByRole('button', { name: 'New notice' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Template').selectOption('blog');
      await dialog.getByLabel('Domain').fill('https://blog.example.com/');
      await dialog.getByRole('button', { name: 'Create notice' }).click();
      await dialog.getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'domain');
      await dialog.getByLabel('Domain').fill('blog.example.com');
      await dialog.getByLabel('Controller').fill('Blog Ltd');
      await dialog.getByRole('button', { name: 'Create notice' }).click();
      await page.getByRole('heading', { name: 'Privacy on our site', level: 1 }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');

      const preview = openPreview(page);
      await preview.getByText(/Blog Ltd.*Statistics.*Videos and maps/).waitFor();
      const statistics = page.getByRole('group', { name: 'Statistics', exact: true });
      await statistics.getByLabel('Label').fill('Visits');
      await preview.getByText(/Visits.*Videos and maps/).waitFor();
      const visits = page.getByRole('group', { name: 'Visits', exact: true });
      await visits.getByRole('button', { name: 'Move down' }).click();
      assert.deepEqual(await page.evaluate(() => document.activeElement?.ariaLabel), 'Move up: Visits');
      await preview.getByText(/Videos and maps.*Visits/).waitFor();
      await page.getByRole('group', { name: 'Necessary', exact: true }).getByRole('button', { name: 'Remove' }).click();
      await page.getByRole('button', { name: 'Add purpose' }).click();
      await page.keyboard.type('not a key');
      await page.getByRole('group', { name: 'Purpose 3' }).getByLabel('Label').fill('Chat');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'purposes.2.key');
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByLabel('Key').nth(2).fill('chat');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('row', { name: 'Draft' }).getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('row', { name: 'Archived' }).waitFor();
    });
    const { body } = await server.request('GET', '/v1/consent', { key: tenant.key });
    const [{ purposes, status }] = body.data.data;
    assert.equal(status, 'archived');
    assert.deepEqual(
      purposes.map(({ key }: { key: string }) => key),
      ['media', 'statistics', 'chat'],
    );
  });

  test('publishes two versions, the second with its differences, but only what was reviewed', async () => {
    const { server } = dashboard;
    const tenant = await server.createTenant(`tenant-${crypto.randomUUID()}`);
    const id = await server.createNotice({ key: tenant.key, publish: false });
    const member = await server.createMember({ tenantId: tenant.id, role: 'dpo' });
    await visitAs(member, `notices/${id}/publish`, async (page) => {
      const publish = async (name: string) => {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      };
      await page.getByText('Not published yet').waitFor();
      await page.locator('ins').getByText('Example Ltd').waitFor();
      await publish('Publish version 1');
      await page.getByText('Visitors see version 1').waitFor();
      await page.getByText('No differences').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Publish version' }).count(), 0);
      await page.getByRole('link', { name: 'Edit' }).click();
      await page.getByLabel('Controller').fill('Example Group Ltd');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      await page.getByRole('link', { name: 'Publish', exact: true }).click();
      await page.locator('ins').getByText('Group').waitFor();
      assert.equal(await page.locator('del').count(), 0);
      const body = { name: 'Theirs' };
      await server.request('PATCH', `/v1/consent/${id}`, { key: tenant.key, body });
      await publish('Publish version 2');
      await page.getByText('Review the changes below').waitFor();
      await page.locator('ins').getByText('Theirs').waitFor();
      await publish('Publish version 2');
      await page.getByText('Visitors see version 2').waitFor();
      await page.locator('tbody tr').nth(1).waitFor();
    });
    const { body } = await server.request('GET', `/v1/public/consent/${id}`, { key: null });
    assert.deepEqual([body.data.version, body.data.controllerName, body.data.name], [2, 'Example Group Ltd', 'Theirs']);
  });

  test('copies the tag with its integrity, and says that a draft is not public', async () => {
    const { server, tenant, id, member } = await createTenant();
    const draft = await server.createNotice({ key: tenant.key, publish: false });
    const { body } = await server.request('GET', '/widgets/index.json', { key: null });
    const [latest] = body.widgets[0].versions.filter(({ released }: { released: boolean }) => released);
    const permissions = ['clipboard-read', 'clipboard-write'];
    await visitAs(
      member,
      `notices/${id}/install`,
      async (page) => {
        const copy = async (name: string) => {
          const recipe = page.locator('section', { has: page.getByRole('heading', { name }) });
          await recipe.getByRole('button', { name: 'Copy' }).first().click();
          await recipe.getByRole('button', { name: 'Copied' }).waitFor();
          return page.evaluate(() => navigator.clipboard.readText());
        };
        const element = `<svc-consent notice-id="${id}"></svc-consent>`;
        assert.equal(await copy('Plain HTML'), `${latest.script}\n\n${element}`);
        assert.ok((await copy('WordPress')).includes(latest.script));
        assert.match(await copy('Google Tag Manager'), /data-svc-purpose="analytics marketing"/);
        assert.match(await copy('Next.js'), /crossOrigin="anonymous" defer \/>/);
        assert.equal(await copy('Content-Security-Policy'), `script-src ${server.url}; connect-src ${server.url}`);
        await page.goto(`${server.url}/app/notices/${draft}/install`);
        await page.getByText('shows nothing until').waitFor();
      },
      { permissions },
    );
  });

  test('filters notices by text, and keeps the filter in the address', async () => {
    const { server, tenant, member } = await createTenant();
    await server.createNotice({ key: tenant.key, content: { name: 'Shop', domain: 'shop.example.com' } });
    await visitAs(member, 'notices', async (page) => {
      await page.getByRole('link', { name: 'Website' }).waitFor();
      await page.getByLabel('Name, controller or domain').fill('shop');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Website' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('link', { name: 'Shop' }).waitFor();
      assert.equal(await page.locator('tbody tr').count(), 1);
      assert.equal(await page.getByLabel('Name, controller or domain').inputValue(), 'shop');
    });
  });

  test('previews the banner in each look without storing or sending anything', async () => {
    const { member, id, read } = await createTenant();
    await visitAs(member, `notices/${id}`, async (page) => {
      const preview = openPreview(page);
      await preview.getByRole('button', { name: 'Accept all' }).waitFor();
      await page.getByRole('combobox', { name: 'Direction' }).selectOption('rtl');
      await preview.locator('section[dir=rtl]').waitFor();
      // Only the editor around it sends drafts.
      await page.frames()[1]?.evaluate(
        async (content) => {
          const arrival = new Promise((resolve) => addEventListener('message', resolve, { once: true }));
          postMessage({ content, version: 9, theme: 'light', language: 'en', layer: 'banner' });
          await arrival;
          await new Promise(requestAnimationFrame);
        },
        await read(),
      );
      assert.equal(await preview.locator('section[dir=rtl]').count(), 1);
      const before = await countTraces(page);
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await page.getByRole('combobox', { name: 'Direction' }).selectOption('own');
      await page.getByRole('combobox', { name: 'Appearance' }).selectOption('dark');
      await page.getByRole('combobox', { name: 'Screen' }).selectOption('phone');
      await preview.locator('svc-consent[theme=dark]').waitFor({ state: 'attached' });
      await preview.getByRole('button', { name: 'Accept all' }).press('Enter');
      await preview.getByRole('button', { name: 'Preferences' }).press('Enter');
      await preview.getByRole('switch', { name: 'Analytics' }).press('Space');
      assert.equal(await page.getByRole('combobox', { name: 'Shown' }).inputValue(), 'panel');
      await preview.getByRole('button', { name: 'Save' }).press('Enter');
      await page.keyboard.press('Escape');
      await preview.getByRole('dialog').waitFor({ state: 'hidden' });
      assert.equal(await page.getByRole('combobox', { name: 'Shown' }).inputValue(), 'banner');
      await page.getByRole('combobox', { name: 'Shown' }).focus();
      await page.getByRole('combobox', { name: 'Shown' }).selectOption('panel');
      await preview.getByRole('dialog').waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'SELECT');
      assert.deepEqual(requests, []);
      assert.deepEqual(await countTraces(page), before);
    });
  });

  test('frames the preview by pages of this server only, and no other page', async () => {
    const policyOf = async (path: string) =>
      (await fetch(`${dashboard.server.url}/app/${path}`)).headers.get('content-security-policy') ?? '';
    const preview = await policyOf('preview.html');
    assert.match(preview, /default-src 'none';.*frame-ancestors 'self'/);
    assert.doesNotMatch(preview, /connect-src/);
    for (const path of ['', 'notices', 'preview', 'preview.html/'])
      assert.match(await policyOf(path), /ancestors 'none'/);
  });

  test('shows the changes of another user before it saves over them', async () => {
    const { member, id, edit, read } = await createTenant();
    await visitAs(member, `notices/${id}`, async (page) => {
      await page.getByRole('textbox', { name: /^Name/ }).fill('Ours');
      await edit({ name: 'Theirs', controllerName: 'Their Ltd' });
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'changed meanwhile' });
      await dialog.locator('ins').getByText('Their').first().waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Notices' }).click();
      assert.equal((await read()).name, 'Theirs');
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Save my changes' }).click();
      await page.getByText('Saved.').waitFor();
      assert.equal(await page.getByLabel('Controller').inputValue(), 'Their Ltd');
      assert.equal((await read()).name, 'Ours');
      await page.getByRole('textbox', { name: /^Name/ }).fill('Ours again');
      await edit({ name: 'Theirs again' });
      await page.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Discard my changes' }).click();
      assert.equal(await page.getByRole('textbox', { name: /^Name/ }).inputValue(), 'Theirs again');
    });
    const { name, controllerName } = await read();
    assert.deepEqual([name, controllerName], ['Theirs again', 'Their Ltd']);
  });

  test('shows hostile texts as text in the form, the preview and the differences', async () => {
    const { member, id, edit } = await createTenant('admin', { name: hostile, controllerName: hostile });
    await edit({ purposes: [{ key: 'hostile', label: hostile, description: hostile, required: false }] });
    await visitAs(member, `notices/${id}`, async (page) => {
      const preview = openPreview(page);
      await page.getByRole('combobox', { name: 'Shown' }).selectOption('panel');
      await preview.getByRole('switch', { name: hostile }).waitFor();
      await page.getByRole('heading', { name: hostile }).waitFor();
      assert.equal(await page.getByLabel('What visitors read').inputValue(), hostile);
      assert.equal(await page.locator('img').count(), 0);
      assert.equal(await preview.locator('img').count(), 0);
      await page.getByRole('link', { name: 'Publish', exact: true }).click();
      await page.locator('ins').getByText(hostile).first().waitFor();
      assert.equal(await page.locator('img').count(), 0);
    });
  });

  test('gives an auditor no action, and the page of another tenant’s notice shows an error', async () => {
    const { server, member, edit } = await createTenant('auditor');
    await edit({ controllerName: 'Another Ltd' });
    const other = await createTenant();
    await visitAs(member, 'notices', async (page) => {
      await page.getByRole('link', { name: 'Website' }).click();
      await openPreview(page).getByRole('button', { name: 'Accept all' }).waitFor();
      assert.ok(await page.getByLabel('Controller').isDisabled());
      assert.equal(await page.locator('main button').count(), 0);
      await page.getByRole('link', { name: 'Publish', exact: true }).click();
      await page.getByRole('cell', { name: 'Website' }).waitFor();
      await page.locator('ins').waitFor();
      assert.equal(await page.locator('main button').count(), 0);
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('link', { name: 'Website' }).waitFor();
      assert.equal(await page.locator('main button').count(), 0);
      await page.goto(`${server.url}/app/notices/${other.id}`);
      assert.match((await page.getByRole('alert').textContent()) ?? '', /no such|does not exist/);
    });
  });

  test('are accessible', async () => {
    const { server, id, member, edit } = await createTenant();
    await visitAs(member, 'notices', async (page) => {
      await page.locator('tbody tr').first().waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Archive' }).click();
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'New notice' }).click();
      await assertAccessible(page);
      await page.goto(`${server.url}/app/notices/${id}`);
      await openPreview(page).getByRole('button', { name: 'Accept all' }).waitFor();
      await assertAccessible(page);
      await edit({ name: 'Theirs' });
      await page.getByRole('textbox', { name: /^Name/ }).fill('Ours');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('ins').first().waitFor();
      await assertAccessible(page);
      page.on('dialog', (question) => void question.accept());
      await page.goto(`${server.url}/app/notices/${id}/publish`);
      await page.locator('tbody tr').first().waitFor();
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Publish version 2' }).click();
      await assertAccessible(page);
      await page.goto(`${server.url}/app/notices/${id}/install`);
      await page.getByRole('heading', { name: 'WordPress' }).waitFor();
      await assertAccessible(page);
    });
  });
});

/** How much the browser has stored for the server. */
async function countTraces(page: Page) {
  const stored = await page.evaluate(async () => ({
    items: Object.keys({ ...localStorage, ...sessionStorage }),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }));
  return { ...stored, cookies: (await page.context().cookies()).length };
}
