import type { Command } from './command.ts';
import { runServer } from './run-server.ts';

export const demo: Command = {
  name: 'demo',
  summary: 'start the server, with a demo tenant when the database is empty',
  description: 'This is what npm start runs. The settings are those of svc serve.',
  options: {},
  // The receiver of the demo is on this machine. A server that others reach must not write to its own network for them.
  defaults: ({ HOST }): Readonly<Record<string, string>> =>
    HOST === undefined || ['', '127.0.0.1', '::1', 'localhost'].includes(HOST)
      ? { SVC_WEBHOOK_ALLOW_PRIVATE: 'true' }
      : {},
  run: (context) => runServer(context, true),
};
