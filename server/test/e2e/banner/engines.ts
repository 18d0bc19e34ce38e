import { puppeteerCore } from '@web/test-runner-chrome';
import { chromium } from '../../../../tools/test/chromium.ts';
import { findProgram } from '../../../../tools/test/find-program.ts';
import { WebDriver } from './webdriver.ts';

export type Key = 'Tab' | 'Enter' | 'Space' | 'Escape';

/** A page in a browser, operated by keyboard only. */
export interface EnginePage extends AsyncDisposable {
  open(url: string): Promise<void>;
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

const missing = (packages: string) => `not on this machine: apt-get install ${packages}`;
const firefox = findProgram('firefox-esr', 'firefox');
const hasWebKit = findProgram('WebKitWebDriver') !== undefined && findProgram('Xvfb') !== undefined;

/** The three browser engines, each in a browser that Debian has. */
export const engines: readonly Engine[] = [
  { name: 'Chromium', skip: false, start: () => launch({ browser: 'chrome', ...chromium() }) },
  {
    name: 'Firefox',
    skip: firefox === undefined && missing('firefox-esr'),
    start: () => launch({ browser: 'firefox', executablePath: firefox as string }),
  },
  { name: 'WebKit', skip: !hasWebKit && missing('webkit2gtk-driver xvfb'), start: startWebKit },
];

type LaunchOptions = NonNullable<Parameters<typeof puppeteerCore.launch>[0]>;

async function launch(options: LaunchOptions): Promise<EnginePage> {
  const browser = await puppeteerCore.launch({ ...options, headless: true });
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  return {
    open: async (url) => {
      await page.goto(url);
    },
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
    open: (url) => driver.open(url),
    press: (key, { shift = false } = {}) => driver.press(codePoints[key], shift ? shiftKey : undefined),
    evaluate: (expression) => driver.evaluate(expression),
    takePicture: () => driver.takePicture(),
    [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose](),
  };
}
