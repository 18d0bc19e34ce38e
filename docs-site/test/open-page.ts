import assert from 'node:assert/strict';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Opens a page and runs a step on it; whatever the browser complains of on the way fails the test. */
export async function withPage(
  browser: Browser,
  url: string,
  step: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(url);
    await step(page);
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
  }
}
