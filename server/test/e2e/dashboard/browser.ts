import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Clock,
  chromium as launcher,
  type Page,
} from 'playwright-core';
import { chromium } from '../../../../tools/test/chromium.ts';
import type { Dialect } from '../../../storage/database.ts';
import { startTestServer, type TestClock, type TestMember, type TestServer } from '../../harness.ts';
import { allowPrivate } from '../../webhooks/sending.ts';

export interface VisitOptions extends BrowserContextOptions {
  /** Sets the clock of the browser before a page opens: a page that runs meanwhile would see the year 1970 for a moment. */
  readonly setClock?: (clock: Clock) => Promise<void>;
}

/** A server with a dashboard, and a browser. */
export interface DashboardBrowser {
  readonly server: TestServer;
  /** Opens a page below /app/; an error, a violation of the policy or a request elsewhere, in any tab, fails the test. */
  visit(path: string, step: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>;
  /** The same for a member, who is signed in. */
  visitAs(member: TestMember, path: string, step: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>;
}

/**
 * Defines tests of the dashboard, which share a server and a browser.
 * @param dialect the database; default: SQLite, for most tests are about what the browser does.
 * @param clock of the server; default: one that stands still.
 * @param isSetUp whether the server has a tenant.
 */
export function describeDashboard(
  name: string,
  define: (dashboard: DashboardBrowser) => void,
  {
    dialect = 'sqlite',
    ...options
  }: { readonly dialect?: Dialect; readonly clock?: TestClock; readonly isSetUp?: boolean } = {},
): void {
  describe(name, () => {
    let server: TestServer;
    let browser: Browser;
    before(async () => {
      server = await startTestServer(dialect, allowPrivate, options);
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
      { setClock, ...options }: VisitOptions = {},
    ) => {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const [name = '', value = ''] = session?.Cookie?.split('=') ?? [];
      if (session !== null) await context.addCookies([{ name, value, url: server.url }]);
      await setClock?.(context.clock);
      const complaints = await watch(context, server.url);
      try {
        const page = await context.newPage();
        await page.goto(`${server.url}/app/${path}`);
        await step(page);
        // Messages that the pages have logged arrive before these responses.
        await Promise.all(context.pages().map((one) => one.evaluate(() => null)));
      } finally {
        await context.close();
      }
      assert.deepEqual(complaints, []);
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

/** Collects what goes wrong in every page and frame of a context, and every request to another origin. */
async function watch(context: BrowserContext, origin: string): Promise<readonly string[]> {
  const complaints: string[] = [];
  // A page that handles the event itself, or a policy that only reports, must not hide a violation.
  await context.addInitScript(() => {
    addEventListener(
      'securitypolicyviolation',
      ({ violatedDirective, blockedURI }) => console.error(`violates ${violatedDirective}: ${blockedURI}`),
      { capture: true },
    );
  });
  context.on('console', (message) => {
    // Chromium logs every response of 4xx, and requests that a test aborts.
    const isExpected = /the server responded with a status of 4\d\d|net::ERR_FAILED/.test(message.text());
    if (!isExpected) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`requests ${request.url()}`);
  });
  return complaints;
}

export async function sendPassword(page: Page, { email, password }: Pick<TestMember, 'email' | 'password'>) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Accepts the invitation whose link is open, and signs in. */
export async function acceptInvitation(page: Page, password: string) {
  await page.getByLabel('New password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('The invitation is accepted').waitFor();
  assert.equal(new URL(page.url()).hash, '');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

export async function signIn(page: Page, member: Pick<TestMember, 'email' | 'password'>) {
  await sendPassword(page, member);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
