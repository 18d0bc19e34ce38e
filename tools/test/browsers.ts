// node tools/test/browsers.ts: installs the browsers of the tests that are missing. Chromium must be there; what is tested in
// Firefox and in WebKit, too, is skipped without them.
import { installPackages } from './apt.ts';
import { chromium, findChromium } from './chromium.ts';
import { findProgram } from './find-program.ts';

if (!findChromium() && !process.env.CHROME_PATH) installPackages('chromium');
if (!findProgram('firefox-esr', 'firefox')) installPackages('firefox-esr');
if (!findProgram('WebKitWebDriver') || !findProgram('Xvfb')) installPackages('webkit2gtk-driver', 'xvfb');
try {
  chromium();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
