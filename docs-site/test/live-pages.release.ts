import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Browser, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../tools/test/chromium.ts';
import { readWidgetBuilds } from '../site/widget-manifest.ts';
import { type DemoServer, startDemoServer } from './demo-server.ts';
import { ensureBuilt } from './ensure-built.ts';
import { withPage } from './open-page.ts';
import { startStaticHost } from './site-pages.ts';

const banner = 'widgets/banner/';
const badge = 'widgets/badge/';
const playground = 'webhooks/playground/';

describe('what is live on the pages', () => {
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  let server: DemoServer;
  let browser: Browser;
  before(async () => {
    ensureBuilt();
    host = await startStaticHost();
    server = await startDemoServer();
    browser = await launcher.launch(chromium());
  });
  after(async () => {
    await browser?.close();
    await host?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const onHost = (path: string, step: (page: Page) => Promise<void>) => withPage(browser, host.url + path, step);
  const onServer = (path: string, step: (page: Page) => Promise<void>) =>
    withPage(browser, `${server.credentials.baseUrl}/docs/${path}`, step);

  test('the banner shows when it is asked for, and its decision goes nowhere on a static host', async () => {
    await onHost(banner, async (page) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET' || request.url().includes('/v1/')) sent.push(request.url());
      });
      await page.getByRole('button', { name: 'Show the banner' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Accept all' }).count(), 0);
      assert.equal(await page.getByLabel('Into the ledger of the demo tenant').isDisabled(), true);
      await page.getByText('You can choose the ledger if').waitFor();
      await page.getByRole('button', { name: 'Show the banner' }).click();
      await page.getByRole('button', { name: 'Reject all' }).click();
      await page.locator('[data-state]').getByText('"analytics": false').waitFor();
      await page.locator('[data-log]').getByText('POST /v1/public/consent/').waitFor();
      assert.deepEqual(sent, []);
    });
  });

  test('the banner asks again when the choice is forgotten', async () => {
    await onHost(banner, async (page) => {
      await page.getByRole('button', { name: 'Show the banner' }).click();
      await page.getByRole('button', { name: 'Accept all' }).click();
      await page.getByRole('button', { name: 'Accept all' }).waitFor({ state: 'detached' });
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Forget my choice' }).click()]);
      await page.getByRole('button', { name: 'Show the banner' }).click();
      await page.getByRole('button', { name: 'Accept all' }).waitFor();
    });
  });

  test('the banner writes into the ledger of the demo only when that is chosen, and the page says so', async () => {
    await onServer(banner, async (page) => {
      await page.getByLabel('Into the ledger of the demo tenant').check();
      await page.getByText('Each decision becomes a record in the ledger').waitFor();
      await page.getByRole('button', { name: 'Show the banner' }).click();
      const captured = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Accept all' }).click();
      assert.equal((await captured).status(), 201);
      await page.locator('[data-log]').getByText('POST /v1/public/consent/').waitFor();
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Forget my choice' }).click()]);
      await page.getByText('Each decision becomes a record in the ledger').waitFor();
      assert.equal(await page.getByLabel('Into the ledger of the demo tenant').isChecked(), true);
      await page.reload();
      await page.getByText('Nothing leaves this page.').waitFor();
    });
  });

  test('an address of another server changes only the tag: the page sends no request to it', async () => {
    for (const [path, name] of [
      [banner, 'svc-consent'],
      [badge, 'svc-trust-badge'],
    ] as const)
      await onHost(path, async (page) => {
        if (path === banner) await page.getByRole('button', { name: 'Show the banner' }).click();
        const field = page.locator('[data-attribute=api-base]');
        const before = await field.inputValue();
        await field.fill('https://svc.example.org');
        await page.locator('[data-tag] code').getByText('api-base="https://svc.example.org"').waitFor();
        const widget = page.locator(`${name}[api-base]`);
        await widget.waitFor({ state: 'attached' });
        assert.equal(await widget.getAttribute('api-base'), before);
      });
  });

  test('the banner follows its layout, position, scheme, accent, language and region', async () => {
    await onHost(banner, async (page) => {
      const choose = (name: string, value: string) => page.locator(`[data-attribute=${name}]`).selectOption(value);
      await choose('layout', 'bar');
      await choose('position', 'top');
      await choose('scheme', 'dark');
      await page.locator('[data-attribute=language]').fill('de');
      await page.locator('[data-accent]').fill('#0b6e4f');
      await page.getByRole('button', { name: 'Show the banner' }).click();
      const reject = page.getByRole('button', { name: 'Alle ablehnen' });
      await reject.waitFor();
      const layer = page.locator('svc-consent .banner');
      // It slides in.
      await layer.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
      const { y, width } = (await layer.boundingBox()) ?? { y: -1, width: 0 };
      assert.ok(y >= 0 && y < 40 && width > 600, `${y}, ${width}`);
      assert.equal(await reject.evaluate((button) => getComputedStyle(button).backgroundColor), 'rgb(11, 110, 79)');
      await page.locator('[data-tag] code').getByText('layout="bar"').waitFor();
      await page.locator('[data-attribute=region]').fill('US-CA');
      await page.getByRole('button', { name: 'Ihre Datenschutzoptionen' }).waitFor();
      assert.equal(await layer.count(), 0);
    });
  });

  test('a tag of a version that is not released says so', async () => {
    for (const { name, version, isReleased } of readWidgetBuilds())
      await onHost(name === 'svc-consent' ? banner : badge, async (page) => {
        const warnings = page.getByRole('note').filter({ hasText: `${name} ${version} is still being worked on` });
        assert.equal((await warnings.count()) > 0, !isReleased, name);
      });
  });

  test('the badge fits a window of 320 pixels when it has its data', async () => {
    const step = async (page: Page) => {
      for (const variant of ['card', 'compact', 'full']) {
        await page.getByLabel('variant', { exact: true }).selectOption(variant);
        // It asks for its data when it comes into sight; the page may put another in its place meanwhile.
        await page.waitForFunction((selector) => {
          const shown = document.querySelector(selector);
          shown?.scrollIntoView();
          return shown?.shadowRoot?.textContent?.includes('Your Company');
        }, `svc-trust-badge[variant=${variant}]`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, variant);
      }
    };
    await withPage(browser, host.url + badge, step, { viewport: { width: 320, height: 640 } });
  });

  test('the tag on the page is for this server, with the attributes that were chosen', async () => {
    await onServer(badge, async (page) => {
      const tag = page.locator('[data-tag] code');
      await tag.getByText(server.credentials.baseUrl).first().waitFor();
      await page.getByLabel('variant', { exact: true }).selectOption('status');
      await page.waitForFunction(() =>
        document.querySelector('[data-tag] code')?.textContent?.includes('variant="status"'),
      );
      const text = (await tag.textContent()) ?? '';
      const [, address = '', integrity = ''] = /src="([^"]+)"\s+integrity="([^"]+)"/.exec(text) ?? [];
      assert.match(integrity, /^sha384-/);
      const script = await fetch(address);
      assert.equal(script.status, 200, address);
      const digest = await crypto.subtle.digest('SHA-384', await script.arrayBuffer());
      assert.equal(integrity, `sha384-${Buffer.from(digest).toString('base64')}`);
    });
  });

  test('the tag keeps its colors when an attribute is chosen', async () => {
    await onHost(banner, async (page) => {
      await page.getByLabel('reload-on-withdrawal').selectOption('true');
      const tag = page.locator('[data-tag] code');
      await tag.getByText('reload-on-withdrawal').waitFor();
      assert.match((await tag.textContent()) ?? '', /<svc-consent [^>]*\sreload-on-withdrawal="true"[\s>]/);
      assert.ok((await tag.locator('.h-attr').count()) > 5);
    });
  });

  test('the badge shows each change at once, with made-up data on a static host', async () => {
    await onHost(badge, async (page) => {
      await page.locator('svc-trust-badge').getByText('Your Company').waitFor();
      for (const variant of ['mini', 'compact', 'status', 'full', 'floating', 'card']) {
        await page.getByLabel('variant', { exact: true }).selectOption(variant);
        await page.locator(`svc-trust-badge[variant=${variant}]`).waitFor({ state: 'attached' });
      }
      await page.getByLabel('show-updated').selectOption('false');
      await page.locator('svc-trust-badge').getByText('Updated').waitFor({ state: 'detached' });
    });
  });

  test('the badge shows the trust center of the demo on its server', async () => {
    await onServer(badge, async (page) => {
      await page.locator('svc-trust-badge').getByText('Demo', { exact: true }).waitFor();
      await page.getByText('The badge shows the trust center of the demo tenant').waitFor();
    });
  });

  test('each attribute has a field', async () => {
    for (const [path, name] of [
      [banner, 'svc-consent'],
      [badge, 'svc-trust-badge'],
    ] as const)
      await onHost(path, async (page) => {
        const fields = await page
          .locator('[data-attribute]')
          .evaluateAll((all) => all.map((one) => one.getAttribute('data-attribute')));
        const observed = await page.evaluate((element) => {
          const registered = customElements.get(element) as unknown as {
            readonly observedAttributes: readonly string[];
          };
          return [...registered.observedAttributes];
        }, name);
        for (const attribute of observed) assert.ok(fields.includes(attribute), `${name} ${attribute}`);
      });
  });

  test('the playground signs what it then verifies', async () => {
    await onHost(playground, async (page) => {
      const headers = page.locator('[data-output=sign]');
      await headers.getByText(/Svc-Signature: t=1767225600,v1=[0-9a-f]{64}/).waitFor();
      await page.getByRole('button', { name: 'Verify these below' }).click();
      await page.getByText('Genuine: signed 2026-01-01T00:00:00.000Z.').waitFor();
    });
  });

  test('the playground says why a delivery is refused', async () => {
    await onHost(playground, async (page) => {
      await page.getByRole('button', { name: 'Verify these below' }).click();
      const verdict = page.locator('[data-output=verify]');
      for (const [id, value, code] of [
        ['verify-body', '{"changed":true}', 'signature_mismatch'],
        ['verify-time', '1767300000', 'timestamp_too_old'],
        ['verify-time', '1767100000', 'timestamp_too_new'],
        ['verify-headers', 'Svc-Signature: nonsense', 'signature_malformed'],
        ['verify-headers', 'Content-Type: application/json', 'signature_missing'],
        ['verify-tolerance', 'much', 'is a number of seconds'],
      ] as const) {
        const kept = await page.locator(`#${id}`).inputValue();
        await page.locator(`#${id}`).fill(value);
        await verdict.getByText(code).waitFor();
        await page.locator(`#${id}`).fill(kept);
        await verdict.getByText('Genuine').waitFor();
      }
    });
  });

  test('the playground verifies what the server itself sent', async () => {
    const { environment, credentials } = server;
    await using receiver = await receiveOne();
    const headers = { Authorization: `Bearer ${credentials.apiKey}`, 'Content-Type': 'application/json' };
    const made = await fetch(`${environment.BASE}/v1/webhooks`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: receiver.url }),
    });
    const { data } = (await made.json()) as { readonly data: { readonly id: string; readonly secret: string } };
    await fetch(`${environment.BASE}/v1/webhooks/${data.id}/test`, { method: 'POST', headers });
    const received = await receiver.delivery;
    await onHost(playground, async (page) => {
      await page.locator('#verify-headers').fill(received.headers);
      await page.locator('#verify-body').fill(received.body);
      await page.locator('#verify-secrets').fill(data.secret);
      await page.locator('#verify-time').fill('');
      await page.locator('[data-output=verify]').getByText('Genuine').waitFor();
    });
  });
});

/** Takes one delivery as it comes over the wire. */
async function receiveOne() {
  const { createServer } = await import('node:http');
  const { promise, resolve } = Promise.withResolvers<{ readonly headers: string; readonly body: string }>();
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end();
    const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    resolve({ headers: lines.join('\n'), body: Buffer.concat(chunks).toString() });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  const { port } = receiver.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    delivery: promise,
    async [Symbol.asyncDispose]() {
      receiver.closeAllConnections();
      await new Promise((closed) => receiver.close(closed));
    },
  };
}
