/** The thread that verifies beside the server, with a separate connection and a low priority. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Findings } from './findings.ts';
import type { Outcome } from './verification-store.ts';
import { type VerifyOrder, verifyInstallation } from './verify-database.ts';

/** The input of the thread. */
export type WorkerInput = Pick<VerifyOrder, 'settings' | 'now'>;

/** A message of the thread: its progress, and at last the outcome. */
export type WorkerMessage = { readonly verified: number; readonly tenants: number } | { readonly outcome: Outcome };

const send = (message: WorkerMessage) => parentPort?.postMessage(message);
// Requests come first. A niceness of 5, because at the lowest priority (19) a run hardly advances on a server that is always
// busy. Only Linux has priorities of threads; elsewhere this would slow the whole server.
if (process.platform === 'linux') setPriority(0, 5);
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
