import { existsSync } from 'node:fs';
import { homedir } from 'node:os';

/** How to start the browser under test; fits the launch options of puppeteer and playwright alike. */
export interface ChromiumLaunch {
  readonly executablePath: string;
  readonly args: string[];
}

const usualPlaces: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: [
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/usr/bin/google-chrome-stable',
    '/snap/bin/chromium',
  ],
  darwin: ['', homedir()].flatMap((base) => [
    `${base}/Applications/Chromium.app/Contents/MacOS/Chromium`,
    `${base}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
  ]),
  win32: [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA].flatMap((base) => [
    `${base}\\Chromium\\Application\\chrome.exe`,
    `${base}\\Google\\Chrome\\Application\\chrome.exe`,
  ]),
};

/** Nothing the browser would fetch or draw for itself: tests see only what the page does. */
const args = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The browser for the tests: `$CHROME_PATH`, or the first of the usual places. Throws with what to do if none is there. */
export function chromium(): ChromiumLaunch {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(missingMessage());
  return { executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox', ...args] : args };
}

/** `$CHROME_PATH` if that is there, or the first of the usual places that is. */
export function findChromium(): string | undefined {
  const named = process.env.CHROME_PATH;
  return named ? [named].find(existsSync) : usualPlaces[process.platform]?.find(existsSync);
}

function missingMessage(): string {
  const named = process.env.CHROME_PATH;
  return [
    named ? `CHROME_PATH names ${named}, which is not there.` : 'The browser tests need Chromium, and none was found.',
    '  Install it:           apt-get install chromium   (as root; or any Chromium or Chrome)',
    '  Or say where it is:   CHROME_PATH=/path/to/chrome npm test',
    '  Or test without it:   npm run test:node',
  ].join('\n');
}
