import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../tools/test/chromium.ts';
import { startTestServer, type TestServer, type TestTenant } from '../harness.ts';
import { assertAccessible } from './accessible.ts';

const narrow = { width: 320, height: 640 };
const wide = { width: 1280, height: 900 };

describe('the form for data-subject requests in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  let tenant: TestTenant;

  before(async () => {
    server = await startTestServer('sqlite', { SVC_LIMIT_VISITOR: '100000' });
    browser = await launcher.launch(chromium());
    tenant = await createTenant();
  });
  after(async () => {
    await browser?.close();
    await server[Symbol.asyncDispose]();
  });

  let count = 0;
  async function createTenant(): Promise<TestTenant> {
    count += 1;
    const created = await server.createTenant(`form-${count}`);
    const body = { dsrForm: true, name: `${'Unbreakable'.repeat(12)} <b>` };
    assert.equal((await server.request('PATCH', '/v1/tenant', { key: created.key, body })).status, 200);
    return created;
  }

  /** Opens a page and runs a step on it; any complaint of the browser fails the test. */
  async function visit(
    path: string,
    options: BrowserContextOptions,
    step: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB', viewport: wide, ...options });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${server.url}${path}`, { waitUntil: 'load' });
    await step(page);
    await context.close();
    // Chromium logs these for every refused request.
    assert.deepEqual(
      complaints.filter((text) => !/status of 4\d\d/.test(text)),
      [],
    );
  }

  const formPath = ({ slug }: TestTenant) => `/privacy/${slug}/request`;

  test('is sent by keyboard only, and shows the reference and when the answer is due', async () => {
    await visit(formPath(tenant), {}, async (page) => {
      const { keyboard } = page;
      await keyboard.press('Tab');
      await keyboard.type('Erase');
      await keyboard.press('Tab');
      await keyboard.type('ada@example.com');
      await keyboard.press('Tab');
      await keyboard.press('Tab');
      await keyboard.type('<img src=x onerror=alert(1)>');
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your request was received' }).waitFor();
      assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H2');
      const reference = await page.locator('#reference').textContent();
      const dsr = (await server.request('GET', `/v1/dsr/${reference}`, { key: tenant.key })).body.data;
      assert.deepEqual(
        [dsr.type, dsr.requesterEmail, dsr.requesterName, dsr.message],
        ['erasure', 'ada@example.com', null, '<img src=x onerror=alert(1)>'],
      );
      assert.equal(await page.locator('#due').getAttribute('datetime'), dsr.dueAt);
      assert.equal(await page.getByRole('button').count(), 0);
    });
  });

  test('says at each field what is wrong, and moves to the first', async () => {
    await visit(formPath(tenant), {}, async (page) => {
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('Choose what you ask for.').waitFor();
      const type = page.getByLabel('What do you ask for?');
      assert.equal(await type.evaluate((field) => field === document.activeElement), true);
      assert.equal(await type.getAttribute('aria-invalid'), 'true');
      await type.selectOption('access');
      // The browser takes it; the server does not.
      await page.getByLabel('E-mail address').fill('ada@localhost');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.locator('#email[aria-invalid]:focus').waitFor();
      assert.equal(await type.getAttribute('aria-invalid'), null);
      await page.getByText('Enter an e-mail address, such as name@example.com.').waitFor();
    });
  });

  test('works without JavaScript, also after a mistake', async () => {
    const other = await createTenant();
    await visit(formPath(other), { javaScriptEnabled: false, viewport: narrow }, async (page) => {
      await page.getByLabel('What do you ask for?').selectOption('access');
      await page.getByLabel('E-mail address').fill('ada@localhost');
      await page.getByLabel('Message').fill('\nfirst line\nsecond');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('Enter an e-mail address, such as name@example.com.').waitFor();
      assert.equal(await page.getByLabel('Message').inputValue(), '\nfirst line\nsecond');
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByRole('heading', { name: 'Your request was received' }).waitFor();
      const reference = await page.locator('#reference').textContent();
      const dsr = (await server.request('GET', `/v1/dsr/${reference}`, { key: other.key })).body.data;
      assert.deepEqual([dsr.type, dsr.requesterEmail], ['access', 'ada@example.com']);
    });
  });

  test('says that too many requests were sent', async () => {
    const other = await createTenant();
    const body = { type: 'access', email: 'ada@example.com' };
    for (let sent = 0; sent < 5; sent += 1)
      await server.request('POST', `/v1/public/dsr/${other.slug}`, { key: null, body });
    await visit(formPath(other), {}, async (page) => {
      await page.getByLabel('What do you ask for?').selectOption('access');
      await page.getByLabel('E-mail address').fill('ada@example.com');
      await page.getByRole('button', { name: 'Send request' }).click();
      await page.getByText('Too many requests were sent.').waitFor();
      assert.equal(await page.getByLabel('E-mail address').inputValue(), 'ada@example.com');
    });
  });

  test('confirms an address only after a click, and says when a link is used', async () => {
    const other = await createTenant();
    const body = { type: 'access', email: 'ada@example.com' };
    const made = await server.request('POST', `/v1/public/dsr/${other.slug}`, { key: null, body });
    const { reference } = made.body.data;
    const link = await server.request('POST', `/v1/dsr/${reference}/confirmation-link`, { key: other.key });
    const path = `/privacy/confirm#${link.body.data.token}`;
    const confirmedAt = async () =>
      (await server.request('GET', `/v1/dsr/${reference}`, { key: other.key })).body.data.confirmedAt;
    await visit(path, {}, async (page) => {
      await page.getByRole('button', { name: 'Confirm' }).waitFor();
      assert.equal(await confirmedAt(), null);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
      assert.equal(await confirmedAt(), server.clock.now());
      await assertAccessible(page);
    });
    await visit(path, {}, async (page) => {
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText('This link is unknown, used or expired.').waitFor();
      await assertAccessible(page);
    });
  });

  for (const look of [
    { colorScheme: 'light', viewport: wide },
    { colorScheme: 'dark', viewport: narrow },
  ] as const)
    test(`is accessible, opened ${look.colorScheme} and ${look.viewport.width} px wide`, async () => {
      await visit(formPath(await createTenant()), { ...look, locale: 'de' }, async (page) => {
        await assertAccessible(page);
        await page.getByRole('button', { name: 'Anfrage senden' }).click();
        await page.getByText('Wählen Sie, was Sie möchten.').waitFor();
        await assertAccessible(page);
        await page.getByLabel('Was möchten Sie?').selectOption('portability');
        await page.getByLabel('E-Mail-Adresse').fill('ada@example.com');
        await page.getByRole('button', { name: 'Anfrage senden' }).click();
        await page.getByRole('heading', { name: 'Ihre Anfrage ist eingegangen' }).waitFor();
        await assertAccessible(page);
      });
      for (const path of ['/privacy/confirm', '/privacy/none/request']) await visit(path, look, assertAccessible);
    });

  test('says without JavaScript that the confirmation needs it', async () => {
    await visit('/privacy/confirm#token', { javaScriptEnabled: false }, async (page) => {
      await page.getByText('This page needs JavaScript.').waitFor();
      assert.equal(await page.getByRole('button').count(), 0);
    });
  });
});
