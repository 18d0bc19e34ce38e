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
  /** The same for a member, who is signed in. */
  visitAs(
    member: TestMember,
    path: string,
    step: (page: Page) => Promise<void>,
    options?: BrowserContextOptions,
  ): Promise<void>;
}

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

    const open = async (
      session: TestMember['session'] | null,
      path: string,
      step: (page: Page) => Promise<void>,
      options: BrowserContextOptions = {},
    ) => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const [name = '', value = ''] = session?.Cookie?.split('=') ?? [];
      if (session !== null) await context.addCookies([{ name, value, url: server.url }]);
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
      visit: (path, step, options) => open(null, path, step, options),
      visitAs: ({ session }, path, step, options) => open(session, path, step, options),
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

/** Themes and widths in which every page must be accessible. */
const looks = [
  { colorScheme: 'dark', forcedColors: 'none', width: 320 },
  { colorScheme: 'light', forcedColors: 'active', width: 1280 },
  { colorScheme: 'light', forcedColors: 'none', width: 1280 },
] as const;

/** The rules of axe whose answer depends on the look; the others are asked once. */
const rulesOfLook = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/**
 * Asserts that axe finds nothing in light, dark and forced colours, and that nothing is wider than the window, which is
 * 320 px in one of them: as wide as 1280 px at 400 % (WCAG 2.2, 1.4.10).
 */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  assert.deepEqual(await findViolations(page, null), []);
  for (const { colorScheme, forcedColors, width } of looks) {
    await page.emulateMedia({ colorScheme, forcedColors });
    await page.setViewportSize({ width, height: 800 });
    assert.deepEqual(await findViolations(page, rulesOfLook), [], `${colorScheme}, ${forcedColors}, ${width} px`);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${width} px`);
  }
}

function findViolations(page: Page, rules: readonly string[] | null): Promise<readonly string[]> {
  return page.evaluate(async (only) => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    const options = only === null ? { rules: { 'target-size': { enabled: true } } } : { runOnly: [...only] };
    const found = await inPage.run(document, options);
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, rules);
}
