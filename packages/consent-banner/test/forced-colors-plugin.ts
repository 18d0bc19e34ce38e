import type { TestRunnerPlugin } from '@web/test-runner';
import type { ChromeLauncher, puppeteerCore } from '@web/test-runner-chrome';

/** A page keeps its session: what one session emulates, another cannot take back. */
const sessions = new WeakMap<puppeteerCore.Page, Promise<puppeteerCore.CDPSession>>();

/** The runner's side of `emulateForcedColors`. */
export const forcedColorsPlugin: TestRunnerPlugin<string> = {
  name: 'emulate-forced-colors',
  async executeCommand({ command, payload = 'none', session }) {
    if (command !== 'emulate-forced-colors') return undefined;
    const page = (session.browser as ChromeLauncher).getPage(session.id);
    const devtools = sessions.get(page) ?? page.createCDPSession();
    sessions.set(page, devtools);
    await (await devtools).send('Emulation.setEmulatedMedia', {
      features: [{ name: 'forced-colors', value: payload }],
    });
    return true;
  },
};
