import { pino } from 'pino';
import { createTenant } from '../../accounts/tenants/store.ts';
import type { Attestation } from '../../ledger/attestation-store.ts';
import { listTasks, readAttestations } from '../../ledger/attestation-store.ts';
import type { LedgerOf } from '../../ledger/entry.ts';
import { CheckpointKeeper } from '../../proofs/checkpoint-keeper.ts';
import { LogKeeper } from '../../proofs/log-keeper.ts';
import { type Dialect, runTransaction } from '../../storage/database.ts';
import { openTestInstallation, TestClock } from '../harness.ts';
import { appendOne } from '../ledger/exported.ts';

export const hour = 60 * 60_000;

/** An installation whose log is extended in steps. */
export async function openLog(
  dialect: Dialect,
  environment: Readonly<Record<string, string>> = {},
  respondWithin?: number,
) {
  const clock = new TestClock();
  const installation = await openTestInstallation(dialect, environment, clock);
  const { database } = installation;
  const checkpoints = new CheckpointKeeper({ ...installation, interval: hour, log: pino({ level: 'silent' }) });
  const openKeeper = () =>
    new LogKeeper({ ...installation, ...(respondWithin === undefined ? {} : { respondWithin }) });
  const keeper = openKeeper();
  const sign = async () => {
    while (await checkpoints.step(clock.now()));
  };
  let tenants = 0;
  return {
    installation,
    database,
    queries: database.kysely,
    clock,
    keeper,
    openKeeper,
    sign,
    /** Signs what is due, extends the log, and requests timestamps and cosignatures. */
    async run() {
      await sign();
      await keeper.step(clock.now());
    },
    async addTenant(): Promise<LedgerOf> {
      tenants += 1;
      const wanted = { slug: `tenant-${tenants}`, name: 'Tenant' };
      const { id } = await runTransaction(database, clock.now(), (tx) => createTenant(tx, wanted));
      return { tenantId: id, ledger: 'audit' };
    },
    append: (of: LedgerOf) => appendOne(installation, of.tenantId, clock.now(), 'a'),
    readAttestations: (): Promise<readonly Attestation[]> => readAttestations(database.kysely),
    async readFaults() {
      return (await listTasks(database.kysely)).map(({ fault }) => fault);
    },
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}
