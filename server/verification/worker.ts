/** The thread that verifies beside the server, with a separate connection and the lowest priority. */
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { Settings } from '../settings.ts';
import { Findings } from './findings.ts';
import type { Outcome } from './store.ts';
import { verifyInstallation } from './verify-database.ts';

/** What the thread is started with. */
export interface WorkerInput {
  readonly settings: Settings;
  readonly now: string;
}

/** What the thread sends: its progress, and at last the outcome. */
export type WorkerMessage = { readonly verified: number; readonly tenants: number } | { readonly outcome: Outcome };

const send = (message: WorkerMessage) => parentPort?.postMessage(message);
// Only Linux has priorities of threads; elsewhere this would slow the whole server.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_LOW);
const findings = new Findings(() => undefined);
const verified = await verifyInstallation(
  {
    ...(workerData as WorkerInput),
    notes: new Map(),
    progress: { say: () => undefined, showProgress: () => undefined },
    countTenants: (verified, tenants) => send({ verified, tenants }),
  },
  findings,
);
send({ outcome: { list: findings.list, verified } });
