import type { Command } from './command.ts';
import { runServer } from './run-server.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'start the server, with a demo tenant when the database is empty',
  description: 'This is what npm start runs. The settings are those of svc serve.',
  options: {},
  // The receiver of the demo is on this machine. A server that others reach must not write to its own network for them.
  defaults: ({ HOST = '', SVC_BASE_URL = '' }): Readonly<Record<string, string>> =>
    ['', ...loopback].includes(HOST) && (SVC_BASE_URL === '' || loopback.includes(hostOf(SVC_BASE_URL)))
      ? { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' }
      : {},
  run: (context) => runServer(context, true),
};

const loopback = ['127.0.0.1', '::1', '[::1]', 'localhost'];

/** Empty for what is no address; the settings refuse it. */
function hostOf(address: string): string {
  return URL.parse(address)?.hostname ?? '';
}
