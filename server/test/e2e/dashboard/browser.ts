import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium as launcher, type Page } from 'playwright-core';
import { chromium } from '../../../../tools/test/chromium.ts';
import { startTestServer, type TestMember, type TestServer } from '../../harness.ts';
import { allowPrivate } from '../../webhooks/sending.ts';

/** A server with a dashboard, and a browser. */
export interface DashboardBrowser {
  readonly server: TestServer;
  /** Opens a page below /app/; an error, a violation of the policy or a request elsewhere fails the test. */
  visit(path: string, step: (page: Page) => Promise<void>, options?: BrowserContextOptions): Promise<void>;
  /** The same for a member, who signs in first. */
  visitAs(
    member: TestMember,
    path: string,
    step: (page: Page) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void>;
}

/** Themes and widths in which every page must be accessible. */
export const appearances = [
  { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { colorScheme: 'dark', viewport: { width: 320, height: 640 } },
  { forcedColors: 'active', viewport: { width: 1280, height: 900 } },
] as const;

/** Defines tests of the dashboard, which share a server and a browser. */
export function describeDashboard(name: string, define: (dashboard: DashboardBrowser) => void): void {
  describe(name, () => {
    let server: TestServer;
    let browser: Browser;
    before(async () => {
      server = await startTestServer('sqlite', allowPrivate);
      browser = await launcher.launch(chromium());
    });
    after(async () => {
      await browser?.close();
      await server[Symbol.asyncDispose]();
    });

    const visit: DashboardBrowser['visit'] = async (path, step, options = {}) => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== server.url) complaints.push(`requests ${request.url()}`);
      });
      await page.goto(`${server.url}/app/${path}`);
      await step(page);
      await context.close();
      // Chromium logs every response of 4xx, and requests that a test aborts.
      assert.deepEqual(
        complaints.filter((text) => !/the server responded with a status of 4\d\d|net::ERR_FAILED/.test(text)),
        [],
      );
    };
    define({
      get server() {
        return server;
      },
      visit,
      visitAs: (member, path, step, options) =>
        visit(
          path,
          async (page) => {
            await signIn(page, member);
            await step(page);
          },
          options,
        ),
    });
  });
}

export async function sendPassword(page: Page, { email, password }: Pick<TestMember, 'email' | 'password'>) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signIn(page: Page, member: Pick<TestMember, 'email' | 'password'>) {
  await sendPassword(page, member);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Asserts that axe finds nothing, and that nothing is wider than the window. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const found = await inPage.run(document, { rules: { 'target-size': { enabled: true } } });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  });
  assert.deepEqual(violations, []);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
}
