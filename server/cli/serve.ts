import { describeSettings } from '../settings.ts';
import type { Command } from './command.ts';
import { runServer } from './run-server.ts';

const settings = describeSettings().map(({ name, meaning }) => `  ${name.padEnd(26)} ${meaning}`);

export const serve: Command = {
  name: 'serve',
  summary: 'start the server',
  description: `Settings are environment variables:\n${settings.join('\n')}`,
  options: {},
  run: (context) => runServer(context, false),
};
