import { puppeteerCore } from '@web/test-runner-chrome';
import { chromium } from '../../../../tools/test/chromium.ts';
import { findProgram } from '../../../../tools/test/find-program.ts';
import { WebDriver } from './webdriver.ts';

export type Key = 'Tab' | 'Enter' | 'Space' | 'Escape';

/** A page in a browser. */
export interface EnginePage extends AsyncDisposable {
  /** Continues in a tab without a history. */
  renew(): Promise<void>;
  open(url: string): Promise<void>;
  reload(): Promise<void>;
  /** Goes one page back in the history. */
  back(): Promise<void>;
  /** Clicks a point of the viewport. */
  click(x: number, y: number): Promise<void>;
  press(key: Key, options?: { readonly shift?: boolean }): Promise<void>;
  /** The value of an expression, awaited in the page. */
  evaluate<T>(expression: string): Promise<T>;
  takePicture(): Promise<Uint8Array>;
}

export interface Engine {
  readonly name: string;
  /** Why the engine cannot be tested here; false if it can. */
  readonly skip: string | false;
  start(): Promise<EnginePage>;
}

/** Continuous integration skips no engine: there, a missing one fails when it starts. */
const skipWithout = (isPresent: boolean, packages: string) =>
  !isPresent && !process.env.CI && `not on this machine: apt-get install ${packages}`;
const firefox = findProgram('firefox-esr', 'firefox');
const hasWebKit = findProgram('WebKitWebDriver') !== undefined && findProgram('Xvfb') !== undefined;

/** The three browser engines, each in a browser that Debian has. */
export const engines: readonly Engine[] = [
  { name: 'Chromium', skip: false, start: () => launch({ browser: 'chrome', ...chromium() }) },
  {
    name: 'Firefox',
    skip: skipWithout(firefox !== undefined, 'firefox-esr'),
    start: () => launch({ browser: 'firefox', executablePath: firefox ?? 'firefox-esr' }),
  },
  { name: 'WebKit', skip: skipWithout(hasWebKit, 'webkit2gtk-driver xvfb'), start: startWebKit },
];

type LaunchOptions = NonNullable<Parameters<typeof puppeteerCore.launch>[0]>;

async function launch(options: LaunchOptions): Promise<EnginePage> {
  const browser = await puppeteerCore.launch({ ...options, headless: true });
  const openTab = async () => {
    const tab = await browser.newPage();
    await tab.setViewport({ width: 1280, height: 800 });
    return tab;
  };
  let page = await openTab();
  return {
    // Puppeteer loses track of a tab of Firefox that has restored a page from memory.
    async renew() {
      const last = page;
      page = await openTab();
      await last.close();
    },
    open: async (url) => {
      await page.goto(url);
    },
    reload: async () => {
      await page.reload();
    },
    // Puppeteer's own method waits for a load, which a page that is restored from memory does not have.
    async back() {
      const left = page.url();
      await page.evaluate('history.back()');
      while ((await page.evaluate('location.href').catch(() => left)) === left);
    },
    click: (x, y) => page.mouse.click(x, y),
    async press(key, { shift = false } = {}) {
      if (shift) await page.keyboard.down('Shift');
      await page.keyboard.press(key === 'Space' ? ' ' : key);
      if (shift) await page.keyboard.up('Shift');
    },
    evaluate: <T>(expression: string) => page.evaluate(expression) as Promise<T>,
    takePicture: () => page.screenshot(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** https://www.w3.org/TR/webdriver2/#keyboard-actions */
const codePoints: Readonly<Record<Key, string>> = { Tab: '\uE004', Enter: '\uE007', Space: ' ', Escape: '\uE00C' };
const shiftKey = '\uE008';

async function startWebKit(): Promise<EnginePage> {
  const driver = await WebDriver.startWebKit();
  return {
    renew: () => driver.open('about:blank'),
    open: (url) => driver.open(url),
    reload: () => driver.reload(),
    back: () => driver.back(),
    click: (x, y) => driver.click(x, y),
    press: (key, { shift = false } = {}) => driver.press(codePoints[key], shift ? shiftKey : undefined),
    evaluate: (expression) => driver.evaluate(expression),
    takePicture: () => driver.takePicture(),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}
