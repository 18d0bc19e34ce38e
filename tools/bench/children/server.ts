// The server as it is run in production, in a process that also reports its processor time.

import { createLog, startServer } from '../../../server/cli/server/start-server.ts';
import { openInstallation } from '../../../server/installation/installation.ts';
import { readSettings } from '../../../server/settings.ts';
import { answerQuestions, usedCpu } from './answer.ts';

const settings = readSettings(process.env);
const installation = await openInstallation(settings);
const server = await startServer(installation, { log: createLog(settings) });

answerQuestions(
  (question: 'port' | 'cpu') => (question === 'port' ? server.port : usedCpu()),
  async () => {
    await server.close();
    await installation[Symbol.asyncDispose]();
  },
);
