import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import type { MemberRole } from '../../../http/roles.ts';
import { trustCenter } from '../../site/trust/helpers.ts';
import { assertAccessible } from '../accessible.ts';
import { describeDashboard } from './browser.ts';

describeDashboard('the trust center in the dashboard', (dashboard) => {
  const { visitAs } = dashboard;

  async function createTenant(role: MemberRole = 'dpo') {
    const { server } = dashboard;
    const tenant = await server.createTenant(`t-${crypto.randomUUID().slice(0, 8)}`);
    return { server, tenant, member: await server.createMember({ tenantId: tenant.id, role }) };
  }

  const openPreview = (page: Page) => page.frameLocator('iframe');

  test('shows a draft as the public page will show it, and publishes it after a confirmation', async () => {
    const { server, tenant, member } = await createTenant();
    const readPublic = () => server.request('GET', `/trust/${tenant.slug}`, { key: null });
    await visitAs(member, 'trust', async (page) => {
      await page.getByLabel('Headline').fill('<img src=x> & safe');
      await page.getByRole('button', { name: 'Add framework' }).click();
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'frameworks.0.code');
      await page.getByRole('combobox', { name: 'Framework' }).selectOption('SOC2');
      await page.getByLabel('Achieved on').fill('2026-05-01');
      await page.getByRole('button', { name: 'Add link' }).click();
      await page.getByLabel('Label').fill('Policy');
      await page.getByLabel('URL').fill('https://example.com/policy');
      const preview = openPreview(page);
      await preview.getByText('<img src=x> & safe').waitFor();
      await preview.getByRole('heading', { name: 'SOC 2' }).waitFor();
      await preview.getByText('1 May 2026').waitFor();
      // The preview does not follow its links.
      await preview.getByRole('link', { name: 'Policy' }).click();
      await preview.getByRole('heading', { name: tenant.slug }).waitFor();
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByText('Saved.').waitFor();
      assert.equal((await readPublic()).status, 404);
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Published.', { exact: true }).waitFor();
      const { text } = await readPublic();
      // The sections that differ in nothing but the time.
      for (const part of ['.lead', '.links']) {
        const shown = await openPreview(page).locator(part).innerHTML();
        assert.ok(text.includes(shown), shown);
      }
    });
  });

  test('names what a publication changes, and keeps what is not edited exactly', async () => {
    const { server, tenant, member } = await createTenant();
    const body = { ...trustCenter, frameworks: [{ code: 'GDPR', achievedAt: '2026-03-01T11:22:33.444Z' }] };
    const before = (await server.request('PUT', '/v1/trust', { key: tenant.key, body })).body.data;
    await visitAs(member, 'trust', async (page) => {
      await page.getByLabel('Headline').fill('Another');
      await page.getByRole('button', { name: 'Remove: Status' }).click();
      await page.getByRole('button', { name: 'Publish changes' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This changes: Headline, Documents and links.').waitFor();
      await dialog.getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Published.', { exact: true }).waitFor();
    });
    const { data } = (await server.request('GET', '/v1/trust', { key: tenant.key })).body;
    const { updatedAt } = data;
    assert.deepEqual(data, { ...before, headline: 'Another', links: before.links.slice(0, 1), updatedAt });
  });

  test('keeps a draft beside what is public, names what differs, and discards or publishes it', async () => {
    const { server, tenant, member } = await createTenant();
    const before = (await server.request('PUT', '/v1/trust', { key: tenant.key, body: trustCenter })).body.data;
    const read = async () => (await server.request('GET', '/v1/trust', { key: tenant.key })).body.data;
    await visitAs(member, 'trust', async (page) => {
      const headline = page.getByLabel('Headline');
      const saveDraft = async (text: string) => {
        await headline.fill(text);
        await page.getByRole('button', { name: 'Save draft' }).click();
        await page.getByText('This changes: Headline.').waitFor();
      };
      await saveDraft('Next');
      const { draft, ...shown } = await read();
      assert.deepEqual([shown.headline, draft.headline], [before.headline, 'Next']);
      await page.reload();
      assert.equal(await headline.inputValue(), 'Next');
      await assertAccessible(page);
      await page.getByRole('button', { name: 'Discard draft' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Discard draft' }).click();
      await page.getByText('This changes: Headline.').waitFor({ state: 'detached' });
      assert.equal(await headline.inputValue(), before.headline);
      assert.deepEqual(await read(), before);
      await saveDraft('Last');
      await page.getByRole('button', { name: 'Publish changes' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByText('Published.', { exact: true }).waitFor();
    });
    const after = await read();
    assert.deepEqual([after.headline, after.draft], ['Last', null]);
  });

  test('shows the changes of another user before it saves over them', async () => {
    const { server, tenant, member } = await createTenant();
    const change = (body: object) => server.request('PUT', '/v1/trust', { key: tenant.key, body });
    const read = async () => (await server.request('GET', '/v1/trust', { key: tenant.key })).body.data;
    await visitAs(member, 'trust', async (page) => {
      const headline = page.getByLabel('Headline');
      const dialog = page.getByRole('dialog', { name: 'changed meanwhile' });
      await headline.fill('Mine');
      const subprocessors = [
        { name: 'Cloud <b>', purpose: 'Servers', country: 'Germany', since: '2026-12-01T00:00:00Z' },
      ];
      await change({ published: true, headline: 'Theirs', contactEmail: 'theirs@example.com', subprocessors });
      await page.getByRole('button', { name: 'Save draft' }).click();
      const texts = (part: number) => dialog.locator('svc-differences').nth(part).locator('dt, dd').allInnerTexts();
      await dialog.locator('ins').first().waitFor();
      const theirs = ['theirs@example.com', 'Subprocessors', 'Cloud <b> · Servers · Germany · 2026-12-01'];
      assert.deepEqual(await texts(0), [
        'Headline',
        'Theirs',
        'Contact address',
        ...theirs,
        'Status',
        'DraftPublished',
      ]);
      assert.deepEqual(await texts(1), ['Headline', 'TheirsMine']);
      await assertAccessible(page);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      page.once('dialog', (question) => void question.dismiss());
      await page.getByRole('link', { name: 'Requests' }).click();
      assert.equal((await read()).headline, 'Theirs');
      // Someone changes it once more while the question is open.
      await page.getByRole('button', { name: 'Save draft' }).click();
      await dialog.waitFor();
      await change({ published: true, headline: 'Theirs', contactEmail: 'later@example.com', subprocessors });
      await dialog.getByRole('button', { name: 'Save my changes' }).click();
      await dialog.getByText('later@example.com').waitFor();
      await dialog.getByRole('button', { name: 'Save my changes' }).click();
      await page.getByText('Published.', { exact: true }).waitFor();
      const { published, ...saved } = await read();
      assert.deepEqual([published, saved.headline, saved.contactEmail], [true, 'Mine', 'later@example.com']);
      assert.equal(await page.getByLabel('Contact address').inputValue(), 'later@example.com');
      await headline.fill('Mine again');
      await change({ published: false, headline: 'Theirs again' });
      await page.getByRole('button', { name: 'Publish changes' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await dialog.getByRole('button', { name: 'Discard my changes' }).click();
      assert.equal(await headline.inputValue(), 'Theirs again');
      await page.getByRole('button', { name: 'Save draft' }).waitFor();
    });
    assert.equal((await read()).headline, 'Theirs again');
  });

  test('moves the focus to the field that the server rejects', async () => {
    const { member } = await createTenant();
    await visitAs(member, 'trust', async (page) => {
      for (const index of [0, 1]) {
        await page.getByRole('button', { name: 'Add link' }).click();
        await page.locator(`[name="links.${index}.label"]`).fill('Same');
        await page.locator(`[name="links.${index}.url"]`).fill('https://example.com/');
      }
      await page.getByRole('button', { name: 'Save draft' }).click();
      await page.getByRole('alert').getByText('Label: ').waitFor();
      await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'links.1.label');
    });
  });

  test('configures the badge beside the real one, and writes the pinned tag', async () => {
    const { server, tenant, member } = await createTenant();
    await server.request('PUT', '/v1/trust', { key: tenant.key, body: trustCenter });
    await visitAs(member, 'trust/badge', async (page) => {
      const badge = openPreview(page).locator('svc-trust-badge');
      await badge.getByText(tenant.slug).waitFor();
      await page.getByRole('combobox', { name: 'Variant' }).selectOption('floating');
      await page.getByRole('combobox', { name: 'Corner of the window' }).selectOption('top-left');
      await badge.getByRole('button').click();
      await badge.getByRole('dialog').getByText('SOC 2').waitFor();
      await page.getByRole('combobox', { name: 'Variant' }).selectOption('card');
      await page.getByLabel('Accent color').fill('#0b6e4f');
      await page.getByLabel('Language').fill('fr');
      await page.getByLabel('Link target').fill('/"><script>');
      await page.getByLabel('Show the frameworks').uncheck();
      await badge.getByText('Mis à jour').waitFor();
      await badge.getByText('SOC 2').waitFor({ state: 'detached' });
      const tag = await page.locator('.copyable code').first().innerText();
      assert.match(
        tag,
        /<script src="http[^"]+svc-trust-badge\.js" integrity="sha384-[^"]{64}" crossorigin="anonymous" defer>/,
      );
      const attributes =
        'variant="card" accent="#0b6e4f" locale="fr" trust-url="/&quot;>&lt;script>" show-frameworks="false"';
      assert.ok(tag.includes(`<svc-trust-badge tenant="${tenant.slug}" ${attributes}><a href=`), tag);
      await assertAccessible(page);
    });
  });

  test('has only a link as its badge until it is published, and is withdrawn after a confirmation', async () => {
    const { server, tenant, member } = await createTenant();
    await visitAs(member, 'trust/badge', async (page) => {
      await page.getByText('only a link until').waitFor();
    });
    await server.request('PUT', '/v1/trust', { key: tenant.key, body: trustCenter });
    await visitAs(member, 'trust', async (page) => {
      await page.getByRole('button', { name: 'Unpublish' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
      await page.getByText('Saved.').waitFor();
      assert.equal((await server.request('GET', `/trust/${tenant.slug}`, { key: null })).status, 404);
    });
  });
});
