import type { TestRunnerPlugin } from '@web/test-runner';
import type { ChromeLauncher, puppeteerCore } from '@web/test-runner-chrome';

/** A page keeps its session: what one session emulates, another cannot take back. */
const sessions = new WeakMap<puppeteerCore.Page, Promise<puppeteerCore.CDPSession>>();

/** Commands that need the protocol of the browser's developer tools. */
export const devtoolsPlugin: TestRunnerPlugin<string> = {
  name: 'devtools',
  async executeCommand({ command, payload = 'none', session }) {
    if (command !== 'emulate-forced-colors' && command !== 'collect-garbage') return undefined;
    const page = (session.browser as ChromeLauncher).getPage(session.id);
    const devtools = sessions.get(page) ?? page.createCDPSession();
    sessions.set(page, devtools);
    if (command === 'collect-garbage') await (await devtools).send('HeapProfiler.collectGarbage');
    else
      await (await devtools).send('Emulation.setEmulatedMedia', {
        features: [{ name: 'forced-colors', value: payload }],
      });
    return true;
  },
};
