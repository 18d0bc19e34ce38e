import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { createScene } from '../../http/scene.ts';
import { assertAccessible, assertFits } from '../accessible.ts';
import { describeDashboard, sendPassword, signIn } from './browser.ts';

const hostile = `<img src=x onerror="document.title='taken'">שלום {{7*7}} ${'ÄẞWort'.repeat(12)} ' " & %00`;

describeDashboard('faults in the dashboard', (dashboard) => {
  const { visit, visitAs } = dashboard;

  async function createTenant() {
    const { server } = dashboard;
    const scene = await createScene(server);
    const admin = await scene.caller();
    const post = async (path: string, body: object) => {
      const answer = await server.request('POST', path, { key: scene.tenant.key, body });
      assert.equal(answer.status, 201, answer.text);
      return answer.body.data;
    };
    return { server, scene, admin, post };
  }

  test('offers to load a page again whose script could not be fetched', async () => {
    const { admin } = await createTenant();
    await visitAs(admin, '', async (page) => {
      const entries = page.getByRole('navigation');
      await entries.waitFor();
      await page.route('**/app/assets/**', (route) => route.abort());
      await entries.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByText('The server cannot be reached').waitFor();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      await page.unroute('**/app/assets/**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    });
  });

  test('offers to load the frame again whose script could not be fetched', async () => {
    const { admin } = await createTenant();
    await visit('', async (page) => {
      await page.getByLabel('Email').waitFor();
      await page.route('**/app/assets/**', (route) => route.abort());
      await sendPassword(page, admin);
      await page.getByText('The server cannot be reached').waitFor();
      await page.unroute('**/app/assets/**');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('navigation').waitFor();
    });
  });

  test('says that a sign-out failed, and asks before it drops what was entered', async () => {
    const { admin } = await createTenant();
    await visitAs(admin, 'me', async (page) => {
      const signOut = page.getByRole('button', { name: 'Sign out' });
      await page.getByLabel('Given name').fill('Ada');
      page.once('dialog', (question) => void question.dismiss());
      await signOut.click();
      assert.equal(await page.getByLabel('Given name').inputValue(), 'Ada');
      await page.route('**/v1/auth/sign-out', (route) => route.abort());
      page.on('dialog', (question) => void question.accept());
      await signOut.click();
      await page.getByRole('alert').getByText('The server cannot be reached').waitFor();
      await page.unroute('**/v1/auth/sign-out');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByLabel('Email').waitFor();
    });
  });

  test('opens a dialog without an earlier error, and keeps what could not be loaded ready to be tried again', async () => {
    const { admin } = await createTenant();
    await visitAs(admin, '', async (page) => {
      await page.getByRole('navigation').waitFor();
      await page.route('**/v1/me/sessions', (route) => route.abort());
      await page.getByRole('link', { name: 'Your account' }).click();
      const retry = page.getByRole('button', { name: 'Try again' });
      await retry.waitFor();
      await page.route('**/v1/me', (route) => route.abort());
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').nth(1).waitFor();
      await page.getByRole('button', { name: 'End all other sessions' }).click();
      const dialog = page.getByRole('dialog');
      assert.equal(await dialog.getByRole('alert').count(), 0);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.unrouteAll();
      await retry.click();
      await page.getByText('This session').waitFor();
      assert.equal(await page.getByRole('alert').count(), 0);
      // An action that was carried out is no failure where the page cannot be loaded after it.
      await page.route('**/v1/me/sessions', (route) => route.abort());
      await page.getByLabel('Current password').fill(admin.password);
      await page.getByLabel('New password').fill('a new password, long enough');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The password is changed').waitFor();
      await retry.waitFor();
    });
  });

  test('keeps what is typed while a save is under way, and asks before it is left', async () => {
    const { server, scene, admin } = await createTenant();
    const noticeId = await scene.notice();
    await visitAs(admin, '', async (page) => {
      for (const [path, label] of [
        [`notices/${noticeId}`, 'Controller'],
        ['trust', 'Headline'],
        ['people/provisioning', 'Name of the group'],
        ['me', 'Given name'],
      ] as const) {
        await page.goto(`${server.url}/app/${path}`);
        const field = page.getByLabel(label).first();
        if (path.startsWith('people')) await page.getByRole('button', { name: 'Add group' }).click();
        const held = Promise.withResolvers<void>();
        await page.route('**/v1/**', async (route) => {
          if (route.request().method() !== 'GET') await held.promise;
          await route.continue();
        });
        await field.fill('First');
        const sent = page.waitForRequest((request) => /PATCH|PUT/.test(request.method()));
        await page.getByRole('button', { name: 'Save' }).first().click();
        await sent;
        await field.fill('Second');
        held.resolve();
        await page.getByText(/Saved|is saved/).waitFor();
        assert.equal(await field.inputValue(), 'Second', path);
        page.once('dialog', (question) => void question.dismiss());
        await page.getByRole('link', { name: 'Home' }).click();
        assert.equal(await field.inputValue(), 'Second', path);
        await page.unrouteAll();
        page.once('dialog', (question) => void question.accept());
        await page.getByRole('link', { name: 'Home' }).click();
        await page.getByRole('heading', { name: 'At a glance' }).waitFor();
      }
    });
  });

  test('lets a tab do nothing as the user who signed in since in another tab', async () => {
    const { server, scene, admin } = await createTenant();
    const other = await server.createMember({ tenantId: scene.tenant.id, role: 'dpo' });
    await visitAs(admin, 'me', async (page) => {
      await page.getByLabel('Given name').fill('Ada');
      const second = await page.context().newPage();
      await second.goto(`${server.url}/app/`);
      await second.getByRole('button', { name: 'Sign out' }).click();
      await signIn(second, other);
      const save = page.locator('form', { has: page.getByLabel('Given name') }).getByRole('button', { name: 'Save' });
      await save.click();
      const dialog = page.getByRole('dialog', { name: 'Sign in to Svc' });
      await dialog.getByText('Another user signed in').waitFor();
      await assertAccessible(page);
      const nameOf = async ({ userId }: { readonly userId: string }) =>
        (await server.request('GET', `/v1/users/${userId}`, { key: scene.tenant.key })).body.data.givenName;
      assert.deepEqual([await nameOf(admin), await nameOf(other)], [null, null]);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('alert').getByText('Another user signed in').waitFor();
      await save.click();
      await dialog.getByLabel('Password').fill(admin.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Your name is saved').waitFor();
      assert.deepEqual([await nameOf(admin), await nameOf(other)], ['Ada', null]);
      await second.getByRole('link', { name: 'Your account' }).click();
      await second.getByRole('dialog').getByRole('button', { name: 'Open the pages of the other user' }).click();
      await second.waitForURL(`${server.url}/app/`);
      await second.getByText('Ada').first().waitFor();
    });
  });

  test('warns before a tenant requires a second factor, and leads a user without one to its set-up', async () => {
    const { server, admin } = await createTenant();
    await visitAs(admin, 'settings', async (page) => {
      await page.getByLabel('Require a second factor').check();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('That includes you: your account has none.').waitFor();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('alert').getByRole('link', { name: 'Set up a second factor' }).first().waitFor();
      await assertAccessible(page);
      await page.goto(`${server.url}/app/`);
      await page.waitForURL('**/app/me');
      await page.getByText('Your tenant requires a second factor').waitFor();
      await page.getByRole('button', { name: 'Set up' }).waitFor();
    });
  });

  test('shows a missing page for an id of another tenant and for what is no id', async () => {
    const { server, scene, admin } = await createTenant();
    const foreign = await (await createTenant()).scene.notice();
    const noticeId = await scene.notice();
    const ids = ['requests', 'controls', 'webhooks', 'webhooks/deliveries', 'people', 'breaches', 'audit'];
    const paths = [`notices/${foreign}/records`, ...ids.map((path) => `${path}/none`), 'subjects/%zz'];
    await visitAs(admin, `notices/${noticeId}/records/none`, async (page) => {
      const missing = page.getByRole('heading', { name: 'Page not found', level: 1 });
      await missing.waitFor();
      for (const path of paths) {
        await page.goto(`${server.url}/app/${path}`);
        await missing.waitFor();
        assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, path);
      }
    });
  });

  test('asks before a secret that is shown once is left', async () => {
    const { scene, admin } = await createTenant();
    const webhookId = await scene.webhook();
    await visitAs(admin, 'webhooks', async (page) => {
      await page.locator(`main a[href$="${webhookId}"]`).click();
      await page.getByRole('button', { name: 'Rotate secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
      const stored = page.getByRole('button', { name: 'I have stored it' });
      await stored.waitFor();
      const asked = page.waitForEvent('dialog');
      await page.evaluate(() => history.back());
      const question = await asked;
      assert.equal(question.message(), 'Leave without storing it? It is not shown again.');
      await question.dismiss();
      await stored.click();
      await page.goBack();
      await page.getByRole('button', { name: 'Add webhook' }).waitFor();
    });
  });

  test('stops to look for the banner when the user is away, and goes on when they are back', async () => {
    const { scene, admin } = await createTenant();
    const noticeId = await scene.notice();
    await visitAs(
      admin,
      `notices/${noticeId}/install`,
      async (page) => {
        await page.getByText('Not seen yet').waitFor();
        let looks = 0;
        page.on('request', (request) => {
          if (request.url().endsWith('/sightings')) looks += 1;
        });
        await page.clock.fastForward('05:01');
        await page.getByText('Paused after five minutes').waitFor();
        await assertAccessible(page);
        const before = looks;
        await page.clock.runFor(30_000);
        assert.equal(looks, before);
        const asked = page.waitForRequest('**/sightings');
        await page.getByRole('button', { name: 'Continue' }).click();
        await page.clock.runFor(3000);
        await asked;
        await page.getByText('Paused after five minutes').waitFor({ state: 'detached' });
      },
      { setClock: (clock) => clock.install() },
    );
  });

  test('says that the role does not allow it any more, keeps what was entered, and shows the new role', async () => {
    const { server, scene, admin } = await createTenant();
    const webhookId = await scene.webhook();
    const other = await server.createMember({ tenantId: scene.tenant.id });
    await visitAs(other, `webhooks/${webhookId}`, async (page) => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('what was entered');
      const path = `/v1/users/${other.userId}`;
      const changed = await server.request('PATCH', path, { headers: admin.session, body: { role: 'auditor' } });
      assert.equal(changed.status, 200, changed.text);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').getByText('Your role does not allow this').waitFor();
      assert.equal(await page.getByLabel('Description').inputValue(), 'what was entered');
      page.once('dialog', (question) => void question.accept());
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForFunction(() => document.querySelectorAll('main .actions button').length === 0);
    });
  });

  test('leads back and forward through every page, also for the next user of the window', async () => {
    const { server, scene, admin } = await createTenant();
    await scene.notice();
    const next = await server.createMember({ tenantId: scene.tenant.id });
    await visitAs(admin, '', async (page) => {
      await page.getByRole('button', { name: 'Sign out' }).click();
      await sendPassword(page, next);
      await page.getByRole('navigation').waitFor();
      const titles: string[] = [await settledTitle(page, '')];
      for (const link of await page.locator('svc-shell > nav a').all()) {
        const title = (await link.textContent()) ?? '';
        if (title === 'Home') continue;
        await link.click();
        titles.push(await settledTitle(page, title));
      }
      // `page.goBack()` can overtake the latest `pushState()`, `history.back()` cannot.
      for (const title of titles.slice(0, -1).toReversed()) {
        await page.evaluate(() => history.back());
        assert.equal(await settledTitle(page, title), title);
      }
      for (const title of titles.slice(1)) {
        await page.evaluate(() => history.forward());
        assert.equal(await settledTitle(page, title), title);
      }
    });
  });

  test('leads back to the rows, the filters, the place and the link that the user left, and names each object', async () => {
    const { server, scene, admin } = await createTenant();
    const { key } = scene.tenant;
    for (let count = 1; count <= 60; count += 1)
      await server.createNotice({ key, publish: false, content: { name: `Site ${count}`, domain: 'shop.example' } });
    await visitAs(admin, 'notices?domain=shop.example', async (page) => {
      const more = page.getByRole('button', { name: 'Show more' });
      const rows = page.locator('tbody tr');
      await more.click();
      await rows.nth(49).waitFor();
      const link = page.getByRole('link', { name: 'Site 15', exact: true });
      await link.focus();
      const left = await page.evaluate(() => scrollY);
      assert.ok(left > 1000, `${left}`);
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.title === 'Site 15 · Notices · Svc');
      assert.equal(await page.evaluate(() => scrollY), 0);
      await page.getByRole('link', { name: 'Install', exact: true }).focus();
      // As soon as the part of the editor is there, which makes the page that long.
      await page.waitForFunction(() => {
        scrollTo(0, 600);
        return scrollY === 600;
      });
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.title === 'Install the banner · Site 15 · Notices · Svc');
      await page.goBack();
      await page.waitForFunction(() => document.activeElement?.textContent === 'Install' && scrollY === 600);
      assert.equal(await page.title(), 'Site 15 · Notices · Svc');
      await page.goBack();
      await page.waitForFunction(
        (top) => document.activeElement?.textContent === 'Site 15' && Math.abs(scrollY - top) < 1,
        left,
      );
      assert.equal(await rows.count(), 50);
      assert.equal(new URL(page.url()).search, '?domain=shop.example');
      assert.equal(await page.title(), 'Notices · Svc');
      await page.goForward();
      await page.waitForFunction(() => document.title === 'Site 15 · Notices · Svc');
    });
  });

  test('asks the other tab to sign in again, and goes on with what was pressed there', async () => {
    const { scene, admin } = await createTenant();
    const webhookId = await scene.webhook();
    await visitAs(admin, `webhooks/${webhookId}`, async (page) => {
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByLabel('Email').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Password').fill(admin.password);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
    });
  });

  test('finds objects by name and by id, but not those of another tenant', async () => {
    const { scene, admin } = await createTenant();
    const other = await createTenant();
    const [noticeId, requestId, foreignId] = [await scene.notice(), await scene.dsr(), await other.scene.dsr()];
    await visitAs(admin, '', async (page) => {
      await page.getByRole('navigation').waitFor();
      const find = async (text: string) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Find a page or an object' }).fill(text);
      };
      await find('websi');
      await page.getByRole('option', { name: 'Website Notice' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/app/notices/${noticeId}`);
      await find(requestId.toUpperCase());
      await page.getByRole('option', { name: scene.subjectId }).click();
      await page.waitForURL(`**/app/requests/${requestId}`);
      const asked = page.waitForResponse(`**/v1/dsr/${foreignId}`);
      await find(foreignId);
      assert.equal((await asked).status(), 404);
      await page.getByText('Nothing found').waitFor();
    });
  });

  test('follows single keys unless they are switched off or meant for a field', async () => {
    const { scene, admin } = await createTenant();
    await scene.notice();
    await visitAs(admin, 'notices', async (page) => {
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim());
      await page.getByRole('link', { name: 'Website' }).waitFor();
      await page.keyboard.press('j');
      assert.equal(await focused(), 'Website');
      await page.keyboard.press('/');
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'status');
      await page.getByRole('searchbox', { name: 'Domain', exact: true }).press('j');
      assert.equal(await page.getByRole('searchbox', { name: 'Domain', exact: true }).inputValue(), 'j');
      await page.keyboard.press('Control+k');
      await page.getByRole('checkbox', { name: 'Keys without Ctrl' }).uncheck();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1 }).focus();
      await page.keyboard.press('j');
      assert.equal(await focused(), 'Notices');
      await page.getByRole('link', { name: 'Your account' }).click();
      const keys = page.getByRole('checkbox', { name: 'Keys without Ctrl' });
      assert.equal(await keys.isChecked(), false);
      await keys.check();
      await page.getByRole('button', { name: 'End all other sessions' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End all other sessions' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Notices' }).click();
      await page.getByRole('link', { name: 'Website' }).waitFor();
      await page.keyboard.press('j');
      assert.equal(await focused(), 'Website');
    });
  });

  test('shows hostile texts as text, in their place, on every page that has some, and due dates by the clock of the server', async () => {
    const { server, scene, admin, post } = await createTenant();
    const content = {
      name: hostile.slice(0, 100),
      controllerName: hostile.slice(0, 100),
      language: 'en',
      domain: 'shop.example',
      purposes: [{ key: 'a', label: hostile.slice(0, 60), description: hostile, required: false }],
    };
    const id = await server.createNotice({ key: scene.tenant.key, content, publish: false });
    // Characters that texts of several lines can contain: those that change the direction, and control characters.
    const turning = `\u202E${hostile}\u2067\u0007\u001b[31m`;
    const long = `${turning}${'long'.repeat(2500)}`;
    const dsr = await post('/v1/dsr', { subjectId: hostile.slice(0, 120), type: 'access', notes: long.slice(0, 2000) });
    await server.request('PATCH', '/v1/tenant', { key: scene.tenant.key, body: { dsrForm: true } });
    const form = {
      type: 'erasure',
      email: 'ada@example.com',
      name: hostile.slice(0, 150),
      message: long.slice(0, 2000),
    };
    const made = await server.request('POST', `/v1/public/dsr/${scene.tenant.slug}`, { key: null, body: form });
    const control = { title: hostile.slice(0, 150), description: long.slice(0, 2000), domain: hostile.slice(0, 60) };
    const own = await post('/v1/control-framework/controls', { code: 'OWN-1', cadence: 'annual', ...control });
    await post(`/v1/control-framework/controls/${own.id}/evidence`, {
      title: hostile.slice(0, 150),
      kind: 'document',
      description: long.slice(0, 1000),
      collectedAt: '2026-01-01T00:00:00Z',
    });
    const person = await server.createMember({ tenantId: scene.tenant.id, role: 'auditor' });
    const name = { givenName: hostile.slice(0, 60), familyName: 'שלום'.repeat(15) };
    const named = await server.request('PATCH', '/v1/me', { headers: person.session, body: name });
    const email = `${'a'.repeat(60)}@${'example-'.repeat(7)}x.com`;
    await post('/v1/users/invitations', { email, role: 'auditor' });
    const subprocessor = { name: hostile.slice(0, 100), purpose: hostile.slice(0, 100), country: 'שלום' };
    const center = await server.request('PUT', '/v1/trust', {
      key: scene.tenant.key,
      body: {
        published: true,
        headline: hostile.slice(0, 150),
        // Public texts may not turn the direction.
        description: `${hostile}${'long'.repeat(900)}`,
        links: [{ label: hostile.slice(0, 60), url: `https://example.com/${'a'.repeat(300)}` }],
        subprocessors: [{ ...subprocessor, since: '2026-01-01T00:00:00Z', until: null }],
      },
    });
    for (const answer of [made, named, center]) assert.ok(answer.status < 300, answer.text);
    const spreading: string[] = [];
    const pages = [
      'people',
      `people/${person.userId}`,
      'controls',
      'controls?view=board',
      `controls/${own.id}`,
      'readiness',
      'trust',
      'trust/badge',
      `requests/${dsr.id}`,
      `requests/${made.body.data.reference}`,
    ];
    const incident = { title: hostile, description: hostile, severity: 'low', dataCategories: [hostile.slice(0, 60)] };
    await post('/v1/breach', { ...incident, discoveredAt: server.clock.now() });
    await post('/v1/webhooks', { url: 'https://receiver.example.com/%3Cimg%3E', description: hostile });
    await post('/v1/api-keys', { name: hostile.slice(0, 100), environment: 'live', scopes: ['audit:read'] });
    await scene.deadLetter();
    await visitAs(
      admin,
      'notices',
      async (page) => {
        await page.getByText('{{7*7}}').first().waitFor();
        await assertFits(page);
        for (const path of ['requests', 'breaches', 'webhooks', 'keys', 'audit', `notices/${id}`, ...pages]) {
          await page.goto(`${server.url}/app/${path}`);
          await page.locator('tbody tr, form, .card, .editor, dl').first().waitFor();
          await assertFits(page);
          for (const text of await findSpreading(page)) spreading.push(`${path}: ${text}`);
          assert.equal(await page.locator('main img').count(), 0, path);
          assert.equal(await page.getByText('Overdue', { exact: true }).and(page.locator('.status')).count(), 0, path);
          assert.notEqual(await page.title(), 'taken');
        }
      },
      {
        viewport: { width: 320, height: 800 },
        // The clock of the browser is a year fast.
        setClock: (clock) => clock.setFixedTime(server.clock.milliseconds() + 365 * 24 * 60 * 60_000),
      },
    );
    assert.deepEqual(spreading, []);
  });
});

/** The texts with characters of another direction that could reorder what is beside them. */
function findSpreading(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (!/[\u0590-\u05FF\u202A-\u202E\u2066-\u2069]/.test(node.textContent ?? '')) continue;
      let place = node.parentElement as Element;
      const isolates = (element: Element) => {
        const { display, unicodeBidi } = getComputedStyle(element);
        return display !== 'inline' || /isolate|plaintext/.test(unicodeBidi);
      };
      while (!isolates(place)) place = place.parentElement as Element;
      // Text in an element of its own cannot reorder other text.
      if (place.textContent?.trim() !== node.textContent?.trim()) found.push(place.outerHTML.slice(0, 300));
    }
    return found;
  });
}

/** The title of the page that is shown, once it is the wanted one. */
async function settledTitle(page: Page, wanted: string): Promise<string> {
  await page.waitForFunction(
    (text) => document.title.startsWith(text) && document.querySelector('main h1') === document.activeElement,
    wanted,
  );
  return page.title();
}
